/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * userwatch.h - what happens beside the calls of a recording: its cost is measured, a budget is
 * kept, and marks and changes of functions become events.
 *
 *	userwatch_step        after each round of the collector, by its thread
 *	userwatch_add_mark    any thread: a text for the trace
 *	userwatch_get_status  any thread
 */
#ifndef SONDE_CAPTURE_STEER_USERWATCH_H
#define SONDE_CAPTURE_STEER_USERWATCH_H

#include "capture/steer/userbudget.h"
#include "capture/steer/usercost.h"

#include <pthread.h>

struct usercollector;
struct userplans;

#define USERWATCH_MARKS_MAX 256 /* that wait for the next round */

struct userwatch_config {
	const struct userrings *rings;
	const struct userstats *stats;
	struct userswitch *switches;
	struct userplans *plans;
	double budget_percent; /* 0: none */
};

struct userwatch {
	struct userwatch_config config;
	struct usercost cost;
	struct userbudget budget;
	uint64_t next_ns, step_ns;
	size_t n_told; /* changes that are events */
	pthread_mutex_t lock;
	char *marks[USERWATCH_MARKS_MAX];
	size_t n_marks;
	/* of the last step; under the lock */
	double calls_per_second, percent_now;
	uint64_t last_ns;
};

struct userwatch_status {
	double call_ns, calls_per_second;
	double percent, percent_now; /* of the programs' CPU time: in all, and in the last step */
};

void userwatch_init(struct userwatch *w, const struct userwatch_config *config);
void userwatch_release(struct userwatch *w);
/* n_calls: so far. Returns a failure of the collector. */
int userwatch_step(struct userwatch *w, struct usercollector *c, uint64_t n_calls);
/* Only the events, at the end. */
int userwatch_put(struct userwatch *w, struct usercollector *c);
/* -ENOSPC: too many wait; -ENOMEM. */
int userwatch_add_mark(struct userwatch *w, const char *text);
void userwatch_get_status(struct userwatch *w, struct userwatch_status *ret);

#endif
