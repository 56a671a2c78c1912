/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * map.h - maps numbers to pointers: a hash table that grows.
 *
 *	struct map tasks = {0};
 *	void **slot = map_take(&tasks, pid, TASKS_MAX);
 *
 *	if (slot && !*slot)
 *		*slot = new_task(pid);
 *
 * Keys are numbers: a pid, an address of the kernel, the address of a name that exists once. A
 * text, or several numbers, is found by its hash (hash.h): the value is then the first of a list of
 * those that have the same hash, which the caller compares. The values belong to the caller. The
 * order of the slots is random: sort before printing.
 */
#ifndef SONDE_BASE_MAP_H
#define SONDE_BASE_MAP_H

#include "base/hash.h"

struct map_slot {
	uint64_t key;
	void *value; /* NULL: the slot is free */
};

struct map {
	struct map_slot *slots; /* at least half of them are free */
	size_t n, n_slots;
	uint64_t seed;
	void **fresh; /* the place that map_take() last gave to a new key */
};

/* Returns the slot of the key, or the free slot for it. The map must have slots. */
static inline struct map_slot *map_slot_of(const struct map *m, uint64_t key)
{
	size_t i = hash_number(m->seed, key, m->n_slots);

	while (m->slots[i].value && m->slots[i].key != key)
		i = (i + 1) & (m->n_slots - 1);
	return &m->slots[i];
}

/* Returns NULL if the key is not in the map. */
static inline void *map_find(const struct map *m, uint64_t key)
{
	return m->n_slots ? map_slot_of(m, key)->value : NULL;
}

/* Adds a new key: the slow part of map_take(). slot: the free slot for it; NULL: there are none. */
void **map_add(struct map *m, struct map_slot *slot, uint64_t key, size_t max);

/*
 * Returns the place of the key's value. If the key is new, the place contains NULL, and the caller
 * sets it before the next call; otherwise the key is not added. Returns NULL if memory is short, or
 * if the map has max values and the key is new.
 */
static inline void **map_take(struct map *m, uint64_t key, size_t max)
{
	struct map_slot *slot = m->n_slots ? map_slot_of(m, key) : NULL;

	return slot && slot->value ? &slot->value : map_add(m, slot, key, max);
}

/*
 * Removes the key, and returns its value; NULL if it is not in the map. Pointers to places of
 * values are invalid afterwards.
 */
void *map_remove(struct map *m, uint64_t key);
/* Removes all keys, and keeps the memory. */
void map_clear(struct map *m);
void map_release(struct map *m);

#endif
