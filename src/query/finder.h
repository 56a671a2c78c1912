/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * finder.h - one record by its place (scan.h), without a walk over the trace.
 *
 *	finder_new ─▶ finder_find … ─▶ finder_free
 *
 * The record is shown in a struct scan, as scan_next() shows one, so that columns read it in the
 * same way. It is valid until the next finder_find(). Only one thread may use a finder.
 */
#ifndef SONDE_QUERY_FINDER_H
#define SONDE_QUERY_FINDER_H

#include "query/scan.h"

struct finder;

/* NULL: no memory. The trace must stay. */
struct finder *finder_new(struct query_trace *t);
void finder_free(struct finder *f);
SCOPED_POINTER(struct finder, finder_free)

/* Returns 1 with the record in *ret, 0 if no record has that place, or a negative errno. */
int finder_find(struct finder *f, int64_t place, struct scan *ret);

#endif
