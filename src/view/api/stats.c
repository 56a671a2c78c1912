// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stats.c - statistics of a range: api/stats and why.
 *
 * insight.h computes the numbers and present/insight writes them; this file reads the query and
 * reports errors. The numbers cover [from, to] of what is indexed so far; without a range, the
 * whole trace.
 */
#include "base/array.h"
#include "base/scope.h"
#include "present/insight/json.h"
#include "timeline/insight/insight.h"
#include "view/api/api.h"
#include "view/picture/picture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LIST_FIRST_N 1000

struct stats_args {
	struct stage *st;
	struct stage_selection *sel;
	uint8_t *tasks; /* tasks selected by task= or sel=; NULL: all */
	uint64_t from, to;
	int task;
	const char *lanes, *by; /* lanes is for spans and list; by is for flame, as in insight.h */
	struct list_wants list;
};

static int stats_tasks(const struct stats_args *a, struct jsonwriter *w)
{
	struct insight_tasks t;

	TRY(insight_tasks(&t, a->st->lanes, a->tasks, a->from, a->to));
	insight_emit_tasks(&t, w);
	insight_tasks_release(&t);
	return 0;
}

static int stats_events(const struct stats_args *a, struct jsonwriter *w)
{
	struct insight_events e;

	TRY(insight_events(&e, a->st->lanes, stage_selected(a->sel), a->from, a->to));
	insight_emit_events(&e, w);
	insight_events_release(&e);
	return 0;
}

static int stats_wakeups(const struct stats_args *a, struct jsonwriter *w)
{
	struct insight_wakeups u;

	TRY(insight_wakeups(&u, a->st->lanes, a->tasks, a->from, a->to));
	insight_emit_wakeups(&u, w);
	insight_wakeups_release(&u);
	return 0;
}

static int stats_functions(const struct stats_args *a, struct jsonwriter *w)
{
	struct insight_functions f;

	TRY(insight_functions(&f, a->st->lanes, a->task, a->from, a->to));
	insight_emit_functions(&f, w);
	insight_functions_release(&f);
	return 0;
}

static int stats_of_flame(const struct stats_args *a, bool off_cpu, struct jsonwriter *w)
{
	struct insight_flame f;

	TRY(insight_flame(&f, a->st->lanes, off_cpu, off_cpu ? NULL : a->by, a->task, a->from,
			  a->to));
	insight_emit_flame(&f, a->st->tl, w);
	insight_flame_release(&f);
	return 0;
}

static int stats_flame(const struct stats_args *a, struct jsonwriter *w)
{
	return stats_of_flame(a, false, w);
}

static int stats_offcpu(const struct stats_args *a, struct jsonwriter *w)
{
	return stats_of_flame(a, true, w);
}

static int stats_heat(const struct stats_args *a, struct jsonwriter *w)
{
	struct insight_heat h;

	TRY(insight_heat(&h, a->st->lanes, a->by, a->task, a->from, a->to));
	insight_emit_heat(&h, w);
	insight_heat_release(&h);
	return 0;
}

/* Splits the lanes in the query. The specs point into *ret_copy. */
static int split_lanes(const struct stats_args *a, const char **specs, size_t *ret_n,
		       char **ret_copy)
{
	*ret_copy = strdup(a->lanes ? a->lanes : "");
	if (!*ret_copy)
		return -ENOMEM;
	*ret_n = picture_split(*ret_copy, specs, SPANS_LANES_MAX);
	return 0;
}

static int stats_spans(const struct stats_args *a, struct jsonwriter *w)
{
	const char *specs[SPANS_LANES_MAX];
	SCOPED(insight_spans_release) struct insight_spans s = {0};
	SCOPED(scope_free) char *copy = NULL;
	size_t n;

	TRY(split_lanes(a, specs, &n, &copy));
	TRY(insight_spans(&s, a->st->lanes, specs, n, a->from, a->to));
	insight_emit_spans(&s, w);
	return 0;
}

static int stats_list(const struct stats_args *a, struct jsonwriter *w)
{
	const char *specs[SPANS_LANES_MAX];
	SCOPED(insight_list_release) struct insight_list l = {0};
	SCOPED(scope_free) char *copy = NULL;
	size_t n;

	TRY(split_lanes(a, specs, &n, &copy));
	TRY(insight_list(&l, a->st->lanes, specs, n, &a->list, a->from, a->to));
	insight_emit_list(&l, w);
	return 0;
}

static const struct {
	const char *name;
	int (*run)(const struct stats_args *a, struct jsonwriter *w);
} whats[] = {
	{"tasks", stats_tasks},		{"events", stats_events}, {"wakeups", stats_wakeups},
	{"functions", stats_functions}, {"flame", stats_flame},	  {"offcpu", stats_offcpu},
	{"spans", stats_spans},		{"list", stats_list},	  {"heat", stats_heat},
};

static const struct {
	const char *name;
	enum list_order order;
} orders[] = {{"longest", LIST_LONGEST},
	      {"shortest", LIST_SHORTEST},
	      {"first", LIST_FIRST},
	      {"last", LIST_LAST}};

static int read_list(const struct request *req, struct list_wants *ret, struct errmsg *err)
{
	const char *order = request_arg(req, "order");
	uint64_t value, max;

	if (request_uint(req, "value", 0, UINT32_MAX, &value, err) < 0 ||
	    request_uint(req, "n", LIST_FIRST_N, LIST_MAX, &max, err) < 0)
		return errmsg_code(err);
	*ret = (struct list_wants){request_arg(req, "name"), value, LIST_LONGEST, max};
	if (!order)
		return 0;
	for (size_t i = 0; i < ARRAY_LEN(orders); i++)
		if (!strcmp(orders[i].name, order)) {
			ret->order = orders[i].order;
			return 0;
		}
	return errmsg_set(err, -EINVAL, "order must be longest, shortest, first or last");
}

static int read_args(struct stage *st, const struct request *req, struct stats_args *ret,
		     struct errmsg *err)
{
	ret->st = st;
	ret->lanes = request_arg(req, "lanes");
	ret->by = request_arg(req, "by");
	TRY(api_range(st, req, &ret->from, &ret->to, err));
	TRY(api_task(st, req, &ret->task, err));
	TRY(read_list(req, &ret->list, err));
	TRY(api_selection(st, req, &ret->sel, err));
	if (ret->task < 0)
		return api_select_tasks(st, ret->sel, &ret->tasks, err);
	ret->tasks = calloc(1, INSIGHT_TASKS / 8);
	if (!ret->tasks)
		return errmsg_set_errno(err, -ENOMEM, "cannot compute the numbers");
	ret->tasks[ret->task / 8] |= 1u << ret->task % 8;
	return 0;
}

static void release_args(struct stats_args *a)
{
	stage_selection_put(a->st, a->sel);
	free(a->tasks);
}

int api_stats(struct stage *st, const struct request *req, struct answer *a, struct errmsg *err)
{
	const char *what = request_arg(req, "what");
	struct stats_args args = {0};
	struct jsonwriter w;
	int r = read_args(st, req, &args, err);

	if (r < 0) {
		release_args(&args);
		return r;
	}
	jsonwriter_init(&w, &a->body);
	r = errmsg_set(err, -EINVAL,
		       "what must be tasks, events, wakeups, functions, flame, offcpu, "
		       "heat, spans or list");
	for (size_t i = 0; what && i < ARRAY_LEN(whats); i++)
		if (!strcmp(whats[i].name, what)) {
			*err = (struct errmsg){0};
			r = whats[i].run(&args, &w);
		}
	release_args(&args);
	return r < 0 ? errmsg_set_errno(err, r, "cannot compute the numbers") : 0;
}

int api_why(struct stage *st, const struct request *req, struct answer *a, struct errmsg *err)
{
	struct stats_args args = {0};
	struct insight_why why;
	struct jsonwriter w;
	int r = read_args(st, req, &args, err);

	release_args(&args);
	TRY(r);
	if (args.task < 0)
		return errmsg_set(err, -EINVAL, "task=N is missing");
	r = insight_why(&why, st->lanes, args.task, args.from, args.to);
	if (r < 0)
		return errmsg_set_errno(err, r, "cannot find the critical path");
	jsonwriter_init(&w, &a->body);
	insight_emit_why(&why, st->tl, &w);
	insight_why_release(&why);
	return 0;
}
