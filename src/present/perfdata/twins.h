/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * twins.h - which sample belongs to which event of the kernel.
 *
 *  twins_new ─▶ twins_note for each event ─▶ twins_settle ─▶ twins_find for each event
 *      ─▶ twins_free
 *
 * A tracepoint may be recorded twice: as an event, which has its fields, and as a sample, which has
 * the stack. A perf.data has one record with both.
 */
#ifndef SONDE_PRESENT_PERFDATA_TWINS_H
#define SONDE_PRESENT_PERFDATA_TWINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perfwrite;
struct perfwrite_record;
struct sampleset_row;
struct twins;

/*
 * *ret: NULL if nothing was recorded twice; every function takes that. 0 or -ENOMEM. w stays the
 * caller's.
 */
int twins_new(struct twins **ret, const struct perfwrite *w);
void twins_free(struct twins *t);

/* Are the samples of this event (its index in the samples) only stacks of events? */
bool twins_has(const struct twins *t, size_t sampled);
/* event: the index in w->events. 0 or -ENOMEM. */
int twins_note(struct twins *t, size_t event, const struct perfwrite_record *rec);
/* After all notes. */
void twins_settle(struct twins *t);
/* The sample of an event; NULL: it was lost, or its event has none. */
const struct sampleset_row *twins_find(const struct twins *t, size_t event,
				       const struct perfwrite_record *rec);

#endif
