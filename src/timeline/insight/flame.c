// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * flame.c - makes a flame graph of a range: its frames, and the available kinds of graphs.
 *
 *	functions   CPU time of functions by their callers  (calls.c)
 *	samples     time or events of samples by their stacks   (samples.c)
 *	stacks      number of stacks, of all events or of one event   (stacks.c)
 *	off-CPU     time that tasks were off their CPUs     (stacks.c)
 *
 * The answer names its own kind and the other available kinds, so that a page can offer them.
 */
#include "base/array.h"
#include "base/scope.h"
#include "decode/formats/event.h"
#include "timeline/insight/insight_int.h"
#include "timeline/insight/samples.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

struct flame_calls {
	struct flametree *t;
	bool by_task;
};

static void add_call(void *ctx, const struct counted_call *call)
{
	struct flame_calls *f = ctx;
	uint32_t node = 0;

	if (call->is_cut)
		return;
	if (f->by_task)
		node = flametree_child(f->t, 0, frame_key_task(FRAME_TASK, call->task));
	for (unsigned i = 0; i <= call->depth; i++)
		node = flametree_child(f->t, node, call->path[i]);
	flametree_add(f->t, node, call->self_ns);
}

struct flame {
	struct lanes *ls;
	int task;
	uint64_t from, to;
	struct flametree t;
	const char *by;
	bool in_stacks, in_events;
	struct sampled_events sampled;
	char sampled_by[256]; /* text of `by` */
	enum flame_clock clock;
	enum flame_gap gap;
	uint64_t *n_of; /* number of stacks by kind of their event */
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

/* Adds samples of an event; NULL: the first that is no wait. -ENODATA: there are none. */
static int fill_samples(struct flame *f, const char *event)
{
	const char *name;

	TRY(insight_add_samples(f->ls, event, f->task, f->from, f->to, &f->t, &f->sampled, &name));
	if (!name)
		return -ENODATA;
	snprintf(f->sampled_by, sizeof(f->sampled_by), SAMPLES_BY "%s", name);
	f->by = f->sampled_by;
	f->in_events = !sampled_is_time(name);
	if (f->t.n == 1)
		f->gap = FLAME_NO_SUCH_STACKS;
	return 0;
}

/*
 * Fills the graph. by is "functions", "samples/EVENT", "stacks", an event, or NULL: functions if
 * there are any, else samples.
 */
static int fill_on_cpu(struct flame *f, const char *by)
{
	struct flame_calls calls = {&f->t, f->task < 0};
	size_t head = strlen(SAMPLES_BY);
	bool is_wall;
	int r = -ENODATA;

	if (by && !strncmp(by, SAMPLES_BY, head)) {
		r = fill_samples(f, by + head);
		if (r == -ENODATA) {
			f->by = by;
			f->gap = FLAME_NO_SUCH_STACKS;
		}
		return r == -ENODATA ? 0 : r;
	}
	if (!by || !strcmp(by, "functions"))
		r = insight_each_call(f->ls, f->task, f->from, f->to, false, add_call, &calls,
				      &is_wall);
	if (!r && !by && f->t.n == 1)
		r = -ENODATA;
	if (!r)
		f->clock = is_wall ? FLAME_WALL : FLAME_CPU;
	f->by = "functions";
	if (r != -ENODATA || (by && !strcmp(by, "functions")))
		return r == -ENODATA ? 0 : r;
	if (!by) {
		r = fill_samples(f, NULL);
		if (r != -ENODATA)
			return r;
	}
	f->in_stacks = true;
	f->by = by ? by : "stacks";
	f->n_kinds = timeline_n_kinds(f->ls->tl);
	f->n_of = calloc(f->n_kinds + 1, sizeof(*f->n_of));
	if (!f->n_of)
		return -ENOMEM;
	r = insight_count_stacks(f->ls, strchr(f->by, '/') ? f->by : NULL, f->task, f->from, f->to,
				 &f->t, f->n_of, f->n_kinds);
	if (r != -ENODATA)
		return r;
	f->gap = by ? FLAME_NO_SUCH_STACKS : FLAME_NO_CALLS;
	return 0;
}

static int fill_off_cpu(struct flame *f)
{
	bool by_stack = false;

	TRY(insight_off_cpu(f->ls, f->task, f->from, f->to, &f->t, &by_stack));
	f->by = by_stack ? "stacks" : "states";
	if (f->t.n == 1) {
		int r = fill_samples(f, SAMPLES_OFF_CPU);

		if (r != -ENODATA)
			return r;
		f->gap = FLAME_NO_SWITCHES;
	}
	if (f->t.n > 1 && !by_stack)
		f->gap = FLAME_NO_STACKS;
	return 0;
}

static int add_choice(struct insight_flame *ret, const char *by, uint64_t n)
{
	if (!ARRAY_ONE_MORE(ret->choices, ret->n_choices, ARRAY_NO_MAX))
		return -ENOMEM;
	ret->choices[ret->n_choices] = (struct flame_choice){strdup(by), n};
	return ret->choices[ret->n_choices++].by ? 0 : -ENOMEM;
}

/* Adds the stacks of one event, including those of the same event in other buffers. */
static int add_event_choice(struct flame *f, size_t i, struct insight_flame *ret)
{
	struct timeline *tl = f->ls->tl;
	const struct event *ev = timeline_kind(tl, i)->event;
	char name[256];

	snprintf(name, sizeof(name), "%s/%s", ev->system, ev->name);
	for (size_t j = i + 1; j < f->n_kinds; j++) {
		const struct event *other = timeline_kind(tl, j)->event;

		if (!f->n_of[j] || !other || !insight_is_event(other, name))
			continue;
		f->n_of[i] += f->n_of[j];
		f->n_of[j] = 0;
	}
	return add_choice(ret, name, f->n_of[i]);
}

static int add_sample_choices(struct flame *f, struct insight_flame *ret)
{
	int r = 0;

	/* another graph is drawn: samples are not counted, but there may be some */
	if (!f->sampled.n) {
		const char *name;

		r = insight_add_samples(f->ls, "", f->task, f->from, f->to, NULL, &f->sampled,
					&name);
	}
	for (size_t i = 0; i < f->sampled.n && !r; i++) {
		char by[256];

		if (!f->sampled.list[i].n)
			continue;
		snprintf(by, sizeof(by), SAMPLES_BY "%s", f->sampled.list[i].name);
		r = add_choice(ret, by, f->sampled.list[i].n);
	}
	return r;
}

/* Lists the other possible graphs: functions, samples, all stacks, stacks of each event. */
static int find_choices(struct flame *f, struct insight_flame *ret)
{
	struct timeline *tl = f->ls->tl;
	uint64_t all = 0;
	int r = 0;

	if (f->clock != FLAME_NO_CLOCK || insight_has_calls(f->ls))
		r = add_choice(ret, "functions", 0);
	if (!r)
		r = add_sample_choices(f, ret);
	for (size_t i = 0; i <= f->n_kinds && f->n_of; i++)
		all += f->n_of[i];
	if (!r && has_stacks(tl))
		r = add_choice(ret, "stacks", all);
	for (size_t i = 0; i < f->n_kinds && !r; i++)
		if (f->n_of[i] && timeline_kind(tl, i)->event)
			r = add_event_choice(f, i, ret);
	return r;
}

static void flame_release(struct flame *f)
{
	free(f->n_of);
	sampled_events_release(&f->sampled);
	flametree_release(&f->t);
}

int insight_flame(struct insight_flame *ret, struct lanes *ls, bool off_cpu, const char *by,
		  int task, uint64_t from, uint64_t to)
{
	SCOPED(flame_release)
	struct flame f = {.ls = ls, .task = task, .from = from, .to = to};
	SCOPED(insight_flame_release) struct insight_flame answer = {.is_off_cpu = off_cpu};

	TRY(flametree_init(&f.t));
	TRY(off_cpu ? fill_off_cpu(&f) : fill_on_cpu(&f, by));
	if (!off_cpu)
		TRY(find_choices(&f, &answer));
	TRY(flametree_list(&f.t, &ls->labels, &answer.frames, &answer.n_frames));
	answer.by = strdup(f.by);
	answer.in_stacks = f.in_stacks;
	answer.in_events = f.in_events;
	answer.clock = f.clock;
	answer.gap = f.gap;
	if (!answer.by)
		return -ENOMEM;
	*ret = TAKE_STRUCT(answer);
	return 0;
}

void insight_flame_release(struct insight_flame *f)
{
	for (size_t i = 0; i < f->n_choices; i++)
		free(f->choices[i].by);
	free(f->choices);
	free(f->frames);
	free(f->by);
	*f = (struct insight_flame){0};
}
