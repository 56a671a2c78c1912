/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * own.h - what sonde itself did while it recorded, for results that leave it out.
 *
 * Which tasks are sonde's own is part of a recording (symbols/processes.h). The kernel leaves their events out already, but
 * for those of the scheduler that are about another task, too: CPUs would be in wrong states without them. A result is about
 * tasks, one by one, and can do without sonde's.
 *
 *	own_is_only       nothing but sonde's own: an event of its task, one of the scheduler about it, a switch between two of its tasks
 *	own_takes_part    … or a switch from it to another task, or the other way: for who counts events
 *	own_is_task       for who follows tasks by their numbers; own_is_field: whether a field is such a number
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
	const struct processes *processes; /* NULL: nothing is left out */
	struct own_event *events;	   /* by id */
	size_t n_events;
};

/* is_wanted: nothing is left out (--self). Zeroed it leaves nothing out, either. 0 or -ENOMEM. */
int own_init(struct own *own, struct formats *f, bool is_wanted);
void own_release(struct own *own);

bool own_is_only(struct own *own, const struct record *rec);
bool own_takes_part(struct own *own, const struct record *rec);
bool own_is_task(const struct own *own, int pid);
/* "pid", "next_pid" … */
bool own_is_field(const char *name);

#endif
