/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * query.h - SQL over opened traces. Nothing is imported: the tables read the trace itself.
 *
 *	query_new ─▶ query_run … ─▶ query_free
 *
 * A query can only read: it cannot write, attach other files or load code (guard.c). Only one
 * thread may use it at a time; query_interrupt() may come from a signal handler.
 */
#ifndef SONDE_QUERY_QUERY_H
#define SONDE_QUERY_QUERY_H

#include "base/errmsg.h"
#include "base/scope.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct inputs;
struct query;
struct textbuf;

enum cell_kind { CELL_NULL, CELL_INTEGER, CELL_REAL, CELL_TEXT, CELL_BLOB };

struct query_cell {
	enum cell_kind kind;
	int64_t integer;
	double real;
	const char *text; /* of all kinds but CELL_NULL; valid during the callback */
	size_t len;
};

struct query_sink {
	void *ctx;
	/* Before the rows of each statement that has any. Negative: ends the query. */
	int (*columns)(void *ctx, const char *const *names, size_t n);
	int (*row)(void *ctx, const struct query_cell *cells, size_t n);
	/* After the rows of a statement, also if it failed after columns(). */
	int (*end)(void *ctx);
};

struct query_limits {
	uint64_t time_ns;      /* 0: none */
	uint64_t memory_bytes; /* 0: QUERY_MEMORY_BYTES */
};
#define QUERY_MEMORY_BYTES (1u << 30)

/* Asked from time to time; true ends the query. */
struct query_stop {
	bool (*is_due)(void *ctx);
	void *ctx;
};

/* Why a query ended early: errmsg.reason. */
enum query_reason {
	QUERY_WRONG = 1,
	QUERY_INTERRUPTED,
	QUERY_TOO_LONG,
	QUERY_TOO_BIG,
	QUERY_REFUSED
};

/* in must stay open. stop may be NULL. */
int query_new(struct query **ret, struct inputs *in, const struct query_limits *limits,
	      const struct query_stop *stop, struct errmsg *err);
void query_free(struct query *q);
SCOPED_POINTER(struct query, query_free)

/*
 * Runs all statements of the text. Returns 0, -EINVAL for a wrong query, -EINTR if it was stopped,
 * -EPERM if it is not allowed, or another negative errno, with a sentence.
 */
int query_run(struct query *q, const char *sql, const struct query_sink *sink, struct errmsg *err);

/*
 * How many events the present query has read, and how many the trace has, about. An event counts
 * each time that it is read.
 */
uint64_t query_progress(const struct query *q, uint64_t *ret_all);

/* Is the text a whole statement, with its semicolon? */
bool query_is_complete(const char *sql);

/*
 * Visits the tables: those of events that occur (or of all kinds), and all computed ones. what: a
 * sentence about it; NULL for an event. Returns 0 or a negative errno.
 */
int query_each_table(struct query *q, bool all_kinds,
		     void (*visit)(void *ctx, const char *name, const char *what), void *ctx);
/* Visits the columns of a table. -ENOENT: there is no such table. is_argument: of a function. */
int query_each_column(struct query *q, const char *table,
		      void (*visit)(void *ctx, const char *name, const char *type,
				    bool is_argument),
		      void *ctx);
/*
 * Writes what the first statement of the text would do, a line for each step: which conditions and
 * orders the tables take, and what is left to SQLite.
 */
int query_explain(struct query *q, const char *sql, struct textbuf *tb, struct errmsg *err);

#endif
