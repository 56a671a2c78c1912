/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * arena.h - memory for objects that are freed together.
 *
 * Allocation is a pointer bump; there is no free of single objects. Every arena has a limit: beyond
 * it arena_alloc() returns NULL and the caller reports -ENOMEM. Not thread-safe: one owner.
 */
#ifndef SONDE_BASE_ARENA_H
#define SONDE_BASE_ARENA_H

#include <stdbool.h>
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

/*
 * Makes room for one more item in an array of the arena that has n items; list is NULL at first,
 * and cap 0, a size_t. The array doubles; the old copies stay in the arena, and are together at
 * most as large as the new one. Returns false, with nothing changed, if the array has max items or
 * if memory is short.
 */
#define ARENA_ONE_MORE(arena, list, n, cap, max) \
	((size_t)(n) < (size_t)(max) &&          \
	 ((n) < (cap) || arena_grow((arena), &(list), (n), &(cap), sizeof(*(list)))))

/* The function behind ARENA_ONE_MORE. list: the address of the pointer. */
bool arena_grow(struct arena *a, void *list, size_t n, size_t *cap, size_t each_bytes);

/* Returns a NUL-terminated copy of len bytes. */
char *arena_strndup(struct arena *a, const char *s, size_t len);

#endif
