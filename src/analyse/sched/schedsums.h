/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * schedsums.h - adds up the turns of schedflow.h: times by task and by CPU, and the worst waits.
 *
 *	schedsums_new ─▶ schedsums_add … ─▶ schedsums_finish ─▶ rows, cpus, worst ─▶ schedsums_free
 *
 * Times are in ns, or in units of a clock that does not count time. With a range, runs and sleeps
 * are cut at its ends, and a wait counts if it ends in it. Results point to tasks of the flow.
 */
#ifndef SONDE_ANALYSE_SCHED_SCHEDSUMS_H
#define SONDE_ANALYSE_SCHED_SCHEDSUMS_H

#include "analyse/latency/latencies.h"
#include "analyse/sched/schedflow.h"
#include "decode/taskstate.h"

struct sched_spread {
	uint64_t n, total, min, max;
	double mean, squares; /* of the mean's deviations, by Welford's method */
};

/* Where a task slept or was blocked, and for how long in all. */
struct sched_place {
	struct sched_place *next;
	const struct sched_stack *stack; /* NULL: all places after the first PLACES_MAX */
	enum task_state state;
	uint64_t n, ns;
};

struct sched_sum {
	const struct sched_task *task; /* the first one, if there are several */
	size_t n_tasks;
	uint64_t n_turns; /* switches to the task */
	struct sched_spread run;
	struct sched_spread wait;
	uint64_t max_start, max_end; /* of the longest wait */
	struct latency_spread waits; /* for percentiles */
	uint64_t ns[STATES_N];	     /* off the CPU, by state; STATE_RUNNABLE: woken or new */
	uint64_t n_preempted, n_moved, n_migrations;
	uint64_t n_unsure;     /* switches to the task after a wait of unknown length */
	uint64_t still_waits;  /* how long it has been runnable at the end of the recording */
	uint64_t stat_runtime; /* from sched_stat_runtime */
	struct sched_place
		*places; /* where its recorded stacks are; the rows have the longest first */
	bool is_dead;
};

struct sched_cpu_sum {
	uint64_t run_ns, idle_ns, n_switches;
};

struct schedsums_config {
	uint64_t from, to;   /* to 0: all */
	const uint8_t *cpus; /* a bit for each CPU that counts; NULL: all */
	size_t n_cpus;
	size_t n_worst;
	bool has_places; /* the rows have places */
	/* whose waits can be among the worst; NULL: all tasks */
	bool (*match)(void *ctx, const struct sched_task *t);
	void *ctx;
};

struct schedsums;

struct schedsums *schedsums_new(const struct schedsums_config *config);
void schedsums_free(struct schedsums *s);
SCOPED_POINTER(struct schedsums, schedsums_free)

void schedsums_add(struct schedsums *s, const struct sched_turn *t);
void schedsums_add_migration(struct schedsums *s, const struct sched_event *ev,
			     const struct sched_task *t);
void schedsums_add_runtime(struct schedsums *s, const struct sched_event *ev,
			   const struct sched_task *t);

enum sched_order {
	SCHED_BY_RUNTIME,
	SCHED_BY_SWITCHES,
	SCHED_BY_AVERAGE,
	SCHED_BY_MAX,
	SCHED_BY_PID,
};
#define SCHED_ORDERS_MAX 4

struct schedsums_view {
	bool by_comm; /* one row for all tasks of a name */
	/* keys, the most important first; later ones decide between equals; then the number */
	enum sched_order orders[SCHED_ORDERS_MAX];
	size_t n_orders;
	/* selects tasks; NULL: all but sonde's own */
	bool (*match)(void *ctx, const struct sched_task *t);
	void *ctx;
};

/*
 * Makes the rows: tasks except idle ones. The worst waits become those of the selected tasks.
 * Returns 0 or -ENOMEM. May be called again with another view.
 */
int schedsums_finish(struct schedsums *s, const struct schedsums_view *view);
const struct sched_sum *schedsums_rows(const struct schedsums *s, size_t *ret_n);
const struct sched_cpu_sum *schedsums_cpus(const struct schedsums *s, size_t *ret_n);
/* The longest waits, the longest first. */
const struct sched_turn *schedsums_worst(const struct schedsums *s, size_t *ret_n);
void sched_spread_add(struct sched_spread *s, uint64_t v);
double sched_spread_deviation(const struct sched_spread *s);
bool schedsums_has_dropped(const struct schedsums *s); /* memory was short */

#endif
