/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slices.h - follows the open functions of each task, while a trace is exported to another viewer.
 *
 * Other viewers need an end for each begin. A trace has ends without begin (it started in between)
 * and begins without end (events were lost). So this code uses the recorded depth: a function that
 * begins at depth 2 ends all functions that are open at depth 2 or deeper. Functions of the kernel
 * are deeper than all of the task's program.
 */
#ifndef SONDE_PRESENT_EXPORT_SLICES_H
#define SONDE_PRESENT_EXPORT_SLICES_H

#include "base/arena.h"
#include "base/map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SLICES_OPEN_MAX	    (1u << 20) /* limit of open functions of a task */
#define SLICES_KERNEL_DEPTH (1u << 30) /* where the depths of the kernel's functions begin */

struct call_event;
struct call_kind;
struct call_kinds;
struct line_style;

/* One per task; each CPU's idle task has its own. */
struct slice_track {
	uint64_t key; /* key of machine and task; not 0 */
	uint32_t machine, cpu;
	int pid;
	uint32_t n_open, cap;	/* number of open functions */
	uint32_t *open;		/* depths of the open functions, ascending */
	bool is_told, is_named; /* for the caller: items that it has written */
	uint32_t on_cpu;	/* for the caller: the CPU on which the task runs, plus one */
	bool in_call;		/* a system call is open */
	int64_t call;		/* number of the open system call */
	uint64_t call_ts;	/* time when the system call began */
	long at_pid, at_tid;	/* for the caller: the track of the open functions */
};

struct slices {
	struct map tracks; /* struct slice_track by machine and task */
	struct arena arena;
};

void slices_init(struct slices *s);
void slices_release(struct slices *s);

/* Finds or adds a track. Returns NULL if out of memory, or at the limit of 65 536 tasks. */
struct slice_track *slices_get(struct slices *s, uint32_t machine, int pid, uint32_t cpu);

/*
 * Lists all tracks, sorted by machine, task and CPU; the order in the table itself differs in each
 * run. Returns NULL if out of memory.
 */
const struct slice_track **slices_list(const struct slices *s, size_t *ret_n);

/* Finds the call events of each source. Returns NULL if out of memory. */
struct call_kinds **slices_kinds_new(const struct line_style *style);
void slices_kinds_free(struct call_kinds **kinds);
/* Returns the depth of a call, for the functions below. */
unsigned slices_depth(const struct call_kind *kind, const struct call_event *ev);

/*
 * Opens a slice. Returns the number of slices that end before it begins at `depth`, or -1 if it is
 * too deep and must be omitted.
 */
int slice_track_enter(struct slice_track *t, unsigned depth);
/*
 * Closes a slice. Returns the number of slices that end with the one at `depth`, or 0 if it is not
 * open.
 */
unsigned slice_track_leave(struct slice_track *t, unsigned depth);

#endif
