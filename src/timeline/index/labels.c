// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * labels.c - an interning table: texts in an arena, open addressing from a text to its number.
 *
 * One lock protects everything. Builders of lanes cache the numbers of recent addresses, so they
 * call this once per function, not once per call.
 *
 *	number   nth text of its colour << 6 | colour
 *
 * A hash spreads the colours evenly, so the numbers are nearly dense.
 */
#include "timeline/index/labels.h"

#include "base/hash.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LABELS_BYTES ((size_t)64 << 20)

int labels_init(struct labels *l)
{
	*l = (struct labels){.seed = hash_seed(), .n_slots = 1024, .cap = 512};
	l->slots = calloc(l->n_slots, sizeof(*l->slots));
	l->texts = calloc(l->cap, sizeof(*l->texts));
	if (!l->slots || !l->texts) {
		free(l->slots);
		free(l->texts);
		return -ENOMEM;
	}
	arena_init(&l->arena, LABELS_BYTES);
	pthread_mutex_init(&l->lock, NULL);
	l->texts[0] = "?";
	l->n = l->n_of[0] = 1;
	return 0;
}

void labels_release(struct labels *l)
{
	free(l->slots);
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

static int grow_texts(struct labels *l)
{
	uint32_t cap = l->cap * 2;
	const char **texts = realloc(l->texts, cap * sizeof(*texts));

	if (!texts)
		return -ENOMEM;
	memset(texts + l->cap, 0, (cap - l->cap) * sizeof(*texts));
	l->texts = texts;
	l->cap = cap;
	return 0;
}

static int grow_slots(struct labels *l)
{
	uint32_t n_slots = l->n_slots * 2;
	uint32_t *slots = calloc(n_slots, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	for (uint32_t i = 1; i < l->cap; i++) {
		size_t at;

		if (!l->texts[i])
			continue;
		at = hash_text(l->seed, l->texts[i], strlen(l->texts[i]), n_slots);
		while (slots[at])
			at = (at + 1) & (n_slots - 1);
		slots[at] = i;
	}
	free(l->slots);
	l->slots = slots;
	l->n_slots = n_slots;
	return 0;
}

static uint32_t add_locked(struct labels *l, const char *text, size_t len)
{
	size_t at = hash_text(l->seed, text, len, l->n_slots);
	uint32_t colour, number;
	const char *copy;

	for (; l->slots[at]; at = (at + 1) & (l->n_slots - 1)) {
		const char *have = l->texts[l->slots[at]];

		if (!strncmp(have, text, len) && !have[len])
			return l->slots[at];
	}
	colour = colour_of(text, len);
	number = l->n_of[colour] << LABEL_COLOUR_BITS | colour;
	if (number >= LABELS_MAX)
		return 0;
	if (number >= l->cap || l->n * 2 > l->n_slots) {
		if ((number >= l->cap ? grow_texts(l) : grow_slots(l)) < 0)
			return 0;
		return add_locked(l, text, len);
	}
	copy = arena_strndup(&l->arena, text, len);
	if (!copy)
		return 0;
	l->texts[number] = copy;
	l->slots[at] = number;
	l->n_of[colour]++;
	l->n++;
	return number;
}

uint32_t labels_add(struct labels *l, const char *text, size_t len)
{
	const char *nul = memchr(text, 0, len);
	uint32_t n;

	len = nul ? (size_t)(nul - text) : len;
	pthread_mutex_lock(&l->lock);
	n = add_locked(l, text, len);
	pthread_mutex_unlock(&l->lock);
	return n;
}

const char *labels_find(struct labels *l, uint32_t number)
{
	const char *text;

	pthread_mutex_lock(&l->lock);
	text = number < l->cap && l->texts[number] ? l->texts[number] : l->texts[0];
	pthread_mutex_unlock(&l->lock);
	return text;
}
