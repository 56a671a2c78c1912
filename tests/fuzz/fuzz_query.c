// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_query.c - any text as a query over a recorded trace.
 *
 *	input:  SQL
 *
 * The database stays open from one input to the next. Whatever a query does, the tables and views must
 * be the same afterwards, no other database may be attached, and a plain query must give the same
 * number as before. A query ends after a second, or when it needs 64 MB.
 */
#include "base/errmsg.h"
#include "inputs/inputs.h"
#include "query/query.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fixture {
	char path[4096];
	struct inputs_path file;
	struct inputs_spec spec;
	struct inputs in;
	struct query *query;
	char before[256];
};

/* The last row, as text. */
struct answer {
	char text[256];
};

static int columns(void *ctx, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!names[i])
			abort();
	return 0;
}

static int row(void *ctx, const struct query_cell *cells, size_t n)
{
	struct answer *a = ctx;
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		if (cells[i].kind > CELL_BLOB || (cells[i].len && !cells[i].text))
			abort();
		if (a && at < sizeof(a->text))
			at += (size_t)snprintf(a->text + at, sizeof(a->text) - at, "%lld ",
					       (long long)cells[i].integer);
	}
	return 0;
}

static int end(void *ctx)
{
	return 0;
}

static void ask(struct fixture *fx, struct answer *ret)
{
	static const char sql[] =
		"SELECT (SELECT count(*) FROM event), count(*), sum(length(sql)), "
		"(SELECT count(*) FROM pragma_database_list) FROM sqlite_schema";
	struct query_sink sink = {ret, columns, row, end};
	struct errmsg err = {0};

	memset(ret, 0, sizeof(*ret));
	if (query_run(fx->query, sql, &sink, &err) < 0)
		snprintf(ret->text, sizeof(ret->text), "%.200s", err.text);
}

static struct fixture *fixture_get(void)
{
	static struct fixture fx;
	struct query_limits limits = {.time_ns = 1000000000, .memory_bytes = 64 << 20};
	struct errmsg err = {0};
	struct answer first;

	if (fx.query)
		return &fx;
	snprintf(fx.path, sizeof(fx.path), "%.4000s", __FILE__);
	if (!strrchr(fx.path, '/'))
		abort();
	snprintf(strrchr(fx.path, '/'), 64, "/../golden/tour.dat");
	fx.file.path = fx.path;
	fx.spec = (struct inputs_spec){.paths = &fx.file, .n_paths = 1, .all_names = true};
	if (inputs_open(&fx.in, &fx.spec, &err) < 0 ||
	    query_new(&fx.query, &fx.in, &limits, NULL, &err) < 0)
		abort();
	ask(&fx, &first);
	memcpy(fx.before, first.text, sizeof(fx.before));
	return &fx;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fixture *fx = fixture_get();
	struct query_sink sink = {NULL, columns, row, end};
	struct errmsg err = {0};
	struct answer after;
	char *sql = malloc(size + 1);

	if (!sql)
		return 0;
	memcpy(sql, data, size);
	sql[size] = '\0';
	if (query_run(fx->query, sql, &sink, &err) < 0 && !err.text[0])
		abort();
	if (err.has_span && err.at > size)
		abort();
	free(sql);
	ask(fx, &after);
	if (strcmp(after.text, fx->before) != 0)
		abort();
	return 0;
}
