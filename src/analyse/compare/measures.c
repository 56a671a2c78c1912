// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * measures.c - the table of measures of one recording.
 *
 * Times come nearly in order, so the block of a time is that of the time before, or needs one
 * division. A measure has 0.8 KB; MEASURES_MAX of them take 100 MB.
 */
#include "analyse/compare/measures.h"

#include "base/array.h"
#include "base/hash.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MEASURES_MAX	(1u << 17)
#define ARENA_MAX_BYTES (128u << 20)

void measures_init(struct measures *m, uint64_t from, uint64_t to)
{
	*m = (struct measures){.from = from, .to = to > from ? to : from + 1};
	arena_init(&m->arena, ARENA_MAX_BYTES);
	namepool_init(&m->names);
}

void measures_release(struct measures *m)
{
	arena_release(&m->arena);
	namepool_release(&m->names);
	map_release(&m->by_hash);
	free(m->list);
	*m = (struct measures){0};
}

static struct measure *add(struct measures *m, const struct measure *like, void **slot)
{
	struct measure *new;

	if (!slot || !ARRAY_ROOM(m->list, m->cap, m->n + 1, MEASURES_MAX))
		return NULL;
	new = arena_alloc(&m->arena, sizeof(*new));
	if (!new)
		return NULL;
	*new = *like;
	new->same_hash = *slot;
	*slot = new;
	m->list[m->n++] = new;
	return new;
}

/* Names exist once, so their addresses are compared. */
static uint64_t key_of(const struct measures *m, const struct measure *like)
{
	uint64_t seed = m->names.seed, key = hash_step(seed, like->kind, (uintptr_t)like->name);

	return hash_step(seed, key, (uintptr_t)like->where);
}

static struct measure *find(const struct measures *m, const struct measure *like)
{
	struct measure *known = map_find(&m->by_hash, key_of(m, like));

	for (; known; known = known->same_hash)
		if (known->kind == like->kind && known->name == like->name &&
		    known->where == like->where)
			return known;
	return NULL;
}

/* Fills in the names of a measure; false: no memory. */
static bool set_names(struct measures *m, struct measure *of, const char *name, size_t len,
		      const char *where)
{
	const struct pooled_name *n = namepool_find(&m->names, name, len),
				 *w = where ? namepool_find(&m->names, where, strlen(where)) : NULL;

	of->name = n ? n->text : NULL;
	of->where = w ? w->text : NULL;
	return n && (w || !where);
}

struct measure *measures_take(struct measures *m, enum measure_kind kind, const char *name,
			      size_t len, const char *where)
{
	struct measure like = {.kind = kind}, *found = NULL;

	if (set_names(m, &like, name, len, where)) {
		found = find(m, &like);
		if (!found)
			found = add(m, &like,
				    map_take(&m->by_hash, key_of(m, &like), MEASURES_MAX));
	}
	m->kinds |= 1u << kind;
	m->n_dropped += !found;
	return found;
}

struct measure *measures_find(struct measures *m, const struct measure *like)
{
	struct measure mine = {.kind = like->kind};

	if (!set_names(m, &mine, like->name, strlen(like->name), like->where))
		return NULL;
	return find(m, &mine);
}

static unsigned find_block(struct measures *m, uint64_t ts)
{
	double width = (double)(m->to - m->from) / MEASURES_BLOCKS;
	uint64_t since = ts > m->from ? ts - m->from : 0;
	double at = width > 0 ? (double)since / width : 0;

	m->block = at < MEASURES_BLOCKS - 1 ? (unsigned)at : MEASURES_BLOCKS - 1;
	m->block_from = m->from + (uint64_t)(m->block * width);
	m->block_to = m->from + (uint64_t)((m->block + 1) * width);
	return m->block;
}

void measures_add(struct measures *m, struct measure *of, uint64_t ts, uint64_t duration)
{
	struct measure_block *b;

	b = &of->blocks[ts >= m->block_from && ts < m->block_to ? m->block : find_block(m, ts)];
	b->n++;
	b->sum += (double)duration;
	b->logs += log2f((float)duration + 1);
	of->n++;
	of->total += (double)duration;
	if (duration > of->longest || of->n == 1) {
		of->longest = duration;
		of->longest_ts = ts;
	}
}
