/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * owners.h - who had a CPU between two moments, and for how long.
 */
#ifndef SONDE_TIMELINE_STATES_OWNERS_H
#define SONDE_TIMELINE_STATES_OWNERS_H

#include "timeline/timeline.h"

#define OWNERS_MAX    64   /* told apart; more are others */
#define OWNERS_OTHERS (-2) /* instead of a task */

struct owner {
	int task; /* -1: not known; OWNERS_OTHERS */
	uint64_t ns;
};

/* Zeroed: nobody. */
struct owners {
	int first; /* who had it at the first moment that was looked at; if there are any */
	struct owner list[OWNERS_MAX + 1];
	unsigned n;
};

/* Adds who had the CPU in [from, to]; cpu -1: nobody knows. 0 or -ENOMEM. */
int owners_look(struct owners *o, struct timeline *tl, uint32_t machine, int cpu, uint64_t from,
		uint64_t to);
/* The longest first. Nothing can be added any more. */
void owners_sort(struct owners *o);
int owner_compare(const void *a, const void *b);

#endif
