/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tasks.h - the tasks whose hits count, for BPF programs.
 *
 *	bpftasks_open      no task yet
 *	bpftasks_follow    also add the threads and processes that they start from now on
 *	bpftasks_add       add one task
 *	bpftasks_emit      in a program: is a task one of them?
 *	bpftasks_close
 *
 * Programs that use the table keep it, but after closing no task is followed.
 */
#ifndef SONDE_CAPTURE_BPF_TASKS_H
#define SONDE_CAPTURE_BPF_TASKS_H

#include "capture/bpf/bpf.h"

struct bpfsource;

#define BPFTASKS_FEW 4 /* up to this many are compared one by one */

struct bpftasks {
	bool is_open;
	int few[BPFTASKS_FEW]; /* without a table */
	size_t n_few;
	struct bpf_table table;
	uint8_t *bytes; /* of the table, one for each pid; NULL: no table */
	int programs[2], links[2];
	size_t n_programs;
};

/* A zeroed struct is closed, and closing it does nothing. n: how many tasks will be added. */
int bpftasks_open(struct bpftasks *t, size_t n, struct errmsg *err);
/*
 * With BPFTASKS_MANY. The arguments say where the tracepoints sched_process_fork (parent and child)
 * and sched_process_free have the pids.
 */
#define BPFTASKS_MANY SIZE_MAX
int bpftasks_follow(struct bpftasks *t, const struct bpfsource *parent,
		    const struct bpfsource *child, const struct bpfsource *gone,
		    struct errmsg *err);
/* followed: also adds the threads that it has already. */
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
