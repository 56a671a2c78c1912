/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * callstack.h - what was entered and not yet left, by one task or on one CPU.
 */
#ifndef SONDE_TIMELINE_LANES_CALLSTACK_H
#define SONDE_TIMELINE_LANES_CALLSTACK_H

#include "timeline/insight/marks.h"

#define CALLSTACK_MAX 128 /* deeper calls are not kept */

struct open_call {
	uint64_t start;
	uint64_t child_ns; /* spent in calls that this one made */
	uint32_t label, id;
	bool is_open, is_cut; /* is_cut: it began before `start` */
	bool is_unseen;	      /* only its end was seen */
};

/* Calls that another came in the place of, before they were left: see callstack.c. */
#define CALLSTACK_DISPLACED 8
struct displaced_call {
	struct open_call call;
	uint64_t ts; /* when the other came */
	unsigned depth;
};

struct callstack {
	struct open_call calls[CALLSTACK_MAX];
	struct displaced_call displaced[CALLSTACK_DISPLACED];
	unsigned n_displaced;
	unsigned top;	/* calls at and above it are not open */
	uint64_t lower; /* nothing that was not seen to begin is drawn before this */
	/*
	 * A call ended at `end`. flags: of enum tile_flags, TILE_OPEN_… Of one depth they come in
	 * the order of their starts, but for those that were displaced.
	 */
	void (*close)(void *ctx, const struct callstack *cs, unsigned depth,
		      const struct open_call *call, uint64_t end, uint8_t flags);
	void *ctx;
};

void callstack_enter(struct callstack *cs, const struct mark *m);
void callstack_leave(struct callstack *cs, const struct mark *m);
/* All that is open ends here without having been left. */
void callstack_cut(struct callstack *cs, uint64_t ts);

#endif
