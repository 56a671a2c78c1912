/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * callstack.h - the open calls of one task or one CPU: entered and not yet left.
 */
#ifndef SONDE_TIMELINE_LANES_CALLSTACK_H
#define SONDE_TIMELINE_LANES_CALLSTACK_H

#include "timeline/insight/marks.h"

#define CALLSTACK_MAX 128 /* deeper calls are not kept */

struct open_call {
	uint64_t start;
	uint64_t child_ns; /* time in calls that this call made */
	uint64_t end;	   /* end of a call that ends by itself; else 0 */
	uint32_t label, id;
	bool is_open, is_cut; /* is_cut: the call began before `start` */
	bool is_unseen;	      /* only the end was recorded */
};

/* A call that another call replaced before it was left: see callstack.c. */
#define CALLSTACK_DISPLACED 8
struct displaced_call {
	struct open_call call;
	uint64_t ts; /* time when the other call began */
	unsigned depth;
};

struct callstack {
	struct open_call calls[CALLSTACK_MAX];
	struct displaced_call displaced[CALLSTACK_DISPLACED];
	unsigned n_displaced;
	unsigned top; /* no call at or above this depth is open */
	/* number of open calls of the program, above which those of the kernel are */
	unsigned n_user;
	uint64_t lower; /* earliest start of a call whose start was not recorded */
	/*
	 * Called when a call ends at `end`. flags: TILE_OPEN_… of enum tile_flags. Calls of one
	 * depth come in the order of their starts, except displaced ones.
	 */
	void (*close)(void *ctx, const struct callstack *cs, unsigned depth,
		      const struct open_call *call, uint64_t end, uint8_t flags);
	void *ctx;
};

void callstack_enter(struct callstack *cs, const struct mark *m);
void callstack_leave(struct callstack *cs, const struct mark *m);
/* Ends all open calls at ts, although they were not left. */
void callstack_cut(struct callstack *cs, uint64_t ts);

#endif
