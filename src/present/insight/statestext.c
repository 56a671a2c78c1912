// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * statestext.c - prints the times of tasks by state, one row for each task, name or process.
 *
 *	   run   cpu%   wait preempt  sleep  block switch  wakes maxwait  task
 *	 1.90s  89.1% 12.3ms  1.20ms  102ms 3.20ms    213    180  4.10ms  make-4321
 *
 * A column is omitted if no task was in that state, so that the rest fits into 80 columns.
 */
#include "base/array.h"
#include "base/escaper.h"
#include "base/json/jsonwriter.h"
#include "decode/taskstate.h"
#include "present/insight/view.h"
#include "present/insight/words.h"
#include "timeline/states/states.h"

#include <stdio.h>

/* States that have a column only if a task was in them. */
static const struct {
	enum task_state state;
	const char *title;
	int width;
} columns[] = {
	{STATE_RUNNABLE, "wait", 6},   {STATE_PREEMPTED, "preempt", 7},
	{STATE_SLEEPING, "sleep", 6},  {STATE_BLOCKED, "block", 6},
	{STATE_STOPPED, "stop", 6},    {STATE_IDLE, "idle", 6},
	{STATE_UNKNOWN, "unknown", 7},
};
#define N_COLUMNS ARRAY_LEN(columns)

static size_t n_shown(const struct states_view *v)
{
	return v->view.n_rows < v->groups->n ? v->view.n_rows : v->groups->n;
}

static bool has_column(const struct states_view *v, enum task_state state)
{
	for (size_t i = 0; i < n_shown(v); i++)
		if (v->groups->groups[i].times.ns[state])
			return true;
	return state == STATE_RUNNABLE || state == STATE_SLEEPING;
}

static uint64_t length_of(const struct states_view *v)
{
	return v->tasks->to > v->tasks->from ? v->tasks->to - v->tasks->from : 0;
}

/* Writes "make-4321", "make" of 12 tasks, or "make-4321" of a process. */
static const char *fmt_group(const struct states_view *v, const struct task_group *g, char *buf,
			     size_t size)
{
	const struct timeline_task *t = timeline_task(v->view.tl, g->first);
	const char *comm = t->comm[0] ? t->comm : "<...>";
	size_t n = 0;

	if (v->by == GROUP_BY_TASK)
		return view_task_fmt(&v->view, g->first, buf, size);
	if (v->view.n_machines > 1 && t->machine < v->view.n_machines)
		n = snprintf(buf, size, "%s:", v->view.machines[t->machine]);
	if (n >= size)
		return buf;
	if (v->by == GROUP_BY_COMM)
		snprintf(buf + n, size - n, "%s", comm);
	else
		snprintf(buf + n, size - n, "%s-%d", comm, g->pid);
	return buf;
}

/* --- text ------------------------------------------------------------------------------------- */

static void fmt_head(const struct states_view *v, const bool *has, struct textbuf *tb)
{
	textbuf_addf(tb, "%s%6s %6s", v->view.colour ? ESCAPER_BOLD : "", "run", "cpu%");
	for (size_t i = 0; i < N_COLUMNS; i++)
		if (has[i])
			textbuf_addf(tb, " %*s", columns[i].width, columns[i].title);
	textbuf_addf(tb, " %6s %6s %7s", "switch", "wakes", "maxwait");
	if (v->by != GROUP_BY_TASK)
		textbuf_addf(tb, " %5s", "tasks");
	textbuf_addf(tb, "  %s%s\n",
		     v->by == GROUP_BY_TASK   ? "task"
		     : v->by == GROUP_BY_COMM ? "name"
					      : "process",
		     v->view.colour ? ESCAPER_OFF : "");
}

/* Prints zero as a dot, so that the other values stand out. */
static void fmt_length(const struct states_view *v, uint64_t n, int width, struct textbuf *tb)
{
	char length[32] = ".";

	if (n)
		short_length_fmt(v->view.tl, n, length, sizeof(length));
	textbuf_addf(tb, " %*s", width, length);
}

static void fmt_row(const struct states_view *v, const struct task_group *g, const bool *has,
		    struct textbuf *tb)
{
	const struct task_times *t = &g->times;
	char name[TASK_NAME_MAX], length[32];
	uint64_t all = length_of(v);

	textbuf_addf(tb, "%6s %5.1f%%",
		     short_length_fmt(v->view.tl, t->ns[STATE_RUNNING], length, sizeof(length)),
		     all ? 100.0 * t->ns[STATE_RUNNING] / all : 0);
	for (size_t i = 0; i < N_COLUMNS; i++)
		if (has[i])
			fmt_length(v, t->ns[columns[i].state], columns[i].width, tb);
	textbuf_addf(tb, " %6llu %6llu", (unsigned long long)t->n_switches,
		     (unsigned long long)t->n_wakeups);
	fmt_length(v, t->max_wait, 7, tb);
	if (v->by != GROUP_BY_TASK)
		textbuf_addf(tb, " %5zu", g->n_tasks);
	textbuf_addf(tb, "  %s\n", fmt_group(v, g, name, sizeof(name)));
}

static void fmt_cpus(const struct states_view *v, struct textbuf *tb)
{
	uint64_t busy = 0, idle = 0, unknown = 0, all;

	for (size_t i = 0; i < v->tasks->n_cpus; i++) {
		busy += v->tasks->cpus[i].busy;
		idle += v->tasks->cpus[i].idle;
		unknown += v->tasks->cpus[i].unknown;
	}
	all = busy + idle + unknown;
	if (!all)
		return;
	textbuf_addf(tb, "%zu CPU%s: %.1f%% busy, %.1f%% idle", v->tasks->n_cpus,
		     v->tasks->n_cpus == 1 ? "" : "s", 100.0 * busy / all, 100.0 * idle / all);
	if (unknown)
		textbuf_addf(tb, ", %.1f%% unknown", 100.0 * unknown / all);
	textbuf_add_char(tb, '\n');
}

void statestext_fmt(const struct states_view *v, struct textbuf *tb)
{
	char from[32], to[32], length[32];
	bool has[N_COLUMNS];

	for (size_t i = 0; i < N_COLUMNS; i++)
		has[i] = has_column(v, columns[i].state);
	textbuf_addf(tb, "%s to %s: %s, ",
		     moment_fmt(v->view.tl, v->tasks->from, from, sizeof(from)),
		     moment_fmt(v->view.tl, v->tasks->to, to, sizeof(to)),
		     length_fmt(v->view.tl, length_of(v), length, sizeof(length)));
	fmt_cpus(v, tb);
	if (v->groups->n)
		fmt_head(v, has, tb);
	for (size_t i = 0; i < n_shown(v); i++)
		fmt_row(v, &v->groups->groups[i], has, tb);
	if (n_shown(v) < v->groups->n)
		textbuf_addf(tb, "and %zu more\n", v->groups->n - n_shown(v));
}

/* --- JSON and CSV ----------------------------------------------------------------------------- */

static void emit_group(const struct states_view *v, const struct task_group *g,
		       struct jsonwriter *w)
{
	const struct timeline_task *t = timeline_task(v->view.tl, g->first);
	char name[TASK_NAME_MAX];

	jsonwriter_open(w, NULL, '{');
	jsonwriter_add_string(w, v->by == GROUP_BY_TASK ? "task" : "name",
			      fmt_group(v, g, name, sizeof(name)));
	if (v->view.n_machines > 1 && t->machine < v->view.n_machines)
		jsonwriter_add_string(w, "machine", v->view.machines[t->machine]);
	jsonwriter_add_text(w, "comm", t->comm, strnlen(t->comm, sizeof(t->comm)));
	if (g->pid >= 0)
		jsonwriter_add_int(w, "pid", g->pid);
	if (v->by == GROUP_BY_TASK)
		jsonwriter_add_int(w, "tgid", t->tgid);
	else
		jsonwriter_add_uint(w, "tasks", g->n_tasks);
	for (unsigned i = 0; i < STATES_N; i++)
		jsonwriter_add_uint(w, task_state_name(i), g->times.ns[i]);
	jsonwriter_add_uint(w, "switches", g->times.n_switches);
	jsonwriter_add_uint(w, "wakeups", g->times.n_wakeups);
	jsonwriter_add_uint(w, "migrations", g->times.n_migrations);
	jsonwriter_add_uint(w, "preemptions", g->times.n_preemptions);
	jsonwriter_add_uint(w, "max_wait", g->times.max_wait);
	jsonwriter_add_uint(w, "max_wait_at",
			    g->times.max_wait ? timeline_origin(v->view.tl) + g->times.max_wait_at
					      : 0);
	jsonwriter_add_bool(w, "max_wait_more", g->times.max_goes_on);
	if (g->times.is_guest) {
		jsonwriter_add_uint(w, "stolen", g->times.stolen.ns);
		jsonwriter_add_uint(w, "stolen_unknown", g->times.stolen.unknown_ns);
	}
	jsonwriter_close(w);
}

static void emit_cpu(const struct states_view *v, const struct cpu_times *c, struct jsonwriter *w)
{
	jsonwriter_open(w, NULL, '{');
	if (v->view.n_machines > 1 && c->machine < v->view.n_machines)
		jsonwriter_add_string(w, "machine", v->view.machines[c->machine]);
	jsonwriter_add_uint(w, "cpu", c->cpu);
	jsonwriter_add_uint(w, "busy", c->busy);
	jsonwriter_add_uint(w, "idle", c->idle);
	jsonwriter_add_uint(w, "unknown", c->unknown);
	jsonwriter_add_uint(w, "switches", c->n_switches);
	jsonwriter_close(w);
}

void statestext_fmt_json(const struct states_view *v, struct textbuf *tb)
{
	uint64_t origin = timeline_origin(v->view.tl);
	struct jsonwriter w;

	jsonwriter_init(&w, tb);
	jsonwriter_open(&w, NULL, '{');
	jsonwriter_add_string(&w, "unit", timeline_unit(v->view.tl).ns == 1 ? "ns" : NULL);
	jsonwriter_add_uint(&w, "from", origin + v->tasks->from);
	jsonwriter_add_uint(&w, "to", origin + v->tasks->to);
	jsonwriter_open(&w, "tasks", '[');
	for (size_t i = 0; i < n_shown(v); i++)
		emit_group(v, &v->groups->groups[i], &w);
	jsonwriter_close(&w);
	jsonwriter_open(&w, "cpus", '[');
	for (size_t i = 0; i < v->tasks->n_cpus; i++)
		emit_cpu(v, &v->tasks->cpus[i], &w);
	jsonwriter_close(&w);
	jsonwriter_close(&w);
	textbuf_add_char(tb, '\n');
}

/* Adds quotes if necessary. */
static void csv_fmt(const char *s, struct textbuf *tb)
{
	if (!strpbrk(s, ",\"\n\r")) {
		textbuf_add_str(tb, s);
		return;
	}
	textbuf_add_char(tb, '"');
	for (; *s; s++) {
		if (*s == '"')
			textbuf_add_char(tb, '"');
		textbuf_add_char(tb, *s);
	}
	textbuf_add_char(tb, '"');
}

void statestext_fmt_csv(const struct states_view *v, struct textbuf *tb)
{
	textbuf_addf(tb, "%s,tasks", v->by == GROUP_BY_TASK ? "task" : "name");
	for (unsigned i = 0; i < STATES_N; i++)
		textbuf_addf(tb, ",%s", task_state_name(i));
	textbuf_add_str(tb, ",switches,wakeups,migrations,preemptions,max_wait\n");
	for (size_t k = 0; k < n_shown(v); k++) {
		const struct task_group *g = &v->groups->groups[k];
		char name[TASK_NAME_MAX];

		csv_fmt(fmt_group(v, g, name, sizeof(name)), tb);
		textbuf_addf(tb, ",%zu", g->n_tasks);
		for (unsigned i = 0; i < STATES_N; i++)
			textbuf_addf(tb, ",%llu", (unsigned long long)g->times.ns[i]);
		textbuf_addf(tb, ",%llu,%llu,%llu,%llu,%llu\n",
			     (unsigned long long)g->times.n_switches,
			     (unsigned long long)g->times.n_wakeups,
			     (unsigned long long)g->times.n_migrations,
			     (unsigned long long)g->times.n_preemptions,
			     (unsigned long long)g->times.max_wait);
	}
}

/* --- what is missing -------------------------------------------------------------------------- */

static bool has_wakings(const struct timeline *tl)
{
	static const char *const names[] = {"sched_waking", "sched_wakeup"};

	for (size_t i = 0; i < timeline_n_kinds(tl); i++) {
		const struct timeline_kind *k = timeline_kind(tl, i);

		for (size_t j = 0; k->event && k->n_events && j < 2; j++)
			if (!strcmp(k->event->name, names[j]))
				return true;
	}
	return false;
}

void insight_fmt_gaps(struct timeline *tl, bool needs_wakings, struct textbuf *tb)
{
	struct timeline_losses lost;

	timeline_losses(tl, &lost);
	if (lost.n_places)
		textbuf_addf(tb,
			     "the trace lost %s%llu events in %llu place%s; what tasks did there "
			     "is unknown\n",
			     lost.is_all ? "" : "at least ", (unsigned long long)lost.n_events,
			     (unsigned long long)lost.n_places, lost.n_places == 1 ? "" : "s");
	if (timeline_has_most_tasks(tl))
		textbuf_addf(
			tb,
			"the trace has %d tasks or more, and no more can be told apart: others "
			"are missing; 'sonde split' makes smaller traces\n",
			TIMELINE_NO_TASK);
	if (needs_wakings && !has_wakings(tl))
		textbuf_add_str(tb,
				"the trace has no sched_waking or sched_wakeup events, so nobody "
				"knows who woke a task; record with -e sched\n");
}
