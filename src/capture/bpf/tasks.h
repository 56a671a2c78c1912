/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tasks.h - the tasks whose hits count, for programs in the kernel.
 *
 *	bpftasks_open      nobody yet
 *	bpftasks_follow    what they start belongs to them from now on, threads and processes
 *	bpftasks_add       this one
 *	bpftasks_emit      in a program: is a task one of them?
 *	bpftasks_close
 *
 * Programs that were made with it keep the table, but nobody is followed after it was closed.
 */
#ifndef SONDE_CAPTURE_BPF_TASKS_H
#define SONDE_CAPTURE_BPF_TASKS_H

#include "capture/bpf/bpf.h"

struct bpfsource;

#define BPFTASKS_FEW 4 /* so many are compared one by one */

struct bpftasks {
	bool is_open;
	int few[BPFTASKS_FEW]; /* without a table */
	size_t n_few;
	struct bpf_table table;
	uint8_t *bytes; /* of the table, one for each number; NULL: there is none */
	int programs[2], links[2];
	size_t n_programs;
};

/* Zeroed it is not open, and closing it does nothing. n: how many will be added; many: any number. */
int bpftasks_open(struct bpftasks *t, size_t n, struct errmsg *err);
/*
 * With many. Where the kernel's tracepoints sched_process_fork (who it is that starts, and what) and sched_process_free
 * have the numbers.
 */
#define BPFTASKS_MANY SIZE_MAX
int bpftasks_follow(struct bpftasks *t, const struct bpfsource *parent,
		    const struct bpfsource *child, const struct bpfsource *gone,
		    struct errmsg *err);
/* followed: and the threads that it has already. */
int bpftasks_add(struct bpftasks *t, int task, struct errmsg *err);
int bpftasks_add_threads(struct bpftasks *t, int process, struct errmsg *err);
/* Those of a table; until visit is negative. -ENOTSUP: there is no table. */
int bpftasks_each(const struct bpftasks *t, int (*visit)(void *ctx, int task), void *ctx);
void bpftasks_close(struct bpftasks *t);

/* Goes to the label if the number in the register is one of theirs. Uses r1 and r2. */
void bpftasks_emit(struct bpfcode *c, const struct bpftasks *t, int reg, unsigned found);

#endif
