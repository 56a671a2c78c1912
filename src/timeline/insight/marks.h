/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* marks.h - reduces events of some kinds to marks, from which spans are made, in time order. */
#ifndef SONDE_TIMELINE_INSIGHT_MARKS_H
#define SONDE_TIMELINE_INSIGHT_MARKS_H

#include "timeline/index/passes.h"

/* MARK_CUT: the CPU switched to another task */
enum mark_what { MARK_ENTER, MARK_LEAVE, MARK_CUT };

struct mark {
	uint64_t ts : 48, task : 16;
	uint32_t label : 24, what : 6;
	/* a call in a program; calls in the kernel are deeper than all of these */
	uint32_t is_user : 1;
	uint32_t is_whole : 1; /* an enter that leaves by itself after the duration in extra */
	uint32_t id;	       /* equal in marks that belong together */
	/* extra: the duration (leave, is_whole), or a key; 0: unknown */
	uint64_t extra : 56, depth : 8;
};
#define MARK_NO_DEPTH	0xff

/* A cache of addresses, one for each thread that gathers. */
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
	/* Makes a mark. Returns false to skip the event. Several threads call it at once. */
	bool (*make)(void *ctx, struct mark_cache *cache, const struct walk_event *ev,
		     void *ret_mark);
	void *ctx;
};

struct marks {
	struct mark *marks;
	size_t n;
};

#define MARKS_MAX (16u << 20) /* 384 MB, for a short time */

/* Makes a request for a pass together with others. The pass defines from and to. */
void marks_want(struct gatherer *g, const struct mark_wants *wants);
/*
 * Gathers marks with all threads. Returns 0, -ENOMEM, or -E2BIG if there are more than MARKS_MAX.
 * The caller frees ret->marks.
 */
int marks_gather(struct marks *ret, struct timeline *tl, const struct mark_wants *wants);

#endif
