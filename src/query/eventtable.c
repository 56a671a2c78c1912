// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * eventtable.c - events as virtual tables of SQLite.
 *
 * A cursor works in one of three ways, which the planner chooses in best_index():
 *
 *	scan   (scan.h)  records in the order of time; conditions on time, CPU and kind decide what
 *	                 is read at all, other conditions are tested before SQLite sees the row
 *	fold   (fold.h)  if the query uses only CPU, task and kind: counted rows, each returned as
 *	                 often as it occurs
 *	find   (finder.h)  one record by its id: joins of other tables with their events
 *
 * "GROUP BY comm" over 20 million events would otherwise be sorted by SQLite, at 1.5 million rows a
 * second.
 *
 * The tables are eponymous: SQLite asks for the columns when a query first names one, so that two
 * thousand descriptions of events cost nothing.
 */
#include "query/eventtable.h"

#include "analyse/tally.h"
#include "base/array.h"
#include "base/scope.h"
#include "decode/formats/formats.h"
#include "format/bytes.h"
#include "query/eventchoice.h"
#include "query/eventcolumns.h"
#include "query/finder.h"
#include "query/fold/fold.h"
#include "query/pushdown.h"
#include "query/scan.h"
#include "store/tracefile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PLAN_MAX_BYTES	4096
#define PLAN_FOLD	1 /* idxNum */
#define PLAN_FOLD_KINDS 2
#define PLAN_FIND	3

struct event_module { /* a table's name and what it shows */
	struct query_trace *trace;
	const char *system, *event; /* NULL: all events */
	const char *name;
};

struct event_tables {
	struct event_module *list;
	size_t n;
};

struct event_vtab {
	sqlite3_vtab base; /* must be the first member */
	struct query_trace *trace;
	struct event_columns columns;
	const char *system, *event;
};

struct event_cursor {
	sqlite3_vtab_cursor base; /* must be the first member */
	bool is_fold, is_find, at_end;
	struct finder *finder; /* kept from one filter() to the next */
	struct pushdown pushed;
	struct scan scan;
	struct event_choice choice;
	struct fold fold;
	size_t row;
	uint64_t nth, rowid; /* fold: how often the row was returned */
};

/* --- connecting ------------------------------------------------------------------------------- */

static void vtab_free(struct event_vtab *v)
{
	event_columns_release(&v->columns);
	sqlite3_free(v->base.zErrMsg);
	free(v);
}

static int connect(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **ret,
		   char **ret_error)
{
	const struct event_module *m = aux;
	struct event_vtab *v = calloc(1, sizeof(*v));
	TEXTBUF(sql, 1u << 20);
	int r;

	if (!v)
		return SQLITE_NOMEM;
	v->trace = m->trace;
	v->system = m->system;
	v->event = m->event;
	r = event_columns_init(&v->columns, m->trace, m->system, m->event);
	if (r >= 0) {
		event_columns_fmt(&v->columns, &sql);
		sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
		r = sqlite3_declare_vtab(db, textbuf_text(&sql));
	} else {
		r = r == -ENOMEM ? SQLITE_NOMEM : SQLITE_ERROR;
	}
	if (r != SQLITE_OK) {
		*ret_error = sqlite3_mprintf("%s", sqlite3_errmsg(db));
		vtab_free(v);
		return r;
	}
	*ret = &v->base;
	return SQLITE_OK;
}

static int disconnect(sqlite3_vtab *base)
{
	vtab_free((struct event_vtab *)base);
	return SQLITE_OK;
}

/* --- planning --------------------------------------------------------------------------------- */

static bool can_push(void *ctx, int column, enum pushdown_op op)
{
	const struct event_vtab *v = ctx;
	const struct event_column *c = &v->columns.list[column];

	switch (c->kind) {
	case COLUMN_ID:
	case COLUMN_TS:
		return op != PUSH_NE && op != PUSH_IN;
	case COLUMN_CPU:
	case COLUMN_UTID:
	case COLUMN_TID:
	case COLUMN_RAW:
		return true;
	case COLUMN_COMM:
	case COLUMN_SYSTEM:
	case COLUMN_NAME:
		return op == PUSH_EQ || op == PUSH_IN || op == PUSH_NE;
	case COLUMN_FIELD:
		if (c->places[0].form == FORM_INTEGER)
			return true;
		return c->places[0].form == FORM_STRING && (op == PUSH_EQ || op == PUSH_IN);
	default:
		return false;
	}
}

/* The columns of these kinds, as bits of colUsed. */
static uint64_t mask_of(const struct event_columns *c, bool (*is)(enum event_column_kind))
{
	uint64_t mask = 0;

	for (size_t i = 0; i < c->n && i < 63; i++)
		if (is(c->list[i].kind))
			mask |= UINT64_C(1) << i;
	return mask;
}

static bool is_kind_column(enum event_column_kind kind)
{
	return kind == COLUMN_SYSTEM || kind == COLUMN_NAME;
}

static bool is_id(enum event_column_kind kind)
{
	return kind == COLUMN_ID;
}

static int plan_fold(const struct event_vtab *v, const sqlite3_index_info *info)
{
	for (int i = 0; i < info->nOrderBy; i++)
		if (info->aOrderBy[i].iColumn < 0 ||
		    !fold_has_column(v->columns.list[info->aOrderBy[i].iColumn].kind))
			return 0;
	if (info->nOrderBy > PUSHDOWN_ORDERS ||
	    info->colUsed & ~mask_of(&v->columns, fold_has_column))
		return 0;
	return info->colUsed & ~mask_of(&v->columns, is_kind_column) ? PLAN_FOLD : PLAN_FOLD_KINDS;
}

static bool is_by_time(const struct event_vtab *v, const sqlite3_index_info *info)
{
	return info->nOrderBy == 1 && !info->aOrderBy[0].desc && info->aOrderBy[0].iColumn >= 0 &&
	       v->columns.list[info->aOrderBy[0].iColumn].kind == COLUMN_TS;
}

/* Guesses the part of the trace that is read, and the part of it that is returned. */
static void guess_cost(const struct event_vtab *v, sqlite3_index_info *info,
		       const uint64_t *columns)
{
	double read = (double)v->trace->n_guess, rows = v->event ? 0.05 : 1;

	for (size_t i = 0; i < v->columns.n && i < 64; i++) {
		uint64_t bit = UINT64_C(1) << i;
		bool is_equal = (columns[PUSH_EQ] | columns[PUSH_IN]) & bit;
		bool from = (columns[PUSH_GT] | columns[PUSH_GE]) & bit;
		bool to = (columns[PUSH_LT] | columns[PUSH_LE]) & bit;

		switch (v->columns.list[i].kind) {
		case COLUMN_TS:
			read *= is_equal || (from && to) ? 0.02 : from || to ? 0.4 : 1;
			break;
		case COLUMN_CPU:
			read *= is_equal ? 0.25 : 1;
			break;
		default:
			rows *= is_equal ? 0.05 : from || to || columns[PUSH_NE] & bit ? 0.4 : 1;
		}
	}
	info->estimatedCost = read + 100 + read * rows * 10;
	info->estimatedRows = (sqlite3_int64)(read * rows) + 1;
}

static const char *column_name(const void *ctx, size_t i)
{
	const struct event_columns *columns = ctx;

	return i < columns->n ? columns->list[i].name : "?";
}

/* What a plan does, for .explain. */
static const char *const hows[] = {
	"reads events one by one", [PLAN_FOLD] = "counts events by CPU, task and kind",
	[PLAN_FOLD_KINDS] = "counts events by kind", [PLAN_FIND] = "finds one event by its id"};

static int best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
	struct event_vtab *v = (struct event_vtab *)base;
	uint64_t columns[PUSH_IN + 1];
	TEXTBUF(plan, PLAN_MAX_BYTES);
	int r = pushdown_plan(info, can_push, v, columns, &plan);

	if (r != SQLITE_OK)
		return r;
	guess_cost(v, info, columns);
	info->idxNum =
		columns[PUSH_EQ] & mask_of(&v->columns, is_id) ? PLAN_FIND : plan_fold(v, info);
	if (info->idxNum == PLAN_FOLD_KINDS)
		info->estimatedCost /= 20;
	if (info->idxNum == PLAN_FIND) {
		info->estimatedCost = 50;
		info->estimatedRows = 1;
		info->idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
	}
	if (info->nOrderBy && (info->idxNum || is_by_time(v, info))) {
		pushdown_add_order(info, &plan);
		info->orderByConsumed = 1;
	}
	pushdown_add_words(&plan, hows[info->idxNum], column_name, &v->columns);
	info->idxStr = sqlite3_mprintf("%s", textbuf_text(&plan));
	info->needToFreeIdxStr = 1;
	return info->idxStr ? SQLITE_OK : SQLITE_NOMEM;
}

/* --- cursors ---------------------------------------------------------------------------------- */

static int open_cursor(sqlite3_vtab *base, sqlite3_vtab_cursor **ret)
{
	struct event_cursor *c = calloc(1, sizeof(*c));

	if (!c)
		return SQLITE_NOMEM;
	*ret = &c->base;
	return SQLITE_OK;
}

static void cursor_clear(struct event_cursor *c)
{
	scan_close(&c->scan);
	fold_release(&c->fold);
	pushdown_release(&c->pushed);
	event_choice_release(&c->choice);
	*c = (struct event_cursor){.base = c->base, .finder = c->finder};
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
	cursor_clear((struct event_cursor *)base);
	finder_free(((struct event_cursor *)base)->finder);
	free(base);
	return SQLITE_OK;
}

static bool condition_matches(struct event_vtab *v, struct event_cursor *c, const struct pushed *p)
{
	enum event_column_kind kind = v->columns.list[p->column].kind;
	const char *comm;
	struct piece text;
	int64_t number;

	if (kind == COLUMN_NAME || kind == COLUMN_SYSTEM)
		return true;
	if (kind == COLUMN_COMM) {
		if (!pushed_is_texts(p))
			return true;
		comm = query_comm(v->trace, c->scan.file, scan_tid(&c->scan));
		return comm && pushed_match_text(p, comm, strlen(comm));
	}
	if (event_columns_number(&v->columns, (size_t)p->column, &c->scan, &number))
		return !pushed_is_numbers(p) || pushed_match_number(p, number);
	if (kind == COLUMN_FIELD && pushed_is_texts(p) &&
	    event_columns_string(&v->columns, (size_t)p->column, &c->scan, &text))
		return pushed_match_text(p, (const char *)text.data, text.len);
	return true;
}

static int next_record(struct event_vtab *v, struct event_cursor *c)
{
	int r;

	while ((r = scan_next(&c->scan)) > 0)
		if (!ARRAY_ANY(c->pushed.n, i, !condition_matches(v, c, &c->pushed.list[i])))
			return SQLITE_OK;
	c->at_end = true;
	return r < 0 ? query_trace_fail(v->trace, r, "the events") : SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *base)
{
	struct event_cursor *c = (struct event_cursor *)base;

	c->rowid++;
	if (c->is_find) {
		c->at_end = true;
		return SQLITE_OK;
	}
	if (!c->is_fold)
		return next_record((struct event_vtab *)base->pVtab, c);
	if (++c->nth < c->fold.rows[c->row].n)
		return SQLITE_OK;
	c->nth = 0;
	c->at_end = ++c->row >= c->fold.n;
	return SQLITE_OK;
}

/* The value of the condition "id = ?"; NULL: it has a text or so, and a scan tests it. */
static const struct pushed *find_id(const struct event_vtab *v, const struct event_cursor *c)
{
	for (size_t i = 0; i < c->pushed.n; i++) {
		const struct pushed *p = &c->pushed.list[i];

		if (v->columns.list[p->column].kind == COLUMN_ID && p->op == PUSH_EQ &&
		    pushed_is_numbers(p))
			return p;
	}
	return NULL;
}

static int find_record(struct event_vtab *v, struct event_cursor *c, const struct pushed *id)
{
	int r;

	c->is_find = true;
	if (!c->finder)
		c->finder = finder_new(v->trace);
	r = c->finder ? finder_find(c->finder, id->values[0].number, &c->scan) : -ENOMEM;
	if (r < 0)
		return query_trace_fail(v->trace, r, "the events");
	if (r && c->choice.events)
		r = c->scan.id >= 0 && c->scan.id < SEQUENCE_IDS &&
		    c->choice.events[c->scan.file][c->scan.id];
	c->at_end = !r || ARRAY_ANY(c->pushed.n, i, !condition_matches(v, c, &c->pushed.list[i]));
	return SQLITE_OK;
}

static bool uses_names(const struct event_vtab *v)
{
	return !v->trace->has_names;
}

static int filter(sqlite3_vtab_cursor *base, int plan, const char *text, int argc,
		  sqlite3_value **argv)
{
	struct event_vtab *v = (struct event_vtab *)base->pVtab;
	struct event_cursor *c = (struct event_cursor *)base;
	const struct pushed *id;
	const struct scan_wants *wants = &c->choice.wants;
	int r;

	cursor_clear(c);
	r = pushdown_read(&c->pushed, text, argc, argv);
	if (r != SQLITE_OK)
		return r;
	c->at_end = c->pushed.is_none;
	if (c->at_end)
		return SQLITE_OK;
	if (ARRAY_ANY(c->pushed.n, i,
		      v->columns.list[c->pushed.list[i].column].kind == COLUMN_COMM) &&
	    query_trace_names(v->trace) < 0)
		return SQLITE_ERROR;
	if (event_choice_init(&c->choice, &v->columns, v->system, v->event, &c->pushed) < 0)
		return SQLITE_NOMEM;
	id = plan == PLAN_FIND ? find_id(v, c) : NULL;
	if (id)
		return find_record(v, c, id);
	c->is_fold = plan == PLAN_FOLD || plan == PLAN_FOLD_KINDS;
	if (!c->is_fold) {
		r = scan_open(&c->scan, v->trace, wants);
		return r < 0 ? query_trace_fail(v->trace, r, "the events") : next_record(v, c);
	}
	r = fold_read(&c->fold, v->trace, wants, plan == PLAN_FOLD_KINDS && !wants->cpus,
		      plan == PLAN_FOLD);
	if (r < 0)
		return query_trace_fail(v->trace, r, "the events");
	fold_select(&c->fold, &v->columns, &c->pushed);
	c->at_end = !c->fold.n;
	return SQLITE_OK;
}

static int eof(sqlite3_vtab_cursor *base)
{
	return ((struct event_cursor *)base)->at_end;
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *to, int i)
{
	struct event_vtab *v = (struct event_vtab *)base->pVtab;
	struct event_cursor *c = (struct event_cursor *)base;

	if (i < 0 || (size_t)i >= v->columns.n)
		return SQLITE_OK;
	if (v->columns.list[i].kind == COLUMN_COMM && uses_names(v) &&
	    query_trace_names(v->trace) < 0)
		return SQLITE_ERROR;
	if (c->is_fold)
		fold_result(&c->fold.rows[c->row], v->columns.list[i].kind, to);
	else
		event_columns_result(&v->columns, (size_t)i, &c->scan, to);
	return SQLITE_OK;
}

static int rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *ret)
{
	const struct event_cursor *c = (struct event_cursor *)base;

	*ret = c->is_fold ? (sqlite3_int64)c->rowid : (sqlite3_int64)c->scan.place;
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

/* --- names of tables -------------------------------------------------------------------------- */

static int add_table(struct event_tables *et, sqlite3 *db, const struct event_module *m)
{
	et->list[et->n] = *m;
	et->list[et->n].name = strdup(m->name);
	if (!et->list[et->n].name ||
	    sqlite3_create_module_v2(db, m->name, &module, &et->list[et->n], NULL) != SQLITE_OK) {
		free((char *)et->list[et->n].name);
		return -ENOMEM;
	}
	et->n++;
	return 0;
}

static bool is_first_of_name(const struct event *const *list, size_t n, size_t i)
{
	for (size_t k = 0; k < n; k++)
		if (k != i && !strcasecmp(list[k]->name, list[i]->name) &&
		    strcmp(list[k]->system, list[i]->system))
			return false;
	return true;
}

typedef const struct event *event_pointer;

ARRAY_ORDER(by_name, event_pointer,
	    strcasecmp((*x)->name, (*y)->name) ?: strcmp((*x)->system, (*y)->system))

static size_t list_events(const struct query_trace *t, const struct event **list)
{
	size_t n = 0, kept = 0;

	for (size_t i = 0; i < t->in->n_files; i++) {
		const struct formats *f = t->in->files[i].formats;

		for (size_t k = 0; k < f->n_events; k++)
			list[n++] = f->by_id[k];
	}
	if (n)
		qsort(list, n, sizeof(*list), by_name);
	for (size_t i = 0; i < n; i++)
		if (!kept || strcmp(list[i]->name, list[kept - 1]->name) ||
		    strcmp(list[i]->system, list[kept - 1]->system))
			list[kept++] = list[i];
	return kept;
}

static int add_kind(struct event_tables *et, struct query_trace *t, sqlite3 *db,
		    const struct event *const *list, size_t n, size_t i,
		    bool (*taken)(const char *name))
{
	const struct event *ev = list[i];
	size_t first = i ? i - 1 : 0, last = i + 2 < n ? i + 2 : n;
	char name[256];
	struct event_module m = {t, ev->system, ev->name, name};

	snprintf(name, sizeof(name), "%s:%s", ev->system, ev->name);
	TRY(add_table(et, db, &m));
	/* the list is sorted by name, so that equal names are neighbours */
	if (taken(ev->name) || !is_first_of_name(list + first, last - first, i - first))
		return 0;
	snprintf(name, sizeof(name), "%s", ev->name);
	return add_table(et, db, &m);
}

int event_tables_new(struct event_tables **ret, struct query_trace *t, sqlite3 *db,
		     bool (*taken)(const char *name))
{
	SCOPED(scope_free) const struct event **list = NULL;
	struct event_tables *et = calloc(1, sizeof(*et));
	size_t n = 0;
	int r;

	if (!et)
		return -ENOMEM;
	*ret = et;
	for (size_t i = 0; i < t->in->n_files; i++)
		n += t->in->files[i].formats->n_events;
	list = calloc(n + 1, sizeof(*list));
	et->list = calloc(2 * n + 2, sizeof(*et->list));
	if (!list || !et->list)
		return -ENOMEM;
	n = list_events(t, list);
	r = add_table(et, db, &(struct event_module){.trace = t, .name = "event"});
	for (size_t i = 0; r >= 0 && i < n; i++)
		r = add_kind(et, t, db, list, n, i, taken);
	return r;
}

void event_tables_free(struct event_tables *et)
{
	for (size_t i = 0; et && i < et->n; i++)
		free((char *)et->list[i].name);
	if (et)
		free(et->list);
	free(et);
}

bool event_tables_find(const struct event_tables *et, const char *name, const char **ret_system,
		       const char **ret_event)
{
	for (size_t i = 0; i < et->n; i++)
		if (!strcasecmp(et->list[i].name, name)) {
			*ret_system = et->list[i].system;
			*ret_event = et->list[i].event;
			return true;
		}
	return false;
}

static bool is_present(const struct query_trace *t, const struct event_module *m)
{
	for (size_t i = 0; i < t->in->n_files; i++) {
		const struct event *ev =
			formats_find_name(t->in->files[i].formats, m->system, m->event);
		const struct tally *tally = &t->counts[i].tally;

		if (ev && (size_t)ev->id < tally->layout.n_ids && tally->by_id[ev->id].n)
			return true;
	}
	return false;
}

int event_tables_each(struct event_tables *et, void (*visit)(void *ctx, const char *name),
		      void *ctx, bool only_present)
{
	if (only_present && et->n)
		TRY(query_trace_count(et->list[0].trace));
	for (size_t i = 0; i < et->n; i++)
		if (!only_present || !et->list[i].event ||
		    is_present(et->list[i].trace, &et->list[i]))
			visit(ctx, et->list[i].name);
	return 0;
}
