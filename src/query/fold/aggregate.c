// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * aggregate.c - recognizes statements that only add up events.
 *
 * SQLite gives a virtual table no way to aggregate: it asks for every row and sorts them, 1 to 4
 * million a second. So a statement of this form is read here, word by word:
 *
 *	SELECT … FROM TABLE [[AS] NAME] [WHERE CONDITION AND …] [GROUP BY …] [HAVING …] [ORDER BY …]
 *
 *	TABLE      event, or a kind of event
 *	CONDITION  COLUMN OP NUMBER, COLUMN = TEXT, BETWEEN, IN (…): taken out, and tested by the scan
 *	elsewhere  count(*); count, sum, total, avg, min, max of a column of numbers; the columns
 *	           cpu, utid, tid, comm, system, name; "ts / NUMBER"; functions of those
 *
 * Only the aggregate functions are replaced; the rest of the text stays, so that SQLite gives names
 * and errors as without. "ts / 1000" can stay because all events of a partial result have the same
 * quotient. Whatever else occurs, even a comment, leaves the statement to SQLite: slower, and with
 * the same result.
 */
#include "query/fold/aggregate.h"

#include "base/array.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "decode/formats/event.h"
#include "query/eventtable.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define TOKENS_MAX     400
#define NAME_BYTES     256
#define SQL_MAX_BYTES  65536
#define NUMBER_DIGITS  18 /* of numbers that surely fit */
#define OPERATOR_BYTES 3

enum token_kind { TOKEN_END, TOKEN_WORD, TOKEN_QUOTED, TOKEN_NUMBER, TOKEN_TEXT, TOKEN_SIGN };

struct token {
	enum token_kind kind;
	const char *s;
	size_t len;
};

struct parsing {
	struct token list[TOKENS_MAX + 4]; /* ends with several TOKEN_END */
	size_t n, at, copied;		   /* copied: the tokens that are in sql */
	struct aggregate *a;
	char table[NAME_BYTES], alias[NAME_BYTES];
	bool has_aggregate;
	struct textbuf sql;
};

/* --- words ------------------------------------------------------------------------------------ */

static bool is_name_byte(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* Reads a token. False: it is none that is read here. */
static bool read_token(const char *s, const char *end, struct token *ret)
{
	static const char *const signs[] = {"<=", ">=", "<>", "!=", "==", "||", "->"};
	const char *at = s;

	*ret = (struct token){.s = s, .len = 1, .kind = TOKEN_SIGN};
	if (*s == '\'' || *s == '"') {
		do
			at = memchr(at + 1, *s, (size_t)(end - at - 1));
		while (at && at + 1 < end && at[1] == *s && at++);
		ret->kind = *s == '"' ? TOKEN_QUOTED : TOKEN_TEXT;
		ret->len = at ? (size_t)(at + 1 - s) : 0;
		return at;
	}
	if (isdigit((unsigned char)*s)) {
		while (at < end && (is_name_byte(*at) || *at == '.'))
			at++;
		ret->kind = TOKEN_NUMBER;
	} else if (is_name_byte(*s)) {
		while (at < end && is_name_byte(*at))
			at++;
		ret->kind = TOKEN_WORD;
	}
	ret->len = at > s ? (size_t)(at - s) : 1;
	if (ret->kind != TOKEN_SIGN)
		return true;
	if (s + 1 < end && (!strncmp(s, "--", 2) || !strncmp(s, "/*", 2)))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(signs); i++)
		if (s + 1 < end && !strncmp(s, signs[i], 2))
			ret->len = 2;
	return ret->len == 2 || strchr("(),.*/+-<>=%;", *s);
}

static bool read_tokens(struct parsing *p, const char *sql, size_t len)
{
	const char *s = sql, *end = sql + len;

	for (;;) {
		while (s < end && isspace((unsigned char)*s))
			s++;
		if (s == end)
			break;
		if (p->n == TOKENS_MAX || !read_token(s, end, &p->list[p->n]))
			return false;
		s += p->list[p->n++].len;
	}
	if (p->n && p->list[p->n - 1].len == 1 && *p->list[p->n - 1].s == ';')
		p->n--;
	for (size_t i = 0; i < 4; i++)
		p->list[p->n + i] = (struct token){.kind = TOKEN_END, .s = end};
	return true;
}

static bool is_word(const struct token *t, const char *word)
{
	return t->kind == TOKEN_WORD && t->len == strlen(word) && !strncasecmp(t->s, word, t->len);
}

static bool is_sign(const struct token *t, const char *sign)
{
	return t->kind == TOKEN_SIGN && t->len == strlen(sign) && !memcmp(t->s, sign, t->len);
}

static bool is_one_of(const struct token *t, const char *const *words, size_t n)
{
	return ARRAY_ANY(n, i, is_word(t, words[i]));
}

static bool take_word(struct parsing *p, const char *word)
{
	if (!is_word(&p->list[p->at], word))
		return false;
	p->at++;
	return true;
}

/* The name in a token, without its quotes. False: it is no name, or has quotes inside. */
static bool name_of(const struct token *t, char name[NAME_BYTES])
{
	size_t quotes = t->kind == TOKEN_QUOTED;

	if ((t->kind != TOKEN_WORD && !quotes) || t->len - 2 * quotes >= NAME_BYTES ||
	    (quotes && memchr(t->s + 1, '"', t->len - 2)))
		return false;
	memcpy(name, t->s + quotes, t->len - 2 * quotes);
	name[t->len - 2 * quotes] = '\0';
	return true;
}

/* Adds the text of all tokens before `upto` that is not in sql yet. */
static void copy_upto(struct parsing *p, size_t upto)
{
	if (upto > p->copied)
		textbuf_add(&p->sql, p->list[p->copied].s,
			    (size_t)(p->list[upto].s - p->list[p->copied].s));
	p->copied = upto;
}

/* --- columns ---------------------------------------------------------------------------------- */

static bool is_plain_number(const struct event_columns *c, size_t column)
{
	const struct event_column *col = &c->list[column];

	switch (col->kind) {
	case COLUMN_TS:
	case COLUMN_CPU:
	case COLUMN_TID:
	case COLUMN_UTID:
		return true;
	case COLUMN_FIELD:
		/* what is above 2^63 is a text */
		return !ARRAY_ANY(c->trace->in->n_files, i,
				  col->places[i].form != FORM_INTEGER ||
					  (col->places[i].slot.field->size == 8 &&
					   !(col->places[i].slot.field->flags & FIELD_SIGNED)));
	default:
		return false;
	}
}

/*
 * Reads "[TABLE.]COLUMN" at p->at, without moving. *ret_n: its tokens. Returns the column, or -1 if
 * it is none of the table.
 */
static int find_column(const struct parsing *p, size_t *ret_n)
{
	const struct token *t = &p->list[p->at];
	char name[NAME_BYTES];
	bool is_qualified = is_sign(&t[1], ".");

	*ret_n = is_qualified ? 3 : 1;
	if (is_qualified && (!name_of(t, name) || strcasecmp(name, p->alias) != 0))
		return -1;
	if (!name_of(&t[*ret_n - 1], name))
		return -1;
	for (size_t i = 0; i < p->a->columns.n; i++)
		if (!strcasecmp(p->a->columns.list[i].name, name))
			return (int)i;
	return -1;
}

/* --- conditions ------------------------------------------------------------------------------- */

static bool take_number(struct parsing *p, int64_t *ret)
{
	bool is_minus = is_sign(&p->list[p->at], "-");
	const struct token *t = &p->list[p->at + is_minus];

	if (t->kind != TOKEN_NUMBER || t->len > NUMBER_DIGITS ||
	    ARRAY_ANY(t->len, i, !isdigit((unsigned char)t->s[i])))
		return false;
	*ret = strtoll(t->s, NULL, 10) * (is_minus ? -1 : 1);
	p->at += is_minus + 1u;
	return true;
}

/* Adds a number or a text to the values of a condition. */
static bool take_value(struct parsing *p, struct pushed *c, bool is_text)
{
	const struct token *t = &p->list[p->at];
	struct pushed_value v = {.is_text = is_text};

	if (is_text) {
		if (t->kind != TOKEN_TEXT || memchr(t->s + 1, '\'', t->len - 2))
			return false;
		v.len = t->len - 2;
		v.text = strndup(t->s + 1, v.len);
		p->at++;
	} else if (!take_number(p, &v.number)) {
		return false;
	}
	if ((is_text && !v.text) || !ARRAY_ONE_MORE(c->values, c->n, TOKENS_MAX)) {
		free(v.text);
		return false;
	}
	c->values[c->n++] = v;
	return true;
}

static struct pushed *add_condition(struct parsing *p, int column, enum pushdown_op op)
{
	struct pushdown *list = &p->a->conditions;
	struct pushed *c = &list->list[list->n];

	if (list->n == PUSHDOWN_MAX)
		return NULL;
	*c = (struct pushed){.column = column, .op = op};
	list->n++;
	return c;
}

static int compare_values(const void *a, const void *b)
{
	const struct pushed_value *x = a, *y = b;

	return COMPARE(x->number, y->number);
}

static bool take_list(struct parsing *p, int column, bool is_text)
{
	struct pushed *c = add_condition(p, column, PUSH_IN);

	if (!c || !is_sign(&p->list[p->at++], "("))
		return false;
	do {
		if (!take_value(p, c, is_text))
			return false;
	} while (is_sign(&p->list[p->at++], ","));
	if (!is_text)
		qsort(c->values, c->n, sizeof(*c->values), compare_values);
	return is_sign(&p->list[p->at - 1], ")");
}

static bool take_between(struct parsing *p, int column)
{
	struct pushed *c = add_condition(p, column, PUSH_GE);

	if (!c || !take_value(p, c, false) || !take_word(p, "AND"))
		return false;
	c = add_condition(p, column, PUSH_LE);
	return c && take_value(p, c, false);
}

static bool take_comparison(struct parsing *p, int column, bool is_text)
{
	static const struct {
		char sign[OPERATOR_BYTES];
		enum pushdown_op op;
	} ops[] = {{"=", PUSH_EQ}, {"==", PUSH_EQ}, {"!=", PUSH_NE}, {"<>", PUSH_NE},
		   {"<", PUSH_LT}, {"<=", PUSH_LE}, {">", PUSH_GT},  {">=", PUSH_GE}};

	for (size_t i = 0; i < ARRAY_LEN(ops); i++) {
		struct pushed *c;

		if (!is_sign(&p->list[p->at], ops[i].sign))
			continue;
		if (is_text && ops[i].op != PUSH_EQ && ops[i].op != PUSH_NE)
			return false;
		/* a scan finds one range of times */
		if (p->a->columns.list[column].kind == COLUMN_TS && ops[i].op == PUSH_NE)
			return false;
		p->at++;
		c = add_condition(p, column, ops[i].op);
		return c && take_value(p, c, is_text);
	}
	return false;
}

/* One condition. A column that is only in conditions is no part of the result. */
static bool take_condition(struct parsing *p)
{
	struct aggregate *a = p->a;
	size_t n;
	int column = find_column(p, &n);
	enum event_column_kind kind;
	bool is_text;

	if (column < 0)
		return false;
	kind = a->columns.list[column].kind;
	is_text = kind == COLUMN_COMM || kind == COLUMN_NAME || kind == COLUMN_SYSTEM;
	if (!is_text && !is_plain_number(&a->columns, (size_t)column))
		return false;
	p->at += n;
	/* the rows are tested for these */
	a->by_cpu |= kind == COLUMN_CPU;
	a->by_task |= kind == COLUMN_TID || kind == COLUMN_UTID || kind == COLUMN_COMM;
	a->by_kind |= kind == COLUMN_NAME || kind == COLUMN_SYSTEM;
	if (take_word(p, "IN"))
		return kind != COLUMN_TS && take_list(p, column, is_text);
	if (take_word(p, "BETWEEN"))
		return !is_text && take_between(p, column);
	return take_comparison(p, column, is_text);
}

/* --- the rest --------------------------------------------------------------------------------- */

static const char *const clauses[] = {"GROUP", "HAVING", "ORDER", "LIMIT"};

/* "ts / NUMBER" at p->at, where the quotient stands by itself. */
static bool take_bucket(struct parsing *p, size_t n)
{
	const struct token *before = &p->list[p->at - 1], *after;
	int64_t ns;

	if (!is_sign(before, "(") && !is_sign(before, ",") && !is_word(before, "SELECT") &&
	    !is_word(before, "BY"))
		return false;
	p->at += n;
	if (!is_sign(&p->list[p->at++], "/") || !take_number(p, &ns) || ns <= 0)
		return false;
	after = &p->list[p->at];
	if (is_sign(after, "||") || is_sign(after, "->") || is_word(after, "COLLATE") ||
	    (p->a->bucket_ns && p->a->bucket_ns != ns))
		return false;
	p->a->bucket_ns = ns;
	return true;
}

/* Is the token a name of a result by which it is sorted? "ORDER BY ts", after "ts / 5 AS ts" */
static bool is_result_name(const struct parsing *p)
{
	const struct token *t = &p->list[p->at];
	bool is_ordered = false, is_named = false;

	for (size_t i = 0; i < p->at; i++) {
		is_ordered |= is_word(&p->list[i], "ORDER");
		is_named |= is_word(&p->list[i], "AS") && p->list[i + 1].len == t->len &&
			    !strncasecmp(p->list[i + 1].s, t->s, t->len);
	}
	return is_ordered && is_named && (is_word(&t[-1], "BY") || is_sign(&t[-1], ",")) &&
	       (t[1].kind == TOKEN_END || is_sign(&t[1], ",") || is_word(&t[1], "DESC") ||
		is_word(&t[1], "ASC") || is_word(&t[1], "LIMIT"));
}

static bool take_column(struct parsing *p, int column, size_t n)
{
	struct aggregate *a = p->a;

	switch (a->columns.list[column].kind) {
	case COLUMN_TS:
		if (!is_result_name(p))
			return take_bucket(p, n);
		break;
	case COLUMN_CPU:
		a->by_cpu = true;
		break;
	case COLUMN_TID:
	case COLUMN_UTID:
	case COLUMN_COMM:
		a->by_task = true;
		break;
	case COLUMN_SYSTEM:
	case COLUMN_NAME:
		a->by_kind = true;
		break;
	default:
		return false;
	}
	p->at += n;
	return true;
}

/* The number of a measured column; -1: there are too many. */
static int measure_of(struct aggregate *a, int column)
{
	for (size_t i = 0; i < a->n_measured; i++)
		if (a->measured[i] == (size_t)column)
			return (int)i;
	if (a->n_measured == FOLD_MEASURES)
		return -1;
	a->measured[a->n_measured] = (size_t)column;
	return (int)a->n_measured++;
}

static const struct {
	const char *name, *form; /* %1$d: the number of the measure */
} functions[] = {
	{"count", "ifnull(sum(\"#count%1$d\"), 0)"},
	{"sum", "sum(\"#sum%1$d\")"},
	{"total", "total(\"#real%1$d\")"},
	{"avg", "(total(\"#real%1$d\") / nullif(sum(\"#count%1$d\"), 0))"},
	{"min", "min(\"#min%1$d\")"},
	{"max", "max(\"#max%1$d\")"},
};

/* "sum(COLUMN)", "count(*)" at p->at, which is replaced. */
static bool take_aggregate(struct parsing *p, size_t function)
{
	size_t start = p->at, n;
	char text[NAME_BYTES];
	int column, measure;

	p->at += 2;
	if (is_sign(&p->list[p->at], "*")) {
		if (strcasecmp(functions[function].name, "count") != 0)
			return false;
		p->at++;
		snprintf(text, sizeof(text), "ifnull(sum(\"#n\"), 0)");
	} else {
		column = find_column(p, &n);
		if (column < 0 || !is_plain_number(&p->a->columns, (size_t)column))
			return false;
		measure = measure_of(p->a, column);
		if (measure < 0)
			return false;
		p->at += n;
		snprintf(text, sizeof(text), functions[function].form, measure);
	}
	if (!is_sign(&p->list[p->at++], ")") || is_word(&p->list[p->at], "FILTER") ||
	    is_word(&p->list[p->at], "OVER"))
		return false;
	copy_upto(p, start);
	textbuf_add_str(&p->sql, text);
	p->copied = p->at;
	/* the blank between */
	textbuf_add_char(&p->sql, ' ');
	p->has_aggregate = true;
	return true;
}

static bool take_function(struct parsing *p)
{
	static const char *const plain[] = {
		"round", "cast",	"coalesce",  "ifnull",	  "nullif", "iif",    "abs",
		"upper", "lower",	"printf",    "format",	  "length", "substr", "replace",
		"trim",	 "trace_start", "trace_end", "trace_dur", "in"};
	const struct token *t = &p->list[p->at];

	for (size_t i = 0; i < ARRAY_LEN(functions); i++)
		if (is_word(t, functions[i].name))
			return take_aggregate(p, i);
	if (!is_one_of(t, plain, ARRAY_LEN(plain)))
		return false;
	p->at++;
	return true;
}

/* Reads the text up to a clause of this list, or the end. */
static bool take_clause(struct parsing *p, const char *const *ends, size_t n_ends)
{
	static const char *const refused[] = {"SELECT", "FROM", "UNION",   "INTERSECT", "EXCEPT",
					      "WINDOW", "OVER", "FILTER",  "DISTINCT",	"EXISTS",
					      "ROWID",	"OID",	"_ROWID_", "VALUES",	"JOIN"};
	size_t n;

	while (p->list[p->at].kind != TOKEN_END) {
		const struct token *t = &p->list[p->at];
		int column;

		if (is_one_of(t, ends, n_ends))
			return true;
		if (is_one_of(t, refused, ARRAY_LEN(refused)) || is_sign(t, ";") ||
		    (is_sign(t, "*") && (is_sign(&t[-1], ",") || is_word(&t[-1], "SELECT"))))
			return false;
		if (is_word(t, "AS") && t[1].kind <= TOKEN_QUOTED && !is_sign(&t[2], "(")) {
			p->at += 2; /* CAST(x AS INTEGER), too */
			continue;
		}
		if (t->kind != TOKEN_WORD && t->kind != TOKEN_QUOTED) {
			p->at++;
			continue;
		}
		if (t->kind == TOKEN_WORD && is_sign(&t[1], "(")) {
			if (!take_function(p))
				return false;
			continue;
		}
		column = find_column(p, &n);
		if (column < 0 && n > 1)
			return false;
		if (column < 0)
			p->at++; /* a keyword or a name of a result; else SQLite complains */
		else if (!take_column(p, column, n))
			return false;
	}
	return true;
}

/* "FROM TABLE [[AS] NAME]": which table? The select list before it is read later. */
static bool find_table(struct parsing *p, struct query_trace *t, const struct event_tables *tables)
{
	size_t at = 0;

	while (p->list[at].kind != TOKEN_END && !is_word(&p->list[at], "FROM"))
		at++;
	if (!name_of(&p->list[at + 1], p->table) ||
	    !event_tables_find(tables, p->table, &p->a->system, &p->a->event))
		return false;
	at += 2;
	at += is_word(&p->list[at], "AS");
	memcpy(p->alias, p->table, sizeof(p->alias));
	if (!is_word(&p->list[at], "WHERE") &&
	    !is_one_of(&p->list[at], clauses, ARRAY_LEN(clauses)))
		if (p->list[at].kind != TOKEN_END && !name_of(&p->list[at], p->alias))
			return false;
	return event_columns_init(&p->a->columns, t, p->a->system, p->a->event) >= 0;
}

static bool take_from(struct parsing *p)
{
	char name[NAME_BYTES];
	size_t start = p->at;

	p->at += 2;
	take_word(p, "AS");
	if (strcmp(p->alias, p->table) != 0 && name_of(&p->list[p->at], name))
		p->at++;
	copy_upto(p, start);
	textbuf_addf(&p->sql, "FROM \"" AGGREGATE_TABLE "\" AS \"%s\" ", p->alias);
	if (take_word(p, "WHERE"))
		do
			if (!take_condition(p))
				return false;
		while (take_word(p, "AND"));
	p->copied = p->at;
	return p->list[p->at].kind == TOKEN_END ||
	       is_one_of(&p->list[p->at], clauses, ARRAY_LEN(clauses));
}

static bool parse(struct parsing *p, struct query_trace *t, const struct event_tables *tables)
{
	static const char *const from[] = {"FROM"};

	if (!take_word(p, "SELECT") || !find_table(p, t, tables))
		return false;
	if (!take_clause(p, from, 1) || !take_from(p) || !take_clause(p, NULL, 0))
		return false;
	copy_upto(p, p->n);
	return p->has_aggregate && !p->sql.overflow;
}

int aggregate_new(struct aggregate **ret, struct query_trace *t, const struct event_tables *tables,
		  const char *sql, size_t len)
{
	struct parsing *p = calloc(1, sizeof(*p));
	int r = 0;

	*ret = NULL;
	if (!p)
		return -ENOMEM;
	textbuf_init(&p->sql, SQL_MAX_BYTES);
	p->a = calloc(1, sizeof(*p->a));
	if (!p->a)
		r = -ENOMEM;
	else if (read_tokens(p, sql, len) && parse(p, t, tables)) {
		p->a->sql = strdup(textbuf_text(&p->sql));
		r = p->a->sql ? 1 : -ENOMEM;
	}
	if (r > 0)
		*ret = TAKE(p->a);
	aggregate_free(p->a);
	textbuf_release(&p->sql);
	free(p);
	return r;
}

void aggregate_free(struct aggregate *a)
{
	if (!a)
		return;
	if (a->columns.trace)
		event_columns_release(&a->columns);
	pushdown_release(&a->conditions);
	free(a->sql);
	free(a);
}
