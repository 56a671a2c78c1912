// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * summarytext.c - the time of tasks by state, and of CPUs.
 *
 *  Task          Run ms   Runnable  Preempted   Sleeping    Blocked      Other  Switches  …
 *
 * Runnable: woken or new, and no CPU yet. Preempted: another task took its CPU. Blocked: it cannot
 * be interrupted (D), mostly a disk. Other: stopped, idle kernel threads, parked. Time before the
 * first event of a task, and across lost events, is in no column. With -g, the places where the
 * task spent most of the time off the CPU are below its row.
 */
#include "analyse/sched/schedsums.h"
#include "base/json/jsonwriter.h"
#include "decode/taskstate.h"
#include "present/sched/schedtext.h"

#include <inttypes.h>
#include <stdio.h>

#define PLACES_SHOWN 3

static uint64_t other_ns(const struct sched_sum *s)
{
	return s->ns[STATE_STOPPED] + s->ns[STATE_IDLE] + s->ns[STATE_UNKNOWN];
}

static uint64_t moves(const struct sched_view *v, const struct sched_sum *s)
{
	return schedflow_counts(v->flow)->n_migrations ? s->n_migrations : s->n_moved;
}

static void fmt_row(const struct sched_view *v, const struct sched_sum *s, struct textbuf *tb)
{
	const uint64_t columns[] = {s->run.total,	    s->ns[STATE_RUNNABLE],
				    s->ns[STATE_PREEMPTED], s->ns[STATE_SLEEPING],
				    s->ns[STATE_BLOCKED],   other_ns(s)};
	char name[64], merged[96];

	sched_task_fmt(s->task, name, sizeof(name));
	if (s->n_tasks > 1)
		snprintf(merged, sizeof(merged), "%s (%zu tasks)", s->task->comm, s->n_tasks);
	textbuf_addf(tb, "%-26s", s->n_tasks > 1 ? merged : name);
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++) {
		textbuf_add_char(tb, ' ');
		sched_fmt_ms(v, true, columns[i], 11, tb);
	}
	textbuf_addf(tb, " %9" PRIu64 " %9" PRIu64 " %7" PRIu64 "%s\n", s->n_turns, s->n_preempted,
		     moves(v, s), s->is_dead ? "  ended" : "");
}

static void fmt_places(const struct sched_view *v, const struct sched_sum *s, struct textbuf *tb)
{
	size_t n = 0;

	for (const struct sched_place *p = s->places; p && n < PLACES_SHOWN; p = p->next, n++) {
		textbuf_add_str(tb, "    ");
		sched_fmt_ms(v, true, p->ns, 11, tb);
		textbuf_addf(tb, "%s %s, %" PRIu64 " %s", v->in_time ? " ms" : "",
			     task_state_name(p->state), p->n, p->n == 1 ? "time" : "times");
		if (p->stack) {
			textbuf_add_str(tb, ", in ");
			sched_fmt_stack(v, p->stack, true, " ← ", tb);
		} else {
			textbuf_add_str(tb, ", in other places");
		}
		textbuf_add_char(tb, '\n');
	}
}

static void fmt_cpus(const struct sched_view *v, struct textbuf *tb)
{
	size_t n;
	const struct sched_cpu_sum *cpus = schedsums_cpus(v->sums, &n);

	textbuf_addf(tb, "\n%-6s %13s %13s %7s %9s\n", "CPU", "Busy", "Idle", "Busy %", "Switches");
	for (size_t i = 0; i < n; i++) {
		const struct sched_cpu_sum *c = &cpus[i];
		uint64_t all = c->run_ns + c->idle_ns;

		if (!all && !c->n_switches)
			continue;
		textbuf_addf(tb, "%-6zu ", i);
		sched_fmt_ms(v, true, c->run_ns, 13, tb);
		textbuf_add_char(tb, ' ');
		sched_fmt_ms(v, true, c->idle_ns, 13, tb);
		textbuf_addf(tb, " %7.2f %9" PRIu64 "\n",
			     all ? 100.0 * (double)c->run_ns / (double)all : 0.0, c->n_switches);
	}
}

void schedtext_fmt_summary(const struct sched_view *v, struct textbuf *tb)
{
	size_t n;
	const struct sched_sum *rows = schedsums_rows(v->sums, &n);

	textbuf_addf(tb, "%-26s %11s %11s %11s %11s %11s %11s %9s %9s %7s\n",
		     v->in_time ? "Task (times in ms)" : "Task", "Running", "Runnable", "Preempted",
		     "Sleeping", "Blocked", "Other", "Switches", "Preempt.", "Moves");
	for (size_t i = 0; i < n && i < v->n_rows; i++) {
		fmt_row(v, &rows[i], tb);
		fmt_places(v, &rows[i], tb);
	}
	if (n > v->n_rows)
		textbuf_addf(tb, "… and %zu more tasks\n", n - v->n_rows);
	fmt_cpus(v, tb);
	sched_fmt_gaps(v, tb);
}

static void add_places(const struct sched_view *v, const struct sched_sum *s, struct jsonwriter *w)
{
	jsonwriter_open(w, "places", '[');
	for (const struct sched_place *p = s->places; p; p = p->next) {
		jsonwriter_open(w, NULL, '{');
		jsonwriter_add_string(w, "state", task_state_name(p->state));
		jsonwriter_add_uint(w, "times", p->n);
		jsonwriter_add_uint(w, "ns", p->ns);
		sched_json_stack(v, "stack", p->stack, w);
		jsonwriter_close(w);
	}
	jsonwriter_close(w);
}

static void add_row(const struct sched_view *v, const struct sched_sum *s, struct jsonwriter *w)
{
	jsonwriter_open(w, NULL, '{');
	jsonwriter_add_string(w, "comm", s->task->comm);
	if (s->n_tasks == 1) {
		jsonwriter_add_int(w, "pid", s->task->pid);
		if (s->task->ppid >= 0)
			jsonwriter_add_int(w, "parent", s->task->ppid);
	}
	jsonwriter_add_uint(w, "tasks", s->n_tasks);
	jsonwriter_add_uint(w, "switches", s->n_turns);
	jsonwriter_add_uint(w, "preempted", s->n_preempted);
	jsonwriter_add_uint(w, "migrations", moves(v, s));
	jsonwriter_add_uint(w, "running_ns", s->run.total);
	for (unsigned i = STATE_RUNNABLE; i < STATE_DEAD; i++) {
		char key[32];

		snprintf(key, sizeof(key), "%s_ns", task_state_name(i));
		jsonwriter_add_uint(w, key, s->ns[i]);
	}
	if (s->run.n) {
		jsonwriter_add_uint(w, "min_run_ns", s->run.min);
		jsonwriter_add_uint(w, "avg_run_ns", s->run.total / s->run.n);
		jsonwriter_add_uint(w, "max_run_ns", s->run.max);
		jsonwriter_add_real(w, "run_deviation_ns", sched_spread_deviation(&s->run), 0);
	}
	jsonwriter_add_bool(w, "ended", s->is_dead);
	if (s->places)
		add_places(v, s, w);
	jsonwriter_close(w);
}

void schedtext_fmt_summary_json(const struct sched_view *v, struct textbuf *tb)
{
	struct jsonwriter w;
	size_t n, n_cpus;
	const struct sched_sum *rows = schedsums_rows(v->sums, &n);
	const struct sched_cpu_sum *cpus = schedsums_cpus(v->sums, &n_cpus);

	jsonwriter_init(&w, tb);
	jsonwriter_open(&w, NULL, '{');
	jsonwriter_open(&w, "tasks", '[');
	for (size_t i = 0; i < n && i < v->n_rows; i++)
		add_row(v, &rows[i], &w);
	jsonwriter_close(&w);
	jsonwriter_open(&w, "cpus", '[');
	for (size_t i = 0; i < n_cpus; i++) {
		jsonwriter_open(&w, NULL, '{');
		jsonwriter_add_uint(&w, "cpu", i);
		jsonwriter_add_uint(&w, "busy_ns", cpus[i].run_ns);
		jsonwriter_add_uint(&w, "idle_ns", cpus[i].idle_ns);
		jsonwriter_add_uint(&w, "switches", cpus[i].n_switches);
		jsonwriter_close(&w);
	}
	jsonwriter_close(&w);
	sched_json_gaps(v, &w);
	jsonwriter_close(&w);
	textbuf_add_char(tb, '\n');
}
