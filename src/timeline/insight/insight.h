/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * insight.h - numbers about a range of a timeline: what the page's panels and `sonde why` and `states` show.
 *
 * Each function fills a struct of plain data about [from, to] and writes neither text nor JSON: present/insight does.
 * Each struct has a release function, which a zeroed struct survives. On failure nothing is left to release.
 * Texts in the structs belong to the lanes (labels) or to the caller (lane specs), and live as long as those.
 *
 *	insight_tasks     time per task and state, switches, wakeups, migrations; load of the CPUs
 *	insight_events    counts per kind
 *	insight_wakeups   histogram of wakeup latencies (runnable to running), log2, with the worst
 *	insight_why       the critical path of a task
 *	insight_functions calls, total, self, max per function (function_graph and spans), on the clock of
 *	                  the task, which stands while it is off its CPU, where the trace tells that
 *	insight_flame     frames with weights: on-CPU (functions by the CPU time they used themselves, or stacks by
 *	                  number) or off-CPU (kernel stacks at switch-out, weighted by the time off)
 *	insight_spans     how long the spans of these lanes are, by name; SPANS_LANES_MAX of them
 *	insight_list      the single spans of these lanes with one name or value, with their times
 *
 * 0, or -ENOMEM and other negative errno.
 */
#ifndef SONDE_TIMELINE_INSIGHT_INSIGHT_H
#define SONDE_TIMELINE_INSIGHT_INSIGHT_H

#include "timeline/lanes/lane.h"
#include "timeline/states/interrupts.h"
#include "timeline/states/owners.h"
#include "timeline/states/states.h"
#include "timeline/states/stolen.h"

/* tasks: only these, a bit for each of INSIGHT_TASKS numbers; NULL: all. */
#define INSIGHT_TASKS (UINT16_MAX + 1)

/* --- tasks: tasks.c -------------------------------------------------------------------------------- */

struct task_times {
	uint16_t task;
	bool is_guest;	       /* stolen is known */
	bool max_goes_on;      /* the longest wait is longer than that */
	uint64_t ns[STATES_N]; /* within the range */
	uint64_t n_switches, n_wakeups, n_migrations, n_preemptions;
	uint64_t max_wait,
		max_wait_at; /* for a CPU; with its whole length, also outside the range */
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
	struct task_times *tasks; /* those that were there, by number; no idle tasks */
	size_t n_tasks;
	struct cpu_times *cpus;
	size_t n_cpus;
};

int insight_tasks(struct insight_tasks *ret, struct lanes *ls, const uint8_t *tasks, uint64_t from,
		  uint64_t to);
void insight_tasks_release(struct insight_tasks *t);

/* --- the critical path: why.c ---------------------------------------------------------------------- */

#define WHY_OWNERS 8 /* that are kept of a piece */

/* Who had a CPU, the longest first. */
struct why_owners {
	int first;  /* who had it when the piece begins; if n */
	unsigned n; /* all of them; the list has WHY_OWNERS at most */
	struct owner list[WHY_OWNERS];
};

/* What the host did not run of a piece in which a guest's task runs. */
struct why_theft {
	bool is_known; /* there is a host */
	struct stolen_sum sum;
	uint64_t asleep; /* of it: the thread slept; else it waited for a CPU that others had */
};

struct why_piece {
	uint64_t start, end;
	uint64_t since; /* when the state begins, also where the piece begins later */
	uint64_t woken; /* when a sleep ends, also where the piece ends before; 0: not known */
	int32_t task, waker, cpu; /* -1: not known */
	enum task_state state;
	uint16_t depth;	 /* 0: the task itself; else it is what another one waits for */
	int32_t sleeper; /* who waits for it, -1: it is the one that was asked about */
	bool waker_in_irq;
	bool is_taken; /* preempted, and waits for the CPU that it was taken from */
	bool has_irq;  /* irq is the interrupt that ends the sleep */
	struct interrupt irq;
	const char
		*place; /* asleep: the function of the kernel that it sleeps in; NULL: not known */
	struct why_owners
		owners; /* of the CPU that it waits for; running: of the host's CPU that was stolen */
	struct why_theft theft; /* running */
};

struct why_sum {
	uint64_t ns;
	int32_t task;
	enum task_state state;
};

struct insight_why {
	int task;
	uint64_t from, to;
	struct why_piece *pieces; /* without gaps, none overlap */
	size_t n_pieces;
	bool has_more; /* too many pieces: from some moment on sleeps are not followed to their wakers */
	struct why_sum *sums; /* of the pieces by task and state, the longest first */
	size_t n_sums;
	struct owner *had; /* by task, of all pieces: who had the CPUs that were waited for */
	size_t n_had;
	bool is_guest;
	struct owner *stolen_by; /* … and the host's CPUs that the guest's should have had */
	size_t n_stolen_by;
};

/* -EINVAL: there is no such task. */
int insight_why(struct insight_why *ret, struct lanes *ls, int task, uint64_t from, uint64_t to);
void insight_why_release(struct insight_why *y);

/* --- events: events.c ------------------------------------------------------------------------------ */

struct kind_count {
	size_t kind;
	uint64_t n;
};

struct insight_events {
	struct kind_count
		*kinds; /* that have any, by number; files of a machine share the first one's */
	size_t n_kinds;
	uint64_t total;
};

/* sel NULL: all events. */
int insight_events(struct insight_events *ret, struct lanes *ls, const struct selection *sel,
		   uint64_t from, uint64_t to);
void insight_events_release(struct insight_events *e);

/* --- wakeups: wakeups.c ---------------------------------------------------------------------------- */

#define WAKEUPS_WORST 10

struct wakeup {
	uint64_t woken, ran, wait;
	int32_t waker, cpu;
	uint16_t task;
	bool in_irq, has_irq; /* has_irq: which interrupt it was is known */
	struct interrupt irq;
};

struct wakeup_bucket { /* waits of [from, to) */
	uint64_t from, to, n;
};

struct insight_wakeups {
	bool since_waking, since_wakeup; /* from which events they are counted */
	uint64_t n, n_unknown;		 /* n_unknown: woken, and nobody knows when it ran */
	uint64_t min, avg, max, p50, p90, p99;
	struct wakeup_bucket *buckets; /* that have any */
	size_t n_buckets;
	struct wakeup worst[WAKEUPS_WORST]; /* the longest first */
	size_t n_worst;
};

int insight_wakeups(struct insight_wakeups *ret, struct lanes *ls, const uint8_t *tasks,
		    uint64_t from, uint64_t to);
void insight_wakeups_release(struct insight_wakeups *u);

/* --- functions: functions.c ------------------------------------------------------------------------ */

struct function_times {
	const char *name;
	uint64_t n, n_cut; /* calls; n_cut: begin or end was not recorded, they are in no time */
	uint64_t total, self, off, max, max_at;
};

struct insight_functions {
	bool is_wall; /* nothing tells when tasks ran: time asleep counts as well */
	struct function_times *functions; /* the most time of its own first; 2000 at most */
	size_t n_functions;
};

/* task -1: of all tasks. */
int insight_functions(struct insight_functions *ret, struct lanes *ls, int task, uint64_t from,
		      uint64_t to);
void insight_functions_release(struct insight_functions *f);

/* --- frames: flame.c ------------------------------------------------------------------------------- */

enum frame_kind {
	FRAME_NAME, /* a function */
	FRAME_TASK, /* value: number of a task, or FRAME_NO_TASK */
	FRAME_STATE, /* off-CPU without stacks: value is an enum task_state, and below it what ended it: */
	FRAME_WOKEN_BY,	    /* value: number of a task, or FRAME_NO_TASK */
	FRAME_WOKEN_IN_IRQ, /* … an interrupt */
	FRAME_WAITS,	    /* … a CPU that became free */
	FRAME_NOT_WOKEN,
	FRAME_WAKER_UNKNOWN,
	FRAME_NO_STACK, /* off-CPU with stacks: this time has none */
};
#define FRAME_NO_TASK UINT16_MAX

struct flame_frame { /* 0 is the root; children have larger numbers than their parents */
	enum frame_kind kind;
	const char *name; /* FRAME_NAME */
	uint32_t value;
	bool is_leaf;		    /* else it has children, but perhaps none with any weight */
	uint32_t first_child, next; /* the heaviest child first; 0: none */
	uint64_t weight;	    /* with all below; frames without any are not there */
};

struct flame_choice { /* what else could be drawn */
	char *by;     /* "functions", "stacks", "SYSTEM/NAME" */
	uint64_t n;   /* stacks; 0: not counted */
};

enum flame_gap { /* why there is nothing, or not what was wanted */
		 FLAME_WHOLE,
		 FLAME_NO_SUCH_STACKS, /* in this range */
		 FLAME_NO_CALLS,       /* neither calls nor stacks in this range */
		 FLAME_NO_SWITCHES,    /* off-CPU: nothing tells when tasks left their CPUs */
		 FLAME_NO_STACKS,      /* off-CPU: states instead of stacks */
};

enum flame_clock { FLAME_NO_CLOCK, FLAME_CPU, FLAME_WALL };

struct insight_flame {
	bool is_off_cpu;
	bool in_stacks; /* weights are numbers of stacks; else time */
	char *by;	/* "functions", "stacks", "SYSTEM/NAME"; off-CPU: "stacks", "states" */
	enum flame_clock clock; /* functions */
	enum flame_gap gap;
	struct flame_choice *choices; /* on-CPU */
	size_t n_choices;
	struct flame_frame *frames;
	size_t n_frames;
};

/* by: "functions", "stacks", or "SYSTEM/NAME", stacks of that event; NULL: functions, if there are any */
int insight_flame(struct insight_flame *ret, struct lanes *ls, bool off_cpu, const char *by,
		  int task, uint64_t from, uint64_t to);
void insight_flame_release(struct insight_flame *f);

/* --- spans: spans.c, list.c ------------------------------------------------------------------------ */

#define SPANS_LANES_MAX 256

enum refusal {
	REFUSED_BY_LANE, /* see text */
	REFUSED_NO_SPANS,
	REFUSED_NO_NAMES,
	REFUSED_NO_VALUES,
};

struct lane_refused { /* a lane that cannot be looked at */
	const char *spec;
	enum refusal why;
	char *text; /* REFUSED_BY_LANE: the lane's own error; NULL: no memory for it */
};

struct lanes_refused {
	struct lane_refused *list;
	size_t n;
};

struct span_times {
	const char *of, *name; /* the first lane of its sort; name NULL: all spans of the sort */
	uint64_t n, n_cut, total, inside, min, max, max_at; /* from total on: only if n */
	const char *max_lane;
	uint64_t quantiles[3]; /* of SPANS_QUANTILES, unless is_over */
	uint8_t max_row;
};
#define SPANS_QUANTILES          \
	{                        \
		5000, 9500, 9900 \
	} /* of 10000 */

struct insight_spans {
	uint64_t from, to;
	struct lanes_refused refused;
	struct span_times *rows; /* sort by sort */
	size_t n_rows;
	bool has_more; /* names that are not in rows */
	bool is_over;  /* too many spans for quantiles */
	uint64_t
		part_ns; /* lanes of very many events were gone through in parts so long; 0: none was */
};

int insight_spans(struct insight_spans *ret, struct lanes *ls, const char *const *specs,
		  size_t n_specs, uint64_t from, uint64_t to);
void insight_spans_release(struct insight_spans *s);

/* Single spans. name NULL: those with this value; in lanes of CPUs and of tasks. */
#define LIST_MAX 5000
enum list_order { LIST_LONGEST, LIST_SHORTEST, LIST_FIRST, LIST_LAST };
struct list_wants {
	const char *name;
	uint32_t value;
	enum list_order order;
	size_t max; /* so many are listed, all are counted; up to LIST_MAX */
};

struct single_span {
	const char *lane; /* its spec */
	uint64_t start, end;
	uint8_t row;
	bool is_cut; /* its begin or end was not recorded */
};

struct insight_list {
	uint64_t from, to;
	struct lanes_refused refused;
	uint64_t n, n_cut, total; /* of all; total: of those that are not cut */
	struct single_span *spans;
	size_t n_spans;
};

int insight_list(struct insight_list *ret, struct lanes *ls, const char *const *specs,
		 size_t n_specs, const struct list_wants *wants, uint64_t from, uint64_t to);
void insight_list_release(struct insight_list *l);

#endif
