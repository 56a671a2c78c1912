// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * calls_cache.c - caches the call stacks of all tasks at some moments of a trace.
 *
 *	trace     |-------------------------------------------------|
 *	range                            [====]
 *	a function      [────────────────────────────────]             no event in the range
 *	moments   |      |      |      |
 *	                               ^ its stack is known here; events are read from here on
 *
 * Each pass over the events of a trace stores moments, so that the next pass for a later range need
 * not start at the beginning. Moments belong to one version of the index; they are dropped when it
 * grows.
 *
 * A moment is an array of packed stacks: head, open calls, displaced calls. There are at most
 * MOMENTS_MAX moments in at most CACHE_BYTES.
 */
#include "base/array.h"
#include "base/lock.h"
#include "base/scope.h"
#include "timeline/lanes/calls_cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define MOMENTS_MAX 256
#define CACHE_BYTES ((size_t)32 << 20)

struct stack_head {
	uint64_t lower;
	uint16_t task, n_calls, n_user, n_displaced;
};

struct moment {
	uint64_t ts;
	uint32_t machine;
	uint8_t *bytes;
	size_t n_bytes;
};

struct calls_cache {
	pthread_mutex_t lock;
	uint64_t version;
	struct moment moments[MOMENTS_MAX];
	size_t n, n_bytes;
};

struct calls_cache *calls_cache_new(void)
{
	struct calls_cache *cc = calloc(1, sizeof(*cc));

	if (cc)
		pthread_mutex_init(&cc->lock, NULL);
	return cc;
}

static void forget(struct calls_cache *cc)
{
	while (cc->n)
		free(cc->moments[--cc->n].bytes);
	cc->n_bytes = 0;
}

void calls_cache_free(struct calls_cache *cc)
{
	if (!cc)
		return;
	forget(cc);
	pthread_mutex_destroy(&cc->lock);
	free(cc);
}

/* --- one moment ------------------------------------------------------------------------------- */

static size_t packed_bytes(const struct callstack *cs)
{
	return sizeof(struct stack_head) + cs->top * sizeof(cs->calls[0]) +
	       cs->n_displaced * sizeof(cs->displaced[0]);
}

static uint8_t *pack(uint8_t *to, uint16_t task, const struct callstack *cs)
{
	struct stack_head head = {cs->lower, task, (uint16_t)cs->top, (uint16_t)cs->n_user,
				  (uint16_t)cs->n_displaced};

	memcpy(to, &head, sizeof(head));
	to += sizeof(head);
	memcpy(to, cs->calls, cs->top * sizeof(cs->calls[0]));
	to += cs->top * sizeof(cs->calls[0]);
	memcpy(to, cs->displaced, cs->n_displaced * sizeof(cs->displaced[0]));
	return to + cs->n_displaced * sizeof(cs->displaced[0]);
}

static const uint8_t *unpack(const uint8_t *from, uint16_t *ret_task, struct callstack *cs)
{
	struct stack_head head;

	memcpy(&head, from, sizeof(head));
	from += sizeof(head);
	*ret_task = head.task;
	cs->lower = head.lower;
	cs->top = head.n_calls;
	cs->n_user = head.n_user;
	cs->n_displaced = head.n_displaced;
	memcpy(cs->calls, from, cs->top * sizeof(cs->calls[0]));
	from += cs->top * sizeof(cs->calls[0]);
	memcpy(cs->displaced, from, cs->n_displaced * sizeof(cs->displaced[0]));
	return from + cs->n_displaced * sizeof(cs->displaced[0]);
}

static int give(const struct moment *m,
		int (*fill)(void *ctx, uint16_t task, const struct callstack *from), void *ctx)
{
	SCOPED(scope_free) struct callstack *cs = calloc(1, sizeof(*cs));
	const uint8_t *at = m->bytes, *end = m->bytes + m->n_bytes;
	int r = cs ? 0 : -1;

	while (!r && at < end) {
		uint16_t task;

		at = unpack(at, &task, cs);
		r = fill(ctx, task, cs);
	}
	return r;
}

/* --- all -------------------------------------------------------------------------------------- */

uint64_t calls_cache_load(struct calls_cache *cc, uint32_t machine, uint64_t version, uint64_t t,
			  int (*fill)(void *ctx, uint16_t task, const struct callstack *from),
			  void *ctx)
{
	const struct moment *best = NULL;
	uint64_t ts = 0;

	LOCKED(&cc->lock);
	if (cc->version != version)
		forget(cc);
	for (size_t i = 0; i < cc->n; i++) {
		const struct moment *m = &cc->moments[i];

		if (m->machine == machine && m->ts <= t && (!best || m->ts > best->ts))
			best = m;
	}
	if (best && !give(best, fill, ctx))
		ts = best->ts;
	return ts;
}

static bool is_kept(const struct calls_cache *cc, uint32_t machine, uint64_t ts)
{
	return ARRAY_ANY(cc->n, i, cc->moments[i].machine == machine && cc->moments[i].ts == ts);
}

void calls_cache_add(struct calls_cache *cc, uint32_t machine, uint64_t version, uint64_t ts,
		     const struct callstack *(*stack)(void *ctx, uint16_t task), void *ctx)
{
	struct moment m = {.ts = ts, .machine = machine};
	uint8_t *to;

	for (uint32_t task = 0; task <= UINT16_MAX; task++) {
		const struct callstack *cs = stack(ctx, task);

		m.n_bytes += cs ? packed_bytes(cs) : 0;
	}
	to = m.bytes = malloc(m.n_bytes + 1);
	for (uint32_t task = 0; to && task <= UINT16_MAX; task++) {
		const struct callstack *cs = stack(ctx, task);

		if (cs)
			to = pack(to, task, cs);
	}
	pthread_mutex_lock(&cc->lock);
	if (cc->version != version)
		forget(cc);
	cc->version = version;
	if (m.bytes && cc->n < MOMENTS_MAX && cc->n_bytes + m.n_bytes <= CACHE_BYTES &&
	    !is_kept(cc, machine, ts)) {
		cc->moments[cc->n++] = m;
		cc->n_bytes += m.n_bytes;
		m.bytes = NULL;
	}
	pthread_mutex_unlock(&cc->lock);
	free(m.bytes);
}
