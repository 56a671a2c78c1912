// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * tasktables.c - the tables thread, process, cpu and event_kind.
 *
 *	thread      every task that has events or a name, by utid
 *	process     every process that is known, by upid
 *	cpu         every CPU with data
 *	event_kind  the kinds of events that occur, with their numbers
 *	trace_bounds  the times of the first and the last event
 *
 * They come from counts of events (info_count(), on all cores) and the file's own lists. A process
 * is known only if the recording has processes (sonde's option record-tgid and census); else upid
 * is NULL, because a guess would join threads of different programs.
 */
#include "analyse/tally.h"
#include "decode/formats/event.h"
#include "inputs/inputs.h"
#include "query/tables/tables.h"

#include "base/array.h"
#include "base/scope.h"
#include "symbols/processes.h"
#include "symbols/tasks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct tid_list {
	int *tids;
	size_t n, cap;
};

#define TIDS_MAX (1u << 20)

ARRAY_ORDER(by_number, int, COMPARE(*x, *y))

static int add_tid(struct tid_list *l, int tid)
{
	if (!ARRAY_ROOM(l->tids, l->cap, l->n + 1, TIDS_MAX))
		return l->n < TIDS_MAX ? -ENOMEM : -ENOSPC;
	l->tids[l->n++] = tid;
	return 0;
}

static void sort_tids(struct tid_list *l)
{
	size_t n = 0;

	if (l->n)
		qsort(l->tids, l->n, sizeof(*l->tids), by_number);
	for (size_t i = 0; i < l->n; i++)
		if (!n || l->tids[i] != l->tids[n - 1])
			l->tids[n++] = l->tids[i];
	l->n = n;
}

static int add_process_tid(void *ctx, int tgid)
{
	return add_tid(ctx, tgid);
}

/* All tasks of a file: with events, with a name, or a process. */
static int list_tids(struct tid_list *l, struct query_trace *t, size_t file)
{
	const struct tasks *tasks = &t->in->files[file].tasks;
	size_t n;
	SCOPED(scope_free) struct count *counts = NULL;

	l->n = 0;
	counts = tally_list_pids(&t->counts[file].tally, &n);
	for (size_t i = 0; counts && i < n; i++)
		TRY(add_tid(l, (int)counts[i].key));
	for (size_t i = 0; i < tasks->n_rows; i++)
		TRY(add_tid(l, tasks->rows[i].pid));
	for (size_t i = 0; i < tasks->by_pid.n_slots; i++)
		if (tasks->by_pid.slots[i].value &&
		    ((const struct task *)tasks->by_pid.slots[i].value)->known)
			TRY(add_tid(l, ((const struct task *)tasks->by_pid.slots[i].value)->pid));
	if (tasks->processes)
		TRY(processes_each(tasks->processes, add_process_tid, l));
	sort_tids(l);
	return 0;
}

static int tgid_of(const struct query_trace *t, size_t file, int tid)
{
	return tid ? processes_find_tgid(t->in->files[file].tasks.processes, tid) : 0;
}

static int add_thread(struct list_rows *rows, size_t file, int tid)
{
	int tgid = tgid_of(rows->trace, file, tid);
	int64_t utid = query_utid(file, tid);

	return list_add(
		rows, (int64_t[]){utid, utid, tid, list_static(query_comm(rows->trace, file, tid)),
				  tgid < 0 ? LIST_NULL : query_upid(file, tgid),
				  tgid < 0 ? LIST_NULL : tgid == tid, tid == 0, (int64_t)file});
}

/* Visits the tasks of all files. */
static int each_tid(struct list_rows *rows, int (*add)(struct list_rows *, size_t, int))
{
	struct tid_list l = {0};
	int r = query_trace_names(rows->trace);

	if (r >= 0)
		r = query_trace_count(rows->trace);
	for (size_t i = 0; r >= 0 && i < rows->trace->in->n_files; i++) {
		r = list_tids(&l, rows->trace, i);
		for (size_t k = 0; r >= 0 && k < l.n; k++)
			r = add(rows, i, l.tids[k]);
	}
	free(l.tids);
	return r;
}

static int fill_threads(struct list_rows *rows, const struct list_args *args)
{
	return each_tid(rows, add_thread);
}

static int add_process(struct list_rows *rows, size_t file, int tid)
{
	struct query_trace *t = rows->trace;
	int64_t upid = query_upid(file, tid);
	TEXTBUF(command, PROCESSES_COMMAND_MAX * 5);
	bool has_command;

	if (tgid_of(t, file, tid) != tid)
		return 0;
	has_command = processes_fmt_command(t->in->files[file].tasks.processes, tid, &command);
	return list_add(rows, (int64_t[]){upid, upid, tid, list_static(query_comm(t, file, tid)),
					  has_command ? list_text(rows, textbuf_text(&command)) : 0,
					  (int64_t)file});
}

static int fill_processes(struct list_rows *rows, const struct list_args *args)
{
	return each_tid(rows, add_process);
}

static int fill_cpus(struct list_rows *rows, const struct list_args *args)
{
	const struct inputs *in = rows->trace->in;
	struct tid_list l = {0};
	int r = 0;

	for (size_t i = 0; r >= 0 && i < in->n_files; i++) {
		l.n = 0;
		for (size_t b = 0; r >= 0 && b < in->files[i].tf->n_buffers; b++)
			for (size_t k = 0; r >= 0 && k < in->files[i].tf->buffers[b].n_cpus; k++)
				if (in->files[i].tf->buffers[b].cpus[k].n_bytes)
					r = add_tid(&l,
						    (int)in->files[i].tf->buffers[b].cpus[k].cpu);
		sort_tids(&l);
		for (size_t k = 0; r >= 0 && k < l.n; k++)
			r = list_add(rows, (int64_t[]){(int64_t)i << 32 | l.tids[k], l.tids[k],
						       (int64_t)i << 32 | l.tids[k], (int64_t)i});
	}
	free(l.tids);
	return r;
}

static int fill_kinds(struct list_rows *rows, const struct list_args *args)
{
	struct query_trace *t = rows->trace;

	TRY(query_trace_count(t));
	for (size_t i = 0; i < t->in->n_files; i++) {
		size_t n;
		SCOPED(scope_free) struct count *list = tally_list_ids(&t->counts[i].tally, &n);

		for (size_t k = 0; list && k < n; k++) {
			const struct event *ev = query_event(t, i, (int)list[k].key);

			if (list[k].n)
				TRY(list_add(rows,
					     (int64_t[]){list[k].key,
							 list_static(ev ? ev->system : NULL),
							 list_static(ev ? ev->name : NULL),
							 (int64_t)list[k].n,
							 (int64_t)list[k].n_bytes, (int64_t)i}));
		}
	}
	return 0;
}

static int fill_bounds(struct list_rows *rows, const struct list_args *args)
{
	uint64_t start, end;

	if (!query_trace_bounds(rows->trace, &start, &end))
		return 0;
	return list_add(rows, (int64_t[]){(int64_t)start, (int64_t)end});
}

const struct list_table task_tables[] = {
	{.name = "thread",
	 .columns = {{"utid", LIST_INTEGER},
		     {"id", LIST_INTEGER},
		     {"tid", LIST_INTEGER},
		     {"name", LIST_TEXT},
		     {"upid", LIST_INTEGER},
		     {"is_main_thread", LIST_INTEGER},
		     {"is_idle", LIST_INTEGER},
		     {"machine_id", LIST_INTEGER}},
	 .fill = fill_threads,
	 .sorted = 0,
	 .what = "the tasks of the trace"},
	{.name = "process",
	 .columns = {{"upid", LIST_INTEGER},
		     {"id", LIST_INTEGER},
		     {"pid", LIST_INTEGER},
		     {"name", LIST_TEXT},
		     {"cmdline", LIST_TEXT},
		     {"machine_id", LIST_INTEGER}},
	 .fill = fill_processes,
	 .sorted = 0,
	 .what = "their processes, if they were recorded"},
	{.name = "cpu",
	 .columns = {{"id", LIST_INTEGER},
		     {"cpu", LIST_INTEGER},
		     {"ucpu", LIST_INTEGER},
		     {"machine_id", LIST_INTEGER}},
	 .fill = fill_cpus,
	 .sorted = 0,
	 .what = "the CPUs with data"},
	{.name = "event_kind",
	 .columns = {{"id", LIST_INTEGER},
		     {"system", LIST_TEXT},
		     {"name", LIST_TEXT},
		     {"count", LIST_INTEGER},
		     {"bytes", LIST_INTEGER},
		     {"machine_id", LIST_INTEGER}},
	 .fill = fill_kinds,
	 .sorted = -1,
	 .what = "the kinds of events that occur"},
	{.name = "trace_bounds",
	 .columns = {{"start_ts", LIST_INTEGER}, {"end_ts", LIST_INTEGER}},
	 .fill = fill_bounds,
	 .sorted = 0,
	 .what = "the times of the first and the last event; also trace_start(), trace_end()"},
	{0},
};
