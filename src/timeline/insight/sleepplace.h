/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sleepplace.h - finds the kernel function in which a task sleeps, from the stack of its switch.
 * For one thread.
 *
 *	sleep_places_init ─▶ sleep_places_find … ─▶ sleep_places_release
 */
#ifndef SONDE_TIMELINE_INSIGHT_SLEEPPLACE_H
#define SONDE_TIMELINE_INSIGHT_SLEEPPLACE_H

#include "timeline/insight/stackframes.h"

struct sleep_places {
	struct stack_reader reader;
};

/* Returns 0 or -ENOMEM. Release p in either case. */
int sleep_places_init(struct sleep_places *p, struct lanes *ls);
void sleep_places_release(struct sleep_places *p);
/*
 * Returns the kernel function in which the task left the CPU of this stream at ts, as a label of
 * the lanes. Returns NULL if the trace has no stack of this switch.
 */
const char *sleep_places_find(struct sleep_places *p, size_t stream, uint16_t task, uint64_t ts);

#endif
