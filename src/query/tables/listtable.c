// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * listtable.c - computed tables as virtual tables of SQLite.
 *
 * A row is n_columns cells of 8 bytes in one array. Memory of all such tables counts against the
 * query's limit; a table that does not fit fails with a sentence and is not cut.
 */
#include "query/tables/listtable.h"

#include "base/array.h"
#include "base/scope.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SQL_MAX_BYTES 8192
#define STOP_EVERY    65536

struct list_module {
	const struct list_table *table;
	struct query_trace *trace;
	struct list_rows rows; /* of a table without arguments */
	bool is_filled;
	size_t n_columns, n_args; /* the arguments come after the columns */
};

struct list_vtab {
	sqlite3_vtab base; /* must be the first member */
	struct list_module *module;
};

struct list_cursor {
	sqlite3_vtab_cursor base; /* must be the first member */
	struct list_rows own, *rows;
	struct pushdown pushed;
	const uint32_t *index; /* NULL: all rows in their order */
	size_t at, end, row;
};

/* --- rows ------------------------------------------------------------------------------------- */

static void rows_init(struct list_rows *rows, const struct list_module *m)
{
	*rows = (struct list_rows){.trace = m->trace, .n_columns = m->n_columns};
	namepool_init(&rows->names);
}

static void rows_release(struct list_rows *rows)
{
	if (rows->trace)
		rows->trace->list_bytes -= rows->cap * rows->n_columns * sizeof(*rows->cells);
	for (size_t i = 0; i < LIST_COLUMNS_MAX; i++)
		free(rows->indexes[i]);
	free(rows->cells);
	if (rows->trace)
		namepool_release(&rows->names);
	*rows = (struct list_rows){0};
}

static int grow(struct list_rows *rows)
{
	struct query_trace *t = rows->trace;
	size_t cap = rows->cap ? rows->cap * 2 : 256, each = rows->n_columns * sizeof(int64_t);
	int64_t *cells;

	if (t->list_bytes + (cap - rows->cap) * each > t->list_max_bytes)
		return -ENOSPC;
	cells = realloc(rows->cells, cap * each);
	if (!cells)
		return -ENOMEM;
	t->list_bytes += (cap - rows->cap) * each;
	rows->cells = cells;
	rows->cap = cap;
	return 0;
}

int list_add(struct list_rows *rows, const int64_t *cells)
{
	if (rows->n == rows->cap)
		TRY(grow(rows));
	if (rows->n == UINT32_MAX || rows->is_full)
		return -ENOSPC;
	memcpy(&rows->cells[rows->n++ * rows->n_columns], cells, rows->n_columns * sizeof(*cells));
	return rows->n % STOP_EVERY || !query_trace_is_stopped(rows->trace) ? 0 : -EINTR;
}

int64_t list_text_len(struct list_rows *rows, const char *text, size_t len)
{
	const struct pooled_name *name = text ? namepool_find(&rows->names, text, len) : NULL;

	rows->is_full |= text && !name;
	return name ? list_static(name->text) : 0;
}

int64_t list_text(struct list_rows *rows, const char *text)
{
	return text ? list_text_len(rows, text, strlen(text)) : 0;
}

int64_t list_real(double v)
{
	int64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	return bits;
}

static int64_t cell(const struct list_rows *rows, size_t row, size_t column)
{
	return rows->cells[row * rows->n_columns + column];
}

struct sorting {
	const struct list_rows *rows;
	size_t column;
};

static int compare_cells(const void *a, const void *b, void *ctx)
{
	const struct sorting *s = ctx;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return COMPARE(cell(s->rows, x, s->column), cell(s->rows, y, s->column)) ?: COMPARE(x, y);
}

/* Makes the index of a column. NULL: no memory; then all rows are read. */
static const uint32_t *index_of(struct list_rows *rows, size_t column)
{
	struct sorting s = {rows, column};
	uint32_t *index = rows->indexes[column];

	if (index)
		return index;
	index = malloc((rows->n + 1) * sizeof(*index));
	if (!index)
		return NULL;
	for (size_t i = 0; i < rows->n; i++)
		index[i] = (uint32_t)i;
	qsort_r(index, rows->n, sizeof(*index), compare_cells, &s);
	rows->indexes[column] = index;
	return index;
}

int list_sort(struct list_rows *rows, size_t column, size_t id)
{
	size_t each = rows->n_columns * sizeof(*rows->cells);
	const uint32_t *index = index_of(rows, column);
	int64_t *sorted = index ? malloc((rows->cap + 1) * each) : NULL;

	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < rows->n; i++) {
		memcpy(&sorted[i * rows->n_columns], &rows->cells[index[i] * rows->n_columns],
		       each);
		sorted[i * rows->n_columns + id] = (int64_t)i;
	}
	free(rows->cells);
	rows->cells = sorted;
	free(rows->indexes[column]);
	rows->indexes[column] = NULL;
	return 0;
}

static int fill_rows(struct list_rows *rows, struct list_module *m, const struct list_args *args)
{
	int r;

	rows_init(rows, m);
	r = m->table->fill(rows, args);
	if (r == -ENOSPC)
		errmsg_set(&m->trace->err, r,
			   "the table %s does not fit into the memory of queries; allow more with "
			   "--limit memory=SIZE, or read a part of the trace (sonde split)",
			   m->table->name);
	if (r < 0)
		rows_release(rows);
	return r < 0 ? query_trace_fail(m->trace, r, m->table->name) : SQLITE_OK;
}

/* --- the table -------------------------------------------------------------------------------- */

static int connect(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **ret,
		   char **ret_error)
{
	static const char *const types[] = {[LIST_INTEGER] = "INTEGER",
					    [LIST_TEXT] = "TEXT",
					    [LIST_REAL] = "REAL",
					    [LIST_ARGUMENT] = "HIDDEN"};
	struct list_module *m = aux;
	struct list_vtab *v = calloc(1, sizeof(*v));
	TEXTBUF(sql, SQL_MAX_BYTES);
	int r;

	if (!v)
		return SQLITE_NOMEM;
	v->module = m;
	for (size_t i = 0; i < m->n_columns + m->n_args; i++)
		textbuf_addf(&sql, "%s\"%s\" %s", i ? "," : "CREATE TABLE x(",
			     m->table->columns[i].name, types[m->table->columns[i].type]);
	textbuf_add_str(&sql, ")");
	sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
	r = sqlite3_declare_vtab(db, textbuf_text(&sql));
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

static bool can_push(void *ctx, int column, enum pushdown_op op)
{
	const struct list_module *m = ((const struct list_vtab *)ctx)->module;

	switch (m->table->columns[column].type) {
	case LIST_INTEGER:
		return true;
	case LIST_TEXT:
		return op == PUSH_EQ || op == PUSH_IN || op == PUSH_NE;
	case LIST_ARGUMENT:
		return op == PUSH_EQ;
	default:
		return false;
	}
}

/* An argument whose value is not known in this order of a join: another order must be used. */
static bool lacks_argument(const struct list_module *m, const sqlite3_index_info *info)
{
	for (int i = 0; i < info->nConstraint; i++) {
		int column = info->aConstraint[i].iColumn;

		if (column >= 0 && m->table->columns[column].type == LIST_ARGUMENT &&
		    info->aConstraint[i].op == SQLITE_INDEX_CONSTRAINT_EQ &&
		    !info->aConstraint[i].usable)
			return true;
	}
	return false;
}

static const char *column_name(const void *ctx, size_t i)
{
	return ((const struct list_table *)ctx)->columns[i].name;
}

static const char *how_of(const struct list_module *m, bool has_index)
{
	return m->n_args   ? "computes the rows of these arguments"
	       : has_index ? "finds rows of the computed table by an index"
			   : "reads the computed table";
}

static int best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
	const struct list_module *m = ((struct list_vtab *)base)->module;
	uint64_t columns[PUSH_IN + 1];
	TEXTBUF(plan, SQL_MAX_BYTES);
	double n = m->is_filled ? (double)m->rows.n + 1 : 100000;
	uint64_t numbers = 0;
	int r = pushdown_plan(info, can_push, base, columns, &plan);

	if (r != SQLITE_OK)
		return r;
	if (lacks_argument(m, info))
		return SQLITE_CONSTRAINT;
	for (int i = 0; i < info->nConstraint; i++)
		if (info->aConstraint[i].iColumn >= 0 &&
		    m->table->columns[info->aConstraint[i].iColumn].type == LIST_ARGUMENT &&
		    info->aConstraintUsage[i].argvIndex)
			info->aConstraintUsage[i].omit = 1;
	for (size_t i = 0; i < m->n_columns; i++)
		numbers |= m->table->columns[i].type == LIST_INTEGER ? UINT64_C(1) << i : 0;
	info->estimatedCost = columns[PUSH_EQ] & numbers ? 20 : n;
	info->estimatedRows = columns[PUSH_EQ] & numbers ? 10 : (sqlite3_int64)n;
	if (info->nOrderBy == 1 && m->table->sorted >= 0 && !info->aOrderBy[0].desc &&
	    info->aOrderBy[0].iColumn == m->table->sorted) {
		pushdown_add_order(info, &plan);
		info->orderByConsumed = 1;
	}
	pushdown_add_words(&plan, how_of(m, columns[PUSH_EQ] & numbers), column_name, m->table);
	info->idxStr = sqlite3_mprintf("%s", textbuf_text(&plan));
	info->needToFreeIdxStr = 1;
	return info->idxStr ? SQLITE_OK : SQLITE_NOMEM;
}

/* --- cursors ---------------------------------------------------------------------------------- */

static int open_cursor(sqlite3_vtab *base, sqlite3_vtab_cursor **ret)
{
	struct list_cursor *c = calloc(1, sizeof(*c));

	if (!c)
		return SQLITE_NOMEM;
	*ret = &c->base;
	return SQLITE_OK;
}

static void cursor_clear(struct list_cursor *c)
{
	rows_release(&c->own);
	pushdown_release(&c->pushed);
	c->rows = NULL;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
	cursor_clear((struct list_cursor *)base);
	free(base);
	return SQLITE_OK;
}

static bool row_matches(const struct list_module *m, const struct list_cursor *c, size_t row)
{
	for (size_t i = 0; i < c->pushed.n; i++) {
		const struct pushed *p = &c->pushed.list[i];
		enum list_type type = m->table->columns[p->column].type;
		int64_t v;
		bool ok = true;

		if (type == LIST_ARGUMENT)
			continue;
		v = cell(c->rows, row, (size_t)p->column);
		if (type == LIST_INTEGER && pushed_is_numbers(p))
			ok = v != LIST_NULL && pushed_match_number(p, v);
		else if (type == LIST_TEXT && pushed_is_texts(p))
			ok = v && pushed_match_text(p, (const char *)(intptr_t)v,
						    strlen((const char *)(intptr_t)v));
		if (!ok)
			return false;
	}
	return true;
}

/* Finds the next row that matches, from c->at on. */
static void seek(const struct list_module *m, struct list_cursor *c)
{
	for (; c->at < c->end; c->at++) {
		c->row = c->index ? c->index[c->at] : c->at;
		if (row_matches(m, c, c->row))
			return;
	}
}

/* Narrows the rows by the first condition that an index can answer. */
static void use_index(const struct list_module *m, struct list_cursor *c)
{
	c->index = NULL;
	c->at = 0;
	c->end = c->rows->n;
	for (size_t i = 0; i < c->pushed.n; i++) {
		const struct pushed *p = &c->pushed.list[i];
		size_t column = (size_t)p->column;
		const uint32_t *index;

		if (p->op != PUSH_EQ || !pushed_is_numbers(p) ||
		    m->table->columns[column].type != LIST_INTEGER)
			continue;
		index = index_of(c->rows, column);
		if (!index)
			return;
		c->index = index;
		c->at = ARRAY_BISECT(c->rows->n, k,
				     cell(c->rows, index[k], column) < p->values[0].number);
		c->end = ARRAY_BISECT(c->rows->n, k,
				      cell(c->rows, index[k], column) <= p->values[0].number);
		return;
	}
}

static struct list_args args_of(const struct list_module *m, const struct list_cursor *c)
{
	struct list_args args = {0};

	for (size_t i = 0; i < c->pushed.n; i++) {
		size_t column = (size_t)c->pushed.list[i].column;

		if (column >= m->n_columns && column - m->n_columns < LIST_ARGS_MAX)
			args.values[column - m->n_columns] = &c->pushed.list[i].values[0];
	}
	return args;
}

static int filter(sqlite3_vtab_cursor *base, int number, const char *text, int argc,
		  sqlite3_value **argv)
{
	struct list_module *m = ((struct list_vtab *)base->pVtab)->module;
	struct list_cursor *c = (struct list_cursor *)base;
	struct list_args args;
	int r;

	cursor_clear(c);
	r = pushdown_read(&c->pushed, text, argc, argv);
	if (r != SQLITE_OK)
		return r;
	args = args_of(m, c);
	if (m->n_args) {
		r = fill_rows(&c->own, m, &args);
		c->rows = &c->own;
	} else {
		if (!m->is_filled)
			r = fill_rows(&m->rows, m, &args);
		m->is_filled = r == SQLITE_OK;
		c->rows = &m->rows;
	}
	if (r != SQLITE_OK)
		return r;
	use_index(m, c);
	if (c->pushed.is_none)
		c->end = c->at;
	seek(m, c);
	return SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *base)
{
	struct list_cursor *c = (struct list_cursor *)base;

	c->at++;
	seek(((struct list_vtab *)base->pVtab)->module, c);
	return SQLITE_OK;
}

static int eof(sqlite3_vtab_cursor *base)
{
	const struct list_cursor *c = (const struct list_cursor *)base;

	return c->at >= c->end;
}

static void result_argument(const struct list_module *m, const struct list_cursor *c, size_t column,
			    sqlite3_context *to)
{
	struct list_args args = args_of(m, c);
	const struct pushed_value *v =
		column - m->n_columns < LIST_ARGS_MAX ? args.values[column - m->n_columns] : NULL;

	if (v && v->is_text)
		sqlite3_result_text(to, v->text, (int)v->len, SQLITE_TRANSIENT);
	else if (v)
		sqlite3_result_int64(to, v->number);
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *to, int i)
{
	const struct list_module *m = ((struct list_vtab *)base->pVtab)->module;
	const struct list_cursor *c = (const struct list_cursor *)base;
	double real;
	int64_t v;

	if (i < 0 || (size_t)i >= m->n_columns + m->n_args)
		return SQLITE_OK;
	if ((size_t)i >= m->n_columns) {
		result_argument(m, c, (size_t)i, to);
		return SQLITE_OK;
	}
	v = cell(c->rows, c->row, (size_t)i);
	switch (m->table->columns[i].type) {
	case LIST_INTEGER:
		if (v != LIST_NULL)
			sqlite3_result_int64(to, v);
		break;
	case LIST_TEXT:
		if (v)
			sqlite3_result_text(to, (const char *)(intptr_t)v, -1,
					    /* SQLite may keep a static text after its cursor */
					    m->n_args ? SQLITE_TRANSIENT : SQLITE_STATIC);
		break;
	case LIST_REAL:
		memcpy(&real, &v, sizeof(real));
		if (!isnan(real))
			sqlite3_result_double(to, real);
		break;
	default:
		break;
	}
	return SQLITE_OK;
}

static int rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *ret)
{
	*ret = (sqlite3_int64)((const struct list_cursor *)base)->row;
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

static void module_free(void *aux)
{
	struct list_module *m = aux;

	rows_release(&m->rows);
	free(m);
}

int list_table_register(sqlite3 *db, struct query_trace *t, const struct list_table *table)
{
	struct list_module *m = calloc(1, sizeof(*m));

	if (!m)
		return -ENOMEM;
	m->table = table;
	m->trace = t;
	for (size_t i = 0; table->columns[i].type != LIST_END; i++)
		if (table->columns[i].type == LIST_ARGUMENT)
			m->n_args++;
		else
			m->n_columns++;
	/* on failure, SQLite frees m */
	return sqlite3_create_module_v2(db, table->name, &module, m, module_free) == SQLITE_OK
		       ? 0
		       : -ENOMEM;
}
