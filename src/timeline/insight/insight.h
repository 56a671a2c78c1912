/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * insight.h - computes numbers about a range of a timeline, for the page's panels, `sonde why` and
 * `sonde states`.
 *
 * Each function fills a struct of plain data about [from, to]. It writes neither text nor JSON;
 * present/insight does. Each struct has a release function, which also accepts a zeroed struct.
 * After a failure there is nothing to release. Texts in the structs belong to the lanes (labels) or
 * to the caller (lane specs), and stay valid as long as these.
 *
 *	insight_tasks     time per task and state, switches, wakeups, migrations; load of the CPUs
 *	insight_events    counts per kind
 *	insight_wakeups   histogram of wakeup latencies (runnable to running), log2, with the
 *	                  longest
 *	insight_why       the critical path of a task
 *	insight_functions calls, total, self, max per function (function_graph and spans); if the
 *	trace has
 *	                  switches, the clock of a task stops while the task is off its CPU
 *	insight_flame     frames with weights: on-CPU (functions by their own CPU time, or stacks by
 *	                  number) or off-CPU (kernel stacks at switch-out, weighted by the time off)
 *	insight_spans     durations of the spans of these lanes, by name; at most SPANS_LANES_MAX
 *	                  lanes
 *	insight_list      the single spans of these lanes with one name or value, with their times
 *
 * All return 0, -ENOMEM or another negative errno.
 */
#ifndef SONDE_TIMELINE_INSIGHT_INSIGHT_H
#define SONDE_TIMELINE_INSIGHT_INSIGHT_H

#include "base/arena.h"
#include "decode/taskstate.h"
#include "timeline/lanes/lane.h"
#include "timeline/states/interrupts.h"
#include "timeline/states/owners.h"
#include "timeline/states/states.h"
#include "timeline/states/stolen.h"

/* tasks selects tasks: one bit for each of INSIGHT_TASKS numbers; NULL: all. */
#define INSIGHT_TASKS (UINT16_MAX + 1)

/* --- tasks: tasks.c --------------------------------------------------------------------------- */

struct task_times {
	uint16_t task;
	bool is_guest;	       /* stolen is known */
	bool max_goes_on;      /* the longest wait is longer than max_wait */
	uint64_t ns[STATES_N]; /* within the range */
	uint64_t n_switches, n_wakeups, n_migrations, n_preemptions;
	uint64_t max_wait,
		max_wait_at; /* waits for a CPU, with their whole length, also outside the range */
	struct stolen_sum stolen;
};

struct cpu_times {
	uint32_t machine, cpu;
	uint64_t busy, idle, unknown, n_switches;
	bool is_guest; /* stolen is known */
	struct stolen_sum stolen;
};

struct insight_tasks {
	uint64_t from, to;
	/* tasks that existed in the range, by number, without idle tasks */
	struct task_times *tasks;
	size_t n_tasks;
	struct cpu_times *cpus;
	size_t n_cpus;
};

int insight_tasks(struct insight_tasks *ret, struct lanes *ls, const uint8_t *tasks, uint64_t from,
		  uint64_t to);
void insight_tasks_release(struct insight_tasks *t);

/* --- the critical path: why.c ----------------------------------------------------------------- */

#define WHY_OWNERS 8 /* limit of owners that a piece keeps */

/* The tasks that occupied a CPU, the longest first. */
struct why_owners {
	int first;  /* the task that occupied the CPU when the piece begins, if n is not 0 */
	unsigned n; /* number of all tasks; the list has at most WHY_OWNERS */
	struct owner list[WHY_OWNERS];
};

/* The time stolen from a piece in which a guest's task runs. */
struct why_theft {
	bool is_known; /* there is a host */
	struct stolen_sum sum;
	/*
	 * the part in which the host's thread slept; in the rest it waited for a CPU that others
	 * occupied
	 */
	uint64_t asleep;
};

struct why_piece {
	uint64_t start, end;
	uint64_t since;		  /* begin of the state, which may be before the piece */
	uint64_t woken;		  /* end of a sleep, which may be after the piece; 0: unknown */
	int32_t task, waker, cpu; /* -1: unknown */
	enum task_state state;
	uint16_t depth;	 /* 0: the task itself; else the task is one for which another task waits */
	int32_t sleeper; /* the task that waits for it; -1: it is the requested task */
	bool waker_in_irq;
	bool is_taken; /* preempted, and waits for the CPU that it lost */
	bool has_irq;  /* irq is the interrupt that ends the sleep */
	struct interrupt irq;
	const char *place; /* asleep: the kernel function in which it sleeps; NULL: unknown */
	const char
		*function; /* asleep, runnable: the program's function that waits; NULL: unknown */
	/* runnable: tasks that occupied the CPU; running: tasks that occupied the host's CPU */
	struct why_owners owners;
	struct why_theft theft; /* only for running */
};

struct why_sum {
	uint64_t ns;
	int32_t task;
	enum task_state state;
};

struct insight_why {
	int task;
	uint64_t from, to;
	struct why_piece *pieces; /* pieces without gaps and overlaps */
	size_t n_pieces;
	/* there were too many pieces: from some time on, sleeps are not followed to their wakers */
	bool has_more;
	struct why_sum *sums; /* sums of the pieces by task and state, the longest first */
	size_t n_sums;
	/* tasks that occupied the CPUs for which tasks waited, over all pieces */
	struct owner *had;
	size_t n_had;
	bool is_guest;
	struct owner *stolen_by; /* tasks that occupied the host's CPUs that the guest needed */
	size_t n_stolen_by;
};

/* Returns -EINVAL if there is no such task. */
int insight_why(struct insight_why *ret, struct lanes *ls, int task, uint64_t from, uint64_t to);
void insight_why_release(struct insight_why *y);

/* --- events: events.c ------------------------------------------------------------------------- */

struct kind_count {
	size_t kind;
	uint64_t n;
};

struct insight_events {
	/* kinds with events, by number; the files of a machine share the kinds of the first file */
	struct kind_count *kinds;
	size_t n_kinds;
	uint64_t total;
};

/* sel NULL selects all events. */
int insight_events(struct insight_events *ret, struct lanes *ls, const struct selection *sel,
		   uint64_t from, uint64_t to);
void insight_events_release(struct insight_events *e);

/* --- wakeups: wakeups.c ----------------------------------------------------------------------- */

#define WAKEUPS_WORST 10

struct wakeup {
	uint64_t woken, ran, wait;
	int32_t waker, cpu;
	uint16_t task;
	bool in_irq, has_irq; /* has_irq: the interrupt is known */
	struct interrupt irq;
};

struct wakeup_bucket { /* number of waits in [from, to) */
	uint64_t from, to, n;
};

struct insight_wakeups {
	bool since_waking, since_wakeup; /* the events from which waits are counted */
	/* n_unknown: wakeups after which it is unknown when the task ran */
	uint64_t n, n_unknown;
	uint64_t min, avg, max, p50, p90, p99;
	struct wakeup_bucket *buckets; /* only buckets with wakeups */
	size_t n_buckets;
	struct wakeup worst[WAKEUPS_WORST]; /* the longest wakeups, the longest first */
	size_t n_worst;
};

int insight_wakeups(struct insight_wakeups *ret, struct lanes *ls, const uint8_t *tasks,
		    uint64_t from, uint64_t to);
void insight_wakeups_release(struct insight_wakeups *u);

/* --- functions: functions.c ------------------------------------------------------------------- */

struct function_times {
	const char *name;
	/* calls; n_cut: calls whose begin or end was not recorded, which are in no time */
	uint64_t n, n_cut;
	uint64_t total, self, off, max, max_at;
};

struct insight_functions {
	bool is_wall; /* the trace does not show when tasks ran: the time asleep counts, too */
	struct function_times *functions; /* those with the most self time first; at most 2000 */
	size_t n_functions;
};

/* task -1: all tasks. */
int insight_functions(struct insight_functions *ret, struct lanes *ls, int task, uint64_t from,
		      uint64_t to);
void insight_functions_release(struct insight_functions *f);

/* --- frames: flame.c -------------------------------------------------------------------------- */

enum frame_kind {
	FRAME_NAME, /* a function */
	FRAME_TASK, /* the value is the number of a task, or FRAME_NO_TASK */
	/*
	 * off-CPU without stacks: the value is an enum task_state; below it is the reason why it
	 * ended:
	 */
	FRAME_STATE,
	/* a task woke it; the value is the number of the task, or FRAME_NO_TASK */
	FRAME_WOKEN_BY,
	FRAME_WOKEN_IN_IRQ, /* an interrupt woke it */
	FRAME_WAITS,	    /* a CPU became free */
	FRAME_NOT_WOKEN,
	FRAME_WAKER_UNKNOWN,
	FRAME_NO_STACK, /* off-CPU with stacks: time without a stack */
};
#define FRAME_NO_TASK UINT16_MAX

struct flame_frame { /* frame 0 is the root; children have larger numbers than their parents */
	enum frame_kind kind;
	const char *name; /* only for FRAME_NAME */
	uint32_t value;
	/* if false, the frame has children, perhaps none with any weight */
	bool is_leaf;
	uint32_t first_child, next; /* the heaviest child first; 0: none */
	/* weight including all frames below; frames without weight are omitted */
	uint64_t weight;
};

struct flame_choice { /* another graph that could be drawn */
	char *by;     /* "functions", "samples/EVENT", "stacks", "SYSTEM/NAME" */
	uint64_t n;   /* number of stacks; 0: not counted */
};

enum flame_gap { /* the reason why the graph is empty, or differs from the request */
		 FLAME_WHOLE,
		 FLAME_NO_SUCH_STACKS, /* this range has no such stacks */
		 FLAME_NO_CALLS,       /* this range has neither calls nor stacks */
		 /* off-CPU: the trace does not show when tasks left their CPUs */
		 FLAME_NO_SWITCHES,
		 FLAME_NO_STACKS, /* off-CPU: there are no stacks, so states are shown */
};

enum flame_clock { FLAME_NO_CLOCK, FLAME_CPU, FLAME_WALL };

struct insight_flame {
	bool is_off_cpu;
	bool in_stacks; /* weights are numbers of stacks; if false, times */
	bool in_events; /* of samples: weights are numbers of events, not times */
	/*
	 * "functions", "samples/EVENT", "stacks", "SYSTEM/NAME"; off-CPU: "stacks", "states",
	 * "samples/off-cpu"
	 */
	char *by;
	enum flame_clock clock; /* only for functions */
	enum flame_gap gap;
	struct flame_choice *choices; /* only for on-CPU */
	size_t n_choices;
	struct flame_frame *frames;
	size_t n_frames;
};

/*
 * by: "functions", "samples/EVENT", "stacks", or "SYSTEM/NAME", the stacks of that event; NULL:
 * functions, if there are any, else samples.
 */
int insight_flame(struct insight_flame *ret, struct lanes *ls, bool off_cpu, const char *by,
		  int task, uint64_t from, uint64_t to);
void insight_flame_release(struct insight_flame *f);

/* --- heat map of samples: samples.c ----------------------------------------------------------- */

#define INSIGHT_HEAT_ROWS    50
#define INSIGHT_HEAT_COLUMNS 1200 /* at most */

struct insight_heat {
	char *event;	    /* its name; NULL: there are no samples */
	uint64_t n_samples; /* in the range */
	uint64_t start;	    /* where the first column begins */
	uint64_t column_ns, row_ns;
	uint32_t n_columns;
	uint32_t *cells; /* samples of each; a column has INSIGHT_HEAT_ROWS */
};

/* by: "samples/EVENT"; NULL: the first event that is no wait. */
int insight_heat(struct insight_heat *ret, struct lanes *ls, const char *by, int task,
		 uint64_t from, uint64_t to);
void insight_heat_release(struct insight_heat *h);

/* --- spans: spans.c, list.c ------------------------------------------------------------------- */

#define SPANS_LANES_MAX 256

enum refusal {
	REFUSED_BY_LANE, /* text has the reason */
	REFUSED_NO_SPANS,
	REFUSED_NO_NAMES,
	REFUSED_NO_VALUES,
};

struct lane_refused { /* a lane that cannot be evaluated */
	const char *spec;
	enum refusal why;
	char *text; /* REFUSED_BY_LANE: the lane's own error; NULL: no memory */
};

struct lanes_refused {
	struct lane_refused *list;
	size_t n;
};

struct span_times {
	/* the first lane of its sort; name NULL: the row is for all spans of the sort */
	const char *of, *name;
	/* the members from total on are valid only if n is not 0 */
	uint64_t n, n_cut, total, inside, min, max, max_at;
	const char *max_lane;
	uint64_t quantiles[3]; /* the quantiles of SPANS_QUANTILES, unless is_over */
	uint8_t max_row;
};
#define SPANS_QUANTILES          \
	{                        \
		5000, 9500, 9900 \
	} /* of 10000 */

struct insight_spans {
	uint64_t from, to;
	struct lanes_refused refused;
	struct span_times *rows; /* rows grouped by sort */
	size_t n_rows;
	bool has_more; /* there are names that are not in rows */
	bool is_over;  /* too many spans for quantiles */
	/* length of the parts in which lanes of very many events were processed; 0: all at once */
	uint64_t part_ns;
};

int insight_spans(struct insight_spans *ret, struct lanes *ls, const char *const *specs,
		  size_t n_specs, uint64_t from, uint64_t to);
void insight_spans_release(struct insight_spans *s);

/* Single spans of lanes of CPUs and of tasks. name NULL: spans with this value. */
#define LIST_MAX 5000
enum list_order { LIST_LONGEST, LIST_SHORTEST, LIST_FIRST, LIST_LAST };
struct list_wants {
	const char *name;
	uint32_t value;
	enum list_order order;
	size_t max; /* number of listed spans, up to LIST_MAX; all are counted */
};

struct single_span {
	const char *lane; /* spec of the lane */
	uint64_t start, end;
	uint8_t row;
	bool is_cut; /* the begin or end of the span was not recorded */
	/* of a call with recorded values, otherwise NULL; lane_read_values() */
	const char *args, *ret;
};

struct insight_list {
	uint64_t from, to;
	struct lanes_refused refused;
	/* numbers of all spans; total is the time of those that are not cut */
	uint64_t n, n_cut, total;
	struct single_span *spans;
	size_t n_spans;
	struct arena texts;
};

int insight_list(struct insight_list *ret, struct lanes *ls, const char *const *specs,
		 size_t n_specs, const struct list_wants *wants, uint64_t from, uint64_t to);
void insight_list_release(struct insight_list *l);

#endif
