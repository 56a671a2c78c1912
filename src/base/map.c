// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * map.c - the slow part of map.h: taking and removing slots, and growing.
 *
 * Open addressing: a key goes into the first free slot at or after its home slot. With at least
 * half of the slots free, a search examines two on average.
 */
#include "base/map.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

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

/* Removes the key that map_take() added last, if the caller set no value for it. */
static void map_settle(struct map *m)
{
	m->n -= m->fresh && !*m->fresh;
	m->fresh = NULL;
}

void **map_add(struct map *m, struct map_slot *slot, uint64_t key, size_t max)
{
	map_settle(m);
	if (m->n >= max)
		return NULL;
	if (m->n * 2 >= m->n_slots) {
		if (!map_grow(m))
			return NULL;
		slot = map_slot_of(m, key);
	}
	slot->key = key;
	m->n++;
	m->fresh = &slot->value;
	return m->fresh;
}

/*
 * Moves the keys behind the removed one into the gap, so that a search from their home slot still
 * finds them.
 */
void *map_remove(struct map *m, uint64_t key)
{
	struct map_slot *slot = m->n_slots ? map_slot_of(m, key) : NULL;
	size_t mask = m->n_slots - 1, hole, at;
	void *value = slot ? slot->value : NULL;

	map_settle(m);
	if (!value)
		return NULL;
	hole = at = slot - m->slots;
	while (m->slots[at = (at + 1) & mask].value) {
		size_t home = hash_number(m->seed, m->slots[at].key, m->n_slots);

		if (((at - home) & mask) < ((at - hole) & mask))
			continue;
		m->slots[hole] = m->slots[at];
		hole = at;
	}
	m->slots[hole].value = NULL;
	m->n--;
	return value;
}

void map_clear(struct map *m)
{
	if (m->n)
		memset(m->slots, 0, m->n_slots * sizeof(*m->slots));
	m->n = 0;
	m->fresh = NULL;
}

void map_release(struct map *m)
{
	free(m->slots);
	*m = (struct map){0};
}
