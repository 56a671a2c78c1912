/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * namepool.h - one pointer for each different text.
 *
 * The pool is for generated texts and texts in temporary memory. It keeps a copy, and returns the
 * same pointer for the same text. Its limit is NAMEPOOL_MAX_BYTES. Only one thread may use it at a
 * time.
 */
#ifndef SONDE_ANALYSE_NAMEPOOL_H
#define SONDE_ANALYSE_NAMEPOOL_H

#include "base/arena.h"
#include "base/map.h"

#include <stddef.h>
#include <stdint.h>

#define NAMEPOOL_MAX_BYTES (16u << 20)

struct pooled_name {
	struct pooled_name *same_hash;
	uint32_t len;
	char text[]; /* NUL-terminated */
};

struct namepool {
	struct arena arena;
	struct map names; /* struct pooled_name by the hash of the text */
	uint64_t seed;
};

void namepool_init(struct namepool *p);
void namepool_release(struct namepool *p);

/* Returns NULL if the pool is full. */
const struct pooled_name *namepool_find(struct namepool *p, const char *s, size_t len);

#endif
