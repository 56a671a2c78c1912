/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * own.h - recognises sonde's own activity during a recording, for results that exclude it.
 *
 * A recording lists sonde's own tasks (symbols/processes.h). The kernel already excludes their
 * events, except scheduler events that also concern another task: CPUs would be in wrong states
 * without them. Results about single tasks do not need these events.
 *
 *	own_is_only       true for an event of sonde's task, a scheduler event about it, a switch
 *	                  between two of its tasks
 *	own_takes_part    also true for a switch from such a task to another task, or back; for
 *	                  counting events
 *	own_is_task       for analyses that follow tasks by pid; own_is_field: true for the name of
 *	                  such a pid field
 *
 * Only one thread may use it at a time.
 */
#ifndef SONDE_ANALYSE_OWN_H
#define SONDE_ANALYSE_OWN_H

#include "decode/formats/formats.h"
#include "decode/record.h"

struct own_event;

struct own {
	struct formats *f;
	const struct processes *processes; /* NULL: exclude nothing */
	struct own_event *events;	   /* by id */
	size_t n_events;
};

/*
 * Initialises own. is_wanted: exclude nothing (--self). A zeroed struct excludes nothing, either.
 * Returns 0 or -ENOMEM.
 */
int own_init(struct own *own, struct formats *f, bool is_wanted);
void own_release(struct own *own);

bool own_is_only(struct own *own, const struct record *rec);
bool own_takes_part(struct own *own, const struct record *rec);
bool own_is_task(const struct own *own, int pid);
/* Returns true for "pid", "next_pid" … */
bool own_is_field(const char *name);

#endif
