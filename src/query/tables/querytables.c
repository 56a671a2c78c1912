// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * querytables.c - table functions whose arguments are queries, as texts.
 *
 *	interval_intersect(a, b)   a and b select id, ts, dur: where rows of both overlap
 *	histogram(q)               q selects a number: how many lie between powers of two
 *
 * The inner query runs on the same database, with the same rights and limits. interval_intersect()
 * sorts both lists by time and keeps those rows of b that have not ended, so that it costs as much
 * as it returns; two lists of a million rows take a second.
 */
#include "query/tables/tables.h"

#include "base/array.h"
#include "base/scope.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define INTERVALS_MAX (32u << 20)

struct interval {
	int64_t id, ts, end;
};

struct intervals {
	struct interval *list;
	size_t n, cap;
};

/* Prepares the query of an argument. */
static int prepare(struct query_trace *t, const struct pushed_value *v, int n_columns,
		   const char *usage, sqlite3_stmt **ret)
{
	*ret = NULL;
	if (!v || !v->is_text)
		return errmsg_set(&t->err, -EINVAL, "the arguments of the function are %s", usage);
	if (sqlite3_prepare_v2(t->db, v->text, (int)v->len, ret, NULL) != SQLITE_OK || !*ret)
		return errmsg_set(&t->err, -EINVAL, "the query in %s is wrong: %s", usage,
				  sqlite3_errmsg(t->db));
	if (sqlite3_column_count(*ret) == n_columns)
		return 0;
	sqlite3_finalize(*ret);
	return errmsg_set(&t->err, -EINVAL, "the query in %s must have %d column%s", usage,
			  n_columns, n_columns == 1 ? "" : "s");
}

static int finish(struct query_trace *t, sqlite3_stmt *st, int code, int r)
{
	if (r >= 0 && code != SQLITE_DONE && code != SQLITE_ROW)
		r = code == SQLITE_INTERRUPT
			    ? -EINTR
			    : errmsg_set(&t->err, -EINVAL, "an inner query failed: %s",
					 sqlite3_errmsg(t->db));
	sqlite3_finalize(st);
	return r;
}

ARRAY_ORDER(by_time, struct interval, COMPARE(x->ts, y->ts) ?: COMPARE(x->id, y->id))

static int read_intervals(struct intervals *l, struct query_trace *t, const struct pushed_value *v)
{
	sqlite3_stmt *st;
	int code = SQLITE_DONE, r = 0;

	TRY(prepare(t, v, 3, "interval_intersect('SELECT id, ts, dur …', 'SELECT id, ts, dur …')",
		    &st));
	while (r >= 0 && (code = sqlite3_step(st)) == SQLITE_ROW) {
		int64_t ts = sqlite3_column_int64(st, 1), dur = sqlite3_column_int64(st, 2), end;

		if (dur < 0 || __builtin_add_overflow(ts, dur, &end))
			continue;
		if (ARRAY_ROOM(l->list, l->cap, l->n + 1, INTERVALS_MAX))
			l->list[l->n++] = (struct interval){sqlite3_column_int64(st, 0), ts, end};
		else
			r = -ENOSPC;
	}
	r = finish(t, st, code, r);
	if (r >= 0 && l->n)
		qsort(l->list, l->n, sizeof(*l->list), by_time);
	return r;
}

/* Adds the overlaps of a with the open ones of b; drops those that ended. */
static int add_overlaps(struct list_rows *rows, const struct interval *a, const struct interval *b,
			size_t *open, size_t *n_open, bool is_swapped)
{
	size_t kept = 0;
	int r = 0;

	for (size_t i = 0; i < *n_open; i++) {
		const struct interval *o = &b[open[i]];
		int64_t end = o->end < a->end ? o->end : a->end;

		if (o->end <= a->ts)
			continue;
		open[kept++] = open[i];
		if (r >= 0 && end > a->ts)
			r = list_add(rows,
				     (int64_t[]){a->ts, end - a->ts, is_swapped ? o->id : a->id,
						 is_swapped ? a->id : o->id});
	}
	*n_open = kept;
	return r;
}

static int intersect(struct list_rows *rows, const struct intervals *a, const struct intervals *b)
{
	SCOPED(scope_free) size_t *open_a = calloc(a->n + 1, sizeof(*open_a));
	SCOPED(scope_free) size_t *open_b = calloc(b->n + 1, sizeof(*open_b));
	size_t n_a = 0, n_b = 0, i = 0, k = 0;

	if (!open_a || !open_b)
		return -ENOMEM;
	while (i < a->n || k < b->n)
		if (k == b->n || (i < a->n && a->list[i].ts <= b->list[k].ts)) {
			TRY(add_overlaps(rows, &a->list[i], b->list, open_b, &n_b, false));
			open_a[n_a++] = i++;
		} else {
			TRY(add_overlaps(rows, &b->list[k], a->list, open_a, &n_a, true));
			open_b[n_b++] = k++;
		}
	return 0;
}

static int fill_intersect(struct list_rows *rows, const struct list_args *args)
{
	struct intervals a = {0}, b = {0};
	int r = read_intervals(&a, rows->trace, args->values[0]);

	if (r >= 0)
		r = read_intervals(&b, rows->trace, args->values[1]);
	if (r >= 0)
		r = intersect(rows, &a, &b);
	free(a.list);
	free(b.list);
	return r;
}

/* --- histogram -------------------------------------------------------------------------------- */

static int fill_histogram(struct list_rows *rows, const struct list_args *args)
{
	struct query_trace *t = rows->trace;
	uint64_t counts[65] = {0};
	sqlite3_stmt *st;
	int code;

	TRY(prepare(t, args->values[0], 1, "histogram('SELECT …')", &st));
	while ((code = sqlite3_step(st)) == SQLITE_ROW) {
		int64_t v = sqlite3_column_int64(st, 0);

		/* bucket 0 has what is not above 0; bucket n has 2^(n-1) up to 2^n - 1 */
		if (sqlite3_column_type(st, 0) != SQLITE_NULL)
			counts[v > 0 ? 64 - __builtin_clzll((uint64_t)v) : 0]++;
	}
	TRY(finish(t, st, code, 0));
	for (int i = 0; i < 64; i++)
		if (counts[i])
			TRY(list_add(rows, (int64_t[]){i ? INT64_C(1) << (i - 1) : 0,
						       i == 63 ? INT64_MAX : INT64_C(1) << i,
						       (int64_t)counts[i]}));
	return 0;
}

const struct list_table query_tables[] = {
	{.name = "interval_intersect",
	 .columns = {{"ts", LIST_INTEGER},
		     {"dur", LIST_INTEGER},
		     {"id_0", LIST_INTEGER},
		     {"id_1", LIST_INTEGER},
		     {"query_0", LIST_ARGUMENT},
		     {"query_1", LIST_ARGUMENT}},
	 .fill = fill_intersect,
	 .sorted = 0,
	 .what = "where rows of two queries overlap: interval_intersect('SELECT id, ts, dur …', "
		 "…)"},
	{.name = "histogram",
	 .columns = {{"value_from", LIST_INTEGER},
		     {"value_to", LIST_INTEGER},
		     {"count", LIST_INTEGER},
		     {"query", LIST_ARGUMENT}},
	 .fill = fill_histogram,
	 .sorted = 0,
	 .what = "numbers of a query between powers of two: histogram('SELECT dur …')"},
	{0},
};
