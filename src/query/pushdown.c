// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * pushdown.c - conditions between SQLite's planner and a table.
 *
 * A plan is a list of words, because SQLite keeps only a text between xBestIndex and xFilter:
 *
 *	"F1>= F1<= I2 o1 o3d|…"    column 1 from … to …, column 2 in a list, ordered by 1, then 3
 *
 * Behind the | are the same words for people.
 *
 * A comparison with NULL is never true, so the table has no rows for it; only IS can be true.
 *
 * I: an IN whose list the table takes whole. SQLite would call xFilter once for each value
 * otherwise: a scan of the trace for each, and rows out of order.
 */
#include "query/pushdown.h"

#include "base/array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MAX_BYTES 4096

static const struct {
	const char *text;
	enum pushdown_op op;
	unsigned char sqlite;
} ops[] = {
	{"=", PUSH_EQ, SQLITE_INDEX_CONSTRAINT_EQ},  {"<=", PUSH_LE, SQLITE_INDEX_CONSTRAINT_LE},
	{"<", PUSH_LT, SQLITE_INDEX_CONSTRAINT_LT},  {">=", PUSH_GE, SQLITE_INDEX_CONSTRAINT_GE},
	{">", PUSH_GT, SQLITE_INDEX_CONSTRAINT_GT},  {"!=", PUSH_NE, SQLITE_INDEX_CONSTRAINT_NE},
	{"is", PUSH_EQ, SQLITE_INDEX_CONSTRAINT_IS},
};

/* --- planning --------------------------------------------------------------------------------- */

static const char *find_op(unsigned char sqlite, enum pushdown_op *ret)
{
	for (size_t i = 0; i < ARRAY_LEN(ops); i++)
		if (ops[i].sqlite == sqlite) {
			*ret = ops[i].op;
			return ops[i].text;
		}
	return NULL;
}

static bool is_binary(sqlite3_index_info *info, int i)
{
	const char *collation = sqlite3_vtab_collation(info, i);

	return !collation || !sqlite3_stricmp(collation, "BINARY");
}

int pushdown_plan(sqlite3_index_info *info, pushdown_can *can, void *ctx,
		  uint64_t ret_columns[PUSH_IN + 1], struct textbuf *tb)
{
	int n = 0;

	memset(ret_columns, 0, sizeof(*ret_columns) * (PUSH_IN + 1));
	for (int i = 0; i < info->nConstraint && n < PUSHDOWN_MAX; i++) {
		int column = info->aConstraint[i].iColumn;
		enum pushdown_op op;
		const char *text = find_op(info->aConstraint[i].op, &op);
		bool is_in = text && op == PUSH_EQ && sqlite3_vtab_in(info, i, -1);

		if (!text || !info->aConstraint[i].usable || column < 0 || !is_binary(info, i))
			continue;
		if (!can(ctx, column, is_in ? PUSH_IN : op))
			continue;
		if (is_in)
			sqlite3_vtab_in(info, i, 1);
		info->aConstraintUsage[i].argvIndex = ++n;
		if (column < 64)
			ret_columns[is_in ? PUSH_IN : op] |= UINT64_C(1) << column;
		textbuf_addf(tb, "%s%c%d%s", textbuf_len(tb) ? " " : "", is_in ? 'I' : 'F', column,
			     is_in ? "" : text);
	}
	return tb->overflow ? SQLITE_NOMEM : SQLITE_OK;
}

void pushdown_add_order(const sqlite3_index_info *info, struct textbuf *tb)
{
	for (int i = 0; i < info->nOrderBy; i++)
		textbuf_addf(tb, "%so%d%s", textbuf_len(tb) ? " " : "", info->aOrderBy[i].iColumn,
			     info->aOrderBy[i].desc ? "d" : "");
}

void pushdown_fmt(const struct pushdown *p, struct textbuf *plan)
{
	for (size_t i = 0; i < p->n; i++) {
		const char *text = NULL;

		for (size_t k = 0; k < ARRAY_LEN(ops) && !text; k++)
			text = ops[k].op == p->list[i].op ? ops[k].text : NULL;
		textbuf_addf(plan, "%s%c%d%s", i ? " " : "", text ? 'F' : 'I', p->list[i].column,
			     text ? text : "");
	}
}

/* --- values ----------------------------------------------------------------------------------- */

ARRAY_ORDER(by_value, struct pushed_value,
	    COMPARE(x->is_text, y->is_text) ?: COMPARE(x->number, y->number))

/* False: it cannot be tested by a table. A real number is one only if it is whole. */
static int take_value(struct pushed *p, sqlite3_value *v, bool *ret_ok)
{
	struct pushed_value value = {0};
	double real;

	switch (sqlite3_value_type(v)) {
	case SQLITE_INTEGER:
		value.number = sqlite3_value_int64(v);
		break;
	case SQLITE_FLOAT:
		real = sqlite3_value_double(v);
		if (!(fabs(real) < 9e18)) {
			*ret_ok = false;
			return SQLITE_OK;
		}
		/* an integer x: x > 1.5 is x > 1, x < 1.5 is x < 2 */
		value.number =
			(int64_t)(p->op == PUSH_LT || p->op == PUSH_GE ? ceil(real) : floor(real));
		if ((p->op == PUSH_EQ || p->op == PUSH_NE || p->op == PUSH_IN) &&
		    (double)value.number != real)
			*ret_ok = false;
		break;
	case SQLITE_TEXT:
		value.is_text = true;
		value.len = (size_t)sqlite3_value_bytes(v);
		value.text = malloc(value.len + 1);
		if (!value.text)
			return SQLITE_NOMEM;
		memcpy(value.text, sqlite3_value_text(v), value.len);
		value.text[value.len] = '\0';
		break;
	default:
		*ret_ok = false;
		return SQLITE_OK;
	}
	if (!ARRAY_ONE_MORE(p->values, p->n, PUSHDOWN_SET_MAX)) {
		free(value.text);
		*ret_ok = false;
		return SQLITE_OK;
	}
	p->values[p->n++] = value;
	return SQLITE_OK;
}

static void pushed_release(struct pushed *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->values[i].text);
	free(p->values);
	p->values = NULL;
	p->n = 0;
}

/* Reads the values of a condition into p->list[p->n], which counts only if the table can use it. */
static int read_values(struct pushdown *p, sqlite3_value *arg, bool is_is)
{
	struct pushed *c = &p->list[p->n];
	sqlite3_value *v = NULL;
	bool ok = true;
	int r = SQLITE_OK;

	if (c->op != PUSH_IN) {
		p->is_none |= !is_is && sqlite3_value_type(arg) == SQLITE_NULL;
		r = take_value(c, arg, &ok);
	} else {
		int next = sqlite3_vtab_in_first(arg, &v);

		for (; next == SQLITE_OK && v && r == SQLITE_OK && ok;
		     next = sqlite3_vtab_in_next(arg, &v))
			if (sqlite3_value_type(v) != SQLITE_NULL)
				r = take_value(c, v, &ok);
		if (next != SQLITE_OK && next != SQLITE_DONE)
			ok = false;
		if (c->n)
			qsort(c->values, c->n, sizeof(*c->values), by_value);
	}
	if (r == SQLITE_OK && ok)
		p->n++;
	else
		pushed_release(c);
	return r;
}

static bool parse_op(const char **s, enum pushdown_op *ret)
{
	for (size_t i = 0; i < ARRAY_LEN(ops); i++) {
		size_t len = strlen(ops[i].text);

		if (!strncmp(*s, ops[i].text, len)) {
			*ret = ops[i].op;
			*s += len;
			return true;
		}
	}
	return false;
}

int pushdown_read(struct pushdown *p, const char *plan, int argc, sqlite3_value **argv)
{
	int arg = 0;

	*p = (struct pushdown){0};
	for (const char *s = plan ? plan : ""; *s && *s != '|';) {
		char kind = *s++, *end;
		int column = (int)strtol(s, &end, 10);

		s = end;
		if (kind == 'o') {
			if (p->n_orders < PUSHDOWN_ORDERS) {
				p->orders[p->n_orders].column = column;
				p->orders[p->n_orders++].desc = *s == 'd';
			}
			s += *s == 'd';
		} else if (kind == 'F' || kind == 'I') {
			struct pushed *c = &p->list[p->n];
			bool is_is = kind == 'F' && *s == 'i';
			int r;

			*c = (struct pushed){.column = column, .op = PUSH_IN};
			if (kind == 'F' && !parse_op(&s, &c->op))
				return SQLITE_ERROR;
			if (arg >= argc || p->n == PUSHDOWN_MAX)
				return SQLITE_ERROR;
			r = read_values(p, argv[arg++], is_is);
			if (r != SQLITE_OK)
				return r;
		}
		s += *s == ' ';
	}
	return SQLITE_OK;
}

void pushdown_release(struct pushdown *p)
{
	for (size_t i = 0; i < p->n; i++)
		pushed_release(&p->list[i]);
	p->n = 0;
}

/* --- testing ---------------------------------------------------------------------------------- */

bool pushed_match_number(const struct pushed *p, int64_t v)
{
	size_t at;

	switch (p->op) {
	case PUSH_EQ:
		return v == p->values[0].number;
	case PUSH_NE:
		return v != p->values[0].number;
	case PUSH_LT:
		return v < p->values[0].number;
	case PUSH_LE:
		return v <= p->values[0].number;
	case PUSH_GT:
		return v > p->values[0].number;
	case PUSH_GE:
		return v >= p->values[0].number;
	case PUSH_IN:
		at = ARRAY_BISECT(p->n, i, p->values[i].number < v);
		return at < p->n && p->values[at].number == v;
	}
	return true;
}

bool pushed_match_text(const struct pushed *p, const char *text, size_t len)
{
	for (size_t i = 0; i < p->n; i++) {
		bool same = p->values[i].len == len && !memcmp(p->values[i].text, text, len);

		if (same || p->op != PUSH_IN)
			return p->op == PUSH_NE ? !same : same;
	}
	return false;
}

bool pushed_is_numbers(const struct pushed *p)
{
	return !ARRAY_ANY(p->n, i, p->values[i].is_text);
}

bool pushed_is_texts(const struct pushed *p)
{
	return !ARRAY_ANY(p->n, i, !p->values[i].is_text);
}

/* Writes the conditions (order false) or the order of a plan. */
static void add_words(struct textbuf *tb, const char *plan, bool order,
		      const char *(*column_name)(const void *ctx, size_t i), const void *ctx)
{
	const char *between = order ? "; in the order of " : "; tests ";

	for (const char *s = plan; *s;) {
		char kind = *s++, *end;
		const char *name = column_name(ctx, (size_t)strtol(s, &end, 10));
		size_t len = strcspn(end, " ");

		if ((kind == 'o') == order) {
			textbuf_add_str(tb, between);
			textbuf_add_str(tb, name);
			if (order)
				textbuf_add_str(tb, *end == 'd' ? " desc" : "");
			else if (kind == 'I')
				textbuf_add_str(tb, " in (…)");
			else
				textbuf_addf(tb, " %.*s ?", (int)len, end);
			between = order ? ", " : " and ";
		}
		s = end + len;
		s += *s == ' ';
	}
}

void pushdown_add_words(struct textbuf *plan, const char *how,
			const char *(*column_name)(const void *ctx, size_t i), const void *ctx)
{
	TEXTBUF(words, WORDS_MAX_BYTES);

	textbuf_add_str(&words, how);
	add_words(&words, textbuf_text(plan), false, column_name, ctx);
	add_words(&words, textbuf_text(plan), true, column_name, ctx);
	textbuf_add_char(plan, '|');
	textbuf_add_str(plan, textbuf_text(&words));
}
