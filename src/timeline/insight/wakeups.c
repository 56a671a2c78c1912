// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * wakeups.c - measures how long tasks in a range waited for a CPU after their wakeup.
 *
 * A wakeup counts if the task ran in the range. The wait starts at sched_waking, when another task
 * requests the wakeup. If the trace has no sched_waking, it starts at sched_wakeup, when the task
 * enters a run queue; this is a little later, and report -w uses it. The answer contains which of
 * the two events was used. All waits are stored, so that quantiles are exact. If data is missing,
 * it is unknown when a woken task ran (states.h); such waits are only counted.
 */
#include "base/scope.h"
#include "decode/taskstate.h"
#include "timeline/insight/insight_int.h"
#include "timeline/insight/lengths.h"
#include "timeline/states/interrupts.h"

#include "analyse/latency/latencies.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct waking_up {
	struct lanes *ls;
	struct latencies latencies;
	struct lengths lengths;
	int error;
	struct wakeup worst[WAKEUPS_WORST];
	size_t n_worst;
	uint64_t n_unknown;	/* wakeups after which it is unknown when the task ran */
	struct wakeup *pending; /* by task: its wait; the CPU comes with the next span */
	uint64_t from, to;
	struct timeline *tl;
};

static void add_worst(struct waking_up *u, const struct wakeup *wk)
{
	size_t i = u->n_worst;

	if (i == WAKEUPS_WORST && wk->wait <= u->worst[i - 1].wait)
		return;
	if (i < WAKEUPS_WORST)
		u->n_worst++;
	else
		i--;
	for (; i && u->worst[i - 1].wait < wk->wait; i--)
		u->worst[i] = u->worst[i - 1];
	u->worst[i] = *wk;
}

static void add_wakeup(void *ctx, uint16_t task, const struct task_track *t,
		       const struct state_span *s, enum task_state next)
{
	struct waking_up *u = ctx;
	struct wakeup *p = &u->pending[task];

	/* the next span has the CPU on which the task ran */
	if (p->ran && s->state == STATE_RUNNING && s->start == p->ran) {
		p->cpu = s->cpu;
		add_worst(u, p);
	}
	p->ran = 0;
	if (s->state == STATE_RUNNABLE && t->is_lost && s->start >= u->from && s->start <= u->to)
		u->n_unknown++;
	if (s->state != STATE_RUNNABLE || next != STATE_RUNNING || s->end < u->from ||
	    s->end > u->to)
		return;
	*p = (struct wakeup){.woken = s->start,
			     .ran = s->end,
			     .wait = s->end - s->start,
			     .waker = s->waker,
			     .cpu = -1,
			     .task = task,
			     .in_irq = s->waker_in_irq};
	latencies_add(&u->latencies, NULL, p->wait, 1, NULL);
	if (lengths_add(&u->lengths, p->wait) < 0)
		u->error = -ENOMEM;
}

static int list_buckets(const struct latencies *l, struct insight_wakeups *ret)
{
	ret->buckets = calloc(l->scale.n_buckets + 1, sizeof(*ret->buckets));
	if (!ret->buckets)
		return -ENOMEM;
	for (size_t i = 0; i < l->scale.n_buckets && l->all.buckets; i++) {
		uint64_t from, to;

		if (!l->all.buckets[i])
			continue;
		latency_scale_range(&l->scale, i, &from, &to);
		ret->buckets[ret->n_buckets++] = (struct wakeup_bucket){
			from * l->scale.unit_ns, to ? to * l->scale.unit_ns : l->all.max + 1,
			l->all.buckets[i]};
	}
	return 0;
}

/* Finds the events at which waits start, for all machines. */
static void find_wakers(const struct timeline *tl, struct insight_wakeups *ret)
{
	static const char *const names[] = {"sched_waking", "sched_wakeup"};
	size_t source = 0;
	uint32_t machine;

	while (lanes_next_machine(tl, &source, &machine)) {
		bool has[2] = {false};

		for (size_t i = 0; i < timeline_n_kinds(tl); i++) {
			const struct timeline_kind *k = timeline_kind(tl, i);

			for (size_t j = 0; k->event && k->n_events && j < 2; j++)
				has[j] |= timeline_source(tl, k->source)->machine == machine &&
					  !strcmp(k->event->name, names[j]);
		}
		ret->since_waking |= has[0];
		ret->since_wakeup |= !has[0] && has[1];
	}
}

/* Returns a quantile. It is exact, unless there were too many waits to keep. */
static uint64_t wait_quantile(const struct waking_up *u, unsigned of_10000)
{
	const struct lengths *l = &u->lengths;

	if (!l->n || l->is_over)
		return l->n ? latency_spread_percentile(&u->latencies.all, of_10000) : 0;
	return lengths_quantile(l->list, l->n, of_10000);
}

/* Finds the interrupt that woke the task, if one did. */
static void find_interrupt(const struct waking_up *u, struct wakeup *k)
{
	struct interrupts *in;

	if (!k->in_irq || interrupts_new(&in, u->ls, timeline_task(u->tl, k->task)->machine) < 0)
		return;
	k->has_irq = interrupts_find_waking(in, k->task, k->woken, &k->irq);
	interrupts_free(in);
}

static int fill_answer(const struct waking_up *u, struct insight_wakeups *ret)
{
	const struct latency_spread *s = &u->latencies.all;
	struct insight_wakeups answer = {.n = s->n,
					 .n_unknown = u->n_unknown,
					 .min = s->n ? s->min : 0,
					 .avg = s->n ? s->total / s->n : 0,
					 .max = s->max,
					 .p50 = wait_quantile(u, 5000),
					 .p90 = wait_quantile(u, 9000),
					 .p99 = wait_quantile(u, 9900),
					 .n_worst = u->n_worst};

	TRY(list_buckets(&u->latencies, &answer));
	find_wakers(u->tl, &answer);
	for (size_t i = 0; i < u->n_worst; i++) {
		answer.worst[i] = u->worst[i];
		find_interrupt(u, &answer.worst[i]);
	}
	*ret = answer;
	return 0;
}

static void waking_up_release(struct waking_up *u)
{
	lengths_release(&u->lengths);
	free(u->pending);
	latencies_release(&u->latencies);
}

int insight_wakeups(struct insight_wakeups *ret, struct lanes *ls, const uint8_t *tasks,
		    uint64_t from, uint64_t to)
{
	struct latency_scale scale = {.unit_ns = 1000};
	SCOPED(waking_up_release)
	struct waking_up u = {.from = from, .to = earlier(to, timeline_duration(ls->tl))};
	size_t source = 0;
	uint32_t machine;

	u.tl = ls->tl;
	u.ls = ls;
	latency_scale_settle(&scale);
	TRY(latencies_init(&u.latencies, &scale, 0, 0));
	u.pending = calloc(UINT16_MAX + 1, sizeof(*u.pending));
	if (!u.pending)
		return -ENOMEM;
	while (lanes_next_machine(ls->tl, &source, &machine))
		/* continue a little after the range, for the CPU of the last wakeups */
		TRY(states_pass(ls->tl, ls->states, machine, tasks, from, u.to + 1, add_wakeup,
				&u));
	TRY(u.error < 0 ? u.error : lengths_sort(&u.lengths));
	return fill_answer(&u, ret);
}

void insight_wakeups_release(struct insight_wakeups *u)
{
	free(u->buckets);
	*u = (struct insight_wakeups){0};
}
