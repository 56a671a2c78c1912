/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * taskgroups.h - times of tasks, put together by name or process, in an order.
 */
#ifndef SONDE_TIMELINE_INSIGHT_TASKGROUPS_H
#define SONDE_TIMELINE_INSIGHT_TASKGROUPS_H

#include "timeline/insight/insight.h"

enum task_groups_by {
	GROUP_BY_TASK,
	GROUP_BY_COMM,
	GROUP_BY_PROCESS /* a task whose process is not known is its own */
};

enum task_order { /* the largest first; names ascend */
		  ORDER_RUNNING,
		  ORDER_RUNNABLE, /* with those that were preempted */
		  ORDER_PREEMPTED,
		  ORDER_SLEEPING,
		  ORDER_BLOCKED,
		  ORDER_UNKNOWN,
		  ORDER_SWITCHES,
		  ORDER_WAKEUPS,
		  ORDER_MAX_WAIT,
		  ORDER_NAME,
};

struct task_group {
	uint16_t first; /* a task of it; by process: its first thread, if the trace has it */
	int pid;	/* of the task or process; by name: -1 */
	size_t n_tasks; /* that are in it */
	struct task_times times; /* sums; the longest wait of them */
};

struct task_groups {
	struct task_group *groups;
	size_t n;
};

/* 0 or -ENOMEM. Groups of several machines stay apart. */
int task_groups_init(struct task_groups *ret, const struct insight_tasks *t,
		     const struct timeline *tl, enum task_groups_by by, enum task_order order);
void task_groups_release(struct task_groups *g);

#endif
