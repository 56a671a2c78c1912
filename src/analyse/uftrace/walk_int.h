/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * walk_int.h - between the files of a walk.
 */
#ifndef SONDE_ANALYSE_UFTRACE_WALK_INT_H
#define SONDE_ANALYSE_UFTRACE_WALK_INT_H

#include "analyse/uftrace/walk.h"
#include "format/uftrace.h"

/* records.c: the next record of the file. False: the end, or damage. */
bool uft_lane_read(struct uft_lane *l, struct uft_item *ret);

/* sift.c: the first waiting record of a task, read from its data if none waits; NULL: the end. */
struct uft_item *uft_lane_first(struct uft_lane *l);
void uft_queue_take_first(struct uft_queue *q);
/* … of the kernel's records of a CPU. */
struct uft_item *uft_kernel_first(struct uft_walk *w, size_t cpu);
/* With a time filter all task switches are read at once, and short ones dropped. */
void uft_walk_sort_switches(struct uft_walk *w);
bool uft_walk_in_range(const struct uft_walk *w, uint64_t time_ns);

/* walk.c: what happens at the function of a record; NULL: nothing. */
const struct uft_trigger *uft_walk_trigger(struct uft_walk *w, struct uft_lane *l,
					   const struct uft_record *rec, bool *ret_has_session);

/* stack.c */
int uft_stack_init(struct uft_lane *l);
/* Opens or closes a call, as the current record says. */
void uft_stack_follow(struct uft_lane *l);

/* guess.c: the current record of a lane is a task switch, or one of its own. */
void uft_guess_at_switch(struct uft_lane *l);
void uft_guess_at_record(struct uft_lane *l);

#endif
