/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* calls_cache.h - caches the call stacks of all tasks at some moments of a trace. */
#ifndef SONDE_TIMELINE_LANES_CALLS_CACHE_H
#define SONDE_TIMELINE_LANES_CALLS_CACHE_H

#include "timeline/lanes/callstack.h"

struct calls_cache;

struct calls_cache *calls_cache_new(void);
void calls_cache_free(struct calls_cache *cc);

/*
 * Loads the stacks of the last cached moment at or before t. Calls fill to copy the needed parts of
 * `from`, in which only calls below top, displaced calls and lower are set. Returns the moment, or
 * 0 if nothing is cached: then start at the beginning. If fill returns -1, loading stops and the
 * result is 0, too. version is that of the index.
 */
uint64_t calls_cache_load(struct calls_cache *cc, uint32_t machine, uint64_t version, uint64_t t,
			  int (*fill)(void *ctx, uint16_t task, const struct callstack *from),
			  void *ctx);
/*
 * Stores a moment. stack() returns the stack of a task, or NULL. Stacks that do not fit are
 * ignored.
 */
void calls_cache_add(struct calls_cache *cc, uint32_t machine, uint64_t version, uint64_t ts,
		     const struct callstack *(*stack)(void *ctx, uint16_t task), void *ctx);

#endif
