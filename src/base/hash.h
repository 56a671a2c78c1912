/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * hash.h - computes the place of a key in a hash table.
 *
 * Keys come from files that others wrote. With a fixed hash function, the author of a file could
 * make all keys collide, and turn a table into a list. So each table has its own random seed. The
 * seeds must also differ between tables: code that fills one table from another, slot by slot,
 * would otherwise add the keys in the order of their places, and take quadratic time.
 *
 * One multiplication is not enough: for one seed in a hundred, consecutive numbers (pids,
 * addresses) fall into few places. Two multiplications, with the upper half folded down between
 * them, spread the numbers. The order of a table must never be visible in the output.
 */
#ifndef SONDE_BASE_HASH_H
#define SONDE_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>

#define HASH_ODD 0x9e3779b97f4a7c15u

/*
 * Returns a random seed. It is made of 16 bytes that the kernel gives every program; the clock
 * makes the seeds of tables differ.
 */
static inline uint64_t hash_seed(void)
{
	const void *bytes = (const void *)getauxval(AT_RANDOM);
	uint64_t seed = HASH_ODD;
	struct timespec now;

	if (bytes)
		memcpy(&seed, bytes, sizeof(seed));
	clock_gettime(CLOCK_MONOTONIC, &now);
	seed ^= ((uint64_t)now.tv_sec * 1000000000u + now.tv_nsec) * HASH_ODD;
	return seed | 1;
}

/* n_slots: a power of two, above 1 */
static inline size_t hash_number(uint64_t seed, uint64_t key, size_t n_slots)
{
	uint64_t h = (key ^ key >> 32) * seed;

	h = (h ^ h >> 32) * HASH_ODD;
	return (size_t)(h >> (64 - __builtin_ctzll(n_slots)));
}

/* Adds one number to the hash h of several numbers. The first step starts with h = 0. */
static inline uint64_t hash_step(uint64_t seed, uint64_t h, uint64_t v)
{
	h = (h ^ v) * seed;
	return h ^ h >> 32;
}

/* Returns the hash of a text: a key for map.h. */
static inline uint64_t hash_of_text(uint64_t seed, const char *s, size_t len)
{
	uint64_t h = len;

	for (; len >= 8; s += 8, len -= 8) {
		uint64_t word;

		memcpy(&word, s, 8);
		h = hash_step(seed, h, word);
	}
	while (len--)
		h = hash_step(seed, h, (uint8_t)*s++);
	return h;
}

static inline size_t hash_text(uint64_t seed, const char *s, size_t len, size_t n_slots)
{
	return hash_number(seed, hash_of_text(seed, s, len), n_slots);
}

#endif
