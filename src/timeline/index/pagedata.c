// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * pagedata.c - reads the bytes of a page from any kind of storage.
 *
 *	STREAM_MAPPED   in the mapping
 *	STREAM_PACKED   chunks of about ten pages, unpacked on request
 *	STREAM_READ     a live file: LIVE_CHUNK_PAGES at a time, read with pread().
 *	                The recorder closes its holes when it ends, and a mapping would then
 *	                raise SIGBUS
 *
 * All threads share a cache of chunks; the least recently used are evicted first. A reader holds
 * its chunk (refs), which prevents eviction. If two threads request the same chunk at the same
 * time, the first unpacks it and the other waits.
 *
 * Memory: CACHE_MAX_BYTES, plus one held chunk for each running walk.
 */
#include "base/array.h"
#include "base/lock.h"
#include "format/bytes.h"
#include "timeline/timeline_int.h"

#include "base/hash.h"
#include "store/unpack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CACHE_MAX_BYTES (64u << 20)
#define CACHE_SLOTS	4096

struct cached {
	struct chunkcache *cache;
	uint32_t stream, generation;
	uint64_t chunk, first_page;
	uint32_t n_bytes;
	unsigned refs;
	bool is_ready;
	struct cached *next;	      /* next chunk in the same slot */
	struct cached *newer, *older; /* neighbours in the order of use */
	uint8_t data[];
};

struct chunkcache {
	pthread_mutex_t lock;
	pthread_cond_t ready;
	size_t n_bytes;
	uint64_t seed;
	struct cached *newest, *oldest;
	struct cached *slots[CACHE_SLOTS];
};

/* --- chunks ----------------------------------------------------------------------------------- */

const uint8_t *stream_bytes(const struct stream *st, uint64_t pos, size_t n, void *buf)
{
	const struct piece *map = &st->src->tf->map;

	if (st->source->fd < 0)
		return pos <= map->len && n <= map->len - pos ? map->data + pos : NULL;
	for (size_t got = 0; got < n;) {
		ssize_t r = pread(st->source->fd, (uint8_t *)buf + got, n - got, pos + got);

		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0)
			return NULL;
		got += r;
	}
	return buf;
}

size_t chunk_plain_bytes(const struct stream *st, size_t chunk)
{
	uint64_t at = (uint64_t)chunk * LIVE_CHUNK_PAGES * st->page_size, left;

	if (st->kind == STREAM_PACKED)
		return chunk < st->n_chunks ? st->chunks[chunk].plain : 0;
	left = at < st->n_bytes ? st->n_bytes - at : 0;
	return left < (uint64_t)LIVE_CHUNK_PAGES * st->page_size ? left
								 : LIVE_CHUNK_PAGES * st->page_size;
}

uint64_t chunk_first_page(const struct stream *st, size_t chunk)
{
	return st->kind == STREAM_PACKED ? st->chunks[chunk].first_page
					 : (uint64_t)chunk * LIVE_CHUNK_PAGES;
}

size_t chunk_of_page(const struct stream *st, uint64_t page)
{
	size_t n;

	if (st->kind != STREAM_PACKED)
		return page / LIVE_CHUNK_PAGES;
	n = ARRAY_BISECT(st->n_chunks, i, st->chunks[i].first_page <= page);
	return n ? n - 1 : 0;
}

/* Reads a chunk. Dropped pages read as zeros, so they have no events. */
static int load_plain(const struct stream *st, size_t chunk, uint8_t *buf)
{
	uint64_t at = (uint64_t)chunk * LIVE_CHUNK_PAGES * st->page_size;
	uint64_t gone = st->n_dropped * st->page_size;
	size_t n = chunk_plain_bytes(st, chunk), skip = gone > at ? gone - at : 0;

	if (skip > n)
		skip = n;
	memset(buf, 0, skip);
	return n == skip || stream_bytes(st, st->offset + at + skip, n - skip, buf + skip) ? 0
											   : -EIO;
}

int chunk_load(const struct stream *st, size_t chunk, uint8_t *buf)
{
	size_t n = chunk_plain_bytes(st, chunk);
	const struct chunk_row *row;
	const uint8_t *packed;
	void *heap = NULL;
	int r;

	if (st->kind != STREAM_PACKED)
		return load_plain(st, chunk, buf);
	row = &st->chunks[chunk];
	if (st->source->fd >= 0 && !(heap = malloc(row->packed + 1)))
		return -ENOMEM;
	packed = stream_bytes(st, row->pos, row->packed, heap);
	r = packed ? unpack(st->src->tf->compression, (struct piece){packed, row->packed}, buf, n)
		   : -EIO;
	free(heap);
	return r;
}

/* --- the cache -------------------------------------------------------------------------------- */

struct chunkcache *chunkcache_new(void)
{
	struct chunkcache *cc = calloc(1, sizeof(*cc));

	if (!cc)
		return NULL;
	pthread_mutex_init(&cc->lock, NULL);
	pthread_cond_init(&cc->ready, NULL);
	cc->seed = hash_seed();
	return cc;
}

void chunkcache_free(struct chunkcache *cc)
{
	if (!cc)
		return;
	for (struct cached *c = cc->newest, *older; c; c = older) {
		older = c->older;
		free(c);
	}
	pthread_mutex_destroy(&cc->lock);
	pthread_cond_destroy(&cc->ready);
	free(cc);
}

static struct cached **slot_of(struct chunkcache *cc, uint32_t stream, uint64_t chunk)
{
	return &cc->slots[hash_number(cc->seed, chunk * STREAMS_MAX + stream, CACHE_SLOTS)];
}

static void unlink_use(struct chunkcache *cc, struct cached *c)
{
	*(c->newer ? &c->newer->older : &cc->newest) = c->older;
	*(c->older ? &c->older->newer : &cc->oldest) = c->newer;
}

static void link_newest(struct chunkcache *cc, struct cached *c)
{
	c->newer = NULL;
	c->older = cc->newest;
	*(cc->newest ? &cc->newest->newer : &cc->oldest) = c;
	cc->newest = c;
}

static void evict(struct chunkcache *cc)
{
	struct cached *c = cc->oldest, *newer;

	for (; c && cc->n_bytes > CACHE_MAX_BYTES; c = newer) {
		struct cached **p = slot_of(cc, c->stream, c->chunk);

		newer = c->newer;
		if (c->refs)
			continue;
		while (*p != c)
			p = &(*p)->next;
		*p = c->next;
		unlink_use(cc, c);
		cc->n_bytes -= c->n_bytes;
		free(c);
	}
}

/*
 * Adds a chunk, which is held and not ready. Returns NULL if out of memory. The caller holds the
 * lock.
 */
static struct cached *add_chunk(struct chunkcache *cc, const struct stream *st, uint64_t chunk)
{
	size_t n_bytes = chunk_plain_bytes(st, chunk);
	struct cached *c = malloc(sizeof(*c) + n_bytes), **slot = slot_of(cc, st->number, chunk);

	if (!c)
		return NULL;
	*c = (struct cached){.cache = cc,
			     .stream = st->number,
			     .generation = st->generation,
			     .chunk = chunk,
			     .first_page = chunk_first_page(st, chunk),
			     .n_bytes = n_bytes,
			     .refs = 1,
			     .next = *slot};
	*slot = c;
	link_newest(cc, c);
	cc->n_bytes += n_bytes;
	evict(cc);
	return c;
}

static struct cached *find_chunk(struct chunkcache *cc, const struct stream *st, uint64_t chunk)
{
	struct cached *c = *slot_of(cc, st->number, chunk);

	while (c &&
	       (c->stream != st->number || c->chunk != chunk || c->generation != st->generation))
		c = c->next;
	return c;
}

static struct cached *cache_get(struct chunkcache *cc, const struct stream *st, uint64_t chunk)
{
	struct cached *c;

	pthread_mutex_lock(&cc->lock);
	c = find_chunk(cc, st, chunk);
	if (c) {
		c->refs++;
		while (!c->is_ready)
			pthread_cond_wait(&cc->ready, &cc->lock);
		unlink_use(cc, c);
		link_newest(cc, c);
	} else if ((c = add_chunk(cc, st, chunk))) {
		pthread_mutex_unlock(&cc->lock);
		/* an unreadable chunk gets commits of 0, so it has no events */
		if (chunk_load(st, chunk, c->data) < 0)
			memset(c->data, 0, c->n_bytes);
		pthread_mutex_lock(&cc->lock);
		c->is_ready = true;
		pthread_cond_broadcast(&cc->ready);
	}
	pthread_mutex_unlock(&cc->lock);
	return c;
}

void chunk_release(struct cached *c)
{
	struct chunkcache *cc;

	if (!c)
		return;
	cc = c->cache;
	LOCKED(&cc->lock);
	c->refs--;
}

/* --- pages ------------------------------------------------------------------------------------ */

static void hold_mapped(const struct stream *st, uint64_t page, struct pagehold *hold)
{
	uint64_t at = page * st->page_size, left = at < st->n_bytes ? st->n_bytes - at : 0;
	size_t len = left < st->page_size ? left : st->page_size;

	*hold = (struct pagehold){
		.data = stream_bytes(st, st->offset + at, len, NULL), .len = len, .page = page};
	if (!hold->data)
		hold->len = 0;
}

static void hold_chunk(struct timeline *tl, const struct stream *st, uint64_t page,
		       struct pagehold *hold)
{
	size_t chunk = chunk_of_page(st, page);
	struct cached *c = hold->chunk;
	uint64_t at, left;

	if (!c || c->stream != st->number || c->chunk != chunk || c->generation != st->generation) {
		chunk_release(c);
		c = chunk_plain_bytes(st, chunk) ? cache_get(tl->cache, st, chunk) : NULL;
	}
	*hold = (struct pagehold){.chunk = c, .page = page};
	if (!c || page < c->first_page)
		return;
	at = (page - c->first_page) * st->page_size;
	left = at < c->n_bytes ? c->n_bytes - at : 0;
	hold->data = c->data + (left ? at : 0);
	hold->len = left < st->page_size ? left : st->page_size;
}

void page_hold(struct timeline *tl, struct stream *st, uint64_t page, struct pagehold *hold)
{
	if (st->kind == STREAM_MAPPED)
		hold_mapped(st, page, hold);
	else
		hold_chunk(tl, st, page, hold);
}

void page_drop(struct pagehold *hold)
{
	chunk_release(hold->chunk);
	*hold = (struct pagehold){0};
}
