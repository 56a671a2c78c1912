// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * latencytext.c - the waits of tasks for a CPU.
 *
 *  Task                     Switches     Run ms   Avg ms   p99 ms   Max ms   Max from … to
 *  bash-812                       12     14.012    0.012    0.080    0.081   52.129869 52.129950
 *
 *	Longest waits
 *	    0.081 ms  bash-812 on CPU 1, 52.129869 to 52.129950, behind make-7
 *	              woken by cc1-12: try_to_wake_up ← …
 *	              slept 1.022 ms in pipe_read ← …
 *
 * A wait whose beginning is not known has no length: such switches count in "Switches" only. "-"
 * means that no wait of the task is known.
 */
#include "analyse/sched/schedsums.h"
#include "base/json/jsonwriter.h"
#include "decode/taskstate.h"
#include "present/sched/schedtext.h"

#include <inttypes.h>
#include <stdio.h>

static void fmt_row(const struct sched_view *v, const struct sched_sum *s, struct textbuf *tb)
{
	bool has = s->wait.n;
	char name[64], merged[96];

	sched_task_fmt(s->task, name, sizeof(name));
	if (s->n_tasks > 1) {
		snprintf(merged, sizeof(merged), "%s (%zu tasks)", s->task->comm, s->n_tasks);
		textbuf_addf(tb, "%-26s", merged);
	} else {
		textbuf_addf(tb, "%-26s", name);
	}
	textbuf_addf(tb, " %9" PRIu64 " ", s->n_turns);
	sched_fmt_ms(v, true, s->run.total, 12, tb);
	textbuf_add_char(tb, ' ');
	sched_fmt_ms(v, has, has ? s->wait.total / s->wait.n : 0, 9, tb);
	textbuf_add_char(tb, ' ');
	sched_fmt_ms(v, has, latency_spread_percentile(&s->waits, 9900), 9, tb);
	textbuf_add_char(tb, ' ');
	sched_fmt_ms(v, has, s->wait.max, 10, tb);
	textbuf_add_char(tb, ' ');
	if (has) {
		sched_fmt_moment(v, s->max_start, 15, tb);
		textbuf_add_char(tb, ' ');
		sched_fmt_moment(v, s->max_end, 15, tb);
	} else {
		textbuf_addf(tb, "%15s %15s", "-", "-");
	}
	textbuf_add_char(tb, '\n');
}

static void fmt_waker(const struct sched_view *v, const struct sched_turn *t, struct textbuf *tb)
{
	char name[64];

	if (t->off_state == STATE_PREEMPTED) {
		textbuf_add_str(tb, "              preempted\n");
		return;
	}
	if (!t->waker)
		return;
	sched_task_fmt(t->waker, name, sizeof(name));
	textbuf_add_str(tb,
			t->is_new ? "              new, started by " : "              woken by ");
	if (t->waker_in_irq)
		textbuf_addf(tb, "an interrupt in ");
	textbuf_add_str(tb, name);
	if (t->waker_stack) {
		textbuf_add_str(tb, ": ");
		sched_fmt_stack(v, t->waker_stack, false, " ← ", tb);
	}
	textbuf_add_char(tb, '\n');
}

static void fmt_slept(const struct sched_view *v, const struct sched_turn *t, struct textbuf *tb)
{
	if (!t->is_sleep_sure || t->off_state == STATE_PREEMPTED)
		return;
	textbuf_addf(tb, "              was %s for ", task_state_name(t->off_state));
	sched_fmt_ms(v, true, t->sleep_ns, 0, tb);
	textbuf_add_str(tb, v->in_time ? " ms" : "");
	if (t->off_stack) {
		textbuf_add_str(tb, " in ");
		sched_fmt_stack(v, t->off_stack, true, " ← ", tb);
	}
	textbuf_add_char(tb, '\n');
}

static void fmt_wait(const struct sched_view *v, const struct sched_turn *t, struct textbuf *tb)
{
	char name[64];

	sched_fmt_ms(v, true, t->wait_ns, 10, tb);
	textbuf_addf(tb, "%s  %s", v->in_time ? " ms" : "",
		     sched_task_fmt(t->task, name, sizeof(name)));
	if (t->has_run)
		textbuf_addf(tb, " on CPU %u", t->cpu);
	textbuf_add_str(tb, ", ");
	sched_fmt_moment(v, t->ready, 0, tb);
	textbuf_add_str(tb, " to ");
	sched_fmt_moment(v, t->start, 0, tb);
	if (!t->has_run)
		textbuf_add_str(tb, ", and still waits");
	if (t->has_run && t->before && t->before != t->task)
		textbuf_addf(tb, ", after %s", sched_task_fmt(t->before, name, sizeof(name)));
	textbuf_add_char(tb, '\n');
	fmt_waker(v, t, tb);
	fmt_slept(v, t, tb);
}

static void fmt_worst(const struct sched_view *v, struct textbuf *tb)
{
	size_t n;
	const struct sched_turn *worst = schedsums_worst(v->sums, &n);

	if (n)
		textbuf_add_str(tb, "\nLongest waits for a CPU\n");
	for (size_t i = 0; i < n; i++)
		fmt_wait(v, &worst[i], tb);
}

void schedtext_fmt_latency(const struct sched_view *v, struct textbuf *tb)
{
	const char *unit = v->in_time ? "ms" : "";
	size_t n;
	const struct sched_sum *rows = schedsums_rows(v->sums, &n);
	uint64_t run = 0, turns = 0, waits = 0;

	textbuf_addf(tb, "%-26s %9s %9s %-2s %6s %-2s %6s %-2s %7s %-2s %15s %15s\n", "Task",
		     "Switches", "Run", unit, "Avg", unit, "p99", unit, "Max", unit,
		     "Max wait from", "to");
	for (size_t i = 0; i < n; i++) {
		if (i < v->n_rows)
			fmt_row(v, &rows[i], tb);
		run += rows[i].run.total;
		turns += rows[i].n_turns;
		waits += rows[i].wait.total;
	}
	if (n > v->n_rows)
		textbuf_addf(tb, "… and %zu more tasks\n", n - v->n_rows);
	textbuf_addf(tb, "%-26s %9" PRIu64 " ", "Total", turns);
	sched_fmt_ms(v, true, run, 12, tb);
	textbuf_add_str(tb, "   waited ");
	sched_fmt_ms(v, true, waits, 0, tb);
	textbuf_addf(tb, " %s\n", unit);
	fmt_worst(v, tb);
	sched_fmt_gaps(v, tb);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void add_row(const struct sched_sum *s, struct jsonwriter *w)
{
	jsonwriter_open(w, NULL, '{');
	jsonwriter_add_string(w, "comm", s->task->comm);
	if (s->n_tasks == 1)
		jsonwriter_add_int(w, "pid", s->task->pid);
	jsonwriter_add_uint(w, "tasks", s->n_tasks);
	jsonwriter_add_uint(w, "switches", s->n_turns);
	jsonwriter_add_uint(w, "run_ns", s->run.total);
	jsonwriter_add_uint(w, "waits", s->wait.n);
	jsonwriter_add_uint(w, "unknown_waits", s->n_unsure);
	jsonwriter_add_uint(w, "wait_ns", s->wait.total);
	if (s->wait.n) {
		jsonwriter_add_uint(w, "avg_ns", s->wait.total / s->wait.n);
		jsonwriter_add_uint(w, "p50_ns", latency_spread_percentile(&s->waits, 5000));
		jsonwriter_add_uint(w, "p99_ns", latency_spread_percentile(&s->waits, 9900));
		jsonwriter_add_uint(w, "max_ns", s->wait.max);
		jsonwriter_add_uint(w, "max_from", s->max_start);
		jsonwriter_add_uint(w, "max_to", s->max_end);
	}
	jsonwriter_add_uint(w, "still_waits_ns", s->still_waits);
	jsonwriter_close(w);
}

static void add_wait(const struct sched_view *v, const struct sched_turn *t, struct jsonwriter *w)
{
	jsonwriter_open(w, NULL, '{');
	sched_json_task("task", t->task, w);
	jsonwriter_add_uint(w, "wait_ns", t->wait_ns);
	jsonwriter_add_uint(w, "from", t->ready);
	jsonwriter_add_uint(w, "to", t->start);
	jsonwriter_add_bool(w, "has_run", t->has_run);
	if (t->has_run)
		jsonwriter_add_uint(w, "cpu", t->cpu);
	jsonwriter_add_string(w, "was", task_state_name(t->off_state));
	if (t->is_sleep_sure)
		jsonwriter_add_uint(w, "sleep_ns", t->sleep_ns);
	sched_json_task("waker", t->waker, w);
	jsonwriter_add_bool(w, "waker_in_interrupt", t->waker_in_irq);
	sched_json_task("before", t->before, w);
	sched_json_stack(v, "waker_stack", t->waker_stack, w);
	sched_json_stack(v, "sleep_stack", t->off_stack, w);
	jsonwriter_close(w);
}

void schedtext_fmt_latency_json(const struct sched_view *v, struct textbuf *tb)
{
	struct jsonwriter w;
	size_t n, n_worst;
	const struct sched_sum *rows = schedsums_rows(v->sums, &n);
	const struct sched_turn *worst = schedsums_worst(v->sums, &n_worst);

	jsonwriter_init(&w, tb);
	jsonwriter_open(&w, NULL, '{');
	jsonwriter_open(&w, "tasks", '[');
	for (size_t i = 0; i < n && i < v->n_rows; i++)
		add_row(&rows[i], &w);
	jsonwriter_close(&w);
	jsonwriter_open(&w, "longest", '[');
	for (size_t i = 0; i < n_worst; i++)
		add_wait(v, &worst[i], &w);
	jsonwriter_close(&w);
	sched_json_gaps(v, &w);
	jsonwriter_close(&w);
	textbuf_add_char(tb, '\n');
}
