// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * query.c - a database in memory whose tables are the trace, and statements run on it.
 *
 *	query_new   open ─▶ tables of events ─▶ computed tables ─▶ views ─▶ guard
 *	query_each_table, query_each_column, query_explain   what there is, and how it would be read
 *	query_run   prepare ─▶ step … ─▶ sink, statement by statement
 *
 * The database itself contains only views: names that Perfetto's queries use for what is here in
 * another table.
 */
#include "query/query.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/shortage.h"
#include "base/textbuf.h"
#include "inputs/inputs.h"
#include "query/argtable.h"
#include "query/eventtable.h"
#include "query/fold/aggregate.h"
#include "query/fold/aggtable.h"
#include "query/guard.h"
#include "query/tables/listtable.h"
#include "query/mistakes.h"
#include "query/shortcut.h"
#include "query/tables/tables.h"
#include "query/trace.h"
#include "query/views.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define COLUMNS_MAX	2000
#define STEPS_PER_CHECK 20000 /* instructions of SQLite between two looks at the clock */
#define EXPLAIN_DEPTH	16

struct query {
	sqlite3 *db;
	struct query_trace trace;
	struct event_tables *events;
	struct arg_table *args;
	struct aggtable folds;
	struct query_limits limits;
	struct query_stop stop;
	bool has_bounds;
	uint64_t start, end; /* of the trace */
	uint64_t deadline;   /* 0: none */
	bool is_late;
};

static const struct list_table *const families[] = {task_tables,     state_tables,  slice_tables,
						    counter_tables,  sample_tables, stack_tables,
						    function_tables, query_tables};

/* --- names of tables -------------------------------------------------------------------------- */

static void each_own_table(void (*visit)(void *to, const char *name), void *to)
{
	for (size_t i = 0; i < ARRAY_LEN(families); i++)
		for (const struct list_table *t = families[i]; t->name; t++)
			visit(to, t->name);
	for (size_t i = 0; i < query_n_views; i++)
		visit(to, query_views[i].name);
	visit(to, "event");
	visit(to, ARG_TABLE_NAME);
}

struct name_search {
	const char *name;
	bool found;
};

static void compare_name(void *to, const char *name)
{
	struct name_search *s = to;

	s->found |= !strcasecmp(s->name, name);
}

static bool is_taken(const char *name)
{
	struct name_search s = {name, false};

	each_own_table(compare_name, &s);
	return s.found;
}

static void each_table(void *ctx, void (*visit)(void *to, const char *name), void *to)
{
	const struct query *q = ctx;

	each_own_table(visit, to);
	event_tables_each(q->events, visit, to, false);
}

/* --- opening ---------------------------------------------------------------------------------- */

static bool is_due(void *ctx)
{
	struct query *q = ctx;

	if (q->stop.is_due && q->stop.is_due(q->stop.ctx))
		return true;
	q->is_late = q->deadline && clock_now_ns() > q->deadline;
	return q->is_late;
}

static int on_progress(void *ctx)
{
	return is_due(ctx);
}

/* --- trace_start(), trace_end() and trace_dur(), as Perfetto has them --- */

enum bound { BOUND_START, BOUND_END, BOUND_DUR };

static void result_bound(sqlite3_context *to, enum bound which)
{
	struct query *q = sqlite3_user_data(to);

	if (!q->has_bounds && !query_trace_bounds(&q->trace, &q->start, &q->end))
		return;
	q->has_bounds = true;
	sqlite3_result_int64(to, (sqlite3_int64)(which == BOUND_START ? q->start
						 : which == BOUND_END ? q->end
								      : q->end - q->start));
}

static void fn_start(sqlite3_context *to, int argc, sqlite3_value **argv)
{
	result_bound(to, BOUND_START);
}

static void fn_end(sqlite3_context *to, int argc, sqlite3_value **argv)
{
	result_bound(to, BOUND_END);
}

static void fn_dur(sqlite3_context *to, int argc, sqlite3_value **argv)
{
	result_bound(to, BOUND_DUR);
}

static int add_functions(struct query *q)
{
	static const struct {
		const char *name;
		void (*run)(sqlite3_context *to, int argc, sqlite3_value **argv);
	} list[] = {{"trace_start", fn_start}, {"trace_end", fn_end}, {"trace_dur", fn_dur}};

	for (size_t i = 0; i < ARRAY_LEN(list); i++)
		if (sqlite3_create_function(q->db, list[i].name, 0,
					    SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
					    q, list[i].run, NULL, NULL) != SQLITE_OK)
			return -ENOMEM;
	return 0;
}

static int add_tables(struct query *q)
{
	TRY(event_tables_new(&q->events, &q->trace, q->db, is_taken));
	TRY(arg_table_new(&q->args, &q->trace, q->db));
	TRY(add_functions(q));
	q->folds.trace = &q->trace;
	TRY(aggtable_register(&q->folds, q->db));
	for (size_t i = 0; i < ARRAY_LEN(families); i++)
		for (const struct list_table *t = families[i]; t->name; t++)
			TRY(list_table_register(q->db, &q->trace, t));
	for (size_t i = 0; i < query_n_views; i++) {
		char *sql = sqlite3_mprintf("CREATE VIEW \"%w\" AS %s", query_views[i].name,
					    query_views[i].sql);
		int r = sql ? sqlite3_exec(q->db, sql, NULL, NULL, NULL) : SQLITE_NOMEM;

		sqlite3_free(sql);
		if (r != SQLITE_OK)
			return -ENOMEM;
	}
	return 0;
}

int query_new(struct query **ret, struct inputs *in, const struct query_limits *limits,
	      const struct query_stop *stop, struct errmsg *err)
{
	struct query *q = calloc(1, sizeof(*q));
	uint64_t memory;
	int r;

	if (!q)
		return errmsg_set_errno(err, -ENOMEM, "cannot query the trace");
	q->limits = *limits;
	if (stop)
		q->stop = *stop;
	memory = limits->memory_bytes ? limits->memory_bytes : QUERY_MEMORY_BYTES;
	r = query_trace_init(&q->trace, in, err);
	q->trace.stop = (struct query_stop){is_due, q};
	q->trace.list_max_bytes = memory;
	if (r >= 0 &&
	    sqlite3_open_v2(":memory:", &q->db,
			    SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE,
			    NULL) != SQLITE_OK)
		r = -ENOMEM;
	q->trace.db = q->db;
	if (r >= 0)
		r = add_tables(q);
	if (r >= 0)
		r = guard_lock(q->db, memory);
	if (r < 0) {
		query_free(q);
		return errmsg_set_errno(err, r, "cannot query the trace");
	}
	sqlite3_progress_handler(q->db, STEPS_PER_CHECK, on_progress, q);
	*ret = q;
	return 0;
}

void query_free(struct query *q)
{
	if (!q)
		return;
	sqlite3_close(q->db);
	event_tables_free(q->events);
	arg_table_free(q->args);
	query_trace_release(&q->trace);
	sqlite3_hard_heap_limit64(0);
	free(q);
}

/* --- running ---------------------------------------------------------------------------------- */

static void read_cell(sqlite3_stmt *st, int i, struct query_cell *cell)
{
	*cell = (struct query_cell){0};
	switch (sqlite3_column_type(st, i)) {
	case SQLITE_NULL:
		return;
	case SQLITE_INTEGER:
		cell->kind = CELL_INTEGER;
		cell->integer = sqlite3_column_int64(st, i);
		return;
	case SQLITE_FLOAT:
		cell->kind = CELL_REAL;
		cell->real = sqlite3_column_double(st, i);
		break;
	case SQLITE_BLOB:
		cell->kind = CELL_BLOB;
		cell->text = sqlite3_column_blob(st, i);
		cell->len = (size_t)sqlite3_column_bytes(st, i);
		return;
	default:
		cell->kind = CELL_TEXT;
	}
	cell->text = (const char *)sqlite3_column_text(st, i);
	cell->len = (size_t)sqlite3_column_bytes(st, i);
}

static int give_columns(sqlite3_stmt *st, const struct query_sink *sink, int n)
{
	const char **names = calloc((size_t)n + 1, sizeof(*names));
	int r;

	if (!names)
		return -ENOMEM;
	for (int i = 0; i < n; i++)
		names[i] = sqlite3_column_name(st, i) ?: "?";
	r = sink->columns(sink->ctx, names, (size_t)n);
	free(names);
	return r;
}

/*
 * Steps through a statement; the columns have the names of another one. Returns SQLite's code;
 * *ret_sink: a failure of the sink.
 */
static int step(sqlite3_stmt *st, sqlite3_stmt *named, const struct query_sink *sink, int *ret_sink)
{
	int n = sqlite3_column_count(st), code;
	struct query_cell *cells;

	*ret_sink = n ? give_columns(named, sink, n) : 0;
	if (*ret_sink < 0)
		return SQLITE_ERROR;
	cells = calloc((size_t)n + 1, sizeof(*cells));
	if (!cells) {
		*ret_sink = -ENOMEM;
		return SQLITE_ERROR;
	}
	while ((code = sqlite3_step(st)) == SQLITE_ROW && *ret_sink >= 0) {
		for (int i = 0; i < n; i++)
			read_cell(st, i, &cells[i]);
		*ret_sink = sink->row(sink->ctx, cells, (size_t)n);
		if (*ret_sink < 0)
			break;
	}
	free(cells);
	if (n) {
		int r = sink->end(sink->ctx);

		*ret_sink = *ret_sink < 0 ? *ret_sink : r;
	}
	return *ret_sink < 0 ? SQLITE_ERROR : code;
}

static int fail(struct query *q, int code, const char *text, size_t at, struct errmsg *err)
{
	struct errmsg_spot spot = {.reason = QUERY_TOO_LONG};

	if (q->is_late)
		return errmsg_set_spot(err, -EINTR, &spot,
				       "the query took longer than %.3g s; allow more with --limit "
				       "time=TIME",
				       (double)q->limits.time_ns / 1e9);
	if (q->trace.err.code) { /* a table failed, and knows why */
		*err = q->trace.err;
		q->trace.err = (struct errmsg){0};
		return errmsg_code(err);
	}
	return mistake_tell(q->db, code, text, at, each_table, q, err);
}

/*
 * Steps through a statement, or through one with the same result that is read with all CPUs. len:
 * of its text.
 */
static int step_fast(struct query *q, const char *sql, size_t len, sqlite3_stmt *st,
		     const struct query_sink *sink, int *ret_sink)
{
	struct aggregate *a = NULL;
	sqlite3_stmt *fast = NULL;
	int code;

	if (aggregate_new(&a, &q->trace, q->events, sql, len) < 0)
		return SQLITE_NOMEM;
	q->folds.now = a;
	if (a && (sqlite3_prepare_v2(q->db, a->sql, -1, &fast, NULL) != SQLITE_OK ||
		  sqlite3_column_count(fast) != sqlite3_column_count(st))) {
		sqlite3_finalize(fast);
		fast = NULL;
	}
	code = step(fast ? fast : st, st, sink, ret_sink);
	sqlite3_finalize(fast);
	q->folds.now = NULL;
	aggregate_free(a);
	return code;
}

/* Runs the statement at *at, and moves *at behind it. */
static int run_statement(struct query *q, const char *sql, const char **at,
			 const struct query_sink *sink, struct errmsg *err)
{
	sqlite3_stmt *st = NULL;
	const char *rest = *at, *tail;
	char *shortcut = shortcut_find(q->events, *at, &rest);
	int r = 0, sink_error = 0,
	    code = sqlite3_prepare_v2(q->db, shortcut ? shortcut : *at, -1, &st,
				      shortcut ? &tail : &rest);

	if (code == SQLITE_OK && st)
		code = shortcut ? step(st, st, sink, &sink_error)
				: step_fast(q, *at, (size_t)(rest - *at), st, sink, &sink_error);
	if (sink_error < 0)
		r = errmsg_set_errno(err, sink_error, "cannot write the result");
	else if (code != SQLITE_OK && code != SQLITE_DONE)
		r = fail(q, code, sql, (size_t)(*at - sql), err);
	sqlite3_finalize(st);
	sqlite3_free(shortcut);
	/* after a refused allocation a text may be missing */
	if (r >= 0 && shortage_pending())
		return errmsg_set_errno(err, -ENOMEM, "cannot query the trace");
	*at = rest;
	return r;
}

int query_run(struct query *q, const char *sql, const struct query_sink *sink, struct errmsg *err)
{
	q->is_late = false;
	q->trace.err = (struct errmsg){0};
	q->trace.n_walked = 0;
	q->deadline = q->limits.time_ns ? clock_now_ns() + q->limits.time_ns : 0;
	for (const char *s = sql, *included; *s;) {
		included = views_skip_include(s);
		if (included)
			s = included;
		else
			TRY(run_statement(q, sql, &s, sink, err));
	}
	return 0;
}

uint64_t query_progress(const struct query *q, uint64_t *ret_all)
{
	*ret_all = q->trace.n_guess;
	return q->trace.n_walked;
}

bool query_is_complete(const char *sql)
{
	return sqlite3_complete(sql);
}

/* --- what there is ---------------------------------------------------------------------------- */

struct visit_events {
	void (*visit)(void *ctx, const char *name, const char *what);
	void *ctx;
};

static void visit_event(void *to, const char *name)
{
	const struct visit_events *v = to;

	v->visit(v->ctx, name, strcmp(name, "event") ? NULL : "all events, in the order of time");
}

int query_each_table(struct query *q, bool all_kinds,
		     void (*visit)(void *ctx, const char *name, const char *what), void *ctx)
{
	struct visit_events v = {visit, ctx};

	for (size_t i = 0; i < ARRAY_LEN(families); i++)
		for (const struct list_table *t = families[i]; t->name; t++)
			visit(ctx, t->name, t->what);
	for (size_t i = 0; i < query_n_views; i++)
		visit(ctx, query_views[i].name, query_views[i].what);
	visit(ctx, ARG_TABLE_NAME, ARG_TABLE_WHAT);
	return event_tables_each(q->events, visit_event, &v, !all_kinds);
}

int query_each_column(struct query *q, const char *table,
		      void (*visit)(void *ctx, const char *name, const char *type,
				    bool is_argument),
		      void *ctx)
{
	sqlite3_stmt *st = NULL;
	bool any = false;
	char *sql = sqlite3_mprintf("PRAGMA table_xinfo(%Q)", table);
	int code = sql ? sqlite3_prepare_v2(q->db, sql, -1, &st, NULL) : SQLITE_NOMEM;

	sqlite3_free(sql);
	while (code == SQLITE_OK && sqlite3_step(st) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(st, 1);
		const char *type = (const char *)sqlite3_column_text(st, 2);

		any = true;
		visit(ctx, name ? name : "?", type ? type : "", sqlite3_column_int(st, 6) == 1);
	}
	sqlite3_finalize(st);
	return code == SQLITE_NOMEM ? -ENOMEM : any ? 0 : -ENOENT;
}

/* --- how it would be read --------------------------------------------------------------------- */

/*
 * A step of SQLite's plan: "SCAN e VIRTUAL TABLE INDEX 0:F1>=|reads events …" becomes "e: reads
 * events …". What follows the | is from pushdown_add_words().
 */
static void fmt_step(const char *detail, int depth, struct textbuf *tb)
{
	const char *words = strchr(detail, '|');
	const char *name = strchr(detail, ' '), *end = name ? strstr(name, " VIRTUAL TABLE") : NULL;

	textbuf_add_fill(tb, ' ', (size_t)depth * 2);
	if (words && end)
		textbuf_addf(tb, "%.*s: %s\n", (int)(end - name - 1), name + 1, words + 1);
	else
		textbuf_addf(tb, "SQLite: %s\n", detail);
}

static void fmt_plan(sqlite3_stmt *st, struct textbuf *tb)
{
	int parents[EXPLAIN_DEPTH] = {0}, depth = 0; /* numbers of the steps around this one */

	while (sqlite3_step(st) == SQLITE_ROW) {
		int parent = sqlite3_column_int(st, 1);
		const char *detail = (const char *)sqlite3_column_text(st, 3);

		while (depth && parents[depth] != parent)
			depth--;
		fmt_step(detail ? detail : "", depth, tb);
		if (depth + 1 < EXPLAIN_DEPTH)
			parents[++depth] = sqlite3_column_int(st, 0);
	}
}

/* Prepares the plan of a text, or of what runs instead. *ret: SQLite's code. */
static sqlite3_stmt *prepare_plan(struct query *q, const char *sql, const char *instead, int *ret)
{
	sqlite3_stmt *st = NULL;
	char *text = sqlite3_mprintf("EXPLAIN QUERY PLAN %s", instead ? instead : sql);

	*ret = text ? sqlite3_prepare_v2(q->db, text, -1, &st, NULL) : SQLITE_NOMEM;
	sqlite3_free(text);
	return st;
}

int query_explain(struct query *q, const char *sql, struct textbuf *tb, struct errmsg *err)
{
	const char *rest;
	char *shortcut = shortcut_find(q->events, sql, &rest);
	sqlite3_stmt *st = NULL;
	int code = SQLITE_ERROR, r = 0;

	if (shortcut)
		textbuf_add_str(tb, "event_kind has this number\n");
	else if (aggregate_new(&q->folds.now, &q->trace, q->events, sql, strlen(sql)) > 0)
		st = prepare_plan(q, sql, q->folds.now->sql, &code);
	if (code != SQLITE_OK)
		st = prepare_plan(q, sql, shortcut, &code);
	if (code == SQLITE_OK && st) {
		fmt_plan(st, tb);
	} else if (code == SQLITE_OK || code == SQLITE_NOMEM) {
		r = errmsg_set(err, code == SQLITE_OK ? -EINVAL : -ENOMEM,
			       "there is no query to explain");
	} else {
		/* again, for the place in the text that was typed */
		sqlite3_prepare_v2(q->db, sql, -1, &st, NULL);
		r = mistake_tell(q->db, code, sql, 0, each_table, q, err);
	}
	sqlite3_finalize(st);
	sqlite3_free(shortcut);
	aggregate_free(q->folds.now);
	q->folds.now = NULL;
	return r;
}
