// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * whytext.c - prints the critical path of a task as a table, and the causes of its time.
 *
 *	make-4321, 1.204113 to 3.335421: 2.131 s in 1253 steps, the 20 longest:
 *
 *          time   length cpu  task           what it did
 *      1.204113   1.20ms   1  make-4321      runs
 *      1.205313   92.1ms   0   sh-4330       runs                     ← make slept until sh woke it
 *      1.297413   12.0ms   0    cc1-4331     waits behind ld-4312
 *
 *	share    time  cause               tasks
 *	89.1%   1.90s  running             cc1 61.0%, as 12.1%, ld 10.2%, 14 others 5.8%
 *
 * A task is indented one column more than the task that waits for it.
 */
#include "base/array.h"
#include "base/escaper.h"
#include "base/json/jsonwriter.h"
#include "decode/taskstate.h"
#include "present/insight/view.h"
#include "present/insight/words.h"
#include "timeline/states/states.h"

#include <stdio.h>
#include <stdlib.h>

#define INDENT_MAX  6
#define NAMES_SAID  3  /* limit of names per cause */
#define OWNERS_SAID 2  /* limit of tasks that occupied the CPU */
#define TASK_WIDTH  24 /* a longer name moves the rest of its line */

const char *view_task_fmt(const struct insight_view *v, int task, char *buf, size_t size)
{
	uint32_t machine = 0;
	size_t n = 0;

	if (task >= 0 && (size_t)task < timeline_n_tasks(v->tl))
		machine = timeline_task(v->tl, task)->machine;
	if (v->n_machines > 1 && machine < v->n_machines)
		n = snprintf(buf, size, "%s:", v->machines[machine]);
	if (n < size)
		task_name_fmt(v->tl, task, buf + n, size - n);
	return buf;
}

/* --- text ------------------------------------------------------------------------------------- */

ARRAY_ORDER(compare_lengths, uint64_t, COMPARE(*y, *x))

/* Returns the shortest length of a piece to show, so that at most n are shown. */
static uint64_t find_shortest(const struct insight_why *y, size_t n)
{
	uint64_t *lengths, shortest = 0;

	if (n >= y->n_pieces)
		return 0;
	lengths = calloc(y->n_pieces, sizeof(*lengths));
	if (!n || !lengths) {
		free(lengths);
		return n ? 0 : UINT64_MAX;
	}
	for (size_t i = 0; i < y->n_pieces; i++)
		lengths[i] = y->pieces[i].end - y->pieces[i].start;
	qsort(lengths, y->n_pieces, sizeof(*lengths), compare_lengths);
	shortest = lengths[n - 1];
	free(lengths);
	return shortest;
}

static unsigned indent_of(const struct why_piece *p)
{
	return p->depth < INDENT_MAX ? p->depth : INDENT_MAX;
}

/* Returns the width of the task column for the shown pieces. */
static int find_width(const struct insight_view *v, const struct insight_why *y, uint64_t shortest)
{
	size_t width = 0;

	for (size_t i = 0; i < y->n_pieces; i++) {
		const struct why_piece *p = &y->pieces[i];
		char name[TASK_NAME_MAX];
		size_t n;

		if (p->end - p->start < shortest)
			continue;
		n = strlen(view_task_fmt(v, p->task, name, sizeof(name))) + indent_of(p);
		width = n > width ? n : width;
	}
	return width < TASK_WIDTH ? width : TASK_WIDTH;
}

static void fmt_piece(const struct insight_view *v, const struct why_piece *p, int width,
		      struct textbuf *tb)
{
	char moment[32], length[32], cpu[16] = "", task[TASK_NAME_MAX], what[WHY_SENTENCE_MAX];
	unsigned indent = indent_of(p);

	if (p->cpu >= 0 && p->state <= STATE_PREEMPTED && p->state != STATE_UNKNOWN)
		snprintf(cpu, sizeof(cpu), "%d", p->cpu);
	textbuf_addf(tb, "%13s %7s %3s  %*s%-*s  %s\n",
		     moment_fmt(v->tl, p->start, moment, sizeof(moment)),
		     short_length_fmt(v->tl, p->end - p->start, length, sizeof(length)), cpu,
		     indent, "", width - (int)indent, view_task_fmt(v, p->task, task, sizeof(task)),
		     why_fmt_short(v->tl, p, what, sizeof(what)));
}

static void fmt_pieces(const struct insight_view *v, const struct insight_why *y,
		       struct textbuf *tb)
{
	uint64_t shortest = find_shortest(y, v->n_rows);
	int width = find_width(v, y, shortest);
	size_t n = 0;

	if (!v->n_rows || !y->n_pieces)
		return;
	textbuf_addf(tb, "\n%s%13s %7s %3s  %-*s  %s%s\n", v->colour ? ESCAPER_BOLD : "", "time",
		     "length", "cpu", width, "task", "what it did", v->colour ? ESCAPER_OFF : "");
	for (size_t i = 0; i < y->n_pieces && n < v->n_rows; i++)
		if (y->pieces[i].end - y->pieces[i].start >= shortest) {
			fmt_piece(v, &y->pieces[i], width, tb);
			n++;
		}
}

static void fmt_title(const struct insight_view *v, const struct insight_why *y, struct textbuf *tb)
{
	char task[TASK_NAME_MAX], from[32], to[32], length[32];

	textbuf_addf(tb, "%s, %s to %s: %s in %zu step%s",
		     view_task_fmt(v, y->task, task, sizeof(task)),
		     moment_fmt(v->tl, y->from, from, sizeof(from)),
		     moment_fmt(v->tl, y->to, to, sizeof(to)),
		     length_fmt(v->tl, y->to - y->from, length, sizeof(length)), y->n_pieces,
		     y->n_pieces == 1 ? "" : "s");
	if (v->n_rows && v->n_rows < y->n_pieces)
		textbuf_addf(tb, ", the %zu longest:", v->n_rows);
	textbuf_add_char(tb, '\n');
}

static double percent(uint64_t part, uint64_t all)
{
	return all ? 100.0 * part / all : 0;
}

static const char *cause_of(enum task_state s)
{
	static const char *const causes[STATES_N] = {
		[STATE_RUNNABLE] = "waiting for a CPU",
		[STATE_DEAD] = "after its end",
	};

	return causes[s] ? causes[s] : task_state_name(s);
}

/* Writes "cc1 61.0%, as 12.1%, 14 others 5.8%". */
static void fmt_names(const struct insight_view *v, const struct why_cause *c, uint64_t all,
		      struct textbuf *tb)
{
	uint64_t rest = c->ns;

	for (size_t i = 0; i < c->n_names && i < NAMES_SAID; i++) {
		const struct timeline_task *t = timeline_task(v->tl, c->names[i].task);

		textbuf_addf(tb, "%s%s", i ? ", " : "", t->comm[0] ? t->comm : "<...>");
		if (c->names[i].n_tasks == 1)
			textbuf_addf(tb, "-%d", t->pid);
		if (c->n_names > 1)
			textbuf_addf(tb, " %.1f%%", percent(c->names[i].ns, all));
		rest -= c->names[i].ns;
	}
	if (c->n_names > NAMES_SAID)
		textbuf_addf(tb, ", %zu other%s %.1f%%", c->n_names - NAMES_SAID,
			     c->n_names - NAMES_SAID == 1 ? "" : "s", percent(rest, all));
}

static void fmt_causes(const struct insight_view *v, const struct insight_why *y,
		       const struct why_causes *causes, struct textbuf *tb)
{
	uint64_t all = y->to - y->from;
	char length[32];

	textbuf_addf(tb, "\n%s%6s %8s  %-17s  %s%s\n", v->colour ? ESCAPER_BOLD : "", "share",
		     "time", "cause", "tasks", v->colour ? ESCAPER_OFF : "");
	for (size_t i = 0; i < causes->n; i++) {
		const struct why_cause *c = &causes->causes[i];

		textbuf_addf(tb, "%5.1f%% %8s  %-17s  ", percent(c->ns, all),
			     short_length_fmt(v->tl, c->ns, length, sizeof(length)),
			     cause_of(c->state));
		fmt_names(v, c, all, tb);
		textbuf_add_char(tb, '\n');
	}
}

/* Writes "CPUs were taken by: cc1-12 6.19ms, sh-7 1.20ms and 3 others". */
static void fmt_owners(const struct insight_view *v, const char *title, const struct owner *list,
		       size_t n, struct textbuf *tb)
{
	size_t said = 0;

	for (size_t i = 0; i < n && said < OWNERS_SAID; i++) {
		char name[TASK_NAME_MAX], length[32];

		if (list[i].task < 0 || !timeline_task(v->tl, list[i].task)->pid)
			continue;
		textbuf_addf(tb, "%s %s %s", said++ ? "," : title,
			     view_task_fmt(v, list[i].task, name, sizeof(name)),
			     short_length_fmt(v->tl, list[i].ns, length, sizeof(length)));
	}
	if (!said)
		return;
	if (n > said)
		textbuf_addf(tb, " and %zu more", n - said);
	textbuf_add_char(tb, '\n');
}

void whytext_fmt(const struct insight_view *v, const struct insight_why *y,
		 const struct why_causes *causes, struct textbuf *tb)
{
	fmt_title(v, y, tb);
	fmt_pieces(v, y, tb);
	fmt_causes(v, y, causes, tb);
	if (y->has_more)
		textbuf_add_str(
			tb, "\nthere are too many steps: later sleeps are not followed to their "
			    "wakers; choose a shorter range\n");
	fmt_owners(v, "\nhad the CPU meanwhile:", y->had, y->n_had, tb);
	fmt_owners(v, "\nhad the host's CPU meanwhile:", y->stolen_by, y->n_stolen_by, tb);
}

/* --- JSON ------------------------------------------------------------------------------------- */

/* Writes "KEY":"bash-812","KEY_pid":812, or null if there is no task. */
static void emit_task(const struct insight_view *v, const char *key, const char *pid_key, int task,
		      struct jsonwriter *w)
{
	char name[TASK_NAME_MAX];

	if (task < 0) {
		jsonwriter_add_null(w, key);
		return;
	}
	jsonwriter_add_string(w, key, view_task_fmt(v, task, name, sizeof(name)));
	jsonwriter_add_int(w, pid_key, timeline_task(v->tl, task)->pid);
}

static void emit_owners(const struct insight_view *v, const char *key, const struct owner *list,
			size_t n, struct jsonwriter *w)
{
	jsonwriter_open(w, key, '[');
	for (size_t i = 0; i < n; i++) {
		jsonwriter_open(w, NULL, '{');
		if (list[i].task == OWNERS_OTHERS)
			jsonwriter_add_string(w, "task", "others");
		else
			emit_task(v, "task", "pid", list[i].task, w);
		jsonwriter_add_uint(w, "ns", list[i].ns);
		jsonwriter_close(w);
	}
	jsonwriter_close(w);
}

static void emit_piece(const struct insight_view *v, const struct why_piece *p,
		       struct jsonwriter *w)
{
	uint64_t origin = timeline_origin(v->tl);
	size_t n_owners = p->owners.n < WHY_OWNERS ? p->owners.n : WHY_OWNERS;
	char text[WHY_SENTENCE_MAX];

	jsonwriter_open(w, NULL, '{');
	jsonwriter_add_uint(w, "start", origin + p->start);
	jsonwriter_add_uint(w, "end", origin + p->end);
	jsonwriter_add_uint(w, "ns", p->end - p->start);
	emit_task(v, "task", "pid", p->task, w);
	jsonwriter_add_string(w, "state", task_state_name(p->state));
	jsonwriter_add_int(w, "cpu", p->cpu);
	jsonwriter_add_uint(w, "depth", p->depth);
	jsonwriter_add_string(w, "why", why_fmt_sentence(v->tl, p, text, sizeof(text)));
	emit_task(v, "waker", "waker_pid", p->waker, w);
	if (p->place)
		jsonwriter_add_string(w, "in", p->place);
	if (p->function)
		jsonwriter_add_string(w, "function", p->function);
	if (p->has_irq)
		jsonwriter_add_string(w, "interrupt",
				      interrupt_fmt_name(&p->irq, text, sizeof(text)));
	if (p->state == STATE_RUNNABLE || p->state == STATE_PREEMPTED)
		emit_owners(v, "had", p->owners.list, n_owners, w);
	if (p->theft.is_known) {
		jsonwriter_add_uint(w, "stolen", p->theft.sum.ns);
		jsonwriter_add_uint(w, "stolen_asleep", p->theft.asleep);
		jsonwriter_add_uint(w, "stolen_unknown", p->theft.sum.unknown_ns);
		emit_owners(v, "stolen_by", p->owners.list, n_owners, w);
	}
	jsonwriter_close(w);
}

void whytext_fmt_json(const struct insight_view *v, const struct insight_why *y, struct textbuf *tb)
{
	uint64_t origin = timeline_origin(v->tl);
	struct jsonwriter w;

	jsonwriter_init(&w, tb);
	jsonwriter_open(&w, NULL, '{');
	jsonwriter_add_string(&w, "unit", timeline_unit(v->tl).ns == 1 ? "ns" : NULL);
	emit_task(v, "task", "pid", y->task, &w);
	jsonwriter_add_uint(&w, "from", origin + y->from);
	jsonwriter_add_uint(&w, "to", origin + y->to);
	jsonwriter_open(&w, "path", '[');
	for (size_t i = 0; i < y->n_pieces; i++)
		emit_piece(v, &y->pieces[i], &w);
	jsonwriter_close(&w);
	jsonwriter_add_bool(&w, "has_more", y->has_more);
	jsonwriter_open(&w, "sums", '[');
	for (size_t i = 0; i < y->n_sums; i++) {
		jsonwriter_open(&w, NULL, '{');
		emit_task(v, "task", "pid", y->sums[i].task, &w);
		jsonwriter_add_string(&w, "state", task_state_name(y->sums[i].state));
		jsonwriter_add_uint(&w, "ns", y->sums[i].ns);
		jsonwriter_close(&w);
	}
	jsonwriter_close(&w);
	emit_owners(v, "had", y->had, y->n_had, &w);
	if (y->is_guest)
		emit_owners(v, "stolen_by", y->stolen_by, y->n_stolen_by, &w);
	jsonwriter_close(&w);
	textbuf_add_char(tb, '\n');
}
