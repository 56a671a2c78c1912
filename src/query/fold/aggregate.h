/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * aggregate.h - a statement that only adds up events of one table, taken apart.
 *
 *	SELECT name, count(*), max(ts) FROM event WHERE ts > 5 GROUP BY name
 *	SELECT name, ifnull(sum("#n"), 0), max("#max0") FROM "#fold" AS "event" GROUP BY name
 *
 * The second form asks the table "#fold" (aggtable.h) for partial results, which a parallel scan
 * computes; SQLite joins those of a group, sorts and limits as always.
 */
#ifndef SONDE_QUERY_FOLD_AGGREGATE_H
#define SONDE_QUERY_FOLD_AGGREGATE_H

#include "query/eventcolumns.h"
#include "query/fold/foldscan.h"
#include "query/pushdown.h"

struct event_tables;

#define AGGREGATE_TABLE "#fold"

struct aggregate {
	const char *system, *event; /* NULL: all events */
	struct event_columns columns;
	struct pushdown conditions;
	bool by_cpu, by_task, by_kind;
	int64_t bucket_ns; /* "ts / N" is all that is asked of times; 0: nothing is */
	size_t measured[FOLD_MEASURES];
	size_t n_measured;
	char *sql; /* the second form */
};

/*
 * Takes a statement of len bytes apart. Returns 1 with a new *ret, 0 if it is anything else, or
 * -ENOMEM.
 */
int aggregate_new(struct aggregate **ret, struct query_trace *t, const struct event_tables *tables,
		  const char *sql, size_t len);
void aggregate_free(struct aggregate *a);

#endif
