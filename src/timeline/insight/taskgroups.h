/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* taskgroups.h - sums the times of tasks by name or process, and sorts the groups. */
#ifndef SONDE_TIMELINE_INSIGHT_TASKGROUPS_H
#define SONDE_TIMELINE_INSIGHT_TASKGROUPS_H

#include "timeline/insight/insight.h"

enum task_groups_by {
	GROUP_BY_TASK,
	GROUP_BY_COMM,
	GROUP_BY_PROCESS /* a task whose process is unknown counts as a process */
};

enum task_order { /* the largest number first; names ascending */
		  ORDER_RUNNING,
		  ORDER_RUNNABLE, /* includes preempted time */
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
	uint16_t first; /* a task of the group; by process: its first thread, if the trace has it */
	int pid;	/* id of the task or process; -1 if groups are by name */
	size_t n_tasks; /* number of tasks in the group */
	struct task_times times; /* sums of the tasks; the longest of their waits */
};

struct task_groups {
	struct task_group *groups;
	size_t n;
};

/* Returns 0 or -ENOMEM. Tasks of different machines are never in one group. */
int task_groups_init(struct task_groups *ret, const struct insight_tasks *t,
		     const struct timeline *tl, enum task_groups_by by, enum task_order order);
void task_groups_release(struct task_groups *g);

#endif
