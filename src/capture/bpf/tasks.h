/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tasks.h - the tasks whose hits count, for BPF programs.
 *
 *	bpftasks_open      creates an empty set
 *	bpftasks_follow    also adds the threads and processes that these tasks start from now on
 *	bpftasks_add       adds one task
 *	bpftasks_emit      adds code to a program that tests whether a task is in the set
 *	bpftasks_close
 *
 * Programs that use the table keep it, but after closing no new tasks are added.
 */
#ifndef SONDE_CAPTURE_BPF_TASKS_H
#define SONDE_CAPTURE_BPF_TASKS_H

#include "capture/bpf/bpf.h"

struct bpfsource;

#define BPFTASKS_FEW 4 /* up to this many tasks are compared directly */

struct bpftasks {
	bool is_open;
	int few[BPFTASKS_FEW]; /* the tasks without a table */
	size_t n_few;
	struct bpf_table table;
	uint8_t *bytes; /* the table, with one byte for each pid; NULL: no table */
	int programs[2], links[2];
	size_t n_programs;
};

/*
 * Opens a set. n is the number of tasks that will be added. A zeroed struct is closed, and closing
 * it does nothing.
 */
int bpftasks_open(struct bpftasks *t, size_t n, struct errmsg *err);
/*
 * Follows new tasks; only with BPFTASKS_MANY. The arguments are the places of the pids in the
 * tracepoints sched_process_fork (parent and child) and sched_process_free.
 */
#define BPFTASKS_MANY SIZE_MAX
int bpftasks_follow(struct bpftasks *t, const struct bpfsource *parent,
		    const struct bpfsource *child, const struct bpfsource *gone,
		    struct errmsg *err);
/* Adds a task. If tasks are followed, also adds its existing threads. */
int bpftasks_add(struct bpftasks *t, int task, struct errmsg *err);
int bpftasks_add_threads(struct bpftasks *t, int process, struct errmsg *err);
/*
 * Visits the tasks of a table, until visit returns a negative value. Returns -ENOTSUP without a
 * table.
 */
int bpftasks_each(const struct bpftasks *t, int (*visit)(void *ctx, int task), void *ctx);
void bpftasks_close(struct bpftasks *t);

/* Jumps to the label if the pid in the register is one of the tasks. Uses r1 and r2. */
void bpftasks_emit(struct bpfcode *c, const struct bpftasks *t, int reg, unsigned found);

#endif
