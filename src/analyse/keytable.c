// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * keytable.c - maps tuples of values to entries.
 *
 * Two values are equal if their 64 bits are equal and if both are text or both are numbers. So the
 * field pid of one event and the task's pid of another have the same entry, as users expect.
 */
#include "analyse/keytable.h"

#include "base/array.h"
#include "base/hash.h"

#include <stdlib.h>

#define ARENA_MAX_BYTES (512u << 20)

void keytable_init(struct keytable *t, size_t n_keys, size_t entry_bytes, size_t max)
{
	*t = (struct keytable){
		.n_keys = n_keys, .entry_bytes = entry_bytes, .max = max, .seed = hash_seed()};
	arena_init(&t->arena, ARENA_MAX_BYTES);
}

void keytable_release(struct keytable *t)
{
	arena_release(&t->arena);
	map_release(&t->entries);
	free(t->list);
}

static bool is_same(const struct keytable *t, const struct keyed *e, const uint64_t *values,
		    const struct key_slot *const *slots)
{
	return !ARRAY_ANY(t->n_keys, i,
			  e->values[i] != values[i] ||
				  key_is_text(e->slots[i]) != key_is_text(slots[i]));
}

struct keyed *keytable_get(struct keytable *t, const uint64_t *values,
			   const struct key_slot *const *slots)
{
	struct keyed *e;
	uint64_t hash = 0;
	void **slot;

	for (size_t i = 0; i < t->n_keys; i++)
		hash = hash_step(t->seed, hash, values[i]);
	for (e = map_find(&t->entries, hash); e; e = e->same_hash)
		if (is_same(t, e, values, slots))
			return e;
	slot = map_take(&t->entries, hash, ARRAY_NO_MAX);
	if (!slot || !ARRAY_ROOM(t->list, t->cap, t->n_used + 1, t->max))
		return NULL;
	e = arena_alloc(&t->arena, t->entry_bytes);
	if (!e)
		return NULL;
	e->same_hash = *slot;
	for (size_t i = 0; i < t->n_keys; i++) {
		e->values[i] = values[i];
		e->slots[i] = slots[i];
	}
	e->number = t->n_used;
	t->list[t->n_used++] = e;
	*slot = e;
	return e;
}
