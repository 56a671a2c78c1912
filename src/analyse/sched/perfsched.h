/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * perfsched.h - the numbers of perf 6.1's `perf sched`, as it counts them or as they should be.
 *
 *  perfsched_new ─▶ perfsched_turn, _waking, … (operations of schedflow.h)
 *      ─▶ perfsched_finish ─▶ rows
 *
 * is_exact: perf's own rules, with its errors (perfsched.c lists them), so that both can be
 * compared byte by byte. Otherwise the numbers are those of schedflow and schedsums.
 */
#ifndef SONDE_ANALYSE_SCHED_PERFSCHED_H
#define SONDE_ANALYSE_SCHED_PERFSCHED_H

#include "analyse/sched/schedsums.h"

/* The times of one line of timehist. */
struct perfsched_times {
	bool is_in_range;
	uint64_t end; /* of the turn, or of the range before it */
	uint64_t off, delay, run;
};

/* One row of latency or of timehist's summary. */
struct perfsched_row {
	const struct sched_task *task;
	size_t n_tasks;
	uint64_t runtime, n_waits, total_wait, max_wait, max_start, max_end;
	struct sched_spread run;
	uint64_t n_migrations;
	bool is_dead;
};

struct perfsched_counts {
	uint64_t n_timestamps, n_unordered, n_switch_bugs;
	uint64_t start, end; /* of the switches */
	uint64_t n_switches;
};

struct perfsched;

/* is_idle: timehist -I, the times of idle tasks only. profile_cpu -1: all. */
struct perfsched *perfsched_new(bool is_exact, bool is_idle, int profile_cpu);
void perfsched_free(struct perfsched *p);
/* Only the part of each turn in the range counts. to 0: up to the end. */
void perfsched_set_range(struct perfsched *p, uint64_t from, uint64_t to);
SCOPED_POINTER(struct perfsched, perfsched_free)

/* Call it before the sums get the turn. is_chosen: it counts in the rows. ret: its line's times. */
void perfsched_turn(struct perfsched *p, const struct sched_turn *t, bool is_chosen,
		    struct perfsched_times *ret);
void perfsched_waking(struct perfsched *p, const struct sched_event *ev, const struct sched_task *t,
		      bool has_waking);
void perfsched_migrate(struct perfsched *p, const struct sched_event *ev,
		       const struct sched_task *t);
void perfsched_runtime(struct perfsched *p, const struct sched_event *ev,
		       const struct sched_task *t);

/*
 * Makes the rows of latency: sorted by the keys, those of one name merged unless by_pid. sums: the
 * correct numbers, finished by task. Returns 0 or -ENOMEM.
 */
int perfsched_finish(struct perfsched *p, const struct schedsums *sums, bool by_pid,
		     const enum sched_order *orders, size_t n_orders);
const struct perfsched_row *perfsched_rows(const struct perfsched *p, size_t *ret_n);
const struct perfsched_counts *perfsched_counts(const struct perfsched *p);
/* The idle time of a CPU, and how often it was idle. */
const struct sched_spread *perfsched_idle(const struct perfsched *p, uint32_t cpu);

#endif
