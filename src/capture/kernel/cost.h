/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cost.h - what one event costs on this machine, measured.
 */
#ifndef SONDE_CAPTURE_KERNEL_COST_H
#define SONDE_CAPTURE_KERNEL_COST_H

#include "capture/tracefs/journal.h"
#include "probe/probe.h"

/* Nanoseconds, about; 0 if it cannot be measured. Takes a millisecond or two. */
double cost_of_event(struct journal *j, const struct tracefs *t, const char *clock);
/*
 * Of one hit of a probe of that kind, besides writing the event; is_quick: see below. 0 for kinds that are no more
 * than the event. The instance is ours, and does not record yet.
 */
double cost_of_probe(struct journal *j, const struct tracefs *t, const char *instance,
		     enum probe_kind kind, bool is_quick);

/* Whether the instruction at "PATH:0xOFFSET…" is one that the kernel carries out by itself; false if it is not known. */
bool cost_is_quick(const char *place);

#endif
