/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * calls_cache.h - what all tasks had entered and not left, at some moments of a trace.
 */
#ifndef SONDE_TIMELINE_LANES_CALLS_CACHE_H
#define SONDE_TIMELINE_LANES_CALLS_CACHE_H

#include "timeline/lanes/callstack.h"

struct calls_cache;

struct calls_cache *calls_cache_new(void);
void calls_cache_free(struct calls_cache *cc);

/*
 * Gives the stacks of the last moment at or before t: fill copies what it wants of `from` (only calls below top,
 * displaced ones and lower are set). Returns the moment, 0: nothing is known, begin at the beginning. -1 in
 * fill's answer ends it, then 0 is returned as well. version: of the index.
 */
uint64_t calls_cache_load(struct calls_cache *cc, uint32_t machine, uint64_t version, uint64_t t,
			  int (*fill)(void *ctx, uint16_t task, const struct callstack *from),
			  void *ctx);
/* Keeps a moment: stacks[task], NULL: none. What does not fit is not kept. */
void calls_cache_add(struct calls_cache *cc, uint32_t machine, uint64_t version, uint64_t ts,
		     const struct callstack *(*stack)(void *ctx, uint16_t task), void *ctx);

#endif
