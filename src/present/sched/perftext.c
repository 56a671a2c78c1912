// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perftext.c - tables in the form of perf 6.1.
 *
 *	  Task                  |   Runtime ms  | Switches | Avg delay ms    | Max delay ms    | …
 *	  sched-pipe:(2)        |     13.626 ms |      203 | avg:   0.010 ms | max:   0.839 ms | …
 *
 * (2) is the number of tasks of this name. Tasks without a wait are not shown.
 */
#include "present/sched/perftext.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define NAME_WIDTH 30

static void fill(struct textbuf *tb, char c, size_t n)
{
	textbuf_add_char(tb, ' ');
	textbuf_add_fill(tb, c, n);
	textbuf_add_char(tb, '\n');
}

static void fmt_latency_row(const struct perfsched_row *r, struct textbuf *tb)
{
	char name[64], start[32], end[32];
	uint64_t mean;
	int n;

	if (r->n_tasks > 1)
		n = snprintf(name, sizeof(name), "  %s:(%zu) ", r->task->comm, r->n_tasks);
	else
		n = snprintf(name, sizeof(name), "  %s:%d ", r->task->comm, r->task->pid);
	snprintf(start, sizeof(start), "%" PRIu64 ".%06" PRIu64, r->max_start / 1000000000,
		 r->max_start / 1000 % 1000000);
	snprintf(end, sizeof(end), "%" PRIu64 ".%06" PRIu64, r->max_end / 1000000000,
		 r->max_end / 1000 % 1000000);
	textbuf_add_str(tb, name);
	textbuf_add_fill(tb, ' ', n < 24 ? 24 - (size_t)n : 0);
	/* perf divides integers */
	mean = r->total_wait / r->n_waits;
	textbuf_addf(tb,
		     "|%11.3f ms |%9" PRIu64
		     " | avg:%8.3f ms | max:%8.3f ms | max start: %12s s | max end: %12s s\n",
		     (double)r->runtime / 1e6, r->n_waits, (double)mean / 1e6,
		     (double)r->max_wait / 1e6, start, end);
}

static void fmt_info(const struct perfsched_counts *c, uint64_t n_lost, uint64_t n_events,
		     uint64_t n_chunks, struct textbuf *tb)
{
	if (c->n_unordered && c->n_timestamps)
		textbuf_addf(tb,
			     "  INFO: %.3f%% unordered timestamps (%" PRIu64 " out of %" PRIu64
			     ")\n",
			     100.0 * (double)c->n_unordered / (double)c->n_timestamps,
			     c->n_unordered, c->n_timestamps);
	if (n_chunks && n_events)
		textbuf_addf(tb,
			     "  INFO: %.3f%% lost events (%" PRIu64 " out of %" PRIu64
			     ", in %" PRIu64 " chunks)\n",
			     100.0 * (double)n_lost / (double)n_events, n_lost, n_events, n_chunks);
	if (c->n_switch_bugs && c->n_timestamps)
		textbuf_addf(tb,
			     "  INFO: %.3f%% context switch bugs (%" PRIu64 " out of %" PRIu64
			     ")%s\n",
			     100.0 * (double)c->n_switch_bugs / (double)c->n_timestamps,
			     c->n_switch_bugs, c->n_timestamps,
			     n_chunks ? " (due to lost events?)" : "");
}

void perftext_fmt_latency(const struct perfsched *p, uint64_t n_lost, uint64_t n_events,
			  uint64_t n_chunks, struct textbuf *tb)
{
	size_t n;
	const struct perfsched_row *rows = perfsched_rows(p, &n);
	uint64_t runtime = 0, waits = 0;

	textbuf_add_char(tb, '\n');
	fill(tb, '-', 139);
	textbuf_add_str(
		tb, "  Task                  |   Runtime ms  | Switches | Avg delay ms    | Max "
		    "delay ms    | Max delay start           | Max delay end          |\n");
	fill(tb, '-', 139);
	for (size_t i = 0; i < n; i++) {
		if (!rows[i].n_waits)
			continue;
		fmt_latency_row(&rows[i], tb);
		runtime += rows[i].runtime;
		waits += rows[i].n_waits;
	}
	fill(tb, '-', 113);
	textbuf_addf(tb, "  TOTAL:                |%11.3f ms |%9" PRIu64 " |\n",
		     (double)runtime / 1e6, waits);
	fill(tb, '-', 51);
	fmt_info(perfsched_counts(p), n_lost, n_events, n_chunks, tb);
	textbuf_add_char(tb, '\n');
}

/* --- the summary of timehist ------------------------------------------------------------------ */

static void fmt_ms(uint64_t ns, int width, struct textbuf *tb)
{
	textbuf_addf(tb, "%*" PRIu64 ".%03" PRIu64 " ", width, ns / 1000000, ns / 1000 % 1000);
}

/* The error of the mean, in percent of it. */
static double error_percent(const struct sched_spread *s)
{
	double e = s->n > 1 ? sched_spread_deviation(s) / sqrt((double)s->n) : 0;

	return s->mean > 0 ? 100.0 * e / s->mean : 0;
}

static void fmt_summary_row(const struct perfsched_row *r, struct textbuf *tb)
{
	const struct sched_task *t = r->task;
	char name[96];

	if (t->tgid >= 0 && t->tgid != t->pid)
		snprintf(name, sizeof(name), "%s[%d/%d]", t->comm, t->pid, t->tgid);
	else
		snprintf(name, sizeof(name), "%s[%d]", t->comm, t->pid);
	textbuf_addf(tb, "%*s   %5d  %9" PRIu64 " ", NAME_WIDTH, name, t->ppid, r->run.n);
	fmt_ms(r->run.total, 8, tb);
	fmt_ms(r->run.min, 6, tb);
	textbuf_add_char(tb, ' ');
	fmt_ms((uint64_t)r->run.mean, 6, tb);
	textbuf_add_char(tb, ' ');
	fmt_ms(r->run.max, 6, tb);
	textbuf_addf(tb, "  %5.2f   %5" PRIu64 "\n", error_percent(&r->run), r->n_migrations);
}

static size_t fmt_rows(const struct perfsched *p, bool dead, uint64_t *total, uint64_t *n_switches,
		       struct textbuf *tb)
{
	size_t n, n_shown = 0;
	const struct perfsched_row *rows = perfsched_rows(p, &n);

	for (size_t i = 0; i < n; i++) {
		const struct perfsched_row *r = &rows[i];

		if (!r->run.n || r->is_dead != dead)
			continue;
		fmt_summary_row(r, tb);
		*total += r->run.total;
		*n_switches += r->run.n;
		n_shown++;
	}
	return n_shown;
}

static void fmt_idle(const struct perfsched *p, const struct perftext_cpus *cpus,
		     uint64_t *n_switches, struct textbuf *tb)
{
	const struct perfsched_counts *c = perfsched_counts(p);
	double whole = (double)(c->end - c->start);

	textbuf_add_str(tb, "\nIdle stats:\n");
	for (unsigned i = 0; i < cpus->n; i++) {
		const struct sched_spread *s = perfsched_idle(p, i);

		if (cpus->is_chosen && !cpus->is_chosen(cpus->ctx, i))
			continue;
		if (!s || !s->n) {
			textbuf_addf(tb, "    CPU %2u idle entire time window\n", i);
			continue;
		}
		*n_switches += s->n;
		textbuf_addf(tb, "    CPU %2u idle for ", i);
		fmt_ms(s->total, 6, tb);
		textbuf_addf(tb, " msec  (%6.2f%%)\n",
			     whole > 0 ? 100.0 * (double)s->total / whole : 0.0);
	}
}

void perftext_fmt_summary(const struct perfsched *p, const struct perftext_cpus *cpus, bool is_idle,
			  struct textbuf *tb)
{
	const struct perfsched_counts *c = perfsched_counts(p);
	uint64_t total = 0, n_switches = 0;
	size_t n_alive, n_dead;

	textbuf_addf(tb, "\n%s summary\n", is_idle ? "Idle-time" : "Runtime");
	textbuf_addf(tb, "%*s  parent  %s ", NAME_WIDTH, "comm",
		     is_idle ? "sched-out    idle-time   min-idle    avg-idle    max-idle"
			     : " sched-in     run-time    min-run     avg-run     max-run");
	textbuf_addf(tb,
		     " stddev  migrations\n%*s            (count)       (msec)     (msec)      "
		     "(msec)      (msec)       %%\n",
		     NAME_WIDTH, "");
	textbuf_add_fill(tb, '-', 117);
	textbuf_add_char(tb, '\n');
	n_alive = fmt_rows(p, false, &total, &n_switches, tb);
	if (!n_alive)
		textbuf_add_str(tb, "<no still running tasks>\n");
	textbuf_add_str(tb, "\nTerminated tasks:\n");
	n_dead = fmt_rows(p, true, &total, &n_switches, tb);
	if (!n_dead)
		textbuf_add_str(tb, "<no terminated tasks>\n");
	fmt_idle(p, cpus, &n_switches, tb);
	textbuf_addf(tb,
		     "\n    Total number of unique tasks: %zu\nTotal number of context switches: "
		     "%" PRIu64 "\n           Total run time (msec): ",
		     n_alive + n_dead, n_switches);
	fmt_ms(total, 2, tb);
	textbuf_add_str(tb, "\n    Total scheduling time (msec): ");
	fmt_ms(c->end - c->start, 2, tb);
	textbuf_addf(tb, " (x %u)\n", cpus->n);
}
