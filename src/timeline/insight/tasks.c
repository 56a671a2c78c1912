// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * tasks.c - computes the time per task and state in a range, and the load of CPUs.
 *
 * States are derived from the beginning of the trace, because the state at `from` depends on
 * earlier events. Then they are cut to the range: the sum of a task's states is the time in which
 * it existed. A switch, waking, migration or preemption counts if its moment is in the range. The
 * longest wait is that of all waits that overlap the range, with its whole length; max_goes_on is
 * set if it continues after the range.
 *
 * If the trace of a guest's host is available, the numbers include the running time in which the
 * host did not run the virtual CPU (stolen.h).
 */
#include "base/errmsg.h"
#include "base/scope.h"
#include "decode/taskstate.h"
#include "timeline/insight/insight_int.h"
#include "timeline/states/stolen.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* --- tasks ------------------------------------------------------------------------------------ */

struct task_sums {
	struct task_times pub;
	int32_t last_cpu;
	bool any, has_cpu;
};

struct summing {
	struct task_sums *sums;
	size_t n;
	uint64_t from, to;
	struct timeline *tl;
	struct stolen stolen;
	uint32_t machine; /* the current machine */
	bool is_guest;	  /* the machine is a guest whose host is known */
};

static void sum_span(void *ctx, uint16_t task, const struct task_track *t,
		     const struct state_span *s, enum task_state next)
{
	struct summing *su = ctx;
	struct task_sums *sums = &su->sums[task];
	struct task_times *sum = &sums->pub;
	uint64_t ns = overlap(s->start, s->end, su->from, su->to);
	bool begins = s->start >= su->from && s->start <= su->to;

	if (task >= su->n)
		return;
	sums->any = true;
	sum->ns[s->state] += ns;
	if (su->is_guest && s->state == STATE_RUNNING)
		stolen_add(stolen_find(&su->stolen, su->machine, s->cpu), later(s->start, su->from),
			   earlier(s->end, su->to), &sum->stolen);
	if (begins && s->state == STATE_RUNNING && !s->open_start) {
		sum->n_switches++;
		sum->n_migrations += sums->has_cpu && sums->last_cpu != s->cpu;
	}
	sum->n_wakeups += begins && s->state == STATE_RUNNABLE;
	sum->n_preemptions += begins && s->state == STATE_PREEMPTED;
	if ((s->state == STATE_RUNNABLE || s->state == STATE_PREEMPTED) && ns &&
	    s->end - s->start > sum->max_wait) {
		sum->max_wait = s->end - s->start;
		sum->max_wait_at = s->start;
		sum->max_goes_on = s->open_end;
	}
	if (s->cpu >= 0) {
		sums->last_cpu = s->cpu;
		sums->has_cpu = true;
	}
}

static int list_tasks(const struct summing *su, struct insight_tasks *ret)
{
	for (size_t i = 0; i < su->n; i++)
		ret->n_tasks += su->sums[i].any;
	ret->tasks = calloc(ret->n_tasks + 1, sizeof(*ret->tasks));
	if (!ret->tasks)
		return -ENOMEM;
	ret->n_tasks = 0;
	for (size_t i = 0; i < su->n; i++) {
		struct task_times *t = &ret->tasks[ret->n_tasks];

		if (!su->sums[i].any)
			continue;
		*t = su->sums[i].pub;
		t->task = i;
		t->is_guest = stolen_is_guest(&su->stolen, timeline_task(su->tl, i)->machine);
		ret->n_tasks++;
	}
	return 0;
}

/* --- CPUs ------------------------------------------------------------------------------------- */

struct cpu_sum {
	uint64_t from, to, busy, unknown, n_switches;
	const struct stolen_vcpu *vcpu; /* NULL: not a virtual CPU, or unknown */
	struct stolen_sum stolen;
};

static bool sum_cpu(void *ctx, const struct lane_span *s)
{
	struct cpu_sum *c = ctx;

	*(s->flags & TILE_UNKNOWN ? &c->unknown : &c->busy) +=
		overlap(s->start, s->end, c->from, c->to);
	if (c->vcpu && !(s->flags & TILE_UNKNOWN))
		stolen_add(c->vcpu, later(s->start, c->from), earlier(s->end, c->to), &c->stolen);
	return true;
}

static bool count_switch(void *ctx, const struct cpu_turn *t)
{
	struct cpu_sum *c = ctx;

	c->n_switches += t->ts >= c->from && t->state != STATE_UNKNOWN;
	return true;
}

static int sum_up_cpu(struct lanes *ls, const struct summing *su, struct cpu_times *ret)
{
	uint64_t from = su->from, to = su->to, length = to > from ? to - from : 0;
	struct cpu_sum c = {.from = from, .to = to};
	struct errmsg err = {0};
	struct lane *ln;
	char spec[64];
	int r;

	c.vcpu = stolen_find(&su->stolen, ret->machine, ret->cpu);
	snprintf(spec, sizeof(spec), "cpu:%u:%u", ret->machine, ret->cpu);
	r = lane_get(ls, spec, &ln, &err);
	TRY(r);
	lane_each(ln, from, to, sum_cpu, &c);
	if (ln->sched_stream >= 0)
		r = cpu_turns(ls->tl, ret->machine, ret->cpu, from, to, count_switch, &c);
	/* without switches an event shows which task runs, but not for how long */
	else
		c.unknown = length - c.busy;
	lane_put(ln);
	ret->busy = c.busy;
	ret->unknown = c.unknown;
	ret->idle = length - c.busy - c.unknown;
	ret->n_switches = c.n_switches;
	ret->is_guest = c.vcpu != NULL;
	ret->stolen = c.stolen;
	return r;
}

static int list_cpus(struct lanes *ls, const struct summing *su, struct insight_tasks *ret)
{
	int r = 0;

	ret->cpus = calloc(timeline_n_streams(ls->tl) + 1, sizeof(*ret->cpus));
	if (!ret->cpus)
		return -ENOMEM;
	for (size_t i = 0; i < timeline_n_streams(ls->tl) && !r; i++) {
		const struct timeline_stream *st = timeline_stream(ls->tl, i);
		uint32_t machine = timeline_source(ls->tl, st->source)->machine;
		size_t j = 0;

		while (j < ret->n_cpus &&
		       (ret->cpus[j].cpu != st->cpu || ret->cpus[j].machine != machine))
			j++;
		if (j < ret->n_cpus)
			continue;
		ret->cpus[j] = (struct cpu_times){.machine = machine, .cpu = st->cpu};
		ret->n_cpus++;
		r = sum_up_cpu(ls, su, &ret->cpus[j]);
	}
	return r;
}

static void summing_release(struct summing *su)
{
	stolen_release(&su->stolen);
	free(su->sums);
}

int insight_tasks(struct insight_tasks *ret, struct lanes *ls, const uint8_t *tasks, uint64_t from,
		  uint64_t to)
{
	SCOPED(insight_tasks_release) struct insight_tasks answer = {.from = from};
	SCOPED(summing_release)
	struct summing su = {.tl = ls->tl, .n = timeline_n_tasks(ls->tl), .from = from};
	size_t source = 0;
	uint32_t machine;

	su.to = answer.to = to = earlier(to, timeline_duration(ls->tl));
	/* tasks that are added in the meantime have numbers up to UINT16_MAX */
	su.sums = calloc(UINT16_MAX + 1, sizeof(*su.sums));
	TRY(su.sums ? stolen_init(&su.stolen, ls, from, to) : -ENOMEM);
	while (lanes_next_machine(ls->tl, &source, &machine)) {
		su.machine = machine;
		su.is_guest = stolen_is_guest(&su.stolen, machine);
		TRY(states_pass(ls->tl, ls->states, machine, tasks, from, to, sum_span, &su));
	}
	TRY(list_tasks(&su, &answer));
	TRY(list_cpus(ls, &su, &answer));
	*ret = TAKE_STRUCT(answer);
	return 0;
}

void insight_tasks_release(struct insight_tasks *t)
{
	free(t->tasks);
	free(t->cpus);
	*t = (struct insight_tasks){0};
}
