/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * states_int.h - the pass over switches and wakings of a machine in time order, which derives the
 * states of tasks. For the lanes and statistics of this room.
 */
#ifndef SONDE_TIMELINE_STATES_STATES_INT_H
#define SONDE_TIMELINE_STATES_STATES_INT_H

#include "decode/taskstate.h"
#include "timeline/index/darktimes.h"
#include "timeline/states/states.h"
#include "timeline/states/turns.h"

enum sched_what { SCHED_WAKING, SCHED_TURN }; /* the order of entries with the same time */

struct sched_entry {
	uint64_t ts, since;
	/* turn: the time when the CPU last became idle or dark in this pass; 0: never */
	uint64_t idle_at;
	uint16_t stream; /* the stream with the entry, or one of the CPU's streams */
	uint16_t a, b;	 /* turn: prev, next; waking: task, waker */
	uint8_t what;
	/* turn: prev's state, STATE_UNKNOWN: no switch contains it; waking: WAKING_* */
	uint8_t detail;
	uint8_t end; /* turn: enum turn_end */
};

/* The streams to use: one for each CPU that has switches; for wakings, one at each time. */
struct sched_streams {
	uint32_t machine;
	uint16_t *cpus, *wakings; /* numbers of streams */
	size_t n_cpus, n_wakings;
};
int sched_streams_init(struct sched_streams *ss, struct timeline *tl, uint32_t machine);
void sched_streams_release(struct sched_streams *ss);
/* Returns a stream of this CPU that shows which task runs, or -1. */
int sched_streams_find(const struct sched_streams *ss, const struct timeline *tl, uint32_t cpu);

/*
 * Calls each for all entries of [from, to] in time order, until it returns false. tasks selects
 * entries that concern one of these tasks (one bit for each task); NULL: all.
 */
int sched_pass(struct timeline *tl, const struct sched_streams *ss, const uint8_t *tasks,
	       uint64_t from, uint64_t to, bool (*each)(void *ctx, const struct sched_entry *e),
	       void *ctx);

/* The state of a task during the pass. A zeroed struct means that nothing is known. */
struct task_track {
	struct state_span cur;
	bool is_known;
	bool is_woken; /* a waking came while the task ran */
	/* runnable only because of that waking; fallback: the state in the switch */
	bool was_guessed;
	uint8_t fallback;
	bool woken_in_irq;
	int32_t woken_by;
	uint64_t woken_at; /* if the current span is runnable: time of the waking */
	bool was_dark; /* a CPU was dark in this span, before the stored moment; since dark_at */
	uint64_t dark_at;
	bool is_lost; /* the current span ends because the data ends */
};

/* The longest time for which the recorder's own threads run without being recorded. */
#define STATES_HIDDEN_NS UINT64_C(10000000)
/*
 * Returns the first moment after `since`, without data, at which the waiting task may have run, or
 * DARK_NEVER.
 */
uint64_t states_dark_for(const struct timeline *tl, const struct dark_times *dark, uint16_t task,
			 uint64_t since);

/* next is the following state; STATE_UNKNOWN: the pass ended. */
typedef void (*state_emit)(void *ctx, uint16_t task, const struct task_track *t,
			   const struct state_span *span, enum task_state next);

/*
 * The states of all tasks at some moments of the trace, so that a pass over a late range need not
 * start at the beginning. It is built on first use, for each machine. Any thread may use it.
 */
struct states_cache;
struct states_cache *states_cache_new(struct timeline *tl);
void states_cache_free(struct states_cache *sc);
/* Sets the minimum number of events: passes over smaller traces start at the beginning. */
void states_cache_set_least(struct states_cache *sc, uint64_t n_events);
/*
 * Fills tracks (n of them, by task number) with the last stored moment before t, and returns that
 * moment.
 */
uint64_t states_cache_load(struct states_cache *sc, uint32_t machine, uint64_t t,
			   struct task_track *tracks, size_t n);

/*
 * Visits the states of all tasks, or of `tasks`, of a machine: each span that touches [from, to],
 * when it ends. Open spans are cut at `to`. sc may be NULL.
 */
int states_pass(struct timeline *tl, struct states_cache *sc, uint32_t machine,
		const uint8_t *tasks, uint64_t from, uint64_t to, state_emit emit, void *ctx);
/*
 * Like states_pass(), from the beginning, or from the moment for which load fills the tracks. Calls
 * peek with all tracks before each entry. For the cache.
 */
struct states_peek {
	void (*peek)(void *ctx, uint64_t ts, const struct task_track *tracks, size_t n,
		     const struct dark_times *dark);
	/* NULL: start without tracks */
	void (*load)(void *ctx, struct task_track *tracks, size_t n);
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
