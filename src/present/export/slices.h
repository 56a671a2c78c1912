/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slices.h - the open functions of each task, while a trace is written for another viewer.
 *
 * Other viewers need an end for each begin. A trace has ends without begin (it started in between)
 * and begins without end (events were lost). So this follows the depth that the kernel records: a
 * function that begins at depth 2 ends all functions that are open at depth 2 or deeper.
 */
#ifndef SONDE_PRESENT_EXPORT_SLICES_H
#define SONDE_PRESENT_EXPORT_SLICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SLICES_OPEN_MAX 64 /* the kernel's limit is 50 */

/* One per task; each CPU's idle task has its own. */
struct slice_track {
	uint64_t key; /* 0: free */
	uint32_t machine, cpu;
	int pid;
	uint8_t n_open;		       /* number of open functions */
	uint8_t open[SLICES_OPEN_MAX]; /* their depths, ascending */
	bool is_told, is_named;	       /* free for the caller: what it has written */
	uint32_t on_cpu;	       /* free for the caller: where it runs, plus one */
	bool in_call;		       /* a system call is open */
	int64_t call;		       /* its number */
	uint64_t call_ts;	       /* when it began */
	long at_pid, at_tid;	       /* free for the caller: the track of its open functions */
};

struct slices {
	struct slice_track *tracks;
	size_t n, n_slots;
	uint64_t seed;
};

void slices_init(struct slices *s);
void slices_release(struct slices *s);

/* NULL: out of memory, or more tasks than the ceiling (65 536). Valid until the next call. */
struct slice_track *slices_get(struct slices *s, uint32_t machine, int pid, uint32_t cpu);

/*
 * All tracks, sorted by machine, task and CPU; the order in the table itself differs in each run.
 * NULL: out of memory.
 */
const struct slice_track **slices_list(const struct slices *s, size_t *ret_n);

/* The number of slices that end before one begins at `depth`; -1: it is too deep: omit it. */
int slice_track_enter(struct slice_track *t, unsigned depth);
/* The number of slices that end with the one at `depth`; 0: it is not open. */
unsigned slice_track_leave(struct slice_track *t, unsigned depth);

#endif
