/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rowstext.h - the rows of a query as a table, as CSV, or as one JSON object for each row.
 *
 *	rowstext_init ─▶ rowstext_sink (query_run) ─▶ rowstext_release
 *
 * Rows are written as they come. A table looks at its first ROWSTEXT_AHEAD rows for the widths of
 * its columns; a longer value later only shifts the rest of its line. Only one thread may use it.
 */
#ifndef SONDE_PRESENT_QUERY_ROWSTEXT_H
#define SONDE_PRESENT_QUERY_ROWSTEXT_H

#include "base/arena.h"
#include "base/textbuf.h"
#include "query/query.h"

#define ROWSTEXT_AHEAD 1000

enum rowstext_form { ROWSTEXT_TABLE, ROWSTEXT_CSV, ROWSTEXT_JSON };

struct rowstext {
	enum rowstext_form form;
	/* negative: a failure; -EPIPE: nobody reads any more */
	int (*write)(void *ctx, const char *s, size_t len);
	void *ctx;
	struct textbuf out;
	char **names;
	size_t n_columns;
	size_t *widths;
	bool *are_numbers;
	/* TABLE: the first rows, as texts, until the widths are known */
	struct textbuf ahead;
	size_t n_ahead;
	bool is_measured;
	uint64_t n_rows, n_statements;
};

void rowstext_init(struct rowstext *rt, enum rowstext_form form,
		   int (*write)(void *ctx, const char *s, size_t len), void *ctx);
void rowstext_release(struct rowstext *rt);
struct query_sink rowstext_sink(struct rowstext *rt);

#endif
