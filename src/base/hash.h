/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hash.h - the place of a key in a hash table.
 *
 * Keys come from files that others wrote: with a fixed function they could make all keys collide,
 * and turn a table into a list. So each table has its own random seed. The seeds differ because a
 * table that is filled from another one, slot by slot, would with the same seed get its keys in the
 * order of their places and pile them up: that is quadratic.
 *
 * One multiplication is not enough: for one seed in a hundred, consecutive numbers (pids,
 * addresses) fall into few places. Two, with the upper half folded down between them, spread them.
 * The order of a table must never be visible in the output.
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
 * Random for each run, from 16 bytes that the kernel gives every program; the clock makes tables
 * differ.
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
