/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * states.h - the state of a task at every moment: running, runnable, sleeping, blocked; its wakers.
 *
 * The states follow from the tasks on the CPUs of a machine (turns.h) and from wakings, by the
 * rules
 *
 *	switch in          running on that CPU
 *	switch out         the state in the switch (runnable: it was preempted)
 *	waking, sleeping   runnable, with the waker
 *	waking, running    noted: if the next switch out has the state sleeping, the task was woken
 *	                   before it slept, and is runnable from then on (sched_waking before the
 *	                   switch)
 *	waking, unknown    runnable
 *	fork               runnable, with the parent as waker
 *
 * and where records are missing (lost events, an unrecorded switch, truncated data):
 *
 *	left unseen        unknown, from its last event on the CPU where it ran
 *	came unseen        running from its first event on; unknown before that, since the previous
 *	                   task left the CPU, or since its own state began if that is later
 *	a CPU's data ends  unknown, for all tasks that ran there last
 *	a file ends        unknown, for all tasks, until the next file shows their state
 *	waits while a CPU  unknown, from the first moment without data on; except if the task then
 *	has no data        runs on a CPU that was neither idle nor without data since the wait began
 *	                   (states.c)
 *
 * So a task never runs on two CPUs at once. On each CPU, the running times of all tasks, the idle
 * time and the unknown time add up to the duration of the trace.
 */
#ifndef SONDE_TIMELINE_STATES_STATES_H
#define SONDE_TIMELINE_STATES_STATES_H

#include "decode/taskstate.h"
#include "timeline/timeline.h"

struct state_span {
	uint64_t start, end;
	enum task_state state;
	int32_t cpu;   /* running: the CPU; otherwise the CPU where it ran last; -1: unknown */
	int32_t waker; /* runnable: the task that woke it; -1: unknown */
	bool waker_in_irq;
	bool open_start, open_end;
};

/*
 * Visits the states of all tasks except idle ones in [from, to]: each span when it ends, machine by
 * machine. Does not store them. Returns 0 or -ENOMEM.
 */
int task_states_each(struct timeline *tl, uint64_t from, uint64_t to,
		     void (*each)(void *ctx, uint16_t task, const struct state_span *span),
		     void *ctx);

/*
 * Finds all spans of a task, in order, without gaps from its first event on. The caller frees *ret.
 */
int task_states(struct timeline *tl, uint16_t task, struct state_span **ret, size_t *ret_n);
/* The result for several tasks in one pass: results[i] belongs to tasks[i]. */
struct state_list {
	struct state_span *spans;
	size_t n;
};
int task_states_many(struct timeline *tl, const uint16_t *tasks, size_t n_tasks,
		     struct state_list *results);

#endif
