/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * calls_cache.h - the call stacks of all tasks at some moments of a trace.
 */
#ifndef SONDE_TIMELINE_LANES_CALLS_CACHE_H
#define SONDE_TIMELINE_LANES_CALLS_CACHE_H

#include "timeline/lanes/callstack.h"

struct calls_cache;

struct calls_cache *calls_cache_new(void);
void calls_cache_free(struct calls_cache *cc);

/*
 * Loads the stacks of the last cached moment at or before t: calls fill to copy what it needs of
 * `from` (only calls below top, displaced ones and lower are set). Returns the moment; 0: nothing
 * is cached, start at the beginning. If fill returns -1, loading stops and the result is 0, too.
 * version: of the index.
 */
uint64_t calls_cache_load(struct calls_cache *cc, uint32_t machine, uint64_t version, uint64_t t,
			  int (*fill)(void *ctx, uint16_t task, const struct callstack *from),
			  void *ctx);
/* Stores a moment: stacks[task], NULL: none. Ignores what does not fit. */
void calls_cache_add(struct calls_cache *cc, uint32_t machine, uint64_t version, uint64_t ts,
		     const struct callstack *(*stack)(void *ctx, uint16_t task), void *ctx);

#endif
