/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * userfeed.h - calls that the kernel's probes have seen, as records in rings, as if the runtime had
 * written them.
 *
 *	userfeed_new
 *	    userfeed_take     a hit, in the order of time
 *	    userfeed_look     now and then: threads that have ended give their rings back
 *	userfeed_free         all rings are given back when they are read
 *
 * Only one thread may use a feed. Another one reads the rings (usercollector.h); take() waits for
 * it if a ring is full.
 */
#ifndef SONDE_CAPTURE_CALLS_USERFEED_H
#define SONDE_CAPTURE_CALLS_USERFEED_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct userfeed;
struct userrings;

enum userfeed_kind {
	USERFEED_CALL,
	USERFEED_RETURN,
	USERFEED_THREAD,  /* the thread has started another one */
	USERFEED_PROCESS, /* … a process, by vfork() or posix_spawn() */
	USERFEED_COPY,	  /* … a process, by fork(): it has the same open calls */
};

struct userfeed_hit {
	enum userfeed_kind kind;
	uint64_t counter; /* of the processor */
	uint64_t sp;	  /* address of the return address */
	uint64_t ret;	  /* of a call: the return address */
	uint32_t id;	  /* of a call: the function; of a new thread or process: its number */
	uint32_t tid, cpu;
};

/* plan: number of the plan that gives ids their meaning. NULL: out of memory. */
struct userfeed *userfeed_new(struct userrings *rings, uint32_t plan);
void userfeed_take(struct userfeed *f, const struct userfeed_hit *hit);
/* The kernel has lost hits before the next one. */
void userfeed_lose(struct userfeed *f, uint64_t n);
/* Every hit of threads that ended before the call has been taken. */
void userfeed_look(struct userfeed *f);
void userfeed_free(struct userfeed *f);

#endif
