/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * tally.h - how often functions were called and how long they took, as uftrace report counts.
 *
 * Functions with the same name are one. The time of a call inside of a call of the same function
 * counts for average, minimum and maximum, not for the sum. Rows point to names of the walk. One
 * owner.
 */
#ifndef SONDE_ANALYSE_UFTRACE_TALLY_H
#define SONDE_ANALYSE_UFTRACE_TALLY_H

#include "analyse/uftrace/walk.h"
#include "base/map.h"
#include "symbols/uftrace/module.h"

struct uft_times {
	uint64_t sum, nested, avg, min, max;
};

struct uft_row {
	char *name;
	struct uft_times total, self;
	uint64_t n_calls, size;
	const struct uft_dbg *place;
	const struct uft_row *pair; /* --diff: the same function of the other recording */
	const struct uft_task *task;
};

struct uft_tally {
	struct uft_row **rows; /* by name when they are complete */
	size_t n, cap;
	struct map by_name; /* hash of the name to an index + 1 of chains */
	uint64_t seed;
	bool srcline;
	struct uft_tally_seen *seen; /* of each task, by lane */
};

void uft_tally_init(struct uft_tally *t, bool srcline);
void uft_tally_release(struct uft_tally *t);
/* Counts a whole walk: functions, or tasks (named by their tid). 0 or -ENOMEM. */
int uft_tally_functions(struct uft_tally *t, struct uft_walk *w);
int uft_tally_tasks(struct uft_tally *t, struct uft_walk *w);
/* Sets run_ns of each task, the time from its first to its last record, and idle_ns. */
void uft_tally_spans(struct uft_walk *w);

#endif
