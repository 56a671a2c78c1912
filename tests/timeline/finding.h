/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * finding.h - one span of a lane, asked for by time, against the listing of the whole lane.
 */
#ifndef SONDE_TESTS_FINDING_H
#define SONDE_TESTS_FINDING_H

#include "timeline/lanes/lane.h"

/* Prints a line for the first thing that differs. How many spans the lane has; -1 without memory. end: of the trace. */
long finding_try(struct lane *ln, const char *spec, uint64_t end);

#endif
