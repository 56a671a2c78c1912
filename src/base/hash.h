/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hash.h - where something goes in a hash table.
 *
 * What is hashed comes from files that others wrote: with a fixed function they could make all keys
 * fall into one place, and a table into a list. So each table takes a random seed when it is made;
 * multiplying by a random odd number and keeping the upper bits is all it needs. The order of a
 * table must therefore never show in anything that is printed.
 */
#ifndef SONDE_BASE_HASH_H
#define SONDE_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>

/* Random for each run: the kernel gives every program 16 random bytes. */
static inline uint64_t hash_seed(void)
{
	const void *bytes = (const void *)getauxval(AT_RANDOM);
	uint64_t seed = 0x9e3779b97f4a7c15u;

	if (bytes)
		memcpy(&seed, bytes, sizeof(seed));
	return seed | 1;
}

/* n_slots: a power of two, above 1 */
static inline size_t hash_number(uint64_t seed, uint64_t key, size_t n_slots)
{
	return (size_t)(key * seed >> (64 - __builtin_ctzll(n_slots)));
}

static inline size_t hash_text(uint64_t seed, const char *s, size_t len, size_t n_slots)
{
	uint64_t h = len;

	for (; len >= 8; s += 8, len -= 8) {
		uint64_t word;

		memcpy(&word, s, 8);
		h = (h ^ word) * seed;
		h ^= h >> 32;
	}
	while (len--) {
		h = (h ^ (uint8_t)*s++) * seed;
		h ^= h >> 32;
	}
	return hash_number(seed, h, n_slots);
}

#endif
