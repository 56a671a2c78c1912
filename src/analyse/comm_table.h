/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * comm_table.h - chooses which of a task's names is shown after the whole trace was read.
 *
 * symbols/tasks.h gives names while a trace is walked. trace-cmd hist looks up a name only at its
 * end, when every scheduler event has added a row to libtraceevent's list. This table represents
 * that list. Only one thread may use it at a time.
 */
#ifndef SONDE_ANALYSE_COMM_TABLE_H
#define SONDE_ANALYSE_COMM_TABLE_H

#include "analyse/namepool.h"
#include "base/arena.h"
#include "symbols/tasks.h"

struct comm_run { /* many consecutive rows with the same name */
	struct comm_run *older;
	const struct pooled_name *name;
	uint64_t n;
};

struct comm_task {
	int pid;
	struct comm_run *newest;
	/* number of rows in the run; number of rows before it, after comm_table_finish() */
	uint64_t n, start;
};

struct comm_table {
	struct namepool names;
	struct arena arena;
	struct map by_pid;
	struct comm_task **tasks; /* sorted by pid, after comm_table_finish() */
	size_t n_tasks;
	uint64_t n_rows;
};

/* Fills the table from saved_cmdlines. */
void comm_table_init(struct comm_table *t, const struct tasks *tasks);
void comm_table_release(struct comm_table *t);

/* Adds a row: len bytes of comm, up to a NUL. */
void comm_table_add(struct comm_table *t, int pid, const char *comm, size_t len);
void comm_table_finish(struct comm_table *t);
/*
 * Returns the name of a task, "<idle>" for 0, "<...>" for a task without a name. Call it after
 * comm_table_finish().
 */
const char *comm_table_find(const struct comm_table *t, int pid);

#endif
