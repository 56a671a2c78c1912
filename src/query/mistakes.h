/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mistakes.h - SQLite's complaints as sentences of sonde: with the place, and the nearest name. */
#ifndef SONDE_QUERY_MISTAKES_H
#define SONDE_QUERY_MISTAKES_H

#include "base/errmsg.h"
#include "query/query.h"

#include <sqlite3.h>

/* Visits the names of all tables. */
typedef void mistakes_tables(void *ctx, void (*visit)(void *to, const char *name), void *to);

/*
 * Describes the error of db. sql: the statement that failed, which begins `at` bytes into the
 * user's text. Returns -EINVAL, -EPERM, -EINTR, -ENOMEM.
 */
int mistake_tell(sqlite3 *db, int code, const char *text, size_t at, mistakes_tables *tables,
		 void *ctx, struct errmsg *err);

#endif
