/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cost.h - what one event costs on this machine, measured.
 */
#ifndef SONDE_CAPTURE_COST_H
#define SONDE_CAPTURE_COST_H

#include "capture/journal.h"

/* Nanoseconds, about; 0 if it cannot be measured. Takes a millisecond or two. */
double cost_of_event(struct journal *j, const struct tracefs *t, const char *clock);
/* Of one hit of a probe in a program; the instance is ours, and does not record yet. */
double cost_of_uprobe(struct journal *j, const struct tracefs *t, const char *instance);

#endif
