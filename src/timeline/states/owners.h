/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * owners.h - the tasks that occupied a CPU between two moments, and for how long.
 */
#ifndef SONDE_TIMELINE_STATES_OWNERS_H
#define SONDE_TIMELINE_STATES_OWNERS_H

#include "timeline/timeline.h"

#define OWNERS_MAX    64   /* listed separately; the rest is counted as "others" */
#define OWNERS_OTHERS (-2) /* instead of a task */

struct owner {
	int task; /* -1: unknown; OWNERS_OTHERS */
	uint64_t ns;
};

/* Zeroed: empty. */
struct owners {
	int first; /* the task at the first moment; valid if the list is not empty */
	struct owner list[OWNERS_MAX + 1];
	unsigned n;
};

/* Adds the tasks that occupied the CPU in [from, to]; cpu -1: unknown. 0 or -ENOMEM. */
int owners_look(struct owners *o, struct timeline *tl, uint32_t machine, int cpu, uint64_t from,
		uint64_t to);
/* Sorts by time, longest first. Nothing can be added after that. */
void owners_sort(struct owners *o);
int owner_compare(const void *a, const void *b);

#endif
