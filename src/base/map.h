/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * map.h - maps numbers to pointers: a hash table that grows.
 *
 *	struct map tasks = {0};
 *	void **slot = map_take(&tasks, pid, TASKS_MAX);
 *
 *	if (slot && !*slot)
 *		*slot = new_task(pid);
 *
 * Keys are numbers: a pid, an address of the kernel, the address of a name that exists once. The
 * values belong to the caller. The order of the slots is random: sort before printing.
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
};

/* The slot of the key, or the free slot for it. The map must have slots. */
static inline struct map_slot *map_slot_of(const struct map *m, uint64_t key)
{
	size_t i = hash_number(m->seed, key, m->n_slots);

	while (m->slots[i].value && m->slots[i].key != key)
		i = (i + 1) & (m->n_slots - 1);
	return &m->slots[i];
}

/* NULL: not found. */
static inline void *map_find(const struct map *m, uint64_t key)
{
	return m->n_slots ? map_slot_of(m, key)->value : NULL;
}

/*
 * The place of the key's value: it contains NULL if the key is new, and the caller sets it before
 * the next call. Returns NULL if memory is short, or if the map has max values and the key is new.
 */
void **map_take(struct map *m, uint64_t key, size_t max);

void map_release(struct map *m);

#endif
