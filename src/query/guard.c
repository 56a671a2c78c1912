// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * guard.c - takes away from SQLite what a question about a trace does not need.
 *
 * Three rings: the authorizer refuses everything that is not reading, when a statement is compiled;
 * the configuration forbids extensions and changes of the schema; limits bound what is compiled and
 * how much memory it uses. Sorting stays in memory too, so that a query opens no file at all.
 *
 * Functions that reach outside of the database are refused by name, whether or not this SQLite has
 * them.
 */
#include "query/guard.h"

#include "base/array.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

static const char *const refused_functions[] = {"load_extension", "readfile",	    "writefile",
						"edit",		  "fts3_tokenizer", "lsdir"};

static const char *const allowed_pragmas[] = {"table_info", "table_xinfo", "function_list",
					      "database_list"};

static bool is_one_of(const char *const *list, size_t n, const char *word)
{
	return word && ARRAY_ANY(n, i, !sqlite3_stricmp(list[i], word));
}

static int authorize(void *ctx, int action, const char *a, const char *b, const char *database,
		     const char *trigger)
{
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_READ:
	case SQLITE_RECURSIVE:
		return SQLITE_OK;
	case SQLITE_FUNCTION:
		return is_one_of(refused_functions, ARRAY_LEN(refused_functions), b) ? SQLITE_DENY
										     : SQLITE_OK;
	case SQLITE_PRAGMA:
		return is_one_of(allowed_pragmas, ARRAY_LEN(allowed_pragmas), a) ? SQLITE_OK
										 : SQLITE_DENY;
	case SQLITE_UPDATE:
		/*
		 * SQLite asks this when a virtual table tells its columns; nothing is written. What
		 * a user writes so is refused by SQLITE_DBCONFIG_DEFENSIVE.
		 */
		return a && !sqlite3_stricmp(a, "sqlite_master") ? SQLITE_OK : SQLITE_DENY;
	default:
		return SQLITE_DENY;
	}
}

int guard_lock(sqlite3 *db, uint64_t memory_bytes)
{
	static const struct {
		int what, value;
	} limits[] = {
		{SQLITE_LIMIT_LENGTH, 16 << 20},      {SQLITE_LIMIT_SQL_LENGTH, 1 << 20},
		{SQLITE_LIMIT_EXPR_DEPTH, 200},	      {SQLITE_LIMIT_COMPOUND_SELECT, 100},
		{SQLITE_LIMIT_VDBE_OP, 1 << 20},      {SQLITE_LIMIT_FUNCTION_ARG, 100},
		{SQLITE_LIMIT_ATTACHED, 0},	      {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000},
		{SQLITE_LIMIT_VARIABLE_NUMBER, 1000}, {SQLITE_LIMIT_TRIGGER_DEPTH, 10},
		{SQLITE_LIMIT_WORKER_THREADS, 0},
	};
	static const struct {
		int what, value;
	} config[] = {
		{SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
		{SQLITE_DBCONFIG_DEFENSIVE, 1},
		{SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
		{SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
		{SQLITE_DBCONFIG_DQS_DML, 0},
		{SQLITE_DBCONFIG_DQS_DDL, 0},
	};

	for (size_t i = 0; i < ARRAY_LEN(limits); i++)
		sqlite3_limit(db, limits[i].what, limits[i].value);
	for (size_t i = 0; i < ARRAY_LEN(config); i++)
		sqlite3_db_config(db, config[i].what, config[i].value, NULL);
	sqlite3_hard_heap_limit64((sqlite3_int64)memory_bytes);
	if (sqlite3_exec(db, "PRAGMA temp_store=2", NULL, NULL, NULL) != SQLITE_OK)
		return -ENOMEM;
	return sqlite3_set_authorizer(db, authorize, NULL) == SQLITE_OK ? 0 : -ENOMEM;
}
