// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * arena.c - bump allocation in blocks.
 *
 *   blocks ─▶ [hdr|#####....] ─▶ [hdr|########] ─▶ NULL
 *                  pos^   ^end
 *
 * Blocks start at 4 KiB and double up to 1 MiB, so that a small trace stays small; a larger
 * request gets a block of its size. For large blocks, calloc() gets zeroed pages from the kernel
 * at no cost.
 */
#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_MIN_BYTES 4096
#define BLOCK_MAX_BYTES (1 << 20)
#define FIRST_ITEMS	8 /* of an array that grows */

struct arena_block {
	struct arena_block *next;
	size_t n_bytes;
};

void arena_init(struct arena *a, size_t max_bytes)
{
	memset(a, 0, sizeof(*a));
	a->max_bytes = max_bytes;
}

void arena_release(struct arena *a)
{
	while (a->blocks) {
		struct arena_block *next = a->blocks->next;

		free(a->blocks);
		a->blocks = next;
	}
	a->pos = a->end = NULL;
	a->used_bytes = 0;
}

static int arena_add_block(struct arena *a, size_t need)
{
	size_t n = a->blocks ? a->blocks->n_bytes * 2 : BLOCK_MIN_BYTES;
	struct arena_block *b;

	if (n > BLOCK_MAX_BYTES)
		n = BLOCK_MAX_BYTES;
	if (n < need + sizeof(*b))
		n = need + sizeof(*b);
	if (n > a->max_bytes - a->used_bytes)
		n = need + sizeof(*b);
	if (n > a->max_bytes - a->used_bytes)
		return -1;
	b = calloc(1, n);
	if (!b)
		return -1;
	b->n_bytes = n;
	b->next = a->blocks;
	a->blocks = b;
	a->used_bytes += n;
	a->pos = (char *)(b + 1);
	a->end = (char *)b + n;
	return 0;
}

void *arena_alloc(struct arena *a, size_t n_bytes)
{
	void *p;

	if (n_bytes > a->max_bytes)
		return NULL;
	n_bytes = n_bytes ? (n_bytes + 7) & ~(size_t)7 : 8;
	if ((size_t)(a->end - a->pos) < n_bytes && arena_add_block(a, n_bytes) < 0)
		return NULL;
	p = a->pos;
	a->pos += n_bytes;
	return p;
}

void *arena_alloc_array(struct arena *a, size_t n, size_t each_bytes)
{
	if (each_bytes && n > SIZE_MAX / each_bytes)
		return NULL;
	return arena_alloc(a, n * each_bytes);
}

bool arena_grow(struct arena *a, void *list, size_t n, size_t *cap, size_t each_bytes)
{
	size_t want = *cap ? *cap * 2 : FIRST_ITEMS;
	void *items = arena_alloc_array(a, want, each_bytes);

	if (!items)
		return false;
	if (n)
		memcpy(items, *(void **)list, n * each_bytes);
	*(void **)list = items;
	*cap = want;
	return true;
}

char *arena_strndup(struct arena *a, const char *s, size_t len)
{
	char *p = arena_alloc(a, len + 1);

	if (p)
		memcpy(p, s, len);
	return p;
}
