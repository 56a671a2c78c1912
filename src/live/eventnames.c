// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * eventnames.c - finds the names that a plan's events have in the trace.
 *
 *	sched:sched_switch      itself
 *	sonde_12/vfs_read       probe:vfs_read: the setup uses a separate group for each run
 *
 * A pattern of functions in a program becomes several events in the plan, each with its own name.
 */
#include "live/eventnames.h"

#include "base/errmsg.h"
#include "capture/setup/setup.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int add_name(struct plan_words *names, struct setup *setup, const struct plan_event *e)
{
	const char *pattern = setup_event(setup, e)->pattern, *rest = strpbrk(pattern, ":/");
	char *name = NULL, system[TRACEFS_NAME_MAX];
	int r;

	if (!rest)
		return plan_words_add(names, pattern);
	snprintf(system, sizeof(system), "%.*s", (int)(rest - pattern), pattern);
	if (asprintf(&name, "%s:%s", setup_name_of_system(setup, system),
		     setup_name_of_event(setup, system, rest + 1)) < 0)
		return -ENOMEM;
	r = plan_words_add(names, name);
	free(name);
	return r;
}

int eventnames_add(struct plan_words *names, struct setup *setup, struct errmsg *err)
{
	const struct plan_buffer *b = &setup->plan->buffers[0];
	int r = 0;

	for (size_t i = 0; i < b->n_events && r >= 0; i++)
		r = add_name(names, setup, &b->events[i]);
	return r < 0 ? errmsg_set_errno(err, r, "cannot keep the names of events") : 0;
}
