/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * argtable.h - the table args: the fields of any event as rows, and the function EXTRACT_ARG.
 *
 * The typed tables of events are the better way to fields. This is for queries that look at many
 * kinds of events at once, and for those that were written for Perfetto.
 */
#ifndef SONDE_QUERY_ARGTABLE_H
#define SONDE_QUERY_ARGTABLE_H

#include "query/trace.h"

struct arg_table;

/* Registers both. Free it after the database was closed. Returns 0 or -ENOMEM. */
int arg_table_new(struct arg_table **ret, struct query_trace *t, sqlite3 *db);
void arg_table_free(struct arg_table *at);

#define ARG_TABLE_NAME "args"
#define ARG_TABLE_WHAT "fields of all events as rows; arg_set_id is the id of the event"

#endif
