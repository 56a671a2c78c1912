// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * build.c - builds one lane, or many at once.
 *
 *	cpu, found          from the index alone
 *	task                states of tasks; many tasks in one pass over switches and wakings
 *	all others          plan ─▶ one pass over the trace for all (passes.c) ─▶ finish each
 *
 * In a live trace, a lane that replaces another copies its counts (ticks), samples (fields), states
 * (tasks), sums (CPUs) or spans (interrupts), and gathers only later events. Enters and leaves of
 * functions are matched again from the beginning: a new event may change what is drawn before it.
 *
 * A pass holds its items in memory until the lanes are finished. So lanes that need very much
 * memory (PASS_BYTES) are spread over several passes.
 */
#include "base/scope.h"
#include "timeline/lanes/lane_int.h"

#include "base/clock.h"
#include <errno.h>
#include <stdlib.h>

#define PASS_BYTES ((uint64_t)384 << 20)

static const struct maker {
	enum lane_kind kind;
	lane_build build; /* or: */
	int (*plan)(struct lane_plan *p, struct errmsg *err);
	int (*finish)(struct lane_plan *p, struct errmsg *err);
	void (*release)(struct lane_plan *p);
} makers[] = {
	[LANE_OF_CPU] = {LANE_CPU, lane_build_cpu},
	[LANE_OF_TASK] = {LANE_STATES, lane_build_task},
	[LANE_OF_IRQ] = {LANE_SPANS, NULL, lane_plan_forms, lane_finish_forms, lane_release_forms},
	[LANE_OF_SOFTIRQ] = {LANE_SPANS, NULL, lane_plan_forms, lane_finish_forms,
			     lane_release_forms},
	[LANE_OF_CALLS] = {LANE_SPANS, NULL, lane_plan_forms, lane_finish_forms,
			   lane_release_forms},
	[LANE_OF_CPUCALLS] = {LANE_SPANS, NULL, lane_plan_forms, lane_finish_forms,
			      lane_release_forms},
	[LANE_OF_SYS] = {LANE_SPANS, NULL, lane_plan_forms, lane_finish_forms, lane_release_forms},
	[LANE_OF_VCPU] = {LANE_SPANS, NULL, lane_plan_forms, lane_finish_forms, lane_release_forms},
	[LANE_OF_EVENT] = {LANE_TICKS, NULL, lane_plan_ticks, lane_finish_ticks, NULL},
	[LANE_OF_ALL] = {LANE_TICKS, NULL, lane_plan_ticks, lane_finish_ticks, NULL},
	[LANE_OF_FOUND] = {LANE_TICKS, lane_build_found},
	[LANE_OF_FIELD] = {LANE_COUNTER, NULL, lane_plan_field, lane_finish_field,
			   lane_release_field},
	[LANE_OF_PAIR] = {LANE_SPANS, NULL, lane_plan_pair, lane_finish_pair, lane_release_pair},
};

enum lane_kind lane_kind_of(enum lane_type type)
{
	return makers[type].kind;
}

bool lane_goes_on(const struct lane_plan *p)
{
	return p->before && p->before->until && p->ln->until &&
	       p->before->n_drops == p->ln->n_drops;
}

void lane_go_on(struct lane *ln, const struct lane *before)
{
	if (!before || !before->settled || !before->is_whole || ln->owner->is_final ||
	    before->n_drops != ln->n_drops || before->settled > ln->settled)
		return;
	ln->taken_from = before;
	ln->taken_until = ln->sums_until = before->settled;
}

static void plan_release(struct lane_plan *p)
{
	if (makers[p->ln->spec.type].release)
		makers[p->ln->spec.type].release(p);
	free(p->g.items);
}

int lane_refuse_many(struct errmsg *err)
{
	return errmsg_set(
		err, -E2BIG,
		"There are too many of these events to be shown at once; zoom in, or choose "
		"a shorter range.");
}

/* Sets the range that a plan gathers: the whole trace, or its window. */
static void plan_place(struct lane_plan *p)
{
	uint64_t from;

	lane_window_range(&p->ln->spec, &from, &p->to);
	p->from = from > p->from ? from : p->from;
	if (p->g.take && p->g.items_max > p->ln->owner->events_max)
		p->g.items_max = p->ln->owner->events_max;
}

static int plan_finish(struct lane_plan *p, struct errmsg *err)
{
	int r = p->is_wanting ? p->g.error : 0;

	r = r < 0 ? r : makers[p->ln->spec.type].finish(p, err);
	return r == -E2BIG ? lane_refuse_many(err) : r;
}

int lane_build_one(struct lane *ln, const struct lane *before, struct errmsg *err)
{
	const struct maker *m = &makers[ln->spec.type];
	SCOPED(plan_release)
	struct lane_plan p = {.ln = ln, .before = ln->spec.window_bits ? NULL : before};

	if (m->build) {
		lane_go_on(ln, before);
		return m->build(ln, err);
	}
	TRY(m->plan(&p, err));
	plan_place(&p);
	if (p.is_wanting)
		TRY(gather(ln->owner->tl, &p.g, 1, p.from, p.to));
	return plan_finish(&p, err);
}

/* --- many ------------------------------------------------------------------------------------- */

/* Returns the maximum of memory that the pass needs for the plan. */
static uint64_t bytes_of(const struct lane_plan *p)
{
	struct timeline *tl = p->ln->owner->tl;
	uint64_t by_kind = 0, by_task = 0;

	for (size_t i = 0; i < p->g.n_kinds && i < timeline_n_kinds(tl); i++)
		if (bit_get(p->g.kinds, i))
			by_kind += timeline_kind(tl, i)->n_events;
	if (!p->g.tasks)
		return by_kind * p->g.item_bytes;
	for (size_t i = 0; i < p->g.n_tasks && i < timeline_n_tasks(tl); i++)
		if (bit_get(p->g.tasks, i))
			by_task += timeline_task(tl, i)->n_events;
	return (by_task < by_kind ? by_task : by_kind) * p->g.item_bytes;
}

/* Returns true if the plan can share a pass with others. */
static bool is_sharing(const struct lane_plan *p)
{
	return !p->result && p->is_wanting && !p->from && p->to == TIMELINE_TIME_MAX;
}

/* Runs a pass for the next plans that can share one. Returns the number of plans. */
static size_t gather_some(struct lanes *ls, struct lane_plan *plans, size_t n)
{
	struct gatherer *list = malloc((n + 1) * sizeof(*list));
	uint64_t n_bytes = 0;
	size_t n_list = 0, i, k = 0;
	int r = list ? 0 : -ENOMEM;

	for (i = 0; i < n && !r; i++) {
		if (!is_sharing(&plans[i]))
			continue;
		n_bytes += bytes_of(&plans[i]);
		if (n_list && n_bytes > PASS_BYTES)
			break;
		list[n_list++] = plans[i].g;
	}
	if (!r)
		r = gather(ls->tl, list, n_list, 0, TIMELINE_TIME_MAX);
	for (size_t j = 0; j < (list ? i : n); j++) {
		if (!is_sharing(&plans[j]))
			continue;
		if (r < 0)
			plans[j].result = r;
		else
			plans[j].g = list[k++];
	}
	free(list);
	return list ? i : n;
}

static void finish_one(void *ctx, size_t i)
{
	struct lane_plan *p = &((struct lane_plan *)ctx)[i];
	struct errmsg err = {0};

	if (!p->result)
		p->result = plan_finish(p, &err);
	plan_release(p);
}

/* Makes a lane and its plan. Returns false if the spec is wrong. */
static bool plan_one(struct lanes *ls, struct lane_plan *p, const struct lane_spec *spec,
		     const struct lane *before)
{
	struct errmsg err = {0};

	*p = (struct lane_plan){.ln = lane_new(ls, spec),
				.before = spec->window_bits ? NULL : before};
	if (!p->ln)
		return false;
	p->result = lane_check_machine(p->ln, &err);
	if (!p->result)
		p->result = makers[spec->type].plan(p, &err);
	plan_place(p);
	return true;
}

static void build_gathered(struct lanes *ls, struct prepared_lane *list, size_t n)
{
	struct lane_plan *plans = calloc(n + 1, sizeof(*plans));
	size_t *of = calloc(n + 1, sizeof(*of)), n_plans = 0;
	uint64_t begin = clock_now_ns();

	for (size_t i = 0; plans && of && i < n; i++)
		if (makers[list[i].spec.type].plan &&
		    plan_one(ls, &plans[n_plans], &list[i].spec, list[i].before))
			of[n_plans++] = i;
	for (size_t i = 0; i < n_plans; i++)
		if (!plans[i].result && plans[i].is_wanting && !is_sharing(&plans[i]))
			plans[i].result =
				gather(ls->tl, &plans[i].g, 1, plans[i].from, plans[i].to);
	for (size_t at = 0; at < n_plans;)
		at += gather_some(ls, plans + at, n_plans - at);
	timeline_parallel(ls->tl, n_plans, finish_one, plans);
	for (size_t i = 0; i < n_plans; i++) {
		if (plans[i].result < 0) {
			lane_free(plans[i].ln);
			continue;
		}
		lane_settle(plans[i].ln, begin);
		list[of[i]].lane = plans[i].ln;
	}
	free(plans);
	free(of);
}

static size_t count_tasks(const struct prepared_lane *list, size_t n)
{
	size_t n_tasks = 0;

	for (size_t i = 0; i < n; i++)
		n_tasks += list[i].spec.type == LANE_OF_TASK;
	return n_tasks;
}

struct many {
	struct lanes *ls;
	struct prepared_lane *list;
	size_t n;
};

/*
 * Builds one of two parts. Part 0 has the tasks, whose states are mostly the work of one thread;
 * part 1 has all others.
 */
static void build_part(void *ctx, size_t i)
{
	const struct many *m = ctx;
	size_t source = 0;
	uint32_t machine;

	if (i)
		build_gathered(m->ls, m->list, m->n);
	else
		while (count_tasks(m->list, m->n) > 1 &&
		       lanes_next_machine(m->ls->tl, &source, &machine))
			lane_build_tasks(m->ls, machine, m->list, m->n);
}

void lanes_build_many(struct lanes *ls, struct prepared_lane *list, size_t n)
{
	struct many m = {ls, list, n};

	timeline_parallel(ls->tl, 2, build_part, &m);
}
