// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sql.c - api/sql: the rows of a query, and api/queries: those that come with sonde.
 *
 *	{"query":"SELECT ts, name FROM event","rows":1000}
 *
 *	{"columns":["ts","name"],"rows":[[151609943000,"sched_switch"],…],"more":false}
 *
 * Integers that JavaScript's numbers cannot hold are texts. A wrong query is an ordinary answer
 * with the rows before the mistake and "error", "at", "length": the page is a place to try things.
 */
#include "base/json/jsonreader.h"
#include "base/scope.h"
#include "query/shipped.h"
#include "view/api/api.h"
#include "view/queries.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_MAX   100000
#define ROWS_USUAL 1000
#define EXACT_MAX  (INT64_C(1) << 53)
#define NODES_MAX  64
#define DIGITS	   9

struct rows {
	struct jsonwriter w;
	uint64_t n, max;
	bool is_open, has_more; /* a list of rows; more rows than max */
};

static int begin_rows(void *ctx, const char *const *names, size_t n)
{
	struct rows *r = ctx;

	/* the rows of one statement are shown: those of the last would need another table */
	if (r->is_open)
		return -E2BIG;
	jsonwriter_add_strings(&r->w, "columns", names, n);
	jsonwriter_open(&r->w, "rows", '[');
	r->is_open = true;
	return 0;
}

static void add_integer(struct jsonwriter *w, int64_t v)
{
	char text[24];

	if (v <= EXACT_MAX && v >= -EXACT_MAX) {
		jsonwriter_add_int(w, NULL, v);
		return;
	}
	snprintf(text, sizeof(text), "%lld", (long long)v);
	jsonwriter_add_string(w, NULL, text);
}

static int add_row(void *ctx, const struct query_cell *cells, size_t n)
{
	struct rows *r = ctx;

	if (r->n == r->max) {
		r->has_more = true;
		return -ENOSPC;
	}
	r->n++;
	jsonwriter_open(&r->w, NULL, '[');
	for (size_t i = 0; i < n; i++)
		if (cells[i].kind == CELL_INTEGER)
			add_integer(&r->w, cells[i].integer);
		else if (cells[i].kind == CELL_REAL && isfinite(cells[i].real))
			jsonwriter_add_real(&r->w, NULL, cells[i].real, DIGITS);
		else if (cells[i].kind == CELL_TEXT)
			jsonwriter_add_text(&r->w, NULL, cells[i].text, cells[i].len);
		else
			jsonwriter_add_null(&r->w, NULL); /* a blob, too */
	jsonwriter_close(&r->w);
	return r->w.tb->overflow ? -EFBIG : 0;
}

static int end_rows(void *ctx)
{
	return 0;
}

/* Reads the query, which the caller frees, and the number of rows. */
static int read_wants(const struct request *req, char **ret, uint64_t *ret_rows, struct errmsg *err)
{
	const struct jsonnode *query, *rows;
	struct jsondoc doc;

	TRY(jsondoc_parse(&doc, req->body, req->body_len, NODES_MAX, err));
	query = jsonnode_find(&doc, jsondoc_root(&doc), "query");
	rows = jsonnode_find(&doc, jsondoc_root(&doc), "rows");
	*ret_rows =
		rows && rows->kind == JSON_NUMBER && rows->number >= 0 && rows->number <= ROWS_MAX
			? (uint64_t)rows->number
			: ROWS_USUAL;
	*ret = query && query->kind == JSON_TEXT ? strdup(query->text) : NULL;
	jsondoc_release(&doc);
	return *ret ? 0 : errmsg_set(err, -EINVAL, "sql needs a query, as a text");
}

static bool is_answer(const struct errmsg *why)
{
	return why->reason == QUERY_WRONG || why->reason == QUERY_REFUSED ||
	       why->reason == QUERY_TOO_LONG || why->reason == QUERY_TOO_BIG ||
	       why->code == -EINVAL || why->code == -ENOTSUP || why->code == -ENOSPC;
}

int api_sql(struct stage *st, const struct request *req, struct answer *a, struct errmsg *err)
{
	SCOPED(scope_free) char *sql = NULL;
	struct rows rows = {0};
	struct query_sink sink = {&rows, begin_rows, add_row, end_rows};
	struct errmsg why = {0};
	int r;

	if (!st->config.queries)
		return errmsg_set(err, -ENOTSUP, "this trace cannot be queried");
	TRY(read_wants(req, &sql, &rows.max, err));
	jsonwriter_init(&rows.w, &a->body);
	jsonwriter_open(&rows.w, NULL, '{');
	r = queries_run(st->config.queries, sql, &sink, req->is_gone, req->gone_ctx, &why);
	if (r < 0 && !rows.has_more && !(r == -E2BIG && rows.is_open) && !is_answer(&why)) {
		*err = why;
		return r;
	}
	if (rows.is_open)
		jsonwriter_close(&rows.w);
	jsonwriter_add_bool(&rows.w, "more", rows.has_more);
	if (r < 0 && !rows.has_more && is_answer(&why)) {
		jsonwriter_add_text(&rows.w, "error", why.text, errmsg_sentence_len(&why));
		if (why.has_span) {
			jsonwriter_add_uint(&rows.w, "at", why.at);
			jsonwriter_add_uint(&rows.w, "length", why.len);
		}
	}
	jsonwriter_close(&rows.w);
	return 0;
}

int api_queries(struct stage *st, const struct request *req, struct answer *a, struct errmsg *err)
{
	struct jsonwriter w;

	jsonwriter_init(&w, &a->body);
	jsonwriter_open(&w, NULL, '[');
	for (const struct shipped_query *s = shipped_queries; s->name; s++) {
		jsonwriter_open(&w, NULL, '{');
		jsonwriter_add_string(&w, "name", s->name);
		jsonwriter_add_string(&w, "summary", s->summary);
		jsonwriter_add_string(&w, "sql", s->sql);
		jsonwriter_close(&w);
	}
	jsonwriter_close(&w);
	return 0;
}
