/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cost.h - measures what one event costs on this machine.
 */
#ifndef SONDE_CAPTURE_KERNEL_COST_H
#define SONDE_CAPTURE_KERNEL_COST_H

#include "capture/tracefs/journal/journal.h"
#include "probe/probe.h"

/* Returns approximate nanoseconds, or 0 if it cannot be measured. Takes a millisecond or two. */
double cost_of_event(struct journal *j, const struct tracefs *t, const char *clock);
/*
 * Returns the cost of one hit of a probe of this kind, without writing the event. is_quick: see
 * cost_is_quick(). Returns 0 for kinds that cost no more than the event. The instance must be ours
 * and must not record yet.
 */
double cost_of_probe(struct journal *j, const struct tracefs *t, const char *instance,
		     enum probe_kind kind, bool is_quick);

/*
 * Returns true if the kernel emulates the instruction at "PATH:0xOFFSET…", and false if that is
 * unknown.
 */
bool cost_is_quick(const char *place);

#endif
