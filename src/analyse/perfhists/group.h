/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * group.h - the tables of a group of events as one: a row has a value of each event.
 *
 *	perfhists_sort (each table) ─▶ perfgroup_init ─▶ rows ─▶ perfgroup_release
 */
#ifndef SONDE_ANALYSE_PERFHISTS_GROUP_H
#define SONDE_ANALYSE_PERFHISTS_GROUP_H

#include "analyse/perfhists/hists.h"

#define PERFGROUP_MAX 16 /* events */

struct perfgroup_row {
	const struct perfhists_row *of[PERFGROUP_MAX]; /* NULL: the event has no such row */
	const struct perfhists_row *first;	       /* of the events that have it */
	uint32_t same_hash;			       /* number of another row + 1 */
};

struct perfgroup {
	const struct perfhists *tables[PERFGROUP_MAX]; /* NULL: no samples */
	size_t n_events;
	struct perfgroup_row *rows; /* in order */
	size_t n, cap;
};

/*
 * Of 1 to PERFGROUP_MAX tables with the same cells, whose ids mean the same in all. They must stay.
 * One of them must not be NULL. 0 or -ENOMEM.
 */
int perfgroup_init(struct perfgroup *g, const struct perfhists *const *tables, size_t n_events);
void perfgroup_release(struct perfgroup *g);

#endif
