// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * aggtable.c - partial results as rows of a virtual table.
 *
 *	ts  cpu  utid  tid  comm  system  name  #n  #count0  #sum0  #min0  #max0  #real0  #count1 …
 *
 * A row is what a parallel scan has added up for one combination (foldscan.h): the columns by which
 * the statement groups, the number of events, and the measures. ts is the first time of the
 * combination, which stands for its quotient "ts / N". What is no part of the combination is NULL;
 * the statement does not use it. Rows come in the order of their combinations, so that sums of real
 * numbers do not depend on the number of threads.
 */
#include "query/fold/aggtable.h"

#include "base/array.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "query/eventchoice.h"
#include "query/fold/fold.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA_BYTES 2048

enum {
	COL_TS,
	COL_CPU,
	COL_UTID,
	COL_TID,
	COL_COMM,
	COL_SYSTEM,
	COL_NAME,
	COL_N,
	COL_MEASURES /* MEASURE_COLUMNS for each measure */
};
enum { MEASURE_COUNT, MEASURE_SUM, MEASURE_MIN, MEASURE_MAX, MEASURE_REAL, MEASURE_COLUMNS };

struct agg_vtab {
	sqlite3_vtab base; /* must be the first member */
	struct aggtable *table;
};

struct agg_cursor {
	sqlite3_vtab_cursor base; /* must be the first member */
	struct foldtable results;
	struct fold fold; /* rows in their order; n of a row is its number in results */
	bool is_counts;	  /* fold has numbers of events, and there are no measures */
	size_t row;
};

/* --- reading ---------------------------------------------------------------------------------- */

static bool is_row_condition(enum event_column_kind kind)
{
	return kind == COLUMN_CPU || kind == COLUMN_TID || kind == COLUMN_UTID ||
	       kind == COLUMN_COMM || kind == COLUMN_NAME || kind == COLUMN_SYSTEM;
}

ARRAY_ORDER(by_combination, struct fold_row,
	    COMPARE(x->file, y->file)
		    ?: COMPARE(x->bucket, y->bucket)
			       ?: COMPARE(x->cpu, y->cpu)
					  ?: COMPARE(x->tid, y->tid) ?: COMPARE(x->id, y->id))

/* Orders the rows, and drops those that do not match conditions on CPU, task and kind. */
static int take_rows(struct agg_cursor *c, struct aggtable *at)
{
	const struct aggregate *a = at->now;
	struct pushdown conditions = {0};

	c->fold.rows = calloc(c->results.n + 1, sizeof(*c->fold.rows));
	if (!c->fold.rows)
		return -ENOMEM;
	for (size_t i = 0; i < c->results.n; i++) {
		struct fold_row *row = &c->fold.rows[i];

		*row = c->results.rows[i];
		row->n = i;
		row->event = a->by_kind ? query_event(at->trace, row->file, row->id) : NULL;
		row->comm = a->by_task ? query_comm(at->trace, row->file, row->tid) : NULL;
	}
	c->fold.n = c->results.n;
	if (c->fold.n)
		qsort(c->fold.rows, c->fold.n, sizeof(*c->fold.rows), by_combination);
	for (size_t i = 0; i < a->conditions.n; i++)
		if (is_row_condition(a->columns.list[a->conditions.list[i].column].kind))
			conditions.list[conditions.n++] = a->conditions.list[i];
	fold_select(&c->fold, &a->columns, &conditions);
	return 0;
}

/* If only kinds matter, the counts of the file are there already, or are made faster. */
static bool needs_counts_only(const struct aggregate *a)
{
	return !a->by_cpu && !a->by_task && !a->bucket_ns && !a->n_measured &&
	       !ARRAY_ANY(a->conditions.n, i, ({
				  enum event_column_kind kind =
					  a->columns.list[a->conditions.list[i].column].kind;

				  kind != COLUMN_NAME &&kind != COLUMN_SYSTEM;
			  }));
}

static int scan_events(struct agg_cursor *c, struct aggtable *at, const struct scan_wants *wants)
{
	struct aggregate *a = at->now;
	const struct pushed *conditions[PUSHDOWN_MAX];
	struct fold_spec spec = {.by_cpu = a->by_cpu,
				 .by_task = a->by_task,
				 .by_kind = a->by_kind,
				 .bucket_ns = a->bucket_ns,
				 .columns = &a->columns,
				 .conditions = conditions,
				 .n_measured = a->n_measured};

	memcpy(spec.measured, a->measured, sizeof(spec.measured));
	for (size_t i = 0; i < a->conditions.n; i++)
		if (a->columns.list[a->conditions.list[i].column].kind == COLUMN_FIELD)
			conditions[spec.n_conditions++] = &a->conditions.list[i];
	if (a->by_task)
		TRY(query_trace_names(at->trace));
	TRY(foldscan_by(&c->results, at->trace, wants, &spec));
	return take_rows(c, at);
}

static int read_events(struct agg_cursor *c, struct aggtable *at)
{
	const struct aggregate *a = at->now;
	struct event_choice choice;
	int r = event_choice_init(&choice, &a->columns, a->system, a->event, &a->conditions);

	c->is_counts = needs_counts_only(a);
	if (r >= 0)
		r = c->is_counts ? fold_read(&c->fold, at->trace, &choice.wants, true, false)
				 : scan_events(c, at, &choice.wants);
	event_choice_release(&choice);
	return r;
}

static void cursor_clear(struct agg_cursor *c)
{
	foldtable_release(&c->results);
	fold_release(&c->fold);
	c->row = 0;
}

static int filter(sqlite3_vtab_cursor *base, int plan, const char *text, int argc,
		  sqlite3_value **argv)
{
	struct agg_cursor *c = (struct agg_cursor *)base;
	struct aggtable *at = ((struct agg_vtab *)base->pVtab)->table;
	int r;

	cursor_clear(c);
	r = at->now ? read_events(c, at) : 0;
	return r < 0 ? query_trace_fail(at->trace, r, "the events") : SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *base)
{
	((struct agg_cursor *)base)->row++;
	return SQLITE_OK;
}

static int eof(sqlite3_vtab_cursor *base)
{
	const struct agg_cursor *c = (const struct agg_cursor *)base;

	return c->row >= c->fold.n;
}

/* --- values ----------------------------------------------------------------------------------- */

static void result_measure(const struct fold_measure *m, int column, sqlite3_context *to)
{
	if (column == MEASURE_COUNT) {
		sqlite3_result_int64(to, (sqlite3_int64)m->n);
		return;
	}
	if (!m->n)
		return;
	switch (column) {
	case MEASURE_SUM:
		if (m->sum < INT64_MIN || m->sum > INT64_MAX)
			sqlite3_result_error(to, "integer overflow", -1); /* SQLite's words */
		else
			sqlite3_result_int64(to, (sqlite3_int64)m->sum);
		break;
	case MEASURE_MIN:
		sqlite3_result_int64(to, m->min);
		break;
	case MEASURE_MAX:
		sqlite3_result_int64(to, m->max);
		break;
	default:
		sqlite3_result_double(to, (double)m->sum);
	}
}

static void result_key(const struct aggregate *a, const struct fold_row *row, int column,
		       sqlite3_context *to)
{
	static const enum event_column_kind kinds[] = {
		[COL_CPU] = COLUMN_CPU,	  [COL_UTID] = COLUMN_UTID,	[COL_TID] = COLUMN_TID,
		[COL_COMM] = COLUMN_COMM, [COL_SYSTEM] = COLUMN_SYSTEM, [COL_NAME] = COLUMN_NAME};
	enum event_column_kind kind = kinds[column];

	if (column == COL_TS)
		sqlite3_result_int64(to, (sqlite3_int64)row->ts);
	else if (kind == COLUMN_CPU				? a->by_cpu
		 : kind == COLUMN_NAME || kind == COLUMN_SYSTEM ? a->by_kind
								: a->by_task)
		fold_result(row, kind, to);
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *to, int i)
{
	const struct agg_cursor *c = (const struct agg_cursor *)base;
	const struct aggtable *at = ((struct agg_vtab *)base->pVtab)->table;
	const struct fold_row *row = &c->fold.rows[c->row];
	size_t measure = i < COL_MEASURES ? 0 : (size_t)(i - COL_MEASURES) / MEASURE_COLUMNS;

	if (i < COL_N)
		result_key(at->now, row, i, to);
	else if (i == COL_N)
		sqlite3_result_int64(
			to, (sqlite3_int64)(c->is_counts ? row->n : c->results.rows[row->n].n));
	else if (measure < c->results.n_measures)
		result_measure(&c->results.measures[row->n * c->results.n_measures + measure],
			       (i - COL_MEASURES) % MEASURE_COLUMNS, to);
	return SQLITE_OK;
}

static int rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *ret)
{
	*ret = (sqlite3_int64)((const struct agg_cursor *)base)->row;
	return SQLITE_OK;
}

/* --- the table -------------------------------------------------------------------------------- */

static int connect(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **ret,
		   char **ret_error)
{
	struct agg_vtab *v = calloc(1, sizeof(*v));
	TEXTBUF(sql, SCHEMA_BYTES);
	int r;

	if (!v)
		return SQLITE_NOMEM;
	v->table = aux;
	textbuf_add_str(&sql, "CREATE TABLE x(ts INTEGER, cpu INTEGER, utid INTEGER, tid INTEGER, "
			      "comm TEXT, system TEXT, name TEXT, \"#n\" INTEGER");
	for (int i = 0; i < FOLD_MEASURES; i++)
		textbuf_addf(&sql,
			     ", \"#count%d\" INTEGER, \"#sum%d\" INTEGER, \"#min%d\" INTEGER, "
			     "\"#max%d\" INTEGER, \"#real%d\" REAL",
			     i, i, i, i, i);
	textbuf_add_str(&sql, ")");
	r = sql.overflow ? SQLITE_NOMEM : sqlite3_declare_vtab(db, textbuf_text(&sql));
	if (r != SQLITE_OK)
		free(v);
	else
		*ret = &v->base;
	return r;
}

static int disconnect(sqlite3_vtab *base)
{
	sqlite3_free(base->zErrMsg);
	free(base);
	return SQLITE_OK;
}

static const char *column_name(const void *ctx, size_t i)
{
	const struct event_columns *columns = ctx;

	return i < columns->n ? columns->list[i].name : "?";
}

/* "adds up events by CPU and kind, with all CPUs of this machine" */
static void fmt_how(const struct aggregate *a, struct textbuf *tb)
{
	const char *keys[4];
	size_t n = 0;

	if (a->by_cpu)
		keys[n++] = "CPU";
	if (a->by_task)
		keys[n++] = "task";
	if (a->by_kind)
		keys[n++] = "kind";
	if (a->bucket_ns)
		keys[n++] = "time";
	textbuf_add_str(tb, "adds up events");
	for (size_t i = 0; i < n; i++) {
		textbuf_add_str(tb, !i ? " by " : i + 1 < n ? ", " : " and ");
		textbuf_add_str(tb, keys[i]);
	}
	textbuf_add_str(tb, ", with all CPUs of this machine");
}

static int best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
	const struct aggregate *a = ((struct agg_vtab *)base)->table->now;
	TEXTBUF(plan, SCHEMA_BYTES);
	TEXTBUF(how, SCHEMA_BYTES);

	if (a) {
		pushdown_fmt(&a->conditions, &plan);
		fmt_how(a, &how);
		pushdown_add_words(&plan, textbuf_text(&how), column_name, &a->columns);
	}
	info->estimatedCost = 1000;
	info->idxStr = sqlite3_mprintf("%s", textbuf_text(&plan));
	info->needToFreeIdxStr = 1;
	return info->idxStr ? SQLITE_OK : SQLITE_NOMEM;
}

static int open_cursor(sqlite3_vtab *base, sqlite3_vtab_cursor **ret)
{
	struct agg_cursor *c = calloc(1, sizeof(*c));

	if (!c)
		return SQLITE_NOMEM;
	*ret = &c->base;
	return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
	cursor_clear((struct agg_cursor *)base);
	free(base);
	return SQLITE_OK;
}

static const sqlite3_module module = {
	.xConnect = connect,
	.xBestIndex = best_index,
	.xDisconnect = disconnect,
	.xOpen = open_cursor,
	.xClose = close_cursor,
	.xFilter = filter,
	.xNext = next,
	.xEof = eof,
	.xColumn = column,
	.xRowid = rowid,
};

int aggtable_register(struct aggtable *at, sqlite3 *db)
{
	return sqlite3_create_module_v2(db, AGGREGATE_TABLE, &module, at, NULL) == SQLITE_OK
		       ? 0
		       : -ENOMEM;
}
