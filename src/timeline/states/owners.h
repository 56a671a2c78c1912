/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* owners.h - finds the tasks that occupied a CPU between two moments, and their times. */
#ifndef SONDE_TIMELINE_STATES_OWNERS_H
#define SONDE_TIMELINE_STATES_OWNERS_H

#include "timeline/timeline.h"

/* limit of tasks that are listed separately; the rest is counted as "others" */
#define OWNERS_MAX    64
#define OWNERS_OTHERS (-2) /* used instead of a task number */

struct owner {
	int task; /* a task number; -1: unknown; or OWNERS_OTHERS */
	uint64_t ns;
};

/* A zeroed struct is an empty list. */
struct owners {
	int first; /* the task at the first moment; valid if the list is not empty */
	struct owner list[OWNERS_MAX + 1];
	unsigned n;
};

/* Adds the tasks that occupied the CPU in [from, to]; cpu -1: unknown. Returns 0 or -ENOMEM. */
int owners_look(struct owners *o, struct timeline *tl, uint32_t machine, int cpu, uint64_t from,
		uint64_t to);
/* Sorts by time, the longest first, then by pid. No times can be added after that. */
void owners_sort(struct owners *o, struct timeline *tl);
/* Compares two struct owner in the same order, for qsort_r(). */
int owner_compare(const void *a, const void *b, void *tl);

#endif
