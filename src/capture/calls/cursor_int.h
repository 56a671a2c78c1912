/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cursor_int.h - reads the ring of one thread, record by record, and makes events of them. For this
 * folder only.
 *
 *	cursor_open          a thread has begun to write
 *	cursor_begin_round   what may be read in this round
 *	    cursor_fetch     the next event, in cursor->event
 *	    cursor_release   the program may use again what was read
 *	cursor_close
 *
 * If a signal handler interrupts the hook, the record is stored before or after all records of the
 * handler. So the ring has the order of the calls; a time that is a little too early is raised.
 */
#ifndef SONDE_CAPTURE_CALLS_CURSOR_INT_H
#define SONDE_CAPTURE_CALLS_CURSOR_INT_H

#include "capture/calls/usercollector.h"
#include "store/events/userevents.h"
#include "capture/calls/userrings.h"
#include "runtime/snrt.h"

#define CURSOR_DEPTH_MAX     (1u << 20) /* functions that are known; deeper calls are counted */
#define CURSOR_SEARCH_MAX    (1u << 22) /* steps in search of calls that are not there, in all */
#define CURSOR_RELEASE_BYTES (64u << 10)
/* A program that waits is woken for so much room: to sleep and to wake up takes it 10 us. */
#define CURSOR_WAKE_BYTES    (SNRT_RING_BYTES / 2)

enum cursor_result {
	CURSOR_NONE,  /* no more before the round's end */
	CURSOR_EVENT, /* in cursor->event */
	CURSOR_STUCK, /* a place was reserved, but not written yet */
	CURSOR_NEXT,  /* only of cursor_take_special(): it was no event, go on */
};

struct cursor_event {
	uint64_t counter, end; /* end: of a USEREVENTS_CALL */
	uint32_t func, depth;
	uint16_t type;
	uint16_t args_len, ret_len; /* of the cursor's texts; 0: none */
};

/* Values that stand before a record in the ring. */
struct cursor_values {
	uint64_t at; /* bytes ever read, as tail */
	uint32_t n_bytes;
};

/* Of an event, made of values when it is fetched. */
struct cursor_texts {
	char args[USEREVENTS_TEXT_MAX], ret[USEREVENTS_TEXT_MAX];
};

/* What all cursors share. */
struct cursor_round {
	const struct usercollector_config *config;
	uint64_t now;	      /* the counter when the round began */
	uint64_t end;	      /* records from this time on wait for the next round */
	uint64_t call_counts; /* the longest call that is one event */
	uint64_t delay;	      /* younger records may be taken back (runtime/rules.c); 0: none may */
	struct usercollector_sum *sum;
};

/* Calls inside each other whose counters are recorded. */
#define CURSOR_COUNTED_MAX 32

struct cursor_counted {
	uint32_t depth;
	uint64_t words[SNRT_N_COUNTERS];
};

struct cursor {
	struct snrt_thread *thread;
	uint64_t *ring;
	uint64_t tail, head;	  /* bytes ever read; bytes to be read in this round */
	uint64_t released, woken; /* bytes cleared; bytes cleared when the program was woken */
	uint64_t last;		  /* counter of the last record */
	uint64_t lost;		  /* records lost before the next event */
	struct usercollector_meaning meaning;
	uint32_t *calls; /* functions that were entered and not left */
	uint32_t depth, calls_cap;
	uint32_t search_left;
	uint32_t cpu;
	uint32_t slot, pid, tid, plan;
	uint64_t pid_ns;	 /* of pid and tid, if these are not ours; else 0 */
	uint64_t serial;	 /* later than those of the thread's other slots */
	const uint32_t *enabled; /* of all rings: 0: nothing is recorded any more */
	const bool *is_fed;	 /* see struct userrings */
	bool has_event;		 /* fetched, not taken yet */
	bool is_broken, is_gone;
	uint64_t stuck_at, stuck_since; /* tail, and the counter then */
	struct cursor_event event;
	struct cursor_values values;	/* of the record at tail; n_bytes 0: none */
	struct cursor_texts *texts;	/* NULL: never needed yet */
	struct cursor_counted *counted; /* of open calls; NULL: never needed yet */
	uint32_t n_counted;
};

/* Returns false if the content of the slot is invalid. */
bool cursor_open(struct cursor *cur, const struct cursor_round *round, uint32_t slot);
void cursor_close(struct cursor *cur);
/* Returns true if it has ended or was killed; false if that is unknown. */
bool cursor_is_thread_gone(struct cursor *cur);
/* False: the ring is broken. */
bool cursor_begin_round(struct cursor *cur, const struct cursor_round *round);
/*
 * Clears what was read, so that the program may write there. Wakes it if it waits and there is much
 * room.
 */
void cursor_release(struct cursor *cur);
/* Wakes the program if it waits and there is any new room. */
void cursor_wake(struct cursor *cur);
/* Counts what an SNRT_LOST record says. */
void cursor_add_lost(struct cursor *cur, const struct cursor_round *round, uint64_t value);
/* Skips a place that no thread will fill. */
void cursor_skip(struct cursor *cur, const struct cursor_round *round);

/* Values: of the record that is being fetched, to texts. func_id: as in the record. */
uint16_t cursor_fmt_args(struct cursor *cur, const struct cursor_round *round, uint32_t func_id);
uint16_t cursor_fmt_ret(struct cursor *cur, const struct cursor_round *round, uint32_t func_id);
/*
 * The values at the tail, if the record behind them is this one: goes to that record, which is the
 * result. 0: it is another one.
 */
uint64_t cursor_skip_values(struct cursor *cur, uint64_t what);

/* The rare parts of cursor_fetch(). */
enum cursor_result cursor_take_special(struct cursor *cur, const struct cursor_round *round,
				       uint64_t word);
uint32_t cursor_find_func(struct cursor *cur, const struct cursor_round *round, uint32_t id);
bool cursor_push_slowly(struct cursor *cur, uint32_t func);
void cursor_pop_slowly(struct cursor *cur, const struct cursor_round *round, uint32_t func);

static inline uint64_t cursor_word(const struct cursor *cur, uint64_t pos)
{
	return __atomic_load_n(&cur->ring[pos % SNRT_RING_BYTES / sizeof(uint64_t)],
			       __ATOMIC_ACQUIRE);
}

/* The low 44 bits are near `now`, before or after it. */
static inline uint64_t cursor_expand(uint64_t word, uint64_t now)
{
	int64_t distance = (int64_t)(((word >> SNRT_TIME_SHIFT) - now) << SNRT_TIME_SHIFT);

	return now + (uint64_t)(distance >> SNRT_TIME_SHIFT);
}

/* Returns to the start of values whose record is not taken now: they must not be released. */
static inline void cursor_keep_values(struct cursor *cur)
{
	if (__builtin_expect(cur->values.n_bytes, 0)) {
		cur->tail = cur->values.at - sizeof(uint64_t);
		cur->values.n_bytes = 0;
	}
}

static inline void cursor_push(struct cursor *cur, uint32_t func)
{
	if (__builtin_expect(cur->depth < cur->calls_cap, 1))
		cur->calls[cur->depth] = func;
	else
		cursor_push_slowly(cur, func);
	cur->depth++;
}

static inline void cursor_pop(struct cursor *cur, const struct cursor_round *round, uint32_t func)
{
	uint32_t top = cur->depth - 1;

	if (__builtin_expect(top < cur->calls_cap && cur->calls[top] == func, 1))
		cur->depth = top;
	else
		cursor_pop_slowly(cur, round, func);
}

static inline enum cursor_result cursor_fetch(struct cursor *cur, const struct cursor_round *round)
{
	struct cursor_event *ev = &cur->event;
	enum cursor_result special;
	uint64_t word, time, next;
	uint32_t id;

	for (;;) {
		if (cur->tail >= cur->head)
			return CURSOR_NONE;
		word = cursor_word(cur, cur->tail);
		if (__builtin_expect(!word, 0))
			return CURSOR_STUCK;
		id = word & SNRT_WHAT_MASK;
		if (__builtin_expect(id - 1 < SNRT_FUNC_MAX, 1))
			break;
		special = cursor_take_special(cur, round, word);
		if (special != CURSOR_NEXT)
			return special;
	}
	time = cursor_expand(word, round->now);
	if (time >= round->end) {
		cursor_keep_values(cur);
		return CURSOR_NONE;
	}
	time = time < cur->last ? cur->last : time;
	cur->tail += sizeof(uint64_t);
	ev->counter = time;
	ev->args_len = ev->ret_len = 0;
	ev->func = id < cur->meaning.n ? cur->meaning.funcs[id] : cursor_find_func(cur, round, id);
	if (word & SNRT_EXIT) {
		ev->type = USEREVENTS_EXIT;
		if (__builtin_expect(cur->values.n_bytes, 0))
			ev->ret_len = cursor_fmt_ret(cur, round, id);
		cursor_pop(cur, round, ev->func);
		ev->depth = cur->depth;
		cur->last = time;
		cur->has_event = true;
		return CURSOR_EVENT;
	}
	ev->depth = cur->depth;
	if (__builtin_expect(cur->values.n_bytes, 0))
		ev->args_len = cursor_fmt_args(cur, round, id);
	next = cur->tail < cur->head ? cursor_word(cur, cur->tail) : 0;
	if (__builtin_expect((next & SNRT_WHAT_MASK) == SNRT_VALUES, 0))
		next = cursor_skip_values(cur, id | SNRT_EXIT);
	if ((next & (SNRT_WHAT_MASK | SNRT_EXIT)) == (id | SNRT_EXIT)) {
		uint64_t end = cursor_expand(next, round->now);

		end = end < time ? time : end;
		if (end - time < round->call_counts) {
			ev->type = USEREVENTS_CALL;
			ev->end = end;
			cur->tail += sizeof(uint64_t);
			if (__builtin_expect(cur->values.n_bytes, 0))
				ev->ret_len = cursor_fmt_ret(cur, round, id);
			cur->last = end;
			cur->has_event = true;
			return CURSOR_EVENT;
		}
	}
	cursor_keep_values(cur);
	ev->type = USEREVENTS_ENTRY;
	cursor_push(cur, ev->func);
	cur->last = time;
	cur->has_event = true;
	return CURSOR_EVENT;
}

#endif
