// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * argtable.c - fields of events as rows.
 *
 *	event 17  sched_switch           args   17  prev_comm  string  make
 *	          prev_comm=make …  ─▶          17  prev_pid   int     4711
 *	                                        …
 *
 * The set of an event's arguments has the number of the event. A query that names it costs a look
 * at one record (finder.h); one that does not walks the trace, and is slower than the table of a
 * kind of event by the number of its fields.
 *
 * The columns of a kind of event (eventcolumns.h) are made when the first such event is read, and
 * kept.
 */
#include "query/argtable.h"

#include "base/array.h"
#include "base/map.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "decode/formats/event.h"
#include "query/eventcolumns.h"
#include "query/finder.h"
#include "query/pushdown.h"
#include "query/scan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PLAN_MAX_BYTES 4096
#define KINDS_MAX      65536

enum { ROW_SET, ROW_FLAT_KEY, ROW_KEY, ROW_INT, ROW_STRING, ROW_REAL, ROW_TYPE, ROW_DISPLAY };

static const char *const names[] = {"arg_set_id",   "flat_key",	  "key",	"int_value",
				    "string_value", "real_value", "value_type", "display_value"};

struct arg_table {
	struct query_trace *trace;
	struct map kinds;      /* struct event_columns by file and id */
	struct finder *finder; /* of EXTRACT_ARG */
};

struct arg_vtab {
	sqlite3_vtab base; /* must be the first member */
	struct arg_table *table;
};

struct arg_cursor {
	sqlite3_vtab_cursor base; /* must be the first member */
	struct pushdown pushed;
	struct finder *finder; /* kept from one filter() to the next */
	struct scan scan;
	struct event_columns *columns; /* of the record; NULL: there is no record */
	size_t i;		       /* the field */
	sqlite3_int64 rowid;
	bool is_find;
};

/* --- kinds of events -------------------------------------------------------------------------- */

/* The columns of the record's kind. *ret NULL: the trace does not describe it. */
static int columns_of(struct arg_table *at, const struct scan *s, struct event_columns **ret)
{
	uint64_t key = (uint64_t)s->file << 32 | (uint32_t)s->id;
	struct event_columns *c = map_find(&at->kinds, key);
	const struct event *ev;
	void **slot;
	int r;

	*ret = c;
	if (c || s->id < 0)
		return 0;
	ev = query_event(at->trace, s->file, s->id);
	if (!ev)
		return 0;
	c = calloc(1, sizeof(*c));
	slot = c ? map_take(&at->kinds, key, KINDS_MAX) : NULL;
	r = slot ? event_columns_init(c, at->trace, ev->system, ev->name) : -ENOMEM;
	if (r < 0) {
		if (slot)
			map_remove(&at->kinds, key);
		if (slot)
			event_columns_release(c);
		free(c);
		return -ENOMEM;
	}
	*slot = *ret = c;
	return 0;
}

static enum value_form form_of(const struct event_columns *c, size_t i, const struct scan *s)
{
	return c->list[i].kind == COLUMN_FIELD ? c->list[i].places[s->file].form : FORM_NONE;
}

/* --- rows ------------------------------------------------------------------------------------- */

static bool key_matches(const struct arg_cursor *c, const char *key)
{
	for (size_t i = 0; i < c->pushed.n; i++) {
		const struct pushed *p = &c->pushed.list[i];

		if (p->column != ROW_SET && pushed_is_texts(p) &&
		    !pushed_match_text(p, key, strlen(key)))
			return false;
	}
	return true;
}

/* Goes to the next field of the record, from c->i on. False: it has no more. */
static bool next_field(struct arg_cursor *c)
{
	for (; c->columns && c->i < c->columns->n; c->i++)
		if (form_of(c->columns, c->i, &c->scan) != FORM_NONE &&
		    key_matches(c, c->columns->list[c->i].name))
			return true;
	return false;
}

/* Goes to the next row, from field c->i of the record on. */
static int seek(struct arg_cursor *c)
{
	struct arg_table *at = ((struct arg_vtab *)c->base.pVtab)->table;
	int r = 1;

	while (!next_field(c)) {
		c->columns = NULL;
		if (c->is_find)
			return SQLITE_OK;
		r = scan_next(&c->scan);
		if (r > 0)
			r = columns_of(at, &c->scan, &c->columns) < 0 ? -ENOMEM : 1;
		if (r <= 0)
			return r < 0 ? query_trace_fail(at->trace, r, "the events") : SQLITE_OK;
		c->i = 0;
	}
	return SQLITE_OK;
}

static void cursor_clear(struct arg_cursor *c)
{
	scan_close(&c->scan);
	pushdown_release(&c->pushed);
	*c = (struct arg_cursor){.base = c->base, .finder = c->finder};
}

static int find(struct arg_cursor *c, struct arg_table *at, int64_t id)
{
	int r;

	c->is_find = true;
	if (!c->finder)
		c->finder = finder_new(at->trace);
	r = c->finder ? finder_find(c->finder, id, &c->scan) : -ENOMEM;
	if (r > 0)
		r = columns_of(at, &c->scan, &c->columns);
	return r < 0 ? query_trace_fail(at->trace, r, "the events") : seek(c);
}

static int filter(sqlite3_vtab_cursor *base, int plan, const char *text, int argc,
		  sqlite3_value **argv)
{
	struct arg_cursor *c = (struct arg_cursor *)base;
	struct arg_table *at = ((struct arg_vtab *)base->pVtab)->table;
	struct scan_wants wants = {.to = UINT64_MAX};
	int r;

	cursor_clear(c);
	r = pushdown_read(&c->pushed, text, argc, argv);
	if (r != SQLITE_OK || c->pushed.is_none)
		return r;
	for (size_t i = 0; i < c->pushed.n; i++)
		if (c->pushed.list[i].column == ROW_SET && pushed_is_numbers(&c->pushed.list[i]))
			return find(c, at, c->pushed.list[i].values[0].number);
	r = scan_open(&c->scan, at->trace, &wants);
	return r < 0 ? query_trace_fail(at->trace, r, "the events") : seek(c);
}

static int next(sqlite3_vtab_cursor *base)
{
	struct arg_cursor *c = (struct arg_cursor *)base;

	c->i++;
	c->rowid++;
	return seek(c);
}

static int eof(sqlite3_vtab_cursor *base)
{
	return !((const struct arg_cursor *)base)->columns;
}

static const char *type_name(enum value_form form)
{
	return form == FORM_INTEGER ? "int" : form == FORM_REAL ? "real" : "string";
}

/* The number of a field that is shown as a text stands in the column behind it. */
static void result_int(struct arg_cursor *c, enum value_form form, sqlite3_context *to)
{
	size_t raw = c->i + 1;
	int64_t v;

	if (form == FORM_INTEGER)
		event_columns_result(c->columns, c->i, &c->scan, to);
	else if (form == FORM_SHOWN && raw < c->columns->n &&
		 c->columns->list[raw].kind == COLUMN_RAW &&
		 event_columns_number(c->columns, raw, &c->scan, &v))
		sqlite3_result_int64(to, v);
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *to, int i)
{
	struct arg_cursor *c = (struct arg_cursor *)base;
	enum value_form form = form_of(c->columns, c->i, &c->scan);
	bool is_text = form != FORM_INTEGER && form != FORM_REAL;

	switch (i) {
	case ROW_SET:
		sqlite3_result_int64(to, (sqlite3_int64)c->scan.place);
		break;
	case ROW_FLAT_KEY:
	case ROW_KEY:
		sqlite3_result_text(to, c->columns->list[c->i].name, -1, SQLITE_STATIC);
		break;
	case ROW_INT:
		result_int(c, form, to);
		break;
	case ROW_TYPE:
		sqlite3_result_text(to, type_name(form), -1, SQLITE_STATIC);
		break;
	default:
		if (i == ROW_DISPLAY || (i == ROW_STRING && is_text) ||
		    (i == ROW_REAL && form == FORM_REAL))
			event_columns_result(c->columns, c->i, &c->scan, to);
	}
	return SQLITE_OK;
}

static int rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *ret)
{
	*ret = ((const struct arg_cursor *)base)->rowid;
	return SQLITE_OK;
}

/* --- the table -------------------------------------------------------------------------------- */

static int connect(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **ret,
		   char **ret_error)
{
	struct arg_vtab *v = calloc(1, sizeof(*v));
	int r;

	if (!v)
		return SQLITE_NOMEM;
	v->table = aux;
	sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
	r = sqlite3_declare_vtab(db, "CREATE TABLE x(arg_set_id INTEGER, flat_key TEXT, key TEXT, "
				     "int_value INTEGER, string_value TEXT, real_value REAL, "
				     "value_type TEXT, display_value TEXT)");
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

static bool can_push(void *ctx, int i, enum pushdown_op op)
{
	if (i == ROW_SET)
		return op == PUSH_EQ;
	return (i == ROW_KEY || i == ROW_FLAT_KEY) && (op == PUSH_EQ || op == PUSH_IN);
}

static const char *column_name(const void *ctx, size_t i)
{
	return i < ARRAY_LEN(names) ? names[i] : "?";
}

static int best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
	const struct arg_table *at = ((struct arg_vtab *)base)->table;
	uint64_t columns[PUSH_IN + 1];
	TEXTBUF(plan, PLAN_MAX_BYTES);
	int r = pushdown_plan(info, can_push, base, columns, &plan);
	bool is_find = columns[PUSH_EQ] & UINT64_C(1) << ROW_SET;

	if (r != SQLITE_OK)
		return r;
	info->estimatedCost = is_find ? 60 : (double)at->trace->n_guess * 20 + 100;
	info->estimatedRows = is_find ? 8 : (sqlite3_int64)at->trace->n_guess * 8;
	pushdown_add_words(&plan, is_find ? "finds the fields of one event" : "reads all events",
			   column_name, NULL);
	info->idxStr = sqlite3_mprintf("%s", textbuf_text(&plan));
	info->needToFreeIdxStr = 1;
	return info->idxStr ? SQLITE_OK : SQLITE_NOMEM;
}

static int open_cursor(sqlite3_vtab *base, sqlite3_vtab_cursor **ret)
{
	struct arg_cursor *c = calloc(1, sizeof(*c));

	if (!c)
		return SQLITE_NOMEM;
	*ret = &c->base;
	return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
	struct arg_cursor *c = (struct arg_cursor *)base;

	cursor_clear(c);
	finder_free(c->finder);
	free(c);
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

/* --- EXTRACT_ARG ------------------------------------------------------------------------------ */

/* EXTRACT_ARG(arg_set_id, key): the value of a field as its column has it; NULL: it has none. */
static void extract(sqlite3_context *to, int argc, sqlite3_value **argv)
{
	struct arg_table *at = sqlite3_user_data(to);
	const char *key = (const char *)sqlite3_value_text(argv[1]);
	struct event_columns *c = NULL;
	struct scan s;
	int r;

	if (sqlite3_value_type(argv[0]) != SQLITE_INTEGER || !key)
		return;
	r = finder_find(at->finder, sqlite3_value_int64(argv[0]), &s);
	if (r > 0)
		r = columns_of(at, &s, &c);
	if (r < 0)
		sqlite3_result_error_nomem(to);
	for (size_t i = 0; r >= 0 && c && i < c->n; i++)
		if (form_of(c, i, &s) != FORM_NONE && !strcmp(c->list[i].name, key))
			event_columns_result(c, i, &s, to);
}

int arg_table_new(struct arg_table **ret, struct query_trace *t, sqlite3 *db)
{
	struct arg_table *at = calloc(1, sizeof(*at));

	if (!at)
		return -ENOMEM;
	*ret = at;
	at->trace = t;
	at->finder = finder_new(t);
	if (!at->finder ||
	    sqlite3_create_module_v2(db, ARG_TABLE_NAME, &module, at, NULL) != SQLITE_OK ||
	    sqlite3_create_function_v2(db, "extract_arg", 2, SQLITE_UTF8 | SQLITE_INNOCUOUS, at,
				       extract, NULL, NULL, NULL) != SQLITE_OK)
		return -ENOMEM;
	return 0;
}

void arg_table_free(struct arg_table *at)
{
	if (!at)
		return;
	for (size_t i = 0; i < at->kinds.n_slots; i++)
		if (at->kinds.slots[i].value) {
			event_columns_release(at->kinds.slots[i].value);
			free(at->kinds.slots[i].value);
		}
	map_release(&at->kinds);
	finder_free(at->finder);
	free(at);
}
