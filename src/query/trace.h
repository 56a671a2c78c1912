/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * trace.h - the opened trace behind all tables of a query, and what the tables learn about it once:
 * names of tasks, numbers of events, the index of the timeline.
 *
 * A failure that SQLite cannot carry (a sentence, a negative errno) waits in `err` until the query
 * ends. Only one thread may use it at a time.
 */
#ifndef SONDE_QUERY_TRACE_H
#define SONDE_QUERY_TRACE_H

#include "base/errmsg.h"
#include "decode/formats/formats.h"
#include "inputs/info/info.h"
#include "inputs/inputs.h"
#include "inputs/sources.h"
#include "query/query.h"

#include <sqlite3.h>

struct lanes;
struct timeline;

struct query_trace {
	struct inputs *in;
	sqlite3 *db;
	struct inputs_sources sources;
	struct unpacker *unpacker;  /* NULL: nothing is compressed, or there is one CPU */
	struct info_counts *counts; /* of each file; NULL: not counted yet */
	struct timeline *tl;	    /* NULL: not indexed yet */
	struct timeline_source *timeline_sources;
	struct lanes *lanes;
	bool has_names;
	struct query_stop stop;
	uint64_t n_walked, n_guess;	   /* events read by this query; of the trace, about */
	size_t list_bytes, list_max_bytes; /* of tables that are kept in memory */
	struct errmsg err;
};

/* in belongs to the caller. Release t after a failure, too. */
int query_trace_init(struct query_trace *t, struct inputs *in, struct errmsg *err);
void query_trace_release(struct query_trace *t);

/* Is the query to end now? Call it at least every 65 536 records. */
bool query_trace_is_stopped(const struct query_trace *t);
/* Keeps a failure, and returns SQLite's code for it. */
int query_trace_fail(struct query_trace *t, int r, const char *what);

/* Reads the names of tasks from all events, once. */
int query_trace_names(struct query_trace *t);
/* Counts the events of all files, once. */
int query_trace_count(struct query_trace *t);
/* Reads the times of the first and the last event. False: there are none. */
bool query_trace_bounds(const struct query_trace *t, uint64_t *ret_start, uint64_t *ret_end);
/* Indexes the trace for states and slices, once. */
int query_trace_index(struct query_trace *t);

/* Threads of the first file have their tid as utid; those of others have the file above it. */
static inline int64_t query_utid(size_t file, int tid)
{
	return (int64_t)file << 32 | (uint32_t)tid;
}
/* The same for processes; tgid -1: unknown, 0: the kernel's idle task. */
static inline int64_t query_upid(size_t file, int tgid)
{
	return (int64_t)file << 32 | (uint32_t)tgid;
}
static inline size_t query_file_of(const struct query_trace *t, size_t source)
{
	return (size_t)(t->sources.list[source].file - t->in->files);
}
/* An event by its id, for its name and system; its format may not be parsed yet. */
static inline const struct event *query_event(const struct query_trace *t, size_t file, int id)
{
	struct formats *f = t->in->files[file].formats;

	return (unsigned)id < f->n_table && f->table[id] ? f->table[id] : formats_find(f, id);
}
/* Forgets all lanes that were built, and their memory. */
int query_trace_new_lanes(struct query_trace *t);
/* The name of a task, NUL-terminated; NULL: unknown. */
const char *query_comm(struct query_trace *t, size_t file, int tid);

#endif
