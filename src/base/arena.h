/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arena.h - memory for objects that are freed together.
 *
 * Allocation is a pointer bump; there is no free of single objects. Every arena has a limit: beyond
 * it arena_alloc() returns NULL and the caller reports -ENOMEM. Not thread-safe: one owner.
 */
#ifndef SONDE_BASE_ARENA_H
#define SONDE_BASE_ARENA_H

#include <stddef.h>

struct arena_block;

struct arena {
	struct arena_block *blocks;
	char *pos, *end;
	size_t used_bytes, max_bytes;
};

void arena_init(struct arena *a, size_t max_bytes);
void arena_release(struct arena *a);

/* Returns zeroed memory aligned to 8, or NULL at the limit or if the system has no memory. */
void *arena_alloc(struct arena *a, size_t n_bytes);
void *arena_alloc_array(struct arena *a, size_t n, size_t each_bytes);

/* Returns a NUL-terminated copy of len bytes. */
char *arena_strndup(struct arena *a, const char *s, size_t len);

#endif
