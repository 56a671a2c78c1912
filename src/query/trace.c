// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * trace.c - the opened trace behind all tables, and what is learned about it once.
 *
 * A scan of events needs none of it: it reads the file. Names of tasks need all events (a task may
 * be named by the last one), so they are read when a query first shows a name. A query that asks
 * for states or slices builds the index of the viewer; no query before that pays for it.
 */
#include "query/trace.h"

#include "base/conveyor.h"
#include "base/scope.h"
#include "decode/order/sequence.h"
#include "decode/timeconv.h"
#include "inputs/cpuwalk.h"
#include "store/pagestream.h"
#include "symbols/tasks.h"
#include "timeline/lanes/lane.h"
#include "timeline/timeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* of a usual event, for guesses of the planner and of progress */
#define EVENT_BYTES  40
#define PACKED_RATIO 5

static bool any_compressed(const struct query_trace *t, size_t *ret_streams)
{
	bool any = false;

	*ret_streams = 0;
	for (size_t i = 0; i < t->sources.n; i++) {
		any |= t->sources.list[i].config.buffer->compressed;
		*ret_streams += t->sources.list[i].config.buffer->n_cpus;
	}
	return any;
}

static uint64_t guess_events(const struct query_trace *t)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < t->sources.n; i++) {
		const struct tracefile_buffer *b = t->sources.list[i].config.buffer;

		for (size_t k = 0; k < b->n_cpus; k++)
			bytes += b->cpus[k].n_bytes * (b->compressed ? PACKED_RATIO : 1);
	}
	return bytes / EVENT_BYTES + 1;
}

int query_trace_init(struct query_trace *t, struct inputs *in, struct errmsg *err)
{
	unsigned n_threads = conveyor_default_threads();
	size_t n_streams;

	*t = (struct query_trace){.in = in, .list_max_bytes = SIZE_MAX};
	TRY(inputs_sources_list(&t->sources, in, err));
	t->n_guess = guess_events(t);
	if (any_compressed(t, &n_streams) && n_threads > 1)
		t->unpacker = unpacker_new((n_threads + 1) / 2, n_streams);
	return 0;
}

void query_trace_release(struct query_trace *t)
{
	for (size_t i = 0; t->counts && i < t->in->n_files; i++)
		info_counts_release(&t->counts[i]);
	free(t->counts);
	lanes_free(t->lanes);
	timeline_free(t->tl);
	free(t->timeline_sources);
	unpacker_free(t->unpacker);
	inputs_sources_release(&t->sources);
}

bool query_trace_is_stopped(const struct query_trace *t)
{
	return t->stop.is_due && t->stop.is_due(t->stop.ctx);
}

int query_trace_fail(struct query_trace *t, int r, const char *what)
{
	if (r == -EINTR)
		return SQLITE_INTERRUPT;
	errmsg_set_errno(&t->err, r, "cannot read %s", what);
	return SQLITE_ERROR;
}

int query_trace_names(struct query_trace *t)
{
	if (t->has_names)
		return 0;
	TRY(inputs_gather_names(t->in, &t->err));
	t->has_names = true;
	return 0;
}

int query_trace_count(struct query_trace *t)
{
	if (t->counts)
		return 0;
	t->counts = calloc(t->in->n_files + 1, sizeof(*t->counts));
	for (size_t i = 0; t->counts && i < t->in->n_files; i++)
		TRY(info_count(&t->counts[i], t->in->files[i].tf, t->in->files[i].formats,
			       &t->err));
	return t->counts ? 0 : -ENOMEM;
}

bool query_trace_bounds(const struct query_trace *t, uint64_t *ret_start, uint64_t *ret_end)
{
	bool found = false;

	for (size_t i = 0; i < t->sources.n; i++) {
		const struct source_config *c = &t->sources.list[i].config;
		uint64_t ts;
		int id;

		for (size_t k = 0; k < 2 * c->buffer->n_cpus; k++) {
			if (!cpuwalk_find_edge(t->sources.list[i].file, c->buffer, k / 2, k % 2,
					       &ts, &id))
				continue;
			ts = timeconv(&c->time, ts, c->buffer->cpus[k / 2].cpu);
			*ret_start = !found || ts < *ret_start ? ts : *ret_start;
			*ret_end = !found || ts > *ret_end ? ts : *ret_end;
			found = true;
		}
	}
	return found;
}

static int list_timeline_sources(struct query_trace *t)
{
	t->timeline_sources = calloc(t->sources.n + 1, sizeof(*t->timeline_sources));
	if (!t->timeline_sources)
		return -ENOMEM;
	for (size_t i = 0; i < t->sources.n; i++) {
		const struct source_config *sc = &t->sources.list[i].config;

		t->timeline_sources[i] =
			(struct timeline_source){.tf = sc->tf,
						 .formats = sc->formats,
						 .buffer = sc->buffer,
						 .time = sc->time,
						 .name = sc->buffer->name,
						 .file = inputs_file_name(t->sources.list[i].file),
						 .machine = (uint32_t)query_file_of(t, i)};
	}
	return 0;
}

int query_trace_index(struct query_trace *t)
{
	if (t->lanes)
		return 0;
	if (!t->tl) {
		TRY(list_timeline_sources(t));
		/* one thread: with several, tasks would have other numbers each time */
		TRY(timeline_new(&t->tl, t->timeline_sources, t->sources.n, 1, &t->err));
		TRY(timeline_start(t->tl, NULL, &t->err));
	}
	TRY(timeline_wait(t->tl));
	return lanes_new(&t->lanes, t->tl);
}

int query_trace_new_lanes(struct query_trace *t)
{
	lanes_free(t->lanes);
	t->lanes = NULL;
	return lanes_new(&t->lanes, t->tl);
}

const char *query_comm(struct query_trace *t, size_t file, int tid)
{
	const struct task *task = tasks_find(&t->in->files[file].tasks, tid);

	return task && task->known ? task->comm : NULL;
}
