/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * observer.h - turns the events of a recording into measures (measures.h): calls of functions,
 * system calls, waits of tasks, locks, disks, interrupts, run time, samples.
 *
 *	observer_new ─▶ observer_events (which to visit) ─▶ observer_add … (in the order of time)
 *	─▶ observer_finish ─▶ observer_measures ─▶ observer_free
 *
 * Only one thread may use it at a time.
 */
#ifndef SONDE_ANALYSE_COMPARE_OBSERVER_H
#define SONDE_ANALYSE_COMPARE_OBSERVER_H

#include "analyse/compare/measures.h"
#include "decode/record.h"

#include <stdbool.h>

struct callfilter;
struct errmsg;
struct formats;
struct observer;
struct sampleinfo;
struct walker;

struct observer_config {
	uint64_t from, to;		 /* the times of the first and the last event that count */
	bool is_cut;			 /* there are events outside of them, which do not count */
	const struct callfilter *filter; /* which calls of functions; NULL: all */
	const int *tids;		 /* only these tasks; none: all */
	size_t n_tids;
	const struct sampleinfo *samples; /* the names of sampled events; NULL: one event */
};

/* config is copied; what it points to must stay. */
int observer_new(struct observer **ret, struct formats *f, const struct observer_config *config,
		 struct errmsg *err);
void observer_free(struct observer *o);

/* By event id: those that matter. -ENOENT with a message if there are none. */
int observer_events(const struct observer *o, const uint8_t **ret, size_t *ret_n,
		    struct errmsg *err);
void observer_add(struct observer *o, const struct record *rec);
/* For struct taskwalk_spec: see callflow_run(). */
void observer_run(void *observer, struct walker *w, struct record *rec, uint64_t offset,
		  uint64_t before);
void observer_finish(struct observer *o);

struct measures *observer_measures(struct observer *o);
/* Places where events were lost. */
uint64_t observer_n_gaps(const struct observer *o);

#endif
