/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perfevents_int.h - the state of perfevents_parse(), shared by its parts.
 */
#ifndef SONDE_CAPTURE_PERF_EVENTS_PERFEVENTS_INT_H
#define SONDE_CAPTURE_PERF_EVENTS_PERFEVENTS_INT_H

#include "capture/perf/events/perfevents.h"
#include "capture/perf/events/pmus.h"

#define EVENTPARSER_WORD_MAX 256

struct eventparser {
	const struct perfevents_place *place;
	const char *sysfs;
	const char *text, *at; /* all of it, and what is left */
	char word[EVENTPARSER_WORD_MAX];
	struct perfevents *list;
	struct pmu_list pmus;
	struct errmsg *err;
};

/*
 * Appends an event with perf's defaults. An empty name is filled in later. Returns NULL, with a
 * message or without memory.
 */
struct perfevents_event *perfevents_add(struct eventparser *p, enum perfevents_kind kind,
					const char *name, size_t len);
/* Says that there is no `what` of the name p->word, and names the nearest event. */
int perfevents_refuse(const struct eventparser *p, const char *what);

/*
 * Appends the tracepoints that system and event mean; both may be globs. system NULL: the event of
 * this name, if only one system has it.
 */
int tracepoints_add(struct eventparser *p, const char *system, const char *event);

#endif
