/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * listtable.h - tables whose rows are computed once and kept: threads, states, slices.
 *
 * A table is a row of a list: its name, its columns, and a function that fills it when a query
 * first reads it. Conditions that compare a column of numbers with one value use an index, which is
 * made when it is first needed; so joins on utid or id are fast.
 *
 * A table function is the same with arguments: hidden columns, whose values fill() gets. Its rows
 * are computed for each use.
 */
#ifndef SONDE_QUERY_LISTTABLE_H
#define SONDE_QUERY_LISTTABLE_H

#include "analyse/namepool.h"
#include "query/pushdown.h"
#include "query/trace.h"

#define LIST_COLUMNS_MAX 24
#define LIST_ARGS_MAX	 4
#define LIST_NULL	 INT64_MIN /* in a column of numbers */

enum list_type { LIST_END, LIST_INTEGER, LIST_TEXT, LIST_REAL, LIST_ARGUMENT };

struct list_column {
	const char *name;
	enum list_type type;
};

struct list_rows {
	struct query_trace *trace;
	int64_t *cells; /* texts are pointers; real numbers by their bits */
	size_t n, cap;	/* rows */
	size_t n_columns;
	struct namepool names;
	bool is_full;			     /* a text did not fit: the next list_add() fails */
	uint32_t *indexes[LIST_COLUMNS_MAX]; /* rows by a column's number; NULL: not made yet */
};

struct list_args {
	const struct pushed_value *values[LIST_ARGS_MAX]; /* NULL: not given */
};

struct list_table {
	const char *name;
	struct list_column columns[LIST_COLUMNS_MAX + 1];
	/* Adds all rows, in the order of `sorted`. Returns 0 or a negative errno. */
	int (*fill)(struct list_rows *rows, const struct list_args *args);
	int sorted;	  /* the column by which fill() sorts, ascending; -1: none */
	const char *what; /* for the help */
};

/* Registers a table. A NULL-terminated list stays valid. */
int list_table_register(sqlite3 *db, struct query_trace *t, const struct list_table *table);

/*
 * Adds a row of n_columns cells. -ENOSPC: the memory for tables is used up; -EINTR: the query is to
 * end.
 */
int list_add(struct list_rows *rows, const int64_t *cells);
/* Sorts all rows by a column of numbers, and numbers them from 0 in the column id. */
int list_sort(struct list_rows *rows, size_t column, size_t id);
/* A cell with a copy of the text, which exists once. NULL gives SQL's NULL. */
int64_t list_text(struct list_rows *rows, const char *text);
int64_t list_text_len(struct list_rows *rows, const char *text, size_t len);
/* A cell with a text that stays valid by itself. */
static inline int64_t list_static(const char *text)
{
	return (int64_t)(intptr_t)text;
}
int64_t list_real(double v);

#endif
