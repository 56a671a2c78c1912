// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tasks_json.c - formats times of tasks and CPUs, counts of events, and wakeups as JSON for the
 * page: api/stats.
 *
 * The members are part of the page's protocol (doc/VIEWER.md). States have the numbers of states.h,
 * and a list of states contains all of them. Members about stolen time exist only for guests whose
 * host is in the trace.
 */
#include "base/json/jsonwriter.h"
#include "decode/taskstate.h"
#include "present/insight/json.h"
#include "timeline/insight/insight.h"

static void emit_stolen(const struct stolen_sum *s, struct jsonwriter *w)
{
	jsonwriter_add_uint(w, "stolen", s->ns);
	jsonwriter_add_uint(w, "stolen_unknown", s->unknown_ns);
}

static void emit_task(const struct task_times *t, struct jsonwriter *w)
{
	jsonwriter_open(w, NULL, '{');
	jsonwriter_add_uint(w, "task", t->task);
	jsonwriter_open(w, "states", '[');
	for (unsigned i = 0; i < STATES_N; i++)
		jsonwriter_add_uint(w, NULL, t->ns[i]);
	jsonwriter_close(w);
	jsonwriter_add_uint(w, "switches", t->n_switches);
	jsonwriter_add_uint(w, "wakeups", t->n_wakeups);
	jsonwriter_add_uint(w, "migrations", t->n_migrations);
	jsonwriter_add_uint(w, "preemptions", t->n_preemptions);
	jsonwriter_add_uint(w, "max_wait", t->max_wait);
	jsonwriter_add_uint(w, "max_wait_at", t->max_wait_at);
	jsonwriter_add_bool(w, "max_wait_more", t->max_goes_on);
	if (t->is_guest)
		emit_stolen(&t->stolen, w);
	jsonwriter_close(w);
}

static void emit_cpu(const struct cpu_times *c, struct jsonwriter *w)
{
	jsonwriter_open(w, NULL, '{');
	jsonwriter_add_uint(w, "machine", c->machine);
	jsonwriter_add_uint(w, "cpu", c->cpu);
	jsonwriter_add_uint(w, "busy", c->busy);
	jsonwriter_add_uint(w, "idle", c->idle);
	jsonwriter_add_uint(w, "unknown", c->unknown);
	jsonwriter_add_uint(w, "switches", c->n_switches);
	if (c->is_guest)
		emit_stolen(&c->stolen, w);
	jsonwriter_close(w);
}

void insight_emit_tasks(const struct insight_tasks *t, struct jsonwriter *w)
{
	jsonwriter_open(w, NULL, '{');
	jsonwriter_add_uint(w, "from", t->from);
	jsonwriter_add_uint(w, "to", t->to);
	jsonwriter_open(w, "tasks", '[');
	for (size_t i = 0; i < t->n_tasks; i++)
		emit_task(&t->tasks[i], w);
	jsonwriter_close(w);
	jsonwriter_open(w, "cpus", '[');
	for (size_t i = 0; i < t->n_cpus; i++)
		emit_cpu(&t->cpus[i], w);
	jsonwriter_close(w);
	jsonwriter_close(w);
}

/* --- events ----------------------------------------------------------------------------------- */

void insight_emit_events(const struct insight_events *e, struct jsonwriter *w)
{
	jsonwriter_open(w, NULL, '{');
	jsonwriter_open(w, "kinds", '[');
	for (size_t i = 0; i < e->n_kinds; i++) {
		jsonwriter_open(w, NULL, '[');
		jsonwriter_add_uint(w, NULL, e->kinds[i].kind);
		jsonwriter_add_uint(w, NULL, e->kinds[i].n);
		jsonwriter_close(w);
	}
	jsonwriter_close(w);
	jsonwriter_add_uint(w, "total", e->total);
	jsonwriter_close(w);
}

/* --- wakeups ---------------------------------------------------------------------------------- */

static void emit_wakeup(const struct wakeup *k, struct jsonwriter *w)
{
	jsonwriter_open(w, NULL, '{');
	jsonwriter_add_uint(w, "task", k->task);
	jsonwriter_add_int(w, "waker", k->waker);
	jsonwriter_add_uint(w, "woken", k->woken);
	jsonwriter_add_uint(w, "ran", k->ran);
	jsonwriter_add_uint(w, "wait", k->wait);
	jsonwriter_add_int(w, "cpu", k->cpu);
	if (k->has_irq)
		interrupt_emit(&k->irq, "irq", w);
	jsonwriter_close(w);
}

void insight_emit_wakeups(const struct insight_wakeups *u, struct jsonwriter *w)
{
	jsonwriter_open(w, NULL, '{');
	jsonwriter_open(w, "since", '[');
	if (u->since_waking)
		jsonwriter_add_string(w, NULL, "sched_waking");
	if (u->since_wakeup)
		jsonwriter_add_string(w, NULL, "sched_wakeup");
	jsonwriter_close(w);
	jsonwriter_add_uint(w, "n", u->n);
	jsonwriter_add_uint(w, "unknown", u->n_unknown);
	jsonwriter_add_uint(w, "min", u->min);
	jsonwriter_add_uint(w, "avg", u->avg);
	jsonwriter_add_uint(w, "max", u->max);
	jsonwriter_add_uint(w, "p50", u->p50);
	jsonwriter_add_uint(w, "p90", u->p90);
	jsonwriter_add_uint(w, "p99", u->p99);
	jsonwriter_open(w, "buckets", '[');
	for (size_t i = 0; i < u->n_buckets; i++) {
		jsonwriter_open(w, NULL, '[');
		jsonwriter_add_uint(w, NULL, u->buckets[i].from);
		jsonwriter_add_uint(w, NULL, u->buckets[i].to);
		jsonwriter_add_uint(w, NULL, u->buckets[i].n);
		jsonwriter_close(w);
	}
	jsonwriter_close(w);
	jsonwriter_open(w, "worst", '[');
	for (size_t i = 0; i < u->n_worst; i++)
		emit_wakeup(&u->worst[i], w);
	jsonwriter_close(w);
	jsonwriter_close(w);
}
