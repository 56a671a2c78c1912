/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * eventtable.h - the table of all events, and one for each kind of event.
 *
 *	event                   every event: id, ts, cpu, utid, tid, comm, system, name, text,
 *	                        missed
 *	"sched:sched_switch"    one kind, with its fields as columns
 *	sched_switch            the same, if no other table has that name
 */
#ifndef SONDE_QUERY_EVENTTABLE_H
#define SONDE_QUERY_EVENTTABLE_H

#include "query/trace.h"

struct event_tables;

/* Registers the tables with db. taken: does a table with this name exist already? */
int event_tables_new(struct event_tables **ret, struct query_trace *t, sqlite3 *db,
		     bool (*taken)(const char *name));
void event_tables_free(struct event_tables *et);

/* Finds a table by its name, as SQL compares it. *ret_event is NULL for the table of all events. */
bool event_tables_find(const struct event_tables *et, const char *name, const char **ret_system,
		       const char **ret_event);
/* Visits the names of tables: of all kinds, or only of those that occur. */
int event_tables_each(struct event_tables *et, void (*visit)(void *ctx, const char *name),
		      void *ctx, bool only_present);

#endif
