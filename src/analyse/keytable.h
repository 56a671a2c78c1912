/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * keytable.h - one entry for each different tuple of values (keys.h).
 *
 * The caller's entry begins with a struct keyed; the rest is zero at first. Entries do not move.
 * One owner.
 */
#ifndef SONDE_ANALYSE_KEYTABLE_H
#define SONDE_ANALYSE_KEYTABLE_H

#include "analyse/keys.h"
#include "base/arena.h"

struct keyed {
	uint64_t values[KEYS_MAX];
	const struct key_slot *slots[KEYS_MAX]; /* describe the values; must stay valid */
	uint32_t number;			/* in order of appearance */
};

struct keytable {
	struct arena arena;
	struct keyed **slots; /* open addressing, a power of two of them */
	struct keyed **list;  /* as they appeared */
	size_t n_slots, n_used, max;
	size_t n_keys, entry_bytes;
	uint64_t seed;
};

/* At most max entries. */
void keytable_init(struct keytable *t, size_t n_keys, size_t entry_bytes, size_t max);
void keytable_release(struct keytable *t);

/* Adds it if it is new; NULL if there is no room. */
struct keyed *keytable_get(struct keytable *t, const uint64_t *values,
			   const struct key_slot *const *slots);

/* "bash\t3": the values as text, separated by tabs. */
void keytable_fmt(const struct keytable *t, struct keyreader *kr, const struct keyed *e,
		  struct textbuf *tb);

#endif
