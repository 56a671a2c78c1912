/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * foldscan.h - counts events by CPU, task and kind, with all CPUs of this machine.
 *
 * A table has a row for each combination that occurs. Its rows are in no order.
 */
#ifndef SONDE_QUERY_FOLDSCAN_H
#define SONDE_QUERY_FOLDSCAN_H

#include "query/fold.h"

struct foldtable {
	struct fold_row *rows;
	size_t n;
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

#endif
