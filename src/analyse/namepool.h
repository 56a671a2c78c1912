/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * namepool.h - one pointer for each different text.
 *
 * For texts in temporary memory, or generated ones: the pool keeps a copy, and returns the same
 * pointer for the same text. Up to NAMEPOOL_MAX_BYTES. One owner.
 */
#ifndef SONDE_ANALYSE_NAMEPOOL_H
#define SONDE_ANALYSE_NAMEPOOL_H

#include "base/arena.h"

#include <stddef.h>
#include <stdint.h>

#define NAMEPOOL_MAX_BYTES (16u << 20)

struct pooled_name {
	uint32_t len;
	char text[]; /* NUL-terminated */
};

struct namepool {
	struct arena arena;
	struct pooled_name **slots; /* open addressing, a power of two of them */
	size_t n_slots, n_used;
	uint64_t seed;
};

void namepool_init(struct namepool *p);
void namepool_release(struct namepool *p);

/* NULL if the pool is full. */
const struct pooled_name *namepool_find(struct namepool *p, const char *s, size_t len);

#endif
