/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * states.h - what a task did at every moment: running, runnable, sleeping, blocked, and who woke it.
 *
 * Made from who runs on the CPUs of a machine (turns.h) and wakings, by the rules
 *
 *	switch in          running on that CPU
 *	switch out         the state the switch tells (runnable: it was preempted)
 *	waking, sleeping   runnable, with the waker
 *	waking, running    kept: if the next switch out tells a sleep, the task was woken on its way
 *	                   to it, and is runnable from then on (sched_waking before the switch)
 *	waking, unknown    runnable
 *	fork               runnable, with the parent as waker
 *
 * and where records are missing (lost events, a switch that was not recorded, data that is cut off):
 *
 *	gone unseen        unknown, from its last event on the CPU where it ran
 *	there unseen       running from its first event on; unknown before, since who was on the CPU before it had
 *	                   gone, or since its own state began if that is later
 *	a CPU's data ends  unknown, for all that were there last
 *	a file ends        unknown, for all; the next file has to tell anew
 *	waits while a CPU  unknown, from the first moment without data on; unless it then runs on a CPU that was
 *	has no data        neither idle nor without data since it began to wait (states.c)
 *
 * So a task never runs on two CPUs at once, and the running times of all tasks on a CPU, its idle time and what is not
 * known of it are together the time of the trace.
 */
#ifndef SONDE_TIMELINE_STATES_STATES_H
#define SONDE_TIMELINE_STATES_STATES_H

#include "timeline/timeline.h"

enum task_state { /* numbers are part of the protocol */
		  STATE_UNKNOWN = 0,
		  STATE_RUNNING = 1,
		  STATE_RUNNABLE = 2,  /* woken, waits for a CPU */
		  STATE_PREEMPTED = 3, /* runnable, was taken off its CPU */
		  STATE_SLEEPING = 4,  /* S */
		  STATE_BLOCKED = 5,   /* D */
		  STATE_STOPPED = 6,   /* T, t */
		  STATE_IDLE = 7,      /* I, parked */
		  STATE_DEAD = 8,      /* X, Z */
};
#define STATES_N 9

struct state_span {
	uint64_t start, end;
	enum task_state state;
	int32_t cpu;   /* running: where; else where it ran last; -1: not known */
	int32_t waker; /* runnable: who woke it; -1: nobody known */
	bool waker_in_irq;
	bool open_start, open_end;
};

/*
 * What prev_state of sched_switch means. Kernels number the bits differently, so the names in the
 * print format of the event count (S D T t X Z P I …); where it has none, the numbers of today's kernels.
 * ev: parsed; NULL: today's. Any thread may use a filled one.
 */
struct prev_states {
	uint8_t by_bit[16]; /* enum task_state; STATE_UNKNOWN: the bit says nothing */
};
void prev_states_init(struct prev_states *ps, const struct event *ev);
/* No bit that says something: it could have run on, STATE_PREEMPTED. */
enum task_state prev_states_get(const struct prev_states *ps, uint64_t prev_state);

/* The same with today's numbers. */
enum task_state task_state_of(uint64_t prev_state);
const char *task_state_name(enum task_state s);

/*
 * The states of all tasks but idle ones in [from, to], each span as it ends, machine by machine; needs no memory for
 * them. -ENOMEM.
 */
int task_states_each(struct timeline *tl, uint64_t from, uint64_t to,
		     void (*each)(void *ctx, uint16_t task, const struct state_span *span),
		     void *ctx);

/* All spans of a task, in order, without gaps from its first event on. The caller frees *ret. */
int task_states(struct timeline *tl, uint16_t task, struct state_span **ret, size_t *ret_n);
/* Of several tasks in one pass: results[i] belongs to tasks[i]. */
struct state_list {
	struct state_span *spans;
	size_t n;
};
int task_states_many(struct timeline *tl, const uint16_t *tasks, size_t n_tasks,
		     struct state_list *results);

#endif
