/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * passes.h - one pass over the trace for many who each want some of its events.
 *
 * Who wants events says which (streams, kinds, tasks), and either makes an item of each (take), or only has them
 * counted in the buckets of a pyramid (ticks). All who come together share one walk, by all threads.
 */
#ifndef SONDE_TIMELINE_INDEX_PASSES_H
#define SONDE_TIMELINE_INDEX_PASSES_H

#include "timeline/timeline.h"

struct mark_cache;
struct pyramid;

struct gatherer {
	const uint16_t *streams; /* ascending */
	size_t n_streams;
	const uint8_t *kinds, *tasks; /* as for timeline_walk() */
	size_t n_kinds, n_tasks;

	/*
	 * By stream: only events whose number is in [since, until); NULL: all. For what grows: the next
	 * pass begins where this one ended.
	 */
	const uint64_t *since, *until;
	size_t n_since, n_until;

	/* False: this event is none. Called by several threads at once. */
	bool (*take)(void *ctx, struct mark_cache *cache, const struct walk_event *ev,
		     void *ret_item);
	void *ctx;
	/* The first 8 bytes of an item have its time in their lower 48 bits. */
	size_t item_bytes;
	size_t items_max;

	/* Instead of take: struct tick_bucket of its base; with `since` what they have counts on. No tasks. */
	struct pyramid *ticks;

	/* results: all items in the order of time, ties in that of streams; the caller frees them */
	void *items;
	size_t n_items;
	int error; /* 0, -ENOMEM, -E2BIG: more than items_max, or too many all together */
};

/* Events in [from, to] for all n of them. -ENOMEM: for none. */
int gather(struct timeline *tl, struct gatherer *list, size_t n, uint64_t from, uint64_t to);

/* By stream: up to where all is indexed. The caller frees it. NULL without memory. */
uint64_t *gather_until(struct timeline *tl, size_t *ret_n);

#endif
