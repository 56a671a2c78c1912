/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * marks.h - events of some kinds, boiled down to what spans are made of, in one order of time.
 */
#ifndef SONDE_TIMELINE_INSIGHT_MARKS_H
#define SONDE_TIMELINE_INSIGHT_MARKS_H

#include "timeline/index/passes.h"

enum mark_what { MARK_ENTER, MARK_LEAVE, MARK_CUT }; /* cut: the CPU went to another task */

struct mark {
	uint64_t ts : 48, task : 16;
	uint32_t label : 24, what : 8;
	uint32_t id;			/* equal in what belongs together */
	uint64_t extra : 56, depth : 8; /* extra: how long it took (leave), or a key; 0: not told */
};
#define MARK_NO_DEPTH	0xff

/* Addresses met before; one for each thread that gathers. */
#define MARK_CACHE_BITS 10
struct mark_cache {
	struct {
		uint64_t key;
		const void *of;
		uint32_t label;
	} slots[1 << MARK_CACHE_BITS];
};

struct mark_wants {
	const uint16_t *streams;
	size_t n_streams;
	uint64_t from, to;
	const uint8_t *kinds, *tasks; /* as for timeline_walk() */
	size_t n_kinds, n_tasks;
	/* False: this event is none. Called by several threads at once. */
	bool (*make)(void *ctx, struct mark_cache *cache, const struct walk_event *ev,
		     void *ret_mark);
	void *ctx;
};

struct marks {
	struct mark *marks;
	size_t n;
};

#define MARKS_MAX (16u << 20) /* 384 MB, for a moment */

/* For a pass together with others; from and to are the pass's. */
void marks_want(struct gatherer *g, const struct mark_wants *wants);
/* By all threads. 0, -ENOMEM, or -E2BIG: more than MARKS_MAX. The caller frees ret->marks. */
int marks_gather(struct marks *ret, struct timeline *tl, const struct mark_wants *wants);

#endif
