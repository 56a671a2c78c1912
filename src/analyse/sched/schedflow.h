/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * schedflow.h - follows every task through the events of the scheduler, in the order of time, and
 * reports each of its turns on a CPU with the wait that led to it.
 *
 *	schedflow_new ─▶ schedflow_add … (in the order of time) ─▶ schedflow_end ─▶ schedflow_free
 *
 *	          off_start        woken             start             end
 *	   ran ──────┤   sleeping    ├── runnable ─────┤    running      ├──▶
 *	             │ sleep_ns      │ wait_ns         │ run_ns          │ out_state, next
 *	                             waker, its stack
 *
 * A preempted task waits from off_start on. A time that is not certain is not reported: what began
 * before the recording, or before events were lost, has is_…_sure false and length 0.
 *
 * Tasks and stacks are valid as long as the flow. Only one thread may use it at a time.
 */
#ifndef SONDE_ANALYSE_SCHED_SCHEDFLOW_H
#define SONDE_ANALYSE_SCHED_SCHEDFLOW_H

#include "analyse/sched/schedevent.h"
#include "base/scope.h"
#include "decode/formats/formats.h"

#define SCHEDFLOW_GAPS_MAX 64
#define SCHED_CHAIN_MAX	   8

struct sched_stack {
	struct sched_stack *next; /* with the same hash */
	uint32_t n;
	uint64_t frames[]; /* innermost first */
};

/* One waker of a chain. */
struct sched_link {
	const struct sched_task *task;
	bool in_irq; /* an interrupt woke; task is the one that it interrupted. The chain ends. */
};

struct sched_task {
	size_t index;	     /* among all tasks, in the order of appearance */
	int pid, tgid, ppid; /* tgid, ppid -1: unknown */
	int prio;
	char comm[SCHED_COMM_BYTES];
	bool is_own; /* a task of sonde itself */
	bool is_dead;
	/* what the flow knows now */
	enum task_state state; /* STATE_UNKNOWN: nothing */
	int32_t cpu;	       /* where it runs, or ran last; -1: unknown */
	uint64_t since;	       /* running: start of the turn; else when it left its CPU */
	bool is_since_sure;
	uint64_t woken; /* when it became runnable; only if is_woken */
	bool is_woken, is_woken_early, is_new;
	struct sched_task *waker;
	bool waker_in_irq;
	const struct sched_stack *waker_stack, *out_stack;
	const struct sched_task *out_next;	  /* the task that took its CPU */
	struct sched_turn *turn;		  /* the turn that has begun */
	struct sched_link chain[SCHED_CHAIN_MAX]; /* of the waking; see struct sched_turn */
	unsigned n_chain;
};

/* A turn of a task on a CPU, and what was before it. */
struct sched_turn {
	struct sched_task *task;
	uint32_t cpu;
	bool has_run;	     /* false: the task did not run again before the recording ended */
	uint64_t start, end; /* of the run; has_run false: both are the end of the recording */
	bool is_start_sure, is_end_sure;
	uint64_t run_ns; /* 0 if the start is not sure */

	enum task_state off_state; /* why it had left the CPU; STATE_UNKNOWN: not known */
	uint64_t off_start;	   /* 0: not known */
	uint64_t sleep_ns;	   /* from off_start until it was woken */
	bool is_sleep_sure;
	uint64_t ready;	  /* since when it was runnable; 0: not known */
	uint64_t wait_ns; /* from then until it ran, or until the end of the recording */
	bool is_wait_sure;
	bool is_new, is_moved; /* its first turn; it ran on another CPU before */
	int32_t off_cpu;       /* the CPU that it left before; -1: not known */

	struct sched_task *waker; /* NULL: not known, or it was preempted */
	bool waker_in_irq;
	const struct sched_stack *waker_stack;
	const struct sched_stack *off_stack; /* where it slept */
	const struct sched_task *before;     /* who ran on the CPU before; NULL: not known */
	/*
	 * The waker, that one's waker, …: what led to all that the task does since it slept. A
	 * chain ends at an interrupt, or where a task repeats.
	 */
	struct sched_link chain[SCHED_CHAIN_MAX];
	unsigned n_chain;

	/* how the turn ended */
	struct sched_task *next; /* NULL: not known */
	enum task_state out_state;
	uint64_t raw_state;
};

struct sched_gap {
	uint32_t cpu;
	uint64_t from, to;
};

/* Called in the order of time. Any may be NULL. */
struct schedflow_ops {
	void (*turn)(void *ctx, const struct sched_turn *t);
	void (*waking)(void *ctx, const struct sched_event *ev, struct sched_task *task,
		       struct sched_task *waker);
	void (*migrate)(void *ctx, const struct sched_event *ev, struct sched_task *task,
			struct sched_task *by);
	void (*runtime)(void *ctx, const struct sched_event *ev, struct sched_task *task);
	/* the kernel stack of the last turn's end, or of the last waking, on the CPU of ev */
	void (*stack)(void *ctx, const struct sched_event *ev, const struct sched_stack *stack);
	void (*gap)(void *ctx, const struct sched_gap *gap);
	void *ctx;
};

struct schedflow_counts {
	uint64_t n_events, n_switches, n_wakings, n_migrations, n_stacks, n_gaps;
	uint64_t n_foreign; /* events of other buffers, which are not used */
	uint64_t n_dropped; /* events that do not fit into the memory limit */
	uint64_t first_ts, last_ts;
	uint32_t n_cpus; /* highest CPU with an event, plus 1 */
};

struct schedflow;

/* with_own: do not mark sonde's own tasks. Returns NULL if out of memory. */
struct schedflow *schedflow_new(struct formats *f, bool with_own, const struct schedflow_ops *ops);
void schedflow_free(struct schedflow *s);
SCOPED_POINTER(struct schedflow, schedflow_free)

/* Where events were lost, if it is known before; it must stay valid. */
struct schedgaps;
void schedflow_set_gaps(struct schedflow *s, const struct schedgaps *gaps);
/* Flags of the events that the flow uses, by event id. */
const uint8_t *schedflow_events(const struct schedflow *s, size_t *ret_n);
void schedflow_add(struct schedflow *s, const struct record *rec);
/* Reports the turns that have not ended, and waits that have no end. */
void schedflow_end(struct schedflow *s);

const struct schedflow_counts *schedflow_counts(const struct schedflow *s);
/* The first SCHEDFLOW_GAPS_MAX places where events were lost. */
const struct sched_gap *schedflow_gaps(const struct schedflow *s, size_t *ret_n);
struct sched_task *const *schedflow_tasks(const struct schedflow *s, size_t *ret_n);
/* Finds the task that has this number now, or returns NULL. */
struct sched_task *schedflow_find(const struct schedflow *s, int pid);
/* Gives a task another name. */
void schedflow_rename(struct schedflow *s, int pid, const char *comm);
const struct sched_reader *schedflow_reader(const struct schedflow *s);

#endif
