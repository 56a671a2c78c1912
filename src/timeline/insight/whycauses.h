/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * whycauses.h - summarises a critical path: time by cause, which is a state, and within a cause by
 * task name.
 */
#ifndef SONDE_TIMELINE_INSIGHT_WHYCAUSES_H
#define SONDE_TIMELINE_INSIGHT_WHYCAUSES_H

#include "decode/taskstate.h"
#include "timeline/insight/insight.h"

struct why_name { /* all tasks with one name */
	uint64_t ns;
	int task; /* one of the tasks */
	size_t n_tasks;
};

struct why_cause {
	uint64_t ns;
	enum task_state state;
	const struct why_name *names; /* the longest first */
	size_t n_names;
};

struct why_causes {
	struct why_cause causes[STATES_N]; /* the longest first */
	size_t n;
	struct why_name *names;
};

/* Returns 0 or -ENOMEM. */
int why_causes_init(struct why_causes *ret, const struct insight_why *y, const struct timeline *tl);
void why_causes_release(struct why_causes *c);

#endif
