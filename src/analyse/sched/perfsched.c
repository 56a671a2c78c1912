// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * perfsched.c - counts as perf 6.1's `perf sched latency` and `timehist` do.
 *
 * What perf does differently from schedflow, found by comparing both on the same events:
 *
 *	latency    sched_waking is not used, although perf sched record takes it instead of
 *	           sched_wakeup: only waits of preempted and of new tasks count.
 *	           Preempted is only prev_state 0, not R+ (preempted inside the kernel).
 *	           A task that was never seen before counts as one wait of 0 when it runs.
 *	           A task woken on its way to sleep has no wait.
 *	timehist   The run time counts from the last switch on the CPU, whoever ran; the first turn
 *	           of a CPU counts as a run of 0.
 *	           The delay counts from the first waking since the task ran last, even if it was
 *	           woken while it ran; a preempted task has no delay.
 *	both       Lost events are ignored.
 *
 * The state of each task is found by its index in the flow.
 */
#include "analyse/sched/perfsched.h"

#include "base/array.h"
#include "decode/taskstate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TASKS_MAX (1u << 20)
#define CPUS_MAX  65536

enum wait_state { WAIT_NONE, WAIT_SLEEPING, WAIT_FOR_CPU, WAIT_OVER };

struct ptask {
	struct perfsched_row row; /* task NULL: not seen */
	/* latency */
	enum wait_state state; /* of the last wait */
	uint64_t out, wakeup;
	/* timehist */
	uint64_t last_out, ready;
};

struct pcpu {
	uint64_t last_switch;
	const struct sched_task *current;
	const struct sched_task *before; /* who ran before the idle task */
	struct sched_spread idle;
};

struct perfsched {
	bool is_exact, is_idle;
	int profile_cpu;
	uint64_t from, to; /* of what counts; to 0: up to the end */
	struct ptask *tasks;
	size_t n_tasks;
	struct pcpu *cpus;
	size_t n_cpus;
	struct perfsched_counts counts;
	struct perfsched_row *rows;
	size_t n_rows;
	bool has_runtime; /* sched_stat_runtime was recorded */
};

static struct ptask *ptask_of(struct perfsched *p, const struct sched_task *t)
{
	return ARRAY_ROOM(p->tasks, p->n_tasks, t->index + 1, TASKS_MAX) ? &p->tasks[t->index]
									 : NULL;
}

/* --- latency ---------------------------------------------------------------------------------- */

static void add_out(struct ptask *k, bool is_runnable, uint64_t ts)
{
	k->out = ts;
	k->state = is_runnable ? WAIT_FOR_CPU : WAIT_SLEEPING;
	k->wakeup = is_runnable ? ts : 0;
}

static void add_in(struct ptask *k, uint64_t ts)
{
	uint64_t wait;

	if (k->state != WAIT_FOR_CPU || ts < k->wakeup)
		return;
	k->state = WAIT_OVER;
	wait = ts - k->wakeup;
	k->row.total_wait += wait;
	if (wait > k->row.max_wait) {
		k->row.max_wait = wait;
		k->row.max_start = k->wakeup;
		k->row.max_end = ts;
	}
	k->row.n_waits++;
}

static void add_latency(struct perfsched *p, const struct sched_turn *t)
{
	struct ptask *prev = ptask_of(p, t->task), *next;

	if (prev) {
		prev->row.task = t->task;
		add_out(prev, !t->raw_state, t->end);
	}
	next = t->next ? ptask_of(p, t->next) : NULL;
	if (!next)
		return;
	if (!next->row.task) {
		next->row.task = t->next;
		add_out(next, true, t->end);
	}
	add_in(next, t->end);
}

void perfsched_waking(struct perfsched *p, const struct sched_event *ev, const struct sched_task *t,
		      bool has_waking)
{
	struct ptask *k = ptask_of(p, t);

	if (!k)
		return;
	if (!k->ready && (ev->kind != SCHED_WAKEUP || !has_waking))
		k->ready = ev->ts;
	if (ev->kind == SCHED_WAKING)
		return;
	if (!k->row.task) {
		k->row.task = t;
		add_out(k, false, ev->ts);
	}
	if (p->profile_cpu < 0 && k->state != WAIT_SLEEPING)
		return;
	p->counts.n_timestamps++;
	if (k->out > ev->ts) {
		p->counts.n_unordered++;
		return;
	}
	k->state = WAIT_FOR_CPU;
	k->wakeup = ev->ts;
}

void perfsched_runtime(struct perfsched *p, const struct sched_event *ev,
		       const struct sched_task *t)
{
	struct ptask *k = ptask_of(p, t);

	p->has_runtime = true;
	if (!k)
		return;
	if (!k->row.task) {
		k->row.task = t;
		add_out(k, true, ev->ts);
	}
	k->row.runtime += ev->value;
}

void perfsched_migrate(struct perfsched *p, const struct sched_event *ev,
		       const struct sched_task *t)
{
	struct ptask *k = ptask_of(p, t);

	if (!k)
		return;
	k->row.n_migrations++;
	if (p->profile_cpu < 0)
		return;
	if (!k->row.task) {
		k->row.task = t;
		add_out(k, true, ev->ts);
	}
	k->out = k->wakeup = ev->ts; /* it waits or sleeps as before */
	p->counts.n_timestamps++;
}

/* --- timehist --------------------------------------------------------------------------------- */

/* The part of the turn in the range; its start is 0 if it is not known. */
static bool find_part(const struct perfsched *p, const struct pcpu *c, const struct sched_turn *t,
		      uint64_t *ret_start, uint64_t *ret_end)
{
	uint64_t start = t->is_start_sure ? t->start : 0, end = t->end;

	if (p->is_exact)
		start = c->last_switch;
	if (end < p->from)
		return false;
	if (start && start < p->from)
		start = p->from;
	if (p->to) {
		if (start ? start > p->to : p->is_exact || end > p->to)
			return false;
		end = end < p->to ? end : p->to;
	}
	*ret_start = start;
	*ret_end = end;
	return true;
}

static void find_times(const struct ptask *k, uint64_t start, struct perfsched_times *ret)
{
	if (!start)
		return;
	ret->run = ret->end - start;
	if (k->ready && k->ready <= start)
		ret->delay = start - k->ready;
	if (k->last_out && k->last_out <= start)
		ret->off = start - k->last_out;
}

static void fill_correct(const struct sched_turn *t, uint64_t start, struct perfsched_times *ret)
{
	bool is_off_sure = t->off_state == STATE_PREEMPTED ? t->is_wait_sure : t->is_sleep_sure;

	ret->run = start ? ret->end - start : 0;
	ret->delay = t->is_wait_sure ? t->wait_ns : 0;
	ret->off = is_off_sure && t->off_start ? t->start - t->off_start : 0;
}

/* With is_idle, the time belongs to the task that ran before. */
static void add_run(struct perfsched *p, struct ptask *k, struct pcpu *c,
		    const struct sched_turn *t, uint64_t ns)
{
	struct ptask *before = c->before ? ptask_of(p, c->before) : NULL;

	if (!t->task->pid) {
		sched_spread_add(&c->idle, ns);
		if (p->is_idle && before)
			sched_spread_add(&before->row.run, ns);
	} else if (!p->is_idle) {
		sched_spread_add(&k->row.run, ns);
	}
}

static void add_part(struct perfsched *p, struct ptask *k, struct pcpu *c,
		     const struct sched_turn *t, bool is_chosen, struct perfsched_times *ret)
{
	uint64_t start;

	if (!find_part(p, c, t, &start, &ret->end))
		return;
	ret->is_in_range = true;
	if (p->is_exact)
		find_times(k, start, ret);
	else
		fill_correct(t, start, ret);
	if (is_chosen && (p->is_exact || t->is_start_sure))
		add_run(p, k, c, t, ret->run);
	if (p->is_idle && t->task->pid)
		ret->run = ret->delay = ret->off = 0;
}

static void add_to_whole(struct perfsched *p, uint64_t ts)
{
	if (!p->counts.start && ts >= p->from)
		p->counts.start = ts;
	if (!p->to || ts <= p->to)
		p->counts.end = ts;
}

void perfsched_turn(struct perfsched *p, const struct sched_turn *t, bool is_chosen,
		    struct perfsched_times *ret)
{
	struct ptask *k = ptask_of(p, t->task);
	struct pcpu *c;

	*ret = (struct perfsched_times){.end = t->end};
	if (!t->has_run || !t->is_end_sure || !k ||
	    !ARRAY_ROOM(p->cpus, p->n_cpus, (size_t)t->cpu + 1, CPUS_MAX))
		return;
	c = &p->cpus[t->cpu];
	p->counts.n_switch_bugs += c->current && c->current != t->task;
	p->counts.n_switches++;
	add_part(p, k, c, t, is_chosen, ret);
	c->before = t->task->pid ? t->task : NULL;
	k->row.is_dead |= t->out_state == STATE_DEAD;
	k->last_out = t->end;
	k->ready = 0;
	c->last_switch = t->end;
	c->current = t->next;
	add_to_whole(p, ret->end);
	add_latency(p, t);
}

/* --- rows ------------------------------------------------------------------------------------- */

static uint64_t average(const struct perfsched_row *r)
{
	return r->n_waits ? r->total_wait / r->n_waits : 0;
}

static int compare_by(enum sched_order by, const struct perfsched_row *x,
		      const struct perfsched_row *y)
{
	switch (by) {
	case SCHED_BY_RUNTIME:
		return COMPARE(y->runtime, x->runtime);
	case SCHED_BY_SWITCHES:
		return COMPARE(y->n_waits, x->n_waits);
	case SCHED_BY_AVERAGE:
		return COMPARE(average(y), average(x));
	case SCHED_BY_MAX:
		return COMPARE(y->max_wait, x->max_wait);
	case SCHED_BY_PID: /* perf has a table of 256 trees */
		return COMPARE(x->task->pid % 256, y->task->pid % 256)
			       ?: COMPARE(x->task->pid, y->task->pid);
	}
	return 0;
}

struct sorting {
	const enum sched_order *orders;
	size_t n_orders;
	bool by_pid;
};

/* Equal rows are in perf's order: names, or numbers, from the highest to the lowest. */
static int compare_rows(const void *a, const void *b, void *ctx)
{
	const struct sorting *s = ctx;
	const struct perfsched_row *x = a, *y = b;
	int r = 0;

	for (size_t i = 0; i < s->n_orders && !r; i++)
		r = compare_by(s->orders[i], x, y);
	if (!r && !s->by_pid)
		r = strcmp(y->task->comm, x->task->comm);
	return r ?: COMPARE(y->task->pid, x->task->pid);
}

static void take_sum(struct perfsched *p, struct perfsched_row *row, const struct sched_sum *s)
{
	row->n_waits = s->wait.n;
	row->total_wait = s->wait.total;
	row->max_wait = s->wait.max;
	row->max_start = s->max_start;
	row->max_end = s->max_end;
	row->runtime = p->has_runtime ? s->stat_runtime : s->run.total;
}

static void merge(struct perfsched_row *to, const struct perfsched_row *from)
{
	to->n_tasks += from->n_tasks;
	to->runtime += from->runtime;
	to->n_waits += from->n_waits;
	to->total_wait += from->total_wait;
	if (to->max_wait < from->max_wait) {
		to->max_wait = from->max_wait;
		to->max_start = from->max_start;
		to->max_end = from->max_end;
	}
}

static int compare_comm(const void *a, const void *b)
{
	const struct perfsched_row *x = a, *y = b;

	return strcmp(y->task->comm, x->task->comm) ?: COMPARE(y->task->pid, x->task->pid);
}

static void merge_comms(struct perfsched *p)
{
	size_t n = 0;

	if (!p->n_rows)
		return;
	qsort(p->rows, p->n_rows, sizeof(*p->rows), compare_comm);
	for (size_t i = 1; i < p->n_rows; i++)
		if (!strcmp(p->rows[n].task->comm, p->rows[i].task->comm))
			merge(&p->rows[n], &p->rows[i]);
		else
			p->rows[++n] = p->rows[i];
	p->n_rows = n + 1;
}

int perfsched_finish(struct perfsched *p, const struct schedsums *sums, bool by_pid,
		     const enum sched_order *orders, size_t n_orders)
{
	struct sorting s = {orders, n_orders, by_pid};
	size_t n_sums;
	const struct sched_sum *list = schedsums_rows(sums, &n_sums);

	free(p->rows);
	p->n_rows = 0;
	p->rows = calloc(p->n_tasks + 1, sizeof(*p->rows));
	if (!p->rows)
		return -ENOMEM;
	for (size_t i = 0; i < n_sums && !p->is_exact; i++) {
		struct ptask *k = ptask_of(p, list[i].task);

		if (k)
			take_sum(p, &k->row, &list[i]);
	}
	for (size_t i = 0; i < p->n_tasks; i++)
		if (p->tasks[i].row.task && p->tasks[i].row.task->pid) {
			p->rows[p->n_rows] = p->tasks[i].row;
			p->rows[p->n_rows++].n_tasks = 1;
		}
	if (!by_pid)
		merge_comms(p);
	if (p->n_rows)
		qsort_r(p->rows, p->n_rows, sizeof(*p->rows), compare_rows, &s);
	return 0;
}

const struct perfsched_row *perfsched_rows(const struct perfsched *p, size_t *ret_n)
{
	*ret_n = p->n_rows;
	return p->rows;
}

const struct perfsched_counts *perfsched_counts(const struct perfsched *p)
{
	return &p->counts;
}

const struct sched_spread *perfsched_idle(const struct perfsched *p, uint32_t cpu)
{
	return cpu < p->n_cpus ? &p->cpus[cpu].idle : NULL;
}

struct perfsched *perfsched_new(bool is_exact, bool is_idle, int profile_cpu)
{
	struct perfsched *p = calloc(1, sizeof(*p));

	if (p) {
		p->is_exact = is_exact;
		p->is_idle = is_idle;
		p->profile_cpu = profile_cpu;
	}
	return p;
}

void perfsched_set_range(struct perfsched *p, uint64_t from, uint64_t to)
{
	p->from = from;
	p->to = to;
}

void perfsched_free(struct perfsched *p)
{
	if (!p)
		return;
	free(p->tasks);
	free(p->cpus);
	free(p->rows);
	free(p);
}
