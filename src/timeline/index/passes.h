/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * passes.h - one pass over the trace that serves many consumers of events.
 *
 * A consumer (struct gatherer) names the streams, kinds and tasks that it needs. Either it makes an
 * item of each event (take), or the pass counts events in the buckets of a pyramid (ticks). All
 * consumers of one call share one walk, on all threads.
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
	 * By stream: only events whose number is in [since, until); NULL: all. In a growing trace,
	 * the next pass starts where this one ended.
	 */
	const uint64_t *since, *until;
	size_t n_since, n_until;

	/*
	 * Makes an item of an event. Returns false to skip the event. Several threads call it at
	 * once.
	 */
	bool (*take)(void *ctx, struct mark_cache *cache, const struct walk_event *ev,
		     void *ret_item);
	void *ctx;
	/* The first 8 bytes of an item contain its time in their lower 48 bits. */
	size_t item_bytes;
	size_t items_max;

	/*
	 * Used instead of take: counts events in the struct tick_bucket of the base; with `since`,
	 * adds to them. It cannot select tasks.
	 */
	struct pyramid *ticks;

	/*
	 * results: all items in time order, at equal times in the order of streams; the caller
	 * frees them
	 */
	void *items;
	size_t n_items;
	int error; /* 0, -ENOMEM, -E2BIG: more than items_max, or too many in total */
};

/* Serves all n consumers with the events in [from, to]. Returns -ENOMEM if none was served. */
int gather(struct timeline *tl, struct gatherer *list, size_t n, uint64_t from, uint64_t to);

/*
 * Returns the end of the indexed part of each stream, which the caller frees, or NULL if out of
 * memory.
 */
uint64_t *gather_until(struct timeline *tl, size_t *ret_n);

#endif
