// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * sampleset.c - two hash tables: stacks by their places, rows by the other data of a sample.
 *
 *	places   [ 7 3 1 | 9 3 1 | 4 1 | … ]      one array for all stacks
 *	stacks   { first 0, n 3 } { first 3, n 3 } …
 *	slots    number of the stack + 1, by the hash of its places; half of them are free
 *
 * A sample costs the hash of its stack (about 1.5 ns per place), one look-up, and a comparison with
 * the stack that is there. Traces repeat their stacks, so that a million samples have some ten
 * thousand of them, and all later work (names, trees) is done once for each.
 *
 * Memory: PLACES_MAX and ROWS_MAX are ceilings; samples beyond them are counted as cut. A million
 * rows with times take 56 MB.
 */
#include "analyse/samples/sampleset.h"

#include "analyse/namepool.h"
#include "base/array.h"
#include "base/hash.h"
#include "decode/samples/sampleevent.h"

#include <stdlib.h>
#include <string.h>

#define PLACES_MAX (64u << 20)
#define ROWS_MAX   (16u << 20)
#define STACKS_MAX (16u << 20)
#define NAMES_MAX  (1u << 20)
#define SLOTS_MIN  1024u

struct kept_stack {
	size_t first;
	uint32_t n;
	uint32_t hash; /* the upper half; it distinguishes most stacks */
};

struct slots {
	uint32_t *list; /* index + 1; 0: free */
	size_t n;	/* a power of two */
};

struct sampleset {
	unsigned keep;
	uint64_t seed;
	uint64_t *places;
	size_t n_places, cap_places;
	struct kept_stack *stacks;
	size_t n_stacks, cap_stacks;
	struct slots by_places, by_row;
	struct sampleset_row *rows;
	size_t n_rows, cap_rows;
	uint64_t n, weight, n_cut;
	struct namepool pool;
	const struct pooled_name **names;
	size_t n_names, cap_names;
	struct map by_name; /* number + 1 of a name, by its pooled_name */
};

struct sampleset *sampleset_new(unsigned keep)
{
	struct sampleset *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->keep = keep;
	s->seed = hash_seed();
	namepool_init(&s->pool);
	return s;
}

void sampleset_free(struct sampleset *s)
{
	if (!s)
		return;
	free(s->places);
	free(s->stacks);
	free(s->by_places.list);
	free(s->by_row.list);
	free(s->rows);
	free(s->names);
	map_release(&s->by_name);
	namepool_release(&s->pool);
	free(s);
}

/*
 * --- stacks ------------------------------------------------------------------------------------
 */

static uint64_t hash_places(uint64_t seed, const uint64_t *places, size_t n)
{
	uint64_t h = n;

	for (size_t i = 0; i < n; i++)
		h = hash_step(seed, h, places[i]);
	return h * HASH_ODD;
}

/* Doubles the slots if they are half full. */
static bool grow(struct slots *slots, size_t n_used)
{
	size_t n = slots->n ? slots->n * 2 : SLOTS_MIN;
	uint32_t *list;

	if (n_used * 2 < slots->n)
		return true;
	list = calloc(n, sizeof(*list));
	if (!list)
		return false;
	free(slots->list);
	slots->list = list;
	slots->n = n;
	return true;
}

static size_t slot_of(uint32_t hash, size_t n_slots)
{
	return ((uint64_t)hash * HASH_ODD) >> (64 - __builtin_ctzll(n_slots));
}

static bool make_stack_room(struct sampleset *s)
{
	size_t before = s->by_places.n;

	if (!grow(&s->by_places, s->n_stacks))
		return false;
	for (size_t i = 0; i < s->n_stacks && s->by_places.n != before; i++) {
		size_t at = slot_of(s->stacks[i].hash, s->by_places.n);

		while (s->by_places.list[at])
			at = (at + 1) & (s->by_places.n - 1);
		s->by_places.list[at] = (uint32_t)i + 1;
	}
	return true;
}

/* The number of a stack; false: no room. */
static bool take_stack(struct sampleset *s, const uint64_t *places, size_t n, uint32_t *ret)
{
	uint32_t hash = (uint32_t)(hash_places(s->seed, places, n) >> 32);
	size_t at;

	if (!make_stack_room(s))
		return false;
	for (at = slot_of(hash, s->by_places.n); s->by_places.list[at];
	     at = (at + 1) & (s->by_places.n - 1)) {
		const struct kept_stack *k = &s->stacks[s->by_places.list[at] - 1];

		if (k->hash == hash && k->n == n &&
		    !memcmp(s->places + k->first, places, n * sizeof(*places))) {
			*ret = s->by_places.list[at] - 1;
			return true;
		}
	}
	if (!ARRAY_ROOM(s->places, s->cap_places, s->n_places + n, PLACES_MAX) ||
	    !ARRAY_ROOM(s->stacks, s->cap_stacks, s->n_stacks + 1, STACKS_MAX))
		return false;
	if (n)
		memcpy(s->places + s->n_places, places, n * sizeof(*places));
	s->stacks[s->n_stacks] = (struct kept_stack){s->n_places, (uint32_t)n, hash};
	s->n_places += n;
	*ret = (uint32_t)s->n_stacks++;
	s->by_places.list[at] = *ret + 1;
	return true;
}

/*
 * --- rows --------------------------------------------------------------------------------------
 */

static uint32_t hash_row(const struct sampleset *s, const struct sampleset_row *r)
{
	uint64_t h = hash_step(s->seed, r->stack, (uintptr_t)r->task);

	h = hash_step(s->seed, h, (uint64_t)r->event << 32 | r->cpu);
	return (uint32_t)(hash_step(s->seed, h, (uint32_t)r->tgid) * HASH_ODD >> 32);
}

static bool is_same_row(const struct sampleset_row *a, const struct sampleset_row *b)
{
	return a->stack == b->stack && a->task == b->task && a->event == b->event &&
	       a->cpu == b->cpu && a->tgid == b->tgid;
}

static bool make_row_room(struct sampleset *s)
{
	size_t before = s->by_row.n;

	if (!grow(&s->by_row, s->n_rows))
		return false;
	for (size_t i = 0; i < s->n_rows && s->by_row.n != before; i++) {
		size_t at = slot_of(hash_row(s, &s->rows[i]), s->by_row.n);

		while (s->by_row.list[at])
			at = (at + 1) & (s->by_row.n - 1);
		s->by_row.list[at] = (uint32_t)i + 1;
	}
	return true;
}

static bool append(struct sampleset *s, const struct sampleset_row *row)
{
	if (!ARRAY_ROOM(s->rows, s->cap_rows, s->n_rows + 1, ROWS_MAX))
		return false;
	s->rows[s->n_rows++] = *row;
	return true;
}

static bool merge(struct sampleset *s, const struct sampleset_row *row)
{
	size_t at;

	if (!make_row_room(s))
		return false;
	for (at = slot_of(hash_row(s, row), s->by_row.n); s->by_row.list[at];
	     at = (at + 1) & (s->by_row.n - 1)) {
		struct sampleset_row *r = &s->rows[s->by_row.list[at] - 1];

		if (!is_same_row(r, row))
			continue;
		r->n += row->n;
		r->weight += row->weight;
		return true;
	}
	if (!append(s, row))
		return false;
	s->by_row.list[at] = (uint32_t)s->n_rows;
	return true;
}

void sampleset_add(struct sampleset *s, struct sampleset_row row, const uint64_t *places, size_t n)
{
	if (n > SAMPLESET_STACK_MAX)
		n = SAMPLESET_STACK_MAX;
	if (!row.n)
		row.n = 1;
	if (!(s->keep & SAMPLESET_TIME))
		row.ts = 0;
	if (!(s->keep & SAMPLESET_TASK)) {
		row.task = NULL;
		row.tgid = -1;
	}
	if (!(s->keep & SAMPLESET_CPU))
		row.cpu = 0;
	if (!(s->keep & SAMPLESET_EVENT))
		row.event = 0;
	if (!take_stack(s, places, n, &row.stack) ||
	    !(s->keep & SAMPLESET_TIME ? append(s, &row) : merge(s, &row))) {
		s->n_cut += row.n;
		return;
	}
	s->n += row.n;
	s->weight += row.weight;
}

/*
 * --- names -------------------------------------------------------------------------------------
 */

uint64_t sampleset_name(struct sampleset *s, const char *text, size_t len)
{
	const struct pooled_name *name = namepool_find(&s->pool, text, len);
	void **slot = name ? map_take(&s->by_name, (uintptr_t)name, NAMES_MAX) : NULL;

	if (!slot)
		return 0;
	if (!*slot) {
		if (!ARRAY_ROOM(s->names, s->cap_names, s->n_names + 1, NAMES_MAX))
			return 0;
		s->names[s->n_names++] = name;
		*slot = (void *)(uintptr_t)s->n_names;
	}
	return place_of(PLACE_NAMED, (uintptr_t)*slot);
}

const char *sampleset_find_name(const struct sampleset *s, uint64_t place)
{
	uint64_t number = place_address(place);

	if (place_file(place) != PLACE_NAMED || !number || number > s->n_names)
		return NULL;
	return s->names[number - 1]->text;
}

/*
 * --- results -----------------------------------------------------------------------------------
 */

const struct sampleset_row *sampleset_rows(const struct sampleset *s, size_t *ret_n)
{
	*ret_n = s->n_rows;
	return s->rows;
}

struct sampleset_stack sampleset_stack(const struct sampleset *s, uint32_t stack)
{
	const struct kept_stack *k = &s->stacks[stack];
	struct sampleset_stack ret = {.places = s->places + k->first, .n = k->n, .user = k->n};

	for (uint32_t i = 1; i < k->n && ret.user == k->n; i++)
		if (place_is_kernel(ret.places[i - 1]) && !place_is_kernel(ret.places[i]))
			ret.user = i;
	return ret;
}

size_t sampleset_n_stacks(const struct sampleset *s)
{
	return s->n_stacks;
}

uint64_t sampleset_n(const struct sampleset *s)
{
	return s->n;
}

uint64_t sampleset_weight(const struct sampleset *s)
{
	return s->weight;
}

uint64_t sampleset_cut(const struct sampleset *s)
{
	return s->n_cut;
}
