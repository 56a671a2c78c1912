/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * countroles.h - the events of a run as rows of its result. Internal to live/counters.
 */
#ifndef SONDE_LIVE_COUNTERS_COUNTROLES_H
#define SONDE_LIVE_COUNTERS_COUNTROLES_H

#include "analyse/counters/countertable.h"
#include "capture/perf/events/perfevents.h"

enum counterrole countroles_find(const struct perf_event_attr *attr);
/* Equal for events that exclude the same modes. */
unsigned countroles_mode(const struct perf_event_attr *attr);

#endif
