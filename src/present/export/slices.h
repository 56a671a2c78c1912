/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slices.h - which functions are open on which task, while a trace is written for another viewer.
 *
 * Those want each begin matched by its end. A trace has ends without begin (it started in between) and
 * begins without end (events were lost), so the depth that the kernel tells is followed: a function
 * that begins at depth 2 ends whatever is open at 2 or deeper.
 */
#ifndef SONDE_PRESENT_EXPORT_SLICES_H
#define SONDE_PRESENT_EXPORT_SLICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SLICES_OPEN_MAX 64 /* the kernel has 50 */

/* Of a task; each CPU's idle task is one of its own. */
struct slice_track {
	uint64_t key; /* 0: free */
	uint32_t machine, cpu;
	int pid;
	uint8_t n_open;		       /* functions that are open */
	uint8_t open[SLICES_OPEN_MAX]; /* their depths, ascending */
	bool is_told, is_named;	       /* free for the caller: what was written of it */
	uint32_t on_cpu;	       /* free for the caller: where it runs, plus one */
	bool in_call;		       /* a system call is open */
	int64_t call;		       /* its number */
	uint64_t call_ts;	       /* when it began */
	long at_pid, at_tid;	       /* free for the caller: where its open functions stand */
};

struct slices {
	struct slice_track *tracks;
	size_t n, n_slots;
	uint64_t seed;
};

void slices_init(struct slices *s);
void slices_release(struct slices *s);

/* NULL: no memory, or more tasks than the ceiling (65 536). Valid until the next call. */
struct slice_track *slices_get(struct slices *s, uint32_t machine, int pid, uint32_t cpu);

/* All that were met, by machine, task and CPU; the table's own order is another one in each run. NULL: no memory. */
const struct slice_track **slices_list(const struct slices *s, size_t *ret_n);

/* How many slices end before one begins at `depth`; -1: it is too deep, and left out. */
int slice_track_enter(struct slice_track *t, unsigned depth);
/* How many end with the one at `depth`; 0: it is not open. */
unsigned slice_track_leave(struct slice_track *t, unsigned depth);

#endif
