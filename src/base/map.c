// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * map.c - the slow part of map.h: taking slots, and growing.
 *
 * Open addressing: a key goes into the first free slot from its place on. With at least half of the
 * slots free, a search examines two on average.
 */
#include "base/map.h"

#include <stdbool.h>
#include <stdlib.h>

#define FIRST_SLOTS 64

static bool map_grow(struct map *m)
{
	struct map more = {.n = m->n,
			   .n_slots = m->n_slots ? m->n_slots * 2 : FIRST_SLOTS,
			   .seed = hash_seed()};

	more.slots = calloc(more.n_slots, sizeof(*more.slots));
	if (!more.slots)
		return false;
	for (size_t i = 0; i < m->n_slots; i++)
		if (m->slots[i].value)
			*map_slot_of(&more, m->slots[i].key) = m->slots[i];
	free(m->slots);
	*m = more;
	return true;
}

void **map_take(struct map *m, uint64_t key, size_t max)
{
	struct map_slot *slot;

	if (m->n * 2 >= m->n_slots && !map_grow(m))
		return NULL;
	slot = map_slot_of(m, key);
	if (!slot->value) {
		if (m->n >= max)
			return NULL;
		slot->key = key;
		m->n++;
	}
	return &slot->value;
}

void map_release(struct map *m)
{
	free(m->slots);
	*m = (struct map){0};
}
