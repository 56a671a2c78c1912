/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sql.h - what the files of `sonde sql` share. */
#ifndef SONDE_CLI_SQL_SQL_H
#define SONDE_CLI_SQL_SQL_H

#include "inputs/inputs.h"
#include "present/query/rowstext.h"
#include "query/query.h"

#define SQL_FILES_MAX 64

struct sql_options {
	struct inputs_path paths[SQL_FILES_MAX];
	size_t n_paths;
	struct query_limits limits;
	const char *name, *colour;
	bool json, csv, no_pager;
};

/* Ctrl-C ends the query that runs, not the program. */
void sql_catch_interrupts(bool on);

#endif
