// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * slicetables.c - the tables slice_with_task, thread_track and cpu_track: functions, system calls,
 * interrupts. The table slice is a view without task and CPU (views.c): Perfetto's has neither, so
 * that "SELECT utid FROM slice JOIN thread_track …" names only one column.
 *
 *	calls:M:PID    functions of a task, of its program and of the kernel    category function
 *	sys:M:PID      its system calls                                         category syscall
 *	irq:M:CPU      handlers of interrupts                                   category irq
 *	softirq:M:CPU  soft interrupts                                          category softirq
 *
 * Each is a lane of the viewer (timeline/lanes/lane.h), so both show the same spans. A track is a
 * lane; its number is made of the task or CPU, so that it needs no table of its own.
 */
#include "query/tables/tables.h"

#include "base/array.h"
#include "base/scope.h"
#include "timeline/lanes/lane.h"
#include "timeline/timeline.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define LANES_AT_ONCE 1000 /* fewer than lanes keeps */
#define SPEC_BYTES    64
#define LABEL_BYTES   512
#define DEPTHS	      256
#define CPU_TRACKS    (INT64_C(1) << 60)

enum {
	SLICE_ID,
	SLICE_TS,
	SLICE_DUR,
	SLICE_TRACK,
	SLICE_CATEGORY,
	SLICE_NAME,
	SLICE_DEPTH,
	SLICE_PARENT
};

/* type and name of the track are Perfetto's; the name of a CPU's ends with its number */
static const struct lane_sort {
	const char *spec, *category, *type, *name;
	bool of_cpu;
} sorts[] = {
	{"calls", "function", "thread_funcgraph", "Funcgraph", false},
	{"sys", "syscall", "thread_execution", "syscall", false},
	{"irq", "irq", "cpu_irq", "Irq Cpu", true},
	{"softirq", "softirq", "cpu_softirq", "SoftIrq Cpu", true},
};

struct slice_lane {
	size_t sort;
	uint32_t machine;
	int number; /* pid or CPU */
	char spec[SPEC_BYTES];
};

struct filling {
	struct list_rows *rows;
	struct timeline *tl;
	const struct slice_lane *of;
	struct lane *lane;
	uint64_t from; /* spans that begin before were in the window before */
	int error;
};

static int64_t track_of(size_t sort, uint32_t machine, int number)
{
	int64_t id = query_utid(machine, number);

	return (sorts[sort].of_cpu ? CPU_TRACKS : 0) | (int64_t)((uint64_t)id << 2 | sort);
}

static bool add_slice(void *ctx, const struct lane_span *s)
{
	struct filling *f = ctx;
	const struct slice_lane *of = f->of;
	bool of_cpu = sorts[of->sort].of_cpu;
	char label[LABEL_BYTES];
	size_t len;

	if (s->start < f->from)
		return true;
	len = lane_label(f->lane, s->value, label, sizeof(label));
	len = len < sizeof(label) ? len : sizeof(label) - 1;
	f->error = list_add(f->rows,
			    (int64_t[]){0, (int64_t)(timeline_origin(f->tl) + s->start),
					(int64_t)(s->end - s->start),
					track_of(of->sort, of->machine, of->number),
					list_static(sorts[of->sort].category),
					list_text_len(f->rows, label, len), s->row, LIST_NULL,
					of_cpu ? LIST_NULL : query_utid(of->machine, of->number),
					of_cpu ? of->number : LIST_NULL, LIST_NULL,
					(s->flags & (TILE_OPEN_START | TILE_OPEN_END)) != 0});
	return f->error >= 0;
}

/* Adds the spans of one lane, window by window. A lane that the trace does not have has none. */
static int add_lane(struct list_rows *rows, const struct slice_lane *of)
{
	struct query_trace *t = rows->trace;
	struct filling f = {.rows = rows, .tl = t->tl, .of = of};
	uint64_t end = timeline_duration(t->tl), from, to;

	for (uint64_t at = 0; at <= end; at = to + 1) {
		struct errmsg ignored = {0};
		int r = lane_get_at(t->lanes, of->spec, at, &f.lane, &from, &to, &ignored);

		if (r < 0)
			return r == -ENOMEM ? r : 0;
		f.from = at;
		if (lane_kind(f.lane) == LANE_SPANS)
			r = lane_each(f.lane, at, to < end ? to : end, add_slice, &f);
		lane_put(f.lane);
		if (r < 0 || f.error < 0)
			return r < 0 ? r : f.error;
		if (to >= end)
			break;
	}
	return 0;
}

/* --- the lanes of the trace ------------------------------------------------------------------- */

struct lane_list {
	struct slice_lane *list;
	size_t n, cap;
};

static int add_to_list(struct lane_list *l, size_t sort, uint32_t machine, int number)
{
	struct slice_lane *lane;

	if (!ARRAY_ROOM(l->list, l->cap, l->n + 1, ARRAY_NO_MAX))
		return -ENOMEM;
	lane = &l->list[l->n++];
	*lane = (struct slice_lane){.sort = sort, .machine = machine, .number = number};
	snprintf(lane->spec, sizeof(lane->spec), "%s:%u:%d", sorts[sort].spec, machine, number);
	return 0;
}

/* Has a machine no such events at all? Most traces have no functions, but thousands of tasks. */
static bool lacks(struct lanes *lanes, size_t sort, uint32_t machine, int pid)
{
	char spec[SPEC_BYTES];
	uint64_t from, to;
	struct errmsg ignored = {0};
	struct lane *lane;
	int r;

	snprintf(spec, sizeof(spec), "%s:%u:%d", sorts[sort].spec, machine, pid);
	r = lane_get_at(lanes, spec, 0, &lane, &from, &to, &ignored);
	if (r >= 0)
		lane_put(lane);
	return r == -EINVAL;
}

static int list_task_lanes(struct lane_list *l, struct lanes *lanes, const struct timeline *tl,
			   size_t sort)
{
	uint32_t machine = UINT32_MAX; /* of the tasks before */
	bool is_lacking = false;

	for (size_t i = 0; i < timeline_n_tasks(tl); i++) {
		const struct timeline_task *t = timeline_task(tl, i);

		if (!t->pid || !t->n_events)
			continue;
		if (t->machine != machine)
			is_lacking = lacks(lanes, sort, t->machine, t->pid);
		machine = t->machine;
		if (!is_lacking)
			TRY(add_to_list(l, sort, t->machine, t->pid));
	}
	return 0;
}

static int list_lanes(struct lane_list *l, struct lanes *lanes, const struct timeline *tl,
		      bool of_cpus)
{
	for (size_t sort = 0; sort < ARRAY_LEN(sorts); sort++)
		if (!sorts[sort].of_cpu)
			TRY(list_task_lanes(l, lanes, tl, sort));
	for (size_t i = 0; of_cpus && i < timeline_n_streams(tl); i++) {
		const struct timeline_stream *st = timeline_stream(tl, i);
		uint32_t machine = timeline_source(tl, st->source)->machine;
		bool is_again = ARRAY_ANY(
			i, k,
			timeline_stream(tl, k)->cpu == st->cpu &&
				timeline_source(tl, timeline_stream(tl, k)->source)->machine ==
					machine);

		for (size_t sort = 0; !is_again && sort < ARRAY_LEN(sorts); sort++)
			if (sorts[sort].of_cpu)
				TRY(add_to_list(l, sort, machine, (int)st->cpu));
	}
	return 0;
}

/* Reads lanes in groups, each in one pass over the trace. */
static int add_lanes(struct list_rows *rows, const struct lane_list *l)
{
	const char *specs[LANES_AT_ONCE];

	for (size_t i = 0; i < l->n; i += LANES_AT_ONCE) {
		size_t n = l->n - i < LANES_AT_ONCE ? l->n - i : LANES_AT_ONCE;

		for (size_t k = 0; k < n; k++)
			specs[k] = l->list[i + k].spec;
		/* none of the lanes before is needed again, and a full list takes no new ones */
		TRY(query_trace_new_lanes(rows->trace));
		lanes_prepare(rows->trace->lanes, specs, n);
		for (size_t k = 0; k < n; k++)
			TRY(add_lane(rows, &l->list[i + k]));
		if (query_trace_is_stopped(rows->trace))
			return -EINTR;
	}
	return 0;
}

/* --- parents ---------------------------------------------------------------------------------- */

struct open_track {
	int64_t ids[DEPTHS], ends[DEPTHS]; /* the last slice of each depth */
};

/* The parent is the slice one level up that has begun and not ended. Rows are sorted by time. */
static int set_parents(struct list_rows *rows)
{
	SCOPED(map_release) struct map tracks = {0};
	int r = 0;

	for (size_t i = 0; i < rows->n && r >= 0; i++) {
		int64_t *c = &rows->cells[i * rows->n_columns];
		int64_t depth = c[SLICE_DEPTH];
		void **slot = map_take(&tracks, (uint64_t)c[SLICE_TRACK], ARRAY_NO_MAX);
		struct open_track *t;

		if (slot && !*slot)
			*slot = calloc(1, sizeof(*t));
		t = slot ? *slot : NULL;
		if (!t) {
			if (slot)
				map_remove(&tracks, (uint64_t)c[SLICE_TRACK]);
			r = -ENOMEM;
			break;
		}
		if (depth && t->ends[depth - 1] >= c[SLICE_TS] + c[SLICE_DUR])
			c[SLICE_PARENT] = t->ids[depth - 1];
		t->ids[depth] = c[SLICE_ID];
		t->ends[depth] = c[SLICE_TS] + c[SLICE_DUR];
	}
	for (size_t i = 0; i < tracks.n_slots; i++)
		free(tracks.slots[i].value);
	return r;
}

static int fill_slices(struct list_rows *rows, const struct list_args *args)
{
	struct lane_list l = {0};
	int r = query_trace_index(rows->trace);

	if (r >= 0)
		r = list_lanes(&l, rows->trace->lanes, rows->trace->tl, true);
	if (r >= 0)
		r = add_lanes(rows, &l);
	free(l.list);
	TRY(r);
	TRY(list_sort(rows, SLICE_TS, SLICE_ID));
	return set_parents(rows);
}

static int add_track(struct list_rows *rows, const struct slice_lane *lane)
{
	const struct lane_sort *sort = &sorts[lane->sort];
	int64_t id = track_of(lane->sort, lane->machine, lane->number);
	char name[SPEC_BYTES];

	snprintf(name, sizeof(name), "%s %d", sort->name, lane->number);
	return list_add(
		rows,
		(int64_t[]){id, sort->of_cpu ? list_text(rows, name) : list_static(sort->name),
			    list_static(sort->type), list_static(sort->category),
			    sort->of_cpu ? lane->number : query_utid(lane->machine, lane->number),
			    lane->machine});
}

static int fill_tracks(struct list_rows *rows, bool of_cpus)
{
	struct lane_list l = {0};
	int r = query_trace_index(rows->trace);

	if (r >= 0)
		r = list_lanes(&l, rows->trace->lanes, rows->trace->tl, of_cpus);
	for (size_t i = 0; r >= 0 && i < l.n; i++)
		if (sorts[l.list[i].sort].of_cpu == of_cpus)
			r = add_track(rows, &l.list[i]);
	free(l.list);
	return r;
}

static int fill_thread_tracks(struct list_rows *rows, const struct list_args *args)
{
	return fill_tracks(rows, false);
}

static int fill_cpu_tracks(struct list_rows *rows, const struct list_args *args)
{
	return fill_tracks(rows, true);
}

const struct list_table slice_tables[] = {
	{.name = "slice_with_task",
	 .columns = {{"id", LIST_INTEGER},
		     {"ts", LIST_INTEGER},
		     {"dur", LIST_INTEGER},
		     {"track_id", LIST_INTEGER},
		     {"category", LIST_TEXT},
		     {"name", LIST_TEXT},
		     {"depth", LIST_INTEGER},
		     {"parent_id", LIST_INTEGER},
		     {"utid", LIST_INTEGER},
		     {"cpu", LIST_INTEGER},
		     {"arg_set_id", LIST_INTEGER},
		     {"is_open", LIST_INTEGER}},
	 .fill = fill_slices,
	 .sorted = SLICE_TS,
	 .what = "slice with the task or the CPU of each"},
	{.name = "thread_track",
	 .columns = {{"id", LIST_INTEGER},
		     {"name", LIST_TEXT},
		     {"type", LIST_TEXT},
		     {"category", LIST_TEXT},
		     {"utid", LIST_INTEGER},
		     {"machine_id", LIST_INTEGER}},
	 .fill = fill_thread_tracks,
	 .sorted = -1,
	 .what = "the tracks of slices that belong to a task"},
	{.name = "cpu_track",
	 .columns = {{"id", LIST_INTEGER},
		     {"name", LIST_TEXT},
		     {"type", LIST_TEXT},
		     {"category", LIST_TEXT},
		     {"cpu", LIST_INTEGER},
		     {"machine_id", LIST_INTEGER}},
	 .fill = fill_cpu_tracks,
	 .sorted = -1,
	 .what = "the tracks of slices that belong to a CPU"},
	{0},
};
