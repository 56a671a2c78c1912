// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * functables.c - table functions over the timeline.
 *
 *	spans(from_event, to_event, keys)   from an event to another with the same keys: "pid",
 *	                                    "cpu", a field, or KEY:KEY_OF_THE_SECOND
 *	critical_path(task, from, to)       what made a task wait (sonde why)
 */
#include "query/tables/tables.h"

#include "analyse/keys.h"
#include "base/array.h"
#include "base/scope.h"
#include "decode/formats/event.h"
#include "decode/taskstate.h"
#include "timeline/insight/insight.h"
#include "timeline/lanes/lane.h"
#include "timeline/taskmatch.h"
#include "timeline/timeline.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPEC_BYTES  512
#define LABEL_BYTES 512
#define TASKS_MAX   65536

/* A text argument, or `otherwise`; NULL: it must be given. */
static const char *text_of(struct list_rows *rows, const struct list_args *args, size_t i,
			   const char *otherwise, const char *usage)
{
	const struct pushed_value *v = args->values[i];

	if (v && v->is_text)
		return v->text;
	if (v || !otherwise)
		errmsg_set(&rows->trace->err, -EINVAL, "the arguments of the function are %s",
			   usage);
	return v ? NULL : otherwise;
}

/* --- spans ------------------------------------------------------------------------------------ */

/* Writes SYSTEM/NAME of "name", "system:name" or "system/name". */
static int fmt_event(struct query_trace *t, const char *word, char *buf, size_t size)
{
	size_t len = strcspn(word, ":/");
	char system[128];
	const struct event *ev = NULL;

	snprintf(system, sizeof(system), "%.*s", (int)len, word);
	for (size_t i = 0; i < t->in->n_files && !ev; i++)
		ev = formats_find_name(t->in->files[i].formats, word[len] ? system : NULL,
				       word[len] ? word + len + 1 : word);
	if (!ev)
		return key_refuse_event(t->in->files[0].formats, word, &t->err);
	snprintf(buf, size, "%s/%s", ev->system, ev->name);
	return 0;
}

struct span_filling {
	struct list_rows *rows;
	struct lane *lane;
	uint64_t origin, from;
	int error;
};

static bool add_span(void *ctx, const struct lane_span *s)
{
	struct span_filling *f = ctx;
	char label[LABEL_BYTES];
	size_t len;

	if (s->start < f->from)
		return true;
	len = lane_label(f->lane, s->value, label, sizeof(label));
	f->error = list_add(
		f->rows,
		(int64_t[]){0, (int64_t)(f->origin + s->start), (int64_t)(s->end - s->start),
			    list_text_len(f->rows, label,
					  len < sizeof(label) ? len : sizeof(label) - 1),
			    (s->flags & (TILE_OPEN_START | TILE_OPEN_END)) != 0});
	return f->error >= 0;
}

static int add_spans(struct list_rows *rows, const char *spec)
{
	struct query_trace *t = rows->trace;
	struct span_filling f = {.rows = rows, .origin = timeline_origin(t->tl)};
	uint64_t end = timeline_duration(t->tl), from, to;

	for (uint64_t at = 0; at <= end; at = to + 1) {
		int r = lane_get_at(t->lanes, spec, at, &f.lane, &from, &to, &t->err);

		TRY(r);
		f.from = at;
		r = lane_each(f.lane, at, to < end ? to : end, add_span, &f);
		lane_put(f.lane);
		if (r < 0 || f.error < 0)
			return r < 0 ? r : f.error;
		if (to >= end)
			break;
	}
	return 0;
}

static int fill_spans(struct list_rows *rows, const struct list_args *args)
{
	static const char usage[] = "spans(from_event, to_event[, keys])";
	const char *from = text_of(rows, args, 0, NULL, usage),
		   *to = from ? text_of(rows, args, 1, NULL, usage) : NULL,
		   *keys = to ? text_of(rows, args, 2, "pid", usage) : NULL;
	char a[SPEC_BYTES / 3], b[SPEC_BYTES / 3], spec[SPEC_BYTES];

	if (!keys)
		return -EINVAL;
	TRY(fmt_event(rows->trace, from, a, sizeof(a)));
	TRY(fmt_event(rows->trace, to, b, sizeof(b)));
	TRY(query_trace_index(rows->trace));
	for (size_t i = 0; i < rows->trace->in->n_files; i++) {
		if ((size_t)snprintf(spec, sizeof(spec), "pair:%zu:%s:%s:%s", i, a, b, keys) >=
		    sizeof(spec))
			return -ENAMETOOLONG;
		TRY(add_spans(rows, spec));
	}
	return list_sort(rows, 1, 0);
}

/* --- the critical path ------------------------------------------------------------------------ */

/* A time of the trace's clock as one since its start. */
static uint64_t since_start(const struct timeline *tl, const struct pushed_value *v,
			    uint64_t otherwise)
{
	uint64_t origin = timeline_origin(tl);

	if (!v || v->is_text)
		return otherwise;
	return v->number > 0 && (uint64_t)v->number > origin ? (uint64_t)v->number - origin : 0;
}

/* Finds the task of an argument: a utid, or a word as `sonde why` takes it. */
static int find_task(struct query_trace *t, const struct pushed_value *v)
{
	SCOPED(scope_free) uint16_t *found = calloc(TASKS_MAX, sizeof(*found));
	int task;

	if (!found)
		return -ENOMEM;
	if (!v)
		return errmsg_set(&t->err, -EINVAL,
				  "the arguments of the function are critical_path(task[, from, "
				  "to]): a name or a utid, and times");
	if (!v->is_text) {
		task = timeline_find_task(t->tl, (uint32_t)(v->number >> 32), (int)v->number);
		return task >= 0 ? task
				 : errmsg_set(&t->err, -ENOENT, "the trace has no task %lld",
					      (long long)v->number);
	}
	if (!tasks_match(t->tl, -1, v->text, found, TASKS_MAX))
		return errmsg_set(&t->err, -ENOENT,
				  "the trace has no task '%s'; the table thread lists all",
				  v->text);
	return found[0];
}

static int64_t utid_of(const struct timeline *tl, int task)
{
	const struct timeline_task *t = task >= 0 ? timeline_task(tl, (size_t)task) : NULL;

	return t ? query_utid(t->machine, t->pid) : LIST_NULL;
}

static int fill_path(struct list_rows *rows, const struct list_args *args)
{
	struct query_trace *t = rows->trace;
	SCOPED(insight_why_release) struct insight_why why = {0};
	int task, r;

	TRY(query_trace_index(t));
	task = find_task(t, args->values[0]);
	TRY(task);
	r = insight_why(&why, t->lanes, task, since_start(t->tl, args->values[1], 0),
			since_start(t->tl, args->values[2], timeline_duration(t->tl)));
	TRY(r);
	for (size_t i = 0; i < why.n_pieces; i++) {
		const struct why_piece *p = &why.pieces[i];

		TRY(list_add(rows,
			     (int64_t[]){(int64_t)i, (int64_t)(timeline_origin(t->tl) + p->start),
					 (int64_t)(p->end - p->start), utid_of(t->tl, p->task),
					 list_text(rows, task_state_name(p->state)), p->depth,
					 p->cpu < 0 ? LIST_NULL : p->cpu, utid_of(t->tl, p->waker),
					 utid_of(t->tl, p->sleeper), list_text(rows, p->place)}));
	}
	return 0;
}

const struct list_table function_tables[] = {
	{.name = "spans",
	 .columns = {{"id", LIST_INTEGER},
		     {"ts", LIST_INTEGER},
		     {"dur", LIST_INTEGER},
		     {"key", LIST_TEXT},
		     {"is_open", LIST_INTEGER},
		     {"from_event", LIST_ARGUMENT},
		     {"to_event", LIST_ARGUMENT},
		     {"keys", LIST_ARGUMENT}},
	 .fill = fill_spans,
	 .sorted = 1,
	 .what = "from an event to another: spans('sched_waking', 'sched_switch', 'pid:next_pid')"},
	{.name = "critical_path",
	 .columns = {{"id", LIST_INTEGER},
		     {"ts", LIST_INTEGER},
		     {"dur", LIST_INTEGER},
		     {"utid", LIST_INTEGER},
		     {"state", LIST_TEXT},
		     {"depth", LIST_INTEGER},
		     {"cpu", LIST_INTEGER},
		     {"waker_utid", LIST_INTEGER},
		     {"sleeper_utid", LIST_INTEGER},
		     {"blocked_function", LIST_TEXT},
		     {"task", LIST_ARGUMENT},
		     {"from_ts", LIST_ARGUMENT},
		     {"to_ts", LIST_ARGUMENT}},
	 .fill = fill_path,
	 .sorted = 1,
	 .what = "what made a task wait: critical_path('make'), also with a range of time"},
	{0},
};
