// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * queries.c - libsonde: SQL over a trace, by query/query.h.
 *
 * The database of a trace is kept for the next query, with what it has learned: names of tasks,
 * counts, the index. It is made anew if the limits differ.
 */
#include "base/errmsg.h"
#include "library/library_int.h"
#include "query/query.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CELLS_MAX 2000 /* SQLite's own limit of columns */

struct answering {
	const struct sonde_rows *rows;
	struct sonde_cell *cells;
	size_t cap;
	int result; /* of a callback that ended the query */
};

static enum sonde_type type_of(enum cell_kind kind)
{
	static const enum sonde_type types[] = {[CELL_NULL] = SONDE_NULL,
						[CELL_INTEGER] = SONDE_INTEGER,
						[CELL_REAL] = SONDE_REAL,
						[CELL_TEXT] = SONDE_TEXT,
						[CELL_BLOB] = SONDE_BYTES};

	return types[kind];
}

static int on_columns(void *ctx, const char *const *names, size_t n)
{
	struct answering *a = ctx;

	if (n > a->cap) {
		struct sonde_cell *more =
			n > CELLS_MAX ? NULL : realloc(a->cells, n * sizeof(*more));

		if (!more)
			return -ENOMEM;
		a->cells = more;
		a->cap = n;
	}
	if (a->rows->columns)
		a->result = a->rows->columns(a->rows->ctx, names, n);
	return a->result ? -ECANCELED : 0;
}

static int on_row(void *ctx, const struct query_cell *cells, size_t n)
{
	struct answering *a = ctx;

	for (size_t i = 0; i < n; i++)
		a->cells[i] = (struct sonde_cell){.type = type_of(cells[i].kind),
						  .integer = cells[i].integer,
						  .real = cells[i].real,
						  .text = cells[i].text,
						  .len = cells[i].len};
	if (a->rows->row)
		a->result = a->rows->row(a->rows->ctx, a->cells, n);
	return a->result ? -ECANCELED : 0;
}

static int on_end(void *ctx)
{
	return 0;
}

static bool is_due(void *ctx)
{
	const struct sonde_trace *t = ctx;

	return t->rows && t->rows->is_stopped && t->rows->is_stopped(t->rows->ctx);
}

static int prepare(struct sonde_trace *t, const struct sonde_rows *rows, struct errmsg *err)
{
	struct query_limits limits = {rows->time_ns, rows->memory_bytes};

	if (t->query && t->limits.time_ns == limits.time_ns &&
	    t->limits.memory_bytes == limits.memory_bytes)
		return 0;
	query_free(t->query);
	t->query = NULL;
	t->limits = limits;
	return query_new(&t->query, &t->in, &limits, &(struct query_stop){is_due, t}, err);
}

PUBLIC int sonde_sql(struct sonde_trace *t, const char *sql, const struct sonde_rows *rows,
		     struct sonde_error *error)
{
	struct sonde_rows all = {0};
	struct answering a = {.rows = &all};
	struct query_sink sink = {&a, on_columns, on_row, on_end};
	struct errmsg err = {0};
	int r;

	if (rows->size < sizeof(rows->size) || rows->size > 4096)
		return library_fail(
			error, &err,
			errmsg_set(&err, -EINVAL, "the size of struct sonde_rows is not set"));
	memcpy(&all, rows, rows->size < sizeof(all) ? rows->size : sizeof(all));
	r = prepare(t, &all, &err);
	if (r >= 0) {
		t->rows = &all;
		r = query_run(t->query, sql, &sink, &err);
		t->rows = NULL;
	}
	free(a.cells);
	if (a.result)
		return a.result;
	return r < 0 ? library_fail(error, &err, r) : 0;
}
