// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * namepool.c - a map of texts over an arena.
 *
 * Texts are never freed individually. Two texts with the same hash are in a list, which nearly
 * always has one member.
 */
#include "analyse/namepool.h"
#include "base/array.h"
#include "base/hash.h"

#include <string.h>

void namepool_init(struct namepool *p)
{
	memset(p, 0, sizeof(*p));
	arena_init(&p->arena, NAMEPOOL_MAX_BYTES);
	p->seed = hash_seed();
}

void namepool_release(struct namepool *p)
{
	map_release(&p->names);
	arena_release(&p->arena);
	memset(p, 0, sizeof(*p));
}

const struct pooled_name *namepool_find(struct namepool *p, const char *s, size_t len)
{
	void **slot = map_take(&p->names, hash_of_text(p->seed, s, len), ARRAY_NO_MAX);
	struct pooled_name *name;

	if (!slot)
		return NULL;
	for (name = *slot; name; name = name->same_hash)
		if (name->len == len && !memcmp(name->text, s, len))
			return name;
	name = arena_alloc(&p->arena, sizeof(*name) + len + 1);
	if (!name)
		return NULL;
	name->same_hash = *slot;
	name->len = len;
	memcpy(name->text, s, len);
	*slot = name;
	return name;
}
