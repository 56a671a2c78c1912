// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * labels.c - an interning table: texts in an arena, a map from the hash of a text to its number.
 *
 * One lock protects everything. Builders of lanes cache the numbers of recent addresses, so they
 * call this once per function, not once per call.
 *
 *	number   nth text of its colour << 6 | colour
 *
 * A hash spreads the colours evenly, so the numbers are nearly dense.
 */
#include "timeline/index/labels.h"

#include "base/array.h"
#include "base/lock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LABELS_BYTES ((size_t)64 << 20)
#define TEXTS_FIRST  512

int labels_init(struct labels *l)
{
	*l = (struct labels){.seed = hash_seed()};
	if (!ARRAY_ROOM(l->texts, l->cap, TEXTS_FIRST, LABELS_MAX))
		return -ENOMEM;
	arena_init(&l->arena, LABELS_BYTES);
	pthread_mutex_init(&l->lock, NULL);
	l->texts[0] = "?";
	l->n_of[0] = 1;
	return 0;
}

void labels_release(struct labels *l)
{
	map_release(&l->numbers);
	free(l->texts);
	arena_release(&l->arena);
	pthread_mutex_destroy(&l->lock);
}

/*
 * Returns the colour of a text. It is the same in every run, because it does not depend on the
 * seed.
 */
static uint32_t colour_of(const char *text, size_t len)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)text[i]) * 16777619u;
	h ^= h >> 15;
	return (h * 0x2c1b3c6du) >> (32 - LABEL_COLOUR_BITS);
}

static uint32_t add_locked(struct labels *l, const char *text, size_t len)
{
	uint64_t key = hash_of_text(l->seed, text, len);
	uint32_t colour, number;
	void **slot;

	/* texts with the same hash have consecutive keys */
	for (; (slot = map_take(&l->numbers, key, LABELS_MAX)) && *slot; key++) {
		const char *have = l->texts[(uintptr_t)*slot];

		if (!strncmp(have, text, len) && !have[len])
			return (uintptr_t)*slot;
	}
	colour = colour_of(text, len);
	number = l->n_of[colour] << LABEL_COLOUR_BITS | colour;
	if (!slot || !ARRAY_ROOM(l->texts, l->cap, number + 1, LABELS_MAX))
		return 0;
	l->texts[number] = arena_strndup(&l->arena, text, len);
	if (!l->texts[number])
		return 0;
	*slot = (void *)(uintptr_t)number;
	l->n_of[colour]++;
	return number;
}

uint32_t labels_add(struct labels *l, const char *text, size_t len)
{
	const char *nul = memchr(text, 0, len);

	len = nul ? (size_t)(nul - text) : len;
	LOCKED(&l->lock);
	return add_locked(l, text, len);
}

const char *labels_find(struct labels *l, uint32_t number)
{
	LOCKED(&l->lock);
	return number < l->cap && l->texts[number] ? l->texts[number] : l->texts[0];
}
