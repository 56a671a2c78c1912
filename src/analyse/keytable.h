/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * keytable.h - one entry for each different tuple of values (keys.h).
 *
 * The caller's entry begins with a struct keyed; the rest of a new entry is zero. Entries do not
 * move. Only one thread may use it at a time.
 */
#ifndef SONDE_ANALYSE_KEYTABLE_H
#define SONDE_ANALYSE_KEYTABLE_H

#include "analyse/keys.h"
#include "base/arena.h"
#include "base/map.h"

struct keyed {
	struct keyed *same_hash;
	uint64_t values[KEYS_MAX];
	const struct key_slot *slots[KEYS_MAX]; /* descriptions of the values; must stay valid */
	uint32_t number;			/* number in order of appearance */
};

struct keytable {
	struct arena arena;
	struct map entries;  /* struct keyed by the hash of the values */
	struct keyed **list; /* entries in order of appearance */
	size_t n_used, cap, max;
	size_t n_keys, entry_bytes;
	uint64_t seed;
};

/* Initialises a table with at most max entries. */
void keytable_init(struct keytable *t, size_t n_keys, size_t entry_bytes, size_t max);
void keytable_release(struct keytable *t);

/* Finds or adds an entry. Returns NULL if there is no room. */
struct keyed *keytable_get(struct keytable *t, const uint64_t *values,
			   const struct key_slot *const *slots);

#endif
