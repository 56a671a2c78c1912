/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * walk_int.h - between walk.c, queue.c and filter.c.
 */
#ifndef SONDE_ANALYSE_UFTRACE_WALK_INT_H
#define SONDE_ANALYSE_UFTRACE_WALK_INT_H

#include "analyse/uftrace/walk.h"
#include "format/uftrace.h"

/* queue.c: the first waiting record of a task, read from its data if none waits; NULL: the end. */
struct uft_item *uft_reader_first(struct uft_reader *r);
void uft_queue_take_first(struct uft_queue *q);
int uft_queue_add(struct uft_queue *q, const struct uft_item *item);
/* With a time filter all task switches are read at once, and short ones dropped. */
void uft_walk_sort_events(struct uft_walk *w);
bool uft_walk_in_range(const struct uft_walk *w, uint64_t time_ns);

/* What happens at the function of a record; NULL: nothing. */
const struct uft_trigger *uft_walk_trigger(struct uft_walk *w, struct uft_reader *r,
					   const struct uft_record *rec, bool *ret_has_session);

static inline bool uft_rec_is_user(const struct uft_reader *r)
{
	return r->origin == UFT_FROM_TASK;
}

#endif
