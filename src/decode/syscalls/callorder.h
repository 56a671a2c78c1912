/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * callorder.h - system calls as a stream of beginnings and ends, in the order of time over all
 * threads.
 *
 *	callorder_init
 *	    callorder_add       a record, in the order of their times (the ends of calls)
 *	    callorder_next …    what is certain now
 *	callorder_finish        no more records come
 *	    callorder_next …
 *	callorder_release
 *
 * A record comes when its call ends. If another thread did something meanwhile, the call is shown
 * in two parts: its beginning, "unfinished", and its end, "resumed". A call that lasts long is
 * announced by a record of its own (SYSCALLEVENTS_OPEN) within CALLORDER_LAG_NS, so what is older
 * is certain.
 */
#ifndef SONDE_DECODE_SYSCALLS_CALLORDER_H
#define SONDE_DECODE_SYSCALLS_CALLORDER_H

#include "base/map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct syscallevents_call;

#define CALLORDER_LAG_NS \
	200000000u /* 50 ms until it counts as long, 50 ms until it is noticed; twice */

/*
 * The type of a record that is no system call: a moment of its thread, with anything behind the
 * struct. Such records come out in the order of time, like signals.
 */
#define CALLORDER_NOTE 0xffff

enum callorder_part {
	CALLORDER_WHOLE,      /* the call, or a signal, or an end: nothing came between */
	CALLORDER_UNFINISHED, /* its beginning */
	CALLORDER_RESUMED,    /* its end */
};

struct callorder_item {
	enum callorder_part part;
	uint64_t ts;			       /* of this part */
	const struct syscallevents_call *call; /* until the next call of callorder_next() */
	size_t n_bytes;
	bool is_hidden; /* from callorder_add_hidden() */
};

struct callorder_entry;

struct callorder {
	/* heap of moments, the oldest first: beginnings and ends of calls, and other records */
	struct callorder_moment *moments;
	size_t n_moments, cap;
	struct map open;  /* by thread: the call whose beginning is known, struct callorder_entry */
	struct map tasks; /* threads that exist, as far as is known: struct callorder_task */
	uint64_t latest, seq;
	bool is_final;
	bool failed;		      /* memory was short: some are missing */
	struct callorder_entry *last; /* to be freed */
};

void callorder_init(struct callorder *o);
void callorder_release(struct callorder *o);
/*
 * Adds a record, which is copied. Returns 1 if it is the next item as a whole and needs no copy:
 * then the caller shows it at once. Returns 0, or -ENOMEM.
 */
int callorder_add(struct callorder *o, uint64_t ts, const struct syscallevents_call *call,
		  size_t n_bytes);
/* The same for a call that is not shown, but whose place in the order matters. */
int callorder_add_hidden(struct callorder *o, uint64_t ts, const struct syscallevents_call *call,
			 size_t n_bytes);
/* Time has passed without records. */
void callorder_pass(struct callorder *o, uint64_t ts);
void callorder_finish(struct callorder *o);
/* Returns false if nothing is certain now. */
bool callorder_next(struct callorder *o, struct callorder_item *ret_item);

#endif
