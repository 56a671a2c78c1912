// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * namepool.c - a hash table of texts over an arena.
 *
 * At most half of the slots are used, so a search ends after a step or two. Texts are never freed
 * individually, and the order of the table is not visible.
 */
#include "analyse/namepool.h"
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

void namepool_init(struct namepool *p)
{
	memset(p, 0, sizeof(*p));
	arena_init(&p->arena, NAMEPOOL_MAX_BYTES);
	p->seed = hash_seed();
}

void namepool_release(struct namepool *p)
{
	free(p->slots);
	arena_release(&p->arena);
	memset(p, 0, sizeof(*p));
}

static struct pooled_name **slot_of(struct pooled_name **slots, size_t n, uint64_t seed,
				    const char *s, size_t len)
{
	size_t i = hash_text(seed, s, len, n);

	for (;; i++) {
		struct pooled_name **slot = &slots[i & (n - 1)];

		if (!*slot || ((*slot)->len == len && !memcmp((*slot)->text, s, len)))
			return slot;
	}
}

static int grow(struct namepool *p)
{
	size_t n = p->n_slots ? p->n_slots * 2 : 256;
	struct pooled_name **slots = calloc(n, sizeof(*slots));

	if (!slots)
		return -1;
	for (size_t i = 0; i < p->n_slots; i++)
		if (p->slots[i])
			*slot_of(slots, n, p->seed, p->slots[i]->text, p->slots[i]->len) =
				p->slots[i];
	free(p->slots);
	p->slots = slots;
	p->n_slots = n;
	return 0;
}

const struct pooled_name *namepool_find(struct namepool *p, const char *s, size_t len)
{
	struct pooled_name **slot;

	if (p->n_used * 2 >= p->n_slots && grow(p) < 0)
		return NULL;
	slot = slot_of(p->slots, p->n_slots, p->seed, s, len);
	if (*slot)
		return *slot;
	*slot = arena_alloc(&p->arena, sizeof(**slot) + len + 1);
	if (!*slot)
		return NULL;
	(*slot)->len = len;
	memcpy((*slot)->text, s, len);
	p->n_used++;
	return *slot;
}
