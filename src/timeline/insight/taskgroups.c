// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * taskgroups.c - groups tasks by name or process, and sums their times.
 *
 * Tasks of different machines are never in one group. Equal numbers are ordered by name and pid, so
 * that the same trace gives the same rows however its tasks are numbered. A process is identified
 * by its tgid. If the trace does not contain the tgid, the task counts as a process.
 */
#include "timeline/insight/taskgroups.h"

#include "decode/taskstate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct sorting {
	const struct timeline *tl;
	enum task_groups_by by;
	enum task_order order;
};

static int pid_of(const struct timeline_task *t, enum task_groups_by by)
{
	if (by == GROUP_BY_COMM)
		return -1;
	return by == GROUP_BY_PROCESS && t->tgid >= 0 ? t->tgid : t->pid;
}

/* Returns 0 for tasks of the same group. */
static int compare_keys(const void *a, const void *b, void *ctx)
{
	const struct task_group *x = a, *y = b;
	const struct sorting *s = ctx;
	const struct timeline_task *t = timeline_task(s->tl, x->first),
				   *u = timeline_task(s->tl, y->first);

	if (t->machine != u->machine)
		return t->machine < u->machine ? -1 : 1;
	if (s->by == GROUP_BY_COMM)
		return strncmp(t->comm, u->comm, sizeof(t->comm));
	return (x->pid > y->pid) - (x->pid < y->pid);
}

/* Returns the number by which tasks are sorted. */
static uint64_t number_of(const struct task_times *t, enum task_order order)
{
	switch (order) {
	case ORDER_RUNNABLE:
		return t->ns[STATE_RUNNABLE] + t->ns[STATE_PREEMPTED];
	case ORDER_PREEMPTED:
		return t->ns[STATE_PREEMPTED];
	case ORDER_SLEEPING:
		return t->ns[STATE_SLEEPING];
	case ORDER_BLOCKED:
		return t->ns[STATE_BLOCKED];
	case ORDER_UNKNOWN:
		return t->ns[STATE_UNKNOWN];
	case ORDER_SWITCHES:
		return t->n_switches;
	case ORDER_WAKEUPS:
		return t->n_wakeups;
	case ORDER_MAX_WAIT:
		return t->max_wait;
	case ORDER_NAME:
		return 0;
	default:
		return t->ns[STATE_RUNNING];
	}
}

static int compare_order(const void *a, const void *b, void *ctx)
{
	const struct task_group *x = a, *y = b;
	const struct sorting *s = ctx;
	const struct timeline_task *t = timeline_task(s->tl, x->first),
				   *u = timeline_task(s->tl, y->first);
	uint64_t n = number_of(&x->times, s->order), m = number_of(&y->times, s->order);
	int by_name;

	if (n != m)
		return n > m ? -1 : 1;
	by_name = strncmp(t->comm, u->comm, sizeof(t->comm));
	return by_name ? by_name : (t->pid > u->pid) - (t->pid < u->pid);
}

static void join(const struct timeline *tl, struct task_group *g, const struct task_group *other)
{
	struct task_times *t = &g->times;
	const struct task_times *o = &other->times;

	for (unsigned i = 0; i < STATES_N; i++)
		t->ns[i] += o->ns[i];
	t->n_switches += o->n_switches;
	t->n_wakeups += o->n_wakeups;
	t->n_migrations += o->n_migrations;
	t->n_preemptions += o->n_preemptions;
	t->stolen.ns += o->stolen.ns;
	t->stolen.unknown_ns += o->stolen.unknown_ns;
	if (o->max_wait > t->max_wait) {
		t->max_wait = o->max_wait;
		t->max_wait_at = o->max_wait_at;
		t->max_goes_on = o->max_goes_on;
	}
	g->n_tasks++;
	if (timeline_task(tl, other->first)->pid == g->pid)
		g->first = other->first;
}

int task_groups_init(struct task_groups *ret, const struct insight_tasks *t,
		     const struct timeline *tl, enum task_groups_by by, enum task_order order)
{
	struct task_group *groups = calloc(t->n_tasks + 1, sizeof(*groups));
	struct sorting s = {tl, by, order};
	size_t n = 0;

	if (!groups)
		return -ENOMEM;
	for (size_t i = 0; i < t->n_tasks; i++)
		groups[i] = (struct task_group){
			.first = t->tasks[i].task,
			.pid = pid_of(timeline_task(tl, t->tasks[i].task), by),
			.n_tasks = 1,
			.times = t->tasks[i],
		};
	qsort_r(groups, t->n_tasks, sizeof(*groups), compare_keys, &s);
	for (size_t i = 0; i < t->n_tasks; i++)
		if (n && !compare_keys(&groups[n - 1], &groups[i], &s))
			join(tl, &groups[n - 1], &groups[i]);
		else
			groups[n++] = groups[i];
	qsort_r(groups, n, sizeof(*groups), compare_order, &s);
	*ret = (struct task_groups){groups, n};
	return 0;
}

void task_groups_release(struct task_groups *g)
{
	free(g->groups);
	*g = (struct task_groups){0};
}
