/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * comm_table.h - which of a task's names is shown after the whole trace was read.
 *
 * symbols/tasks.h gives names while a trace is walked. trace-cmd hist looks up a name only at its
 * end, when every scheduler event has added a row to libtraceevent's list; this is that list. One
 * owner.
 */
#ifndef SONDE_ANALYSE_COMM_TABLE_H
#define SONDE_ANALYSE_COMM_TABLE_H

#include "analyse/namepool.h"
#include "base/arena.h"
#include "symbols/tasks.h"

struct comm_run { /* the same name, many times in a row */
	struct comm_run *older;
	const struct pooled_name *name;
	uint64_t n;
};

struct comm_task {
	int pid;
	struct comm_run *newest;
	uint64_t n, start; /* rows of it; rows before it, after comm_table_finish() */
};

struct comm_table {
	struct namepool names;
	struct arena arena;
	struct comm_task *tasks; /* open addressing by pid; then, sorted */
	size_t n_slots, n_used;
	uint64_t seed;
	uint64_t n_rows;
};

/* Starts with saved_cmdlines; 0 or -ENOMEM. */
int comm_table_init(struct comm_table *t, const struct tasks *tasks);
void comm_table_release(struct comm_table *t);

/* Adds a row; len bytes of comm, up to a NUL. */
void comm_table_add(struct comm_table *t, int pid, const char *comm, size_t len);
void comm_table_finish(struct comm_table *t);
/* Call it after comm_table_finish(). "<idle>" for 0, "<...>" for a task without a name. */
const char *comm_table_find(const struct comm_table *t, int pid);

#endif
