/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * schedgaps.h - the times in which events of any CPU were lost.
 *
 *  schedgaps_add … (all records, in the order of time) ─▶ schedgaps_finish ─▶ schedgaps_overlap …
 *
 * A gap is known only by the record after it. A wait on another CPU may end before that, so the
 * gaps are found first, in a walk of their own.
 */
#ifndef SONDE_ANALYSE_SCHED_SCHEDGAPS_H
#define SONDE_ANALYSE_SCHED_SCHEDGAPS_H

#include "decode/record.h"

#include <stdbool.h>
#include <stddef.h>

struct schedgap_range {
	uint64_t from, to;
};

/* Zeroed at first. Only one thread may use it at a time. */
struct schedgaps {
	uint64_t *last; /* by source and CPU: 1 + time of the last record; 0: none */
	size_t n_last;
	struct schedgap_range *list; /* after schedgaps_finish(): in order, without overlaps */
	size_t n, cap;
	bool is_full; /* memory was short: nothing is sure */
};

void schedgaps_add(struct schedgaps *g, const struct record *rec);
void schedgaps_finish(struct schedgaps *g);
void schedgaps_release(struct schedgaps *g);
/* Were events lost between the two moments? */
bool schedgaps_overlap(const struct schedgaps *g, uint64_t from, uint64_t to);

#endif
