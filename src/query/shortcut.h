/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* shortcut.h - "SELECT count(*) FROM TABLE" without a row for each event. */
#ifndef SONDE_QUERY_SHORTCUT_H
#define SONDE_QUERY_SHORTCUT_H

#include <stddef.h>

struct event_tables;

/*
 * If the text begins with such a statement about a table of events, returns a statement with the
 * same result from the counts of kinds, which sqlite3_free() frees, and the rest of the text. Else
 * NULL.
 */
char *shortcut_find(const struct event_tables *et, const char *sql, const char **ret_rest);

#endif
