/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * parquet.h - the rows of one statement as a Parquet file, for DuckDB, Spark, pandas, ClickHouse.
 *
 *	parquet_init ─▶ parquet_sink (query_run) ─▶ parquet_release
 *
 * A column is INT64, DOUBLE or a text. SQL columns have no type, so the first PARQUET_ROWS rows
 * decide: numbers and texts together are texts. A later text in a column of numbers is an error,
 * which parquet.why explains. Only one thread may use it.
 */
#ifndef SONDE_PRESENT_QUERY_PARQUET_H
#define SONDE_PRESENT_QUERY_PARQUET_H

#include "base/errmsg.h"
#include "base/textbuf.h"
#include "query/query.h"

#define PARQUET_ROWS 65536 /* of a row group */

struct parquet_column;
struct parquet_chunk;

struct parquet {
	int (*write)(void *ctx, const char *s, size_t len);
	void *ctx;
	struct errmsg why; /* a failure that is not one of writing */
	struct parquet_column *columns;
	size_t n_columns;
	struct parquet_chunk *chunks; /* written: n_columns for each row group */
	size_t n_chunks;
	size_t n_rows; /* of the present row group */
	uint64_t n_all, n_bytes, n_statements;
};

void parquet_init(struct parquet *p, int (*write)(void *ctx, const char *s, size_t len), void *ctx);
void parquet_release(struct parquet *p);
struct query_sink parquet_sink(struct parquet *p);

#endif
