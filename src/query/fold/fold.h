/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fold.h - how many events each CPU, task and kind has: rows for queries that look at nothing else.
 *
 * "SELECT comm, count(*) FROM event GROUP BY comm" needs no times and no fields. One pass counts
 * the events by CPU, task and kind; the table then returns each such row as often as it occurred,
 * in the order that the query groups by, so that SQLite does not sort.
 */
#ifndef SONDE_QUERY_FOLD_H
#define SONDE_QUERY_FOLD_H

#include "decode/formats/event.h"
#include "query/eventcolumns.h"
#include "query/pushdown.h"
#include "query/scan.h"

struct fold_row {
	uint64_t n;
	uint32_t cpu;
	int32_t tid, id;
	uint16_t file;
	const char *comm;
	const struct event *event;
	int64_t bucket; /* of time; only with struct fold_spec */
	uint64_t ts;	/* of its first event; the same */
};

struct fold {
	struct fold_row *rows;
	size_t n, cap;
};

/* Which columns can a folded row answer? */
bool fold_has_column(enum event_column_kind kind);

/*
 * Counts what wants selects. by_kind: CPU and task do not matter, so that all cores can count (only
 * without other conditions).
 */
int fold_read(struct fold *f, struct query_trace *t, const struct scan_wants *wants, bool by_kind,
	      bool with_names);
void fold_release(struct fold *f);
/* Keeps the rows that match, and sorts them. */
void fold_select(struct fold *f, const struct event_columns *c, const struct pushdown *p);
void fold_result(const struct fold_row *row, enum event_column_kind kind, sqlite3_context *to);

#endif
