/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * states_int.h - the pass over switches and wakings of a machine, in time order, and what a task makes of
 * them. For the rooms' own lanes and numbers.
 */
#ifndef SONDE_TIMELINE_STATES_STATES_INT_H
#define SONDE_TIMELINE_STATES_STATES_INT_H

#include "timeline/index/darktimes.h"
#include "timeline/states/states.h"
#include "timeline/states/turns.h"

enum sched_what { SCHED_WAKING, SCHED_TURN }; /* in this order if at the same time */

struct sched_entry {
	uint64_t ts, since;
	uint64_t
		idle_at; /* turn: when its CPU last became idle, or dark, in this pass; 0: it did not */
	uint16_t stream; /* that told it, or one of the CPU's */
	uint16_t a, b;	 /* turn: prev, next; waking: task, waker */
	uint8_t what;
	uint8_t detail; /* turn: prev's state, STATE_UNKNOWN: no switch tells it; waking: WAKING_* */
	uint8_t end;	/* turn: enum turn_end */
};

/* The streams that count: one for each CPU that tells who runs; of wakings one at a time. */
struct sched_streams {
	uint32_t machine;
	uint16_t *cpus, *wakings; /* numbers of streams */
	size_t n_cpus, n_wakings;
};
int sched_streams_init(struct sched_streams *ss, struct timeline *tl, uint32_t machine);
void sched_streams_release(struct sched_streams *ss);
/* A stream of this CPU that tells who runs, or -1. */
int sched_streams_find(const struct sched_streams *ss, const struct timeline *tl, uint32_t cpu);

/*
 * Calls each for all entries of [from, to] in time order. tasks: only entries that concern one of them (a
 * bit for each task); NULL: all. Stops when each is false.
 */
int sched_pass(struct timeline *tl, const struct sched_streams *ss, const uint8_t *tasks,
	       uint64_t from, uint64_t to, bool (*each)(void *ctx, const struct sched_entry *e),
	       void *ctx);

/* A task on its way through the entries. Zeroed: nothing is known. */
struct task_track {
	struct state_span cur;
	bool is_known;
	bool is_woken;	  /* running, a waking came */
	bool was_guessed; /* runnable only because of that waking; fallback: what the switch said */
	uint8_t fallback;
	bool woken_in_irq;
	int32_t woken_by;
	uint64_t woken_at; /* of the span at hand, if it is runnable: the waking */
	uint16_t woken_on; /* … and the stream that told it */
	bool was_dark;	   /* a CPU was, in the span at hand, before what is kept; from then on: */
	uint64_t dark_at;
	bool is_lost; /* the span at hand ends because nobody knows more */
};

/* How long a recorder's own threads take their turns unseen, at most. */
#define STATES_HIDDEN_NS UINT64_C(10000000)
/* When the task may have run instead of waiting since `since`, where there is no data; or DARK_NEVER. */
uint64_t states_dark_for(const struct timeline *tl, const struct dark_times *dark, uint16_t task,
			 uint64_t since);

/* next: the state that follows; STATE_UNKNOWN: the pass ended. */
typedef void (*state_emit)(void *ctx, uint16_t task, const struct task_track *t,
			   const struct state_span *span, enum task_state next);

/*
 * What all tasks were at some moments of the trace, so that a range in the middle of a long one need not be
 * reached from its beginning. Made when it is first of use, for each machine; any thread.
 */
struct states_cache;
struct states_cache *states_cache_new(struct timeline *tl);
void states_cache_free(struct states_cache *sc);
/* Traces with fewer events are gone through from the beginning. */
void states_cache_set_least(struct states_cache *sc, uint64_t n_events);
/* Fills tracks (by task number, n of them) with what was at the last moment before t, and tells it. */
uint64_t states_cache_load(struct states_cache *sc, uint32_t machine, uint64_t t,
			   struct task_track *tracks, size_t n);

/*
 * The states of all tasks, or those of `tasks`, of a machine: each span that touches [from, to], as it
 * ends; what is under way at `to` is cut there. sc may be NULL.
 */
int states_pass(struct timeline *tl, struct states_cache *sc, uint32_t machine,
		const uint8_t *tasks, uint64_t from, uint64_t to, state_emit emit, void *ctx);
/*
 * The same from the beginning, or from where load has put the tracks; before an entry is looked at, peek sees it and
 * all tasks. For the cache.
 */
struct states_peek {
	void (*peek)(void *ctx, uint64_t ts, const struct task_track *tracks, size_t n,
		     const struct dark_times *dark);
	void (*load)(void *ctx, struct task_track *tracks, size_t n); /* NULL: nothing is known */
	uint64_t start;
	void *ctx;
};
int states_pass_peek(struct timeline *tl, uint32_t machine, const struct states_peek *peek);

static inline bool bit_get(const uint8_t *bits, size_t i)
{
	return bits[i >> 3] >> (i & 7) & 1;
}
static inline void bit_set(uint8_t *bits, size_t i)
{
	bits[i >> 3] |= 1 << (i & 7);
}

#endif
