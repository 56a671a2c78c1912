/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sql.h - what the files of `sonde sql` share. */
#ifndef SONDE_CLI_SQL_SQL_H
#define SONDE_CLI_SQL_SQL_H

#include "base/errmsg.h"
#include "cli/screen/output.h"
#include "inputs/inputs.h"
#include "present/query/parquet.h"
#include "present/query/rowstext.h"
#include "query/query.h"

#define SQL_FILES_MAX	    64
#define SQL_QUERY_MAX_BYTES (1u << 20)

struct sql_options {
	struct inputs_path paths[SQL_FILES_MAX];
	size_t n_paths;
	struct query_limits limits;
	const char *name, *colour, *output;
	bool json, csv, parquet, no_pager;
};

/*
 * answering.c: an open trace, and queries on it.
 *
 *	answering_open ─▶ answering_run, answering_print … ─▶ answering_close
 */
struct answering {
	struct sql_options *o;
	struct query *q;
	enum rowstext_form form;
	bool is_shell; /* each result has an output, and perhaps a pager, of its own */
	bool is_open;  /* out */
	struct output out;
	int fd; /* of -o; -1: standard output */
	struct rowstext text;
	struct parquet parquet;
	uint64_t start_ns, shown_ns, n_before; /* progress */
	bool has_progress, is_progress_shown;
};

int answering_open(struct answering *s, struct sql_options *o, struct inputs *in, bool is_shell,
		   struct errmsg *err);
/* Writes what is left. Returns r, or a failure of writing with a message. */
int answering_close(struct answering *s, int r, struct errmsg *err);
/* Runs statements. Returns 0, also if nobody reads any more, or a negative errno. */
int answering_run(struct answering *s, const char *sql, struct errmsg *err);
int answering_print(struct answering *s, struct textbuf *tb, struct errmsg *err);

/* Ctrl-C ends the query that runs, not the program. */
void sql_catch_interrupts(bool on);
/* Was Ctrl-C pressed since the last call of sql_catch_interrupts()? */
bool sql_is_interrupted(void);

/* dotcommands.c: lines that begin with a dot. Is this one? */
bool dot_is_command(const char *line);
/* Runs one. Returns 1 to leave the shell, 0, or a negative errno with a message. */
int dot_run(struct answering *s, const char *line, struct errmsg *err);
/* The name of the i-th, or NULL. */
const char *dot_name(size_t i);

/* shell.c: reads queries from the terminal until its end. */
int shell_run(struct answering *s, struct errmsg *err);
/* Runs a text: statements, and lines that begin with a dot. Stops at the first failure. */
int shell_run_text(struct answering *s, const char *text, struct errmsg *err);

/* A query that comes with sonde. Returns its text, or NULL with a message. */
const char *sql_find_shipped(const char *name, struct errmsg *err);
void sql_list_shipped(struct textbuf *tb);

#endif
