/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * userplace.h - finds the function of a program that a task was in at a time, from its recorded
 * calls (record -u). For one thread.
 *
 *	user_places_init ─▶ user_places_find …
 */
#ifndef SONDE_TIMELINE_INSIGHT_USERPLACE_H
#define SONDE_TIMELINE_INSIGHT_USERPLACE_H

#include "timeline/lanes/lane.h"

struct user_places {
	struct lanes *ls;
	bool has_any; /* the trace has calls of programs */
};

void user_places_init(struct user_places *p, struct lanes *ls);
/*
 * Returns the innermost function of a program that was open in the task at ts, as a label of the
 * lanes. Returns NULL if none was recorded.
 */
const char *user_places_find(struct user_places *p, uint16_t task, uint64_t ts);

#endif
