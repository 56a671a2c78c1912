// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * schedstacks.c - each kernel stack is kept once, however many switches and wakings have it.
 *
 * The key of the map is a hash of the addresses; stacks with the same hash are a list. So two equal
 * stacks have one address, and those who count them compare pointers. The caller owns the map and
 * the arena: a stack lives as long as the arena. A stack is cut after FRAMES_MAX frames.
 */
#include "analyse/sched/schedstacks.h"

#include "analyse/sched/schedflow.h"
#include "base/array.h"

#include <string.h>

#define FRAMES_MAX 128

static bool is_same_stack(const struct sched_stack *k, const uint64_t *frames, uint32_t n)
{
	return k->n == n && !memcmp(k->frames, frames, n * sizeof(*frames));
}

const struct sched_stack *schedstacks_get(struct map *stacks, struct arena *arena,
					  const struct sched_reader *r,
					  const struct sched_event *ev)
{
	uint64_t frames[FRAMES_MAX], hash = 1469598103934665603u;
	uint32_t n = ev->n_frames < FRAMES_MAX ? ev->n_frames : FRAMES_MAX;
	struct sched_stack *k;
	void **slot;

	for (uint32_t i = 0; i < n; i++) {
		frames[i] = sched_event_frame(r, ev, i);
		hash = (hash ^ frames[i]) * 1099511628211u;
	}
	slot = map_take(stacks, hash, ARRAY_NO_MAX);
	if (!slot)
		return NULL;
	for (k = *slot; k; k = k->next)
		if (is_same_stack(k, frames, n))
			return k;
	k = arena_alloc(arena, sizeof(*k) + n * sizeof(*frames));
	if (!k)
		return NULL;
	k->n = n;
	memcpy(k->frames, frames, n * sizeof(*frames));
	k->next = *slot;
	*slot = k;
	return k;
}
