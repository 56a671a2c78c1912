/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * samples.h - the samples of a trace (perf:sample), for flame graphs and heat maps of a range. For
 * one thread.
 */
#ifndef SONDE_TIMELINE_INSIGHT_SAMPLES_H
#define SONDE_TIMELINE_INSIGHT_SAMPLES_H

#include "timeline/insight/insight_int.h"

/* The event of recorded waits, see store/events/sampleevents.h. */
#define SAMPLES_OFF_CPU "off-cpu"
/* How `by` of insight.h names a sampled event: "samples/cpu-clock". */
#define SAMPLES_BY	"samples/"

/* A sampled event of any file. */
struct sampled_event {
	char *name;
	uint64_t n; /* samples in the range */
};

struct sampled_events {
	struct sampled_event *list; /* in the order of the files */
	size_t n;
};

/*
 * Adds the samples of an event to a tree, and counts those of all. event NULL: the first that is no
 * wait. *ret_event: the name of the event, in `events`; NULL: there are no samples. 0 or -ENOMEM.
 */
int insight_add_samples(struct lanes *ls, const char *event, int task, uint64_t from, uint64_t to,
			struct flametree *t, struct sampled_events *events, const char **ret_event);
void sampled_events_release(struct sampled_events *e);
/* Are weights of the event a time? */
bool sampled_is_time(const char *event);

#endif
