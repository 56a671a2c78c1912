/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * foldscan.h - counts events by CPU, task and kind, with all CPUs of this machine.
 *
 * A table has a row for each combination that occurs. Its rows are in no order. With a fold_spec it
 * counts by less or more (a bucket of time), only what matches conditions, and also sums columns.
 */
#ifndef SONDE_QUERY_FOLDSCAN_H
#define SONDE_QUERY_FOLDSCAN_H

#include "query/fold/fold.h"

#define FOLD_MEASURES 4

struct fold_measure { /* of a column of numbers */
	__int128 sum;
	uint64_t n; /* of those that are not NULL; 0: min and max mean nothing */
	int64_t min, max;
};

struct fold_spec {
	bool by_cpu, by_task, by_kind; /* what is a combination; else it is 0 in all rows */
	int64_t bucket_ns;	       /* 0: of any time */
	struct event_columns *columns; /* of conditions and measures */
	/* those on fields, which are tested for each event; time, CPU and kind are in scan_wants */
	const struct pushed *const *conditions;
	size_t n_conditions;
	size_t measured[FOLD_MEASURES]; /* columns of numbers */
	size_t n_measured;
};

struct foldtable {
	struct fold_row *rows;
	struct fold_measure *measures; /* n_measures for each row */
	size_t n, n_measures, measure_cap;
	struct foldtable_place *places; /* rows by their combination */
	size_t n_places;
};

/* Adds row->n events. Returns 0, -ENOMEM, or -ENOSPC if there are too many combinations. */
int foldtable_add(struct foldtable *t, const struct fold_row *row);
void foldtable_release(struct foldtable *t);

/*
 * Counts all events of the wanted CPUs and kinds, of any time. Returns 0 or a negative errno;
 * -EINTR if the query is to end.
 */
int foldscan(struct foldtable *table, struct query_trace *t, const struct scan_wants *wants);
/* The same with a spec, also in a range of time. */
int foldscan_by(struct foldtable *table, struct query_trace *t, const struct scan_wants *wants,
		const struct fold_spec *spec);

#endif
