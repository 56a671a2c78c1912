// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * flame.c - a flame graph of a range: which kind of it there can be, and the tree as it is told.
 *
 *	functions   CPU time, by what called what           (calls.c)
 *	stacks      how many stacks events have, all of them or those of one event   (stacks.c)
 *	off-CPU     time that tasks were off their CPUs     (stacks.c)
 *
 * The answer names what it was made of and what else there is, so that a page can offer it.
 */
#include "timeline/insight/insight_int.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

struct flame_calls {
	struct lanes *ls;
	struct flametree *t;
	bool by_task;
};

static void add_call(void *ctx, const struct counted_call *call)
{
	struct flame_calls *f = ctx;
	uint32_t node = 0;
	char name[64];

	if (call->is_cut)
		return;
	if (f->by_task) {
		insight_task_name(f->ls->tl, call->task, name, sizeof(name));
		node = flametree_child(f->t, 0, labels_add(&f->ls->labels, name, strlen(name)));
	}
	for (unsigned i = 0; i <= call->depth; i++)
		node = flametree_child(f->t, node, call->path[i]);
	flametree_add(f->t, node, call->self_ns);
}

struct flame {
	struct lanes *ls;
	int task;
	uint64_t from, to;
	struct flametree t;
	const char *by, *unit, *why;
	const char *clock; /* functions: "cpu" or "wall" */
	uint64_t *n_of;	   /* stacks, by kind of their event */
	size_t n_kinds;
};

static bool has_stacks(const struct timeline *tl)
{
	for (size_t i = 0; i < timeline_n_kinds(tl); i++) {
		const struct timeline_kind *k = timeline_kind(tl, i);

		if (k->event && k->n_events &&
		    (insight_is_event(k->event, "ftrace/kernel_stack") ||
		     insight_is_event(k->event, "ftrace/user_stack")))
			return true;
	}
	return false;
}

/* by: "functions", "stacks", an event, or NULL: functions if there are any. */
static int fill_on_cpu(struct flame *f, const char *by)
{
	struct flame_calls calls = {f->ls, &f->t, f->task < 0};
	bool is_wall;
	int r = -ENODATA;

	if (!by || !strcmp(by, "functions"))
		r = insight_each_call(f->ls, f->task, f->from, f->to, false, add_call, &calls,
				      &is_wall);
	if (!r && !by && f->t.n == 1)
		r = -ENODATA;
	if (!r)
		f->clock = is_wall ? "wall" : "cpu";
	f->by = "functions";
	if (r != -ENODATA || (by && !strcmp(by, "functions")))
		return r == -ENODATA ? 0 : r;
	f->unit = "stacks";
	f->by = by ? by : "stacks";
	f->n_kinds = timeline_n_kinds(f->ls->tl);
	f->n_of = calloc(f->n_kinds + 1, sizeof(*f->n_of));
	if (!f->n_of)
		return -ENOMEM;
	r = insight_count_stacks(f->ls, strchr(f->by, '/') ? f->by : NULL, f->task, f->from, f->to,
				 &f->t, f->n_of, f->n_kinds);
	if (r != -ENODATA)
		return r;
	f->why = by ? "No such stacks are in this range."
		    : "The trace has neither calls of functions nor stacks in this range; record "
		      "with -p function_graph, or with stacks (-T).";
	return 0;
}

static int fill_off_cpu(struct flame *f)
{
	bool by_stack = false;
	int r = insight_off_cpu(f->ls, f->task, f->from, f->to, &f->t, &by_stack);

	if (r < 0)
		return r;
	f->by = by_stack ? "stacks" : "states";
	if (f->t.n == 1)
		f->why = "The trace does not tell when tasks left their CPUs in this range; record "
			 "with -e sched.";
	else if (!by_stack)
		f->why = "The trace has no stacks of switches; what is shown is the state of tasks "
			 "and who woke them. Record with -e sched -T for stacks.";
	return 0;
}

static void emit_choice(struct jsonwriter *w, const char *by, uint64_t n)
{
	jsonwriter_open(w, NULL, '{');
	jsonwriter_add_string(w, "by", by);
	if (n)
		jsonwriter_add_uint(w, "n", n);
	jsonwriter_close(w);
}

/* What else could be drawn: functions, stacks, those of each event; events of several buffers are one. */
static void emit_choices(struct flame *f, struct jsonwriter *w)
{
	struct timeline *tl = f->ls->tl;
	uint64_t all = 0;

	jsonwriter_open(w, "choices", '[');
	if (f->clock || insight_has_calls(f->ls))
		emit_choice(w, "functions", 0);
	for (size_t i = 0; i <= f->n_kinds && f->n_of; i++)
		all += f->n_of[i];
	if (has_stacks(tl))
		emit_choice(w, "stacks", all);
	for (size_t i = 0; i < f->n_kinds; i++) {
		const struct event *ev = timeline_kind(tl, i)->event;
		char name[256];

		if (!f->n_of[i] || !ev)
			continue;
		snprintf(name, sizeof(name), "%s/%s", ev->system, ev->name);
		for (size_t j = i + 1; j < f->n_kinds; j++) {
			const struct event *other = timeline_kind(tl, j)->event;

			if (!f->n_of[j] || !other || !insight_is_event(other, name))
				continue;
			f->n_of[i] += f->n_of[j];
			f->n_of[j] = 0;
		}
		emit_choice(w, name, f->n_of[i]);
	}
	jsonwriter_close(w);
}

int insight_flame(struct lanes *ls, bool off_cpu, const char *by, int task, uint64_t from,
		  uint64_t to, struct jsonwriter *w)
{
	struct flame f = {.ls = ls, .task = task, .from = from, .to = to, .unit = "ns"};
	int r = flametree_init(&f.t);

	if (r < 0)
		return r;
	r = off_cpu ? fill_off_cpu(&f) : fill_on_cpu(&f, by);
	if (!r) {
		jsonwriter_open(w, NULL, '{');
		jsonwriter_add_string(w, "unit", f.unit);
		jsonwriter_add_string(w, "by", f.by);
		if (f.clock)
			jsonwriter_add_string(w, "clock", f.clock);
		if (!off_cpu)
			emit_choices(&f, w);
		r = flametree_emit(&f.t, &ls->labels, w);
		if (f.why)
			jsonwriter_add_string(w, "why_empty", f.why);
		jsonwriter_close(w);
	}
	free(f.n_of);
	flametree_release(&f.t);
	return r;
}
