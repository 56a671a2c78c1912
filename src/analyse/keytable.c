// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * keytable.c - maps tuples of values to entries: open addressing, grows at half full.
 *
 * Two values are equal if their 64 bits are, and both are text or both are not: the field pid of
 * one event and the task's pid in another count together, as a reader expects.
 */
#include "analyse/keytable.h"

#include "base/hash.h"

#include <stdlib.h>

#define ARENA_MAX_BYTES (512u << 20)
#define SLOTS_FIRST	256

void keytable_init(struct keytable *t, size_t n_keys, size_t entry_bytes, size_t max)
{
	*t = (struct keytable){
		.n_keys = n_keys, .entry_bytes = entry_bytes, .max = max, .seed = hash_seed()};
	arena_init(&t->arena, ARENA_MAX_BYTES);
}

void keytable_release(struct keytable *t)
{
	arena_release(&t->arena);
	free(t->slots);
	free(t->list);
}

static size_t home_of(const struct keytable *t, const uint64_t *values, size_t n_slots)
{
	uint64_t h = 0;

	for (size_t i = 0; i < t->n_keys; i++) {
		h = (h ^ values[i]) * t->seed;
		h ^= h >> 32;
	}
	return hash_number(t->seed, h, n_slots);
}

static bool grow(struct keytable *t)
{
	size_t n_slots = t->n_slots ? t->n_slots * 2 : SLOTS_FIRST;
	struct keyed **slots = calloc(n_slots, sizeof(*slots));
	struct keyed **list = realloc(t->list, n_slots / 2 * sizeof(*list));

	if (list)
		t->list = list;
	if (!slots || !list) {
		free(slots);
		return false;
	}
	for (size_t i = 0; i < t->n_used; i++) {
		size_t at = home_of(t, t->list[i]->values, n_slots);

		while (slots[at])
			at = (at + 1) & (n_slots - 1);
		slots[at] = t->list[i];
	}
	free(t->slots);
	t->slots = slots;
	t->n_slots = n_slots;
	return true;
}

static bool is_same(const struct keytable *t, const struct keyed *e, const uint64_t *values,
		    const struct key_slot *const *slots)
{
	for (size_t i = 0; i < t->n_keys; i++)
		if (e->values[i] != values[i] || key_is_text(e->slots[i]) != key_is_text(slots[i]))
			return false;
	return true;
}

struct keyed *keytable_get(struct keytable *t, const uint64_t *values,
			   const struct key_slot *const *slots)
{
	struct keyed *e;
	size_t at;

	if (t->n_used * 2 >= t->n_slots && !grow(t))
		return NULL;
	for (at = home_of(t, values, t->n_slots); t->slots[at]; at = (at + 1) & (t->n_slots - 1))
		if (is_same(t, t->slots[at], values, slots))
			return t->slots[at];
	e = t->n_used < t->max ? arena_alloc(&t->arena, t->entry_bytes) : NULL;
	if (!e)
		return NULL;
	for (size_t i = 0; i < t->n_keys; i++) {
		e->values[i] = values[i];
		e->slots[i] = slots[i];
	}
	e->number = t->n_used;
	t->list[t->n_used++] = e;
	t->slots[at] = e;
	return e;
}

void keytable_fmt(const struct keytable *t, struct keyreader *kr, const struct keyed *e,
		  struct textbuf *tb)
{
	for (size_t i = 0; i < t->n_keys; i++) {
		if (i)
			textbuf_add_char(tb, '\t');
		key_fmt(kr, e->slots[i], e->values[i], tb);
	}
}
