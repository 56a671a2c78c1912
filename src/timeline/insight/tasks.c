// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tasks.c - a range in numbers: time per task and state, load of CPUs, events, wakeups.
 *
 * States are gone through from the beginning of the trace, because what a task is at `from` follows from what came
 * before, and cut at both ends of the range: the sum of a task's states is the time it was there. A switch,
 * waking, migration or preemption counts if its moment is in the range; a wakeup if the task ran in it. The longest wait is
 * one of those that touch the range, with its whole length; one that goes on behind it is told as such.
 *
 * A wakeup is counted from sched_waking, when somebody wanted the task to run; where the trace has none, from
 * sched_wakeup, when it was put into a queue, which is a little later and what report -w counts from. Which it was is
 * told. Waits are kept one by one, so that quantiles are exact. Where data is missing nobody knows when a task ran that was
 * woken (states.h): such a wait is in none of the numbers, and how many there are is told.
 *
 * Of a guest whose host's trace is there, too, it is told how much of the running time the host did not run the virtual
 * CPU (stolen.h).
 */
#include "timeline/insight/insight_int.h"
#include "timeline/states/interrupts.h"
#include "timeline/insight/lengths.h"
#include "timeline/states/stolen.h"

#include "analyse/latency/latencies.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *insight_task_name(const struct timeline *tl, int task, char *buf, size_t size)
{
	const struct timeline_task *t;

	if (task < 0 || (size_t)task >= timeline_n_tasks(tl)) {
		snprintf(buf, size, "an unknown task");
		return buf;
	}
	t = timeline_task(tl, task);
	snprintf(buf, size, "%s-%d", t->comm[0] ? t->comm : "<...>", t->pid);
	return buf;
}

/* --- tasks ----------------------------------------------------------------------------------------------- */

struct task_sums {
	uint64_t ns[STATES_N];
	uint64_t n_switches, n_wakeups, n_migrations, n_preemptions;
	uint64_t max_wait, max_wait_at;
	struct stolen_sum stolen;
	int32_t last_cpu;
	bool any, has_cpu, max_goes_on; /* the longest wait is longer than that */
};

struct summing {
	struct task_sums *sums;
	size_t n;
	uint64_t from, to;
	struct timeline *tl;
	struct stolen stolen;
	uint32_t machine; /* which is gone through */
	bool is_guest;	  /* with a host that is known */
};

static void sum_span(void *ctx, uint16_t task, const struct task_track *t,
		     const struct state_span *s, enum task_state next)
{
	struct summing *su = ctx;
	struct task_sums *sum = &su->sums[task];
	uint64_t ns = overlap(s->start, s->end, su->from, su->to);
	bool begins = s->start >= su->from && s->start <= su->to;

	if (task >= su->n)
		return;
	sum->any = true;
	sum->ns[s->state] += ns;
	if (su->is_guest && s->state == STATE_RUNNING)
		stolen_add(stolen_find(&su->stolen, su->machine, s->cpu), later(s->start, su->from),
			   earlier(s->end, su->to), &sum->stolen);
	if (begins && s->state == STATE_RUNNING && !s->open_start) {
		sum->n_switches++;
		sum->n_migrations += sum->has_cpu && sum->last_cpu != s->cpu;
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
		sum->last_cpu = s->cpu;
		sum->has_cpu = true;
	}
}

static void emit_stolen(const struct stolen_sum *s, struct jsonwriter *w)
{
	jsonwriter_add_uint(w, "stolen", s->ns);
	jsonwriter_add_uint(w, "stolen_unknown", s->unknown_ns);
}

static void emit_tasks(const struct summing *su, struct jsonwriter *w)
{
	jsonwriter_open(w, "tasks", '[');
	for (size_t i = 0; i < su->n; i++) {
		const struct task_sums *s = &su->sums[i];

		if (!s->any)
			continue;
		jsonwriter_open(w, NULL, '{');
		jsonwriter_add_uint(w, "task", i);
		jsonwriter_open(w, "states", '[');
		for (unsigned j = 0; j < STATES_N; j++)
			jsonwriter_add_uint(w, NULL, s->ns[j]);
		jsonwriter_close(w);
		jsonwriter_add_uint(w, "switches", s->n_switches);
		jsonwriter_add_uint(w, "wakeups", s->n_wakeups);
		jsonwriter_add_uint(w, "migrations", s->n_migrations);
		jsonwriter_add_uint(w, "preemptions", s->n_preemptions);
		jsonwriter_add_uint(w, "max_wait", s->max_wait);
		jsonwriter_add_uint(w, "max_wait_at", s->max_wait_at);
		jsonwriter_add_bool(w, "max_wait_more", s->max_goes_on);
		if (stolen_is_guest(&su->stolen, timeline_task(su->tl, i)->machine))
			emit_stolen(&s->stolen, w);
		jsonwriter_close(w);
	}
	jsonwriter_close(w);
}

struct cpu_sum {
	uint64_t from, to, busy, unknown, n_switches;
	const struct stolen_vcpu *vcpu; /* NULL: it is none, or not known as one */
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

static int emit_cpu(struct lanes *ls, const struct summing *su, uint32_t machine, uint32_t cpu,
		    struct jsonwriter *w)
{
	uint64_t from = su->from, to = su->to;
	struct cpu_sum c = {.from = from, .to = to};
	struct errmsg err = {0};
	struct lane *ln;
	char spec[64];
	int r;

	c.vcpu = stolen_find(&su->stolen, machine, cpu);
	snprintf(spec, sizeof(spec), "cpu:%u:%u", machine, cpu);
	r = lane_get(ls, spec, &ln, &err);
	if (r < 0)
		return r;
	lane_each(ln, from, to, sum_cpu, &c);
	if (ln->sched_stream >= 0)
		r = cpu_turns(ls->tl, machine, cpu, from, to, count_switch, &c);
	/* without switches an event tells who is there, but not for how long */
	else
		c.unknown = (to > from ? to - from : 0) - c.busy;
	lane_put(ln);
	if (r < 0)
		return r;
	jsonwriter_open(w, NULL, '{');
	jsonwriter_add_uint(w, "machine", machine);
	jsonwriter_add_uint(w, "cpu", cpu);
	jsonwriter_add_uint(w, "busy", c.busy);
	jsonwriter_add_uint(w, "idle", (to > from ? to - from : 0) - c.busy - c.unknown);
	jsonwriter_add_uint(w, "unknown", c.unknown);
	jsonwriter_add_uint(w, "switches", c.n_switches);
	if (c.vcpu)
		emit_stolen(&c.stolen, w);
	jsonwriter_close(w);
	return 0;
}

static int emit_cpus(struct lanes *ls, const struct summing *su, struct jsonwriter *w)
{
	int r = 0;

	jsonwriter_open(w, "cpus", '[');
	for (size_t i = 0; i < timeline_n_streams(ls->tl) && !r; i++) {
		const struct timeline_stream *st = timeline_stream(ls->tl, i);
		uint32_t machine = timeline_source(ls->tl, st->source)->machine;
		bool is_new = true;

		for (size_t j = 0; j < i && is_new; j++) {
			const struct timeline_stream *other = timeline_stream(ls->tl, j);

			is_new = other->cpu != st->cpu ||
				 timeline_source(ls->tl, other->source)->machine != machine;
		}
		if (is_new)
			r = emit_cpu(ls, su, machine, st->cpu, w);
	}
	jsonwriter_close(w);
	return r;
}

int insight_tasks(struct lanes *ls, const uint8_t *tasks, uint64_t from, uint64_t to,
		  struct jsonwriter *w)
{
	struct summing su = {.n = timeline_n_tasks(ls->tl), .from = from, .to = to};
	size_t source = 0;
	uint32_t machine;
	int r;

	su.tl = ls->tl;
	su.to = to = earlier(to, timeline_duration(ls->tl));
	/* tasks that come meanwhile have numbers up to UINT16_MAX */
	su.sums = calloc(UINT16_MAX + 1, sizeof(*su.sums));
	if (!su.sums)
		return -ENOMEM;
	r = stolen_init(&su.stolen, ls, from, to);
	while (!r && lanes_next_machine(ls->tl, &source, &machine)) {
		su.machine = machine;
		su.is_guest = stolen_is_guest(&su.stolen, machine);
		r = states_pass(ls->tl, ls->states, machine, tasks, from, to, sum_span, &su);
	}
	if (!r) {
		jsonwriter_open(w, NULL, '{');
		jsonwriter_add_uint(w, "from", from);
		jsonwriter_add_uint(w, "to", to);
		emit_tasks(&su, w);
		r = emit_cpus(ls, &su, w);
		jsonwriter_close(w);
	}
	stolen_release(&su.stolen);
	free(su.sums);
	return r;
}

/* --- events ---------------------------------------------------------------------------------------------- */

#define COUNT_SLICES   16
#define JOIN_KINDS_MAX 4096

struct counting {
	struct timeline *tl;
	const struct selection *sel;
	uint64_t from, step, to;
	uint64_t *counts; /* by job, then kind */
	size_t n_kinds;
	int error;
};

struct count_job {
	const struct selection *sel;
	uint64_t *counts;
	size_t n_kinds;
};

static bool count_event(void *ctx, const struct walk_event *ev)
{
	struct count_job *j = ctx;

	if (ev->kind < j->n_kinds && (!j->sel || selection_has(j->sel, ev->ref)))
		j->counts[ev->kind]++;
	return true;
}

static void count_slice(void *ctx, size_t i)
{
	struct counting *c = ctx;
	struct count_job j = {c->sel, c->counts + i * c->n_kinds, c->n_kinds};
	struct walk_wants wants = {.from = c->from + i * c->step};
	bool whole;

	if (wants.from > c->to)
		return;
	wants.to = earlier(c->to, wants.from + c->step - 1);
	for (size_t s = 0; s < timeline_n_streams(c->tl); s++) {
		int r = timeline_walk(c->tl, s, &wants, count_event, &j, &whole);

		if (r < 0)
			__atomic_store_n(&c->error, r, __ATOMIC_RELAXED);
	}
}

static bool is_same_kind(const struct timeline *tl, size_t a, size_t b)
{
	const struct timeline_kind *x = timeline_kind(tl, a), *y = timeline_kind(tl, b);

	return x->event && y->event && x->source != y->source &&
	       timeline_source(tl, x->source)->machine == timeline_source(tl, y->source)->machine &&
	       !strcmp(x->event->name, y->event->name) &&
	       !strcmp(x->event->system, y->event->system);
}

/* Files of a machine each have their own kinds; what has the same name is the same for people. */
static void join_counts(const struct counting *c)
{
	for (size_t k = 1; k < c->n_kinds && c->n_kinds <= JOIN_KINDS_MAX; k++)
		for (size_t first = 0; first < k; first++) {
			if (!is_same_kind(c->tl, first, k))
				continue;
			for (size_t i = 0; i < COUNT_SLICES; i++) {
				uint64_t *counts = c->counts + i * c->n_kinds;

				counts[first] += counts[k];
				counts[k] = 0;
			}
			break;
		}
}

static void emit_counts(const struct counting *c, struct jsonwriter *w)
{
	uint64_t total = 0;

	if (timeline_n_sources(c->tl) > 1)
		join_counts(c);
	jsonwriter_open(w, NULL, '{');
	jsonwriter_open(w, "kinds", '[');
	for (size_t k = 0; k < c->n_kinds; k++) {
		uint64_t n = 0;

		for (size_t i = 0; i < COUNT_SLICES; i++)
			n += c->counts[i * c->n_kinds + k];
		if (!n)
			continue;
		total += n;
		jsonwriter_open(w, NULL, '[');
		jsonwriter_add_uint(w, NULL, k);
		jsonwriter_add_uint(w, NULL, n);
		jsonwriter_close(w);
	}
	jsonwriter_close(w);
	jsonwriter_add_uint(w, "total", total);
	jsonwriter_close(w);
}

int insight_events(struct lanes *ls, const struct selection *sel, uint64_t from, uint64_t to,
		   struct jsonwriter *w)
{
	struct counting c = {.tl = ls->tl, .sel = sel, .from = from};

	c.to = earlier(to, timeline_duration(ls->tl));
	c.step = (c.to > from ? c.to - from : 0) / COUNT_SLICES + 1;
	c.n_kinds = timeline_n_kinds(ls->tl);
	c.counts = calloc(COUNT_SLICES * c.n_kinds + 1, sizeof(*c.counts));
	if (!c.counts)
		return -ENOMEM;
	timeline_parallel(ls->tl, COUNT_SLICES, count_slice, &c);
	if (!c.error)
		emit_counts(&c, w);
	free(c.counts);
	return c.error;
}

/* --- wakeups --------------------------------------------------------------------------------------------- */

#define WORST_MAX 10

struct wakeup {
	uint64_t woken, ran, wait;
	int32_t waker, cpu;
	uint16_t task;
	bool in_irq;
};

struct waking_up {
	struct lanes *ls;
	struct latencies latencies;
	struct lengths lengths;
	int error;
	struct wakeup worst[WORST_MAX];
	size_t n_worst;
	uint64_t n_unknown;	/* woken, and nobody knows when it ran */
	struct wakeup *pending; /* by task: its wait, the CPU comes with the next span */
	uint64_t from, to;
	struct timeline *tl;
};

static void add_worst(struct waking_up *u, const struct wakeup *wk)
{
	size_t i = u->n_worst;

	if (i == WORST_MAX && wk->wait <= u->worst[i - 1].wait)
		return;
	if (i < WORST_MAX)
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

	/* the span that follows tells on which CPU it ran */
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
	*p = (struct wakeup){s->start, s->end, s->end - s->start, s->waker,
			     -1,       task,   s->waker_in_irq};
	latencies_add(&u->latencies, NULL, p->wait, 1, NULL);
	if (lengths_add(&u->lengths, p->wait) < 0)
		u->error = -ENOMEM;
}

static void emit_buckets(const struct latencies *l, struct jsonwriter *w)
{
	jsonwriter_open(w, "buckets", '[');
	for (size_t i = 0; i < l->scale.n_buckets && l->all.buckets; i++) {
		uint64_t from, to;

		if (!l->all.buckets[i])
			continue;
		latency_scale_range(&l->scale, i, &from, &to);
		jsonwriter_open(w, NULL, '[');
		jsonwriter_add_uint(w, NULL, from * l->scale.unit_ns);
		jsonwriter_add_uint(w, NULL, to ? to * l->scale.unit_ns : l->all.max + 1);
		jsonwriter_add_uint(w, NULL, l->all.buckets[i]);
		jsonwriter_close(w);
	}
	jsonwriter_close(w);
}

/* From which events wakeups are counted, of all machines. */
static void emit_wakers(const struct timeline *tl, struct jsonwriter *w)
{
	static const char *const names[] = {"sched_waking", "sched_wakeup"};
	bool any[2] = {false};
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
		any[0] |= has[0];
		any[1] |= !has[0] && has[1];
	}
	jsonwriter_open(w, "since", '[');
	for (size_t j = 0; j < 2; j++)
		if (any[j])
			jsonwriter_add_string(w, NULL, names[j]);
	jsonwriter_close(w);
}

/* Exact, unless there were too many to keep. */
static uint64_t wait_quantile(const struct waking_up *u, unsigned of_10000)
{
	const struct lengths *l = &u->lengths;

	if (!l->n || l->is_over)
		return l->n ? latency_spread_percentile(&u->latencies.all, of_10000) : 0;
	return lengths_quantile(l->list, l->n, of_10000);
}

/* The interrupt that woke it, if one did. */
static void emit_interrupt(const struct waking_up *u, const struct wakeup *k, struct jsonwriter *w)
{
	struct interrupts *in;
	struct interrupt irq;

	if (!k->in_irq || interrupts_new(&in, u->ls, timeline_task(u->tl, k->task)->machine) < 0)
		return;
	if (interrupts_find_waking(in, k->task, k->woken, &irq))
		interrupt_emit(&irq, "irq", w);
	interrupts_free(in);
}

static void emit_wakeups(const struct waking_up *u, struct jsonwriter *w)
{
	const struct latency_spread *s = &u->latencies.all;

	jsonwriter_open(w, NULL, '{');
	emit_wakers(u->tl, w);
	jsonwriter_add_uint(w, "n", s->n);
	jsonwriter_add_uint(w, "unknown", u->n_unknown);
	jsonwriter_add_uint(w, "min", s->n ? s->min : 0);
	jsonwriter_add_uint(w, "avg", s->n ? s->total / s->n : 0);
	jsonwriter_add_uint(w, "max", s->max);
	jsonwriter_add_uint(w, "p50", wait_quantile(u, 5000));
	jsonwriter_add_uint(w, "p90", wait_quantile(u, 9000));
	jsonwriter_add_uint(w, "p99", wait_quantile(u, 9900));
	emit_buckets(&u->latencies, w);
	jsonwriter_open(w, "worst", '[');
	for (size_t i = 0; i < u->n_worst; i++) {
		const struct wakeup *k = &u->worst[i];

		jsonwriter_open(w, NULL, '{');
		jsonwriter_add_uint(w, "task", k->task);
		jsonwriter_add_int(w, "waker", k->waker);
		jsonwriter_add_uint(w, "woken", k->woken);
		jsonwriter_add_uint(w, "ran", k->ran);
		jsonwriter_add_uint(w, "wait", k->wait);
		jsonwriter_add_int(w, "cpu", k->cpu);
		emit_interrupt(u, k, w);
		jsonwriter_close(w);
	}
	jsonwriter_close(w);
	jsonwriter_close(w);
}

int insight_wakeups(struct lanes *ls, const uint8_t *tasks, uint64_t from, uint64_t to,
		    struct jsonwriter *w)
{
	struct latency_scale scale = {.unit_ns = 1000};
	struct waking_up u = {.from = from, .to = earlier(to, timeline_duration(ls->tl))};
	size_t source = 0;
	uint32_t machine;
	int r;

	u.tl = ls->tl;
	u.ls = ls;
	latency_scale_settle(&scale);
	r = latencies_init(&u.latencies, &scale, 0, 0);
	if (r < 0)
		return r;
	u.pending = calloc(UINT16_MAX + 1, sizeof(*u.pending));
	r = u.pending ? 0 : -ENOMEM;
	while (!r && lanes_next_machine(ls->tl, &source, &machine))
		/* a little further, for the CPU of the last ones */
		r = states_pass(ls->tl, ls->states, machine, tasks, from, u.to + 1, add_wakeup, &u);
	if (!r)
		r = u.error < 0 ? u.error : lengths_sort(&u.lengths);
	if (!r)
		emit_wakeups(&u, w);
	lengths_release(&u.lengths);
	free(u.pending);
	latencies_release(&u.latencies);
	return r;
}
