/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * own.h - sonde's own activity during a recording, for results that exclude it.
 *
 * A recording lists sonde's own tasks (symbols/processes.h). The kernel already excludes their
 * events, except scheduler events that also concern another task: CPUs would be in wrong states
 * without them. A result is about single tasks, and does not need sonde's.
 *
 *	own_is_only       only sonde's own: an event of its task, a scheduler event about it, a switch between two of its tasks
 *	own_takes_part    … or a switch from it to another task, or back: for counting events
 *	own_is_task       for following tasks by their pids; own_is_field: is a field such a pid?
 *
 * One owner.
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

/* is_wanted: exclude nothing (--self). A zeroed struct excludes nothing, either. 0 or -ENOMEM. */
int own_init(struct own *own, struct formats *f, bool is_wanted);
void own_release(struct own *own);

bool own_is_only(struct own *own, const struct record *rec);
bool own_takes_part(struct own *own, const struct record *rec);
bool own_is_task(const struct own *own, int pid);
/* "pid", "next_pid" … */
bool own_is_field(const char *name);

#endif
