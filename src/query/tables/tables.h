/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * tables.h - the computed tables: one array for each family, ended by an entry without a name.
 */
#ifndef SONDE_QUERY_TABLES_H
#define SONDE_QUERY_TABLES_H

#include "query/tables/listtable.h"

extern const struct list_table task_tables[];	  /* thread, process, cpu, event_kind, … */
extern const struct list_table state_tables[];	  /* thread_state, sched */
extern const struct list_table slice_tables[];	  /* slice_with_task, thread_track, cpu_track */
extern const struct list_table stack_tables[];	  /* stack */
extern const struct list_table sample_tables[];	  /* sample */
extern const struct list_table counter_tables[];  /* counter, counter_track */
extern const struct list_table function_tables[]; /* spans(), critical_path() */
extern const struct list_table query_tables[];	  /* interval_intersect(), histogram() */

#endif
