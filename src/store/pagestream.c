// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * pagestream.c - uncompressed and compressed sub-buffers behind one call, uncompressed in advance.
 *
 *	file:   u32 n │ packed,plain,bytes │ packed,plain,bytes │ …
 *	window:        [READY] [BUSY] [QUEUED] [    ]          slot = number % WINDOW_MAX
 *	                  ^ next to use   ^ next to unpack
 *
 * A stream queues the chunks that it needs next; an idle thread of the unpacker takes the queued
 * chunk that is needed first, over all streams. If the reader arrives first, it uncompresses the
 * chunk itself, so nobody waits for a thread that has not started. Slot states change under the
 * unpacker's lock.
 *
 * Memory: chunks that are uncompressed in advance stay below AHEAD_MAX_BYTES over all streams of a
 * file, and those in use below NEEDED_MAX_BYTES. If chunks are too large or there are too many
 * CPUs for that, a stream keeps only one page of its chunk, and uncompresses the chunk again for
 * the next page (a chunk has ten pages). This is slow but works. Chunks that readers hold longer
 * are counted by chunks_held_bytes().
 *
 * The pages of a live trace wait in livepages.c; a stream only takes them from there.
 */
#include "store/pagestream.h"

#include "base/conveyor.h"
#include "base/scope.h"
#include "format/bytes.h"
#include "store/chunk_int.h"
#include "store/live/livepages_int.h"
#include "store/tracefile_int.h"
#include "store/unpack.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW_MAX	  64
#define AHEAD_MAX_BYTES	  (24u << 20)
#define NEEDED_MAX_BYTES  (64u << 20)
#define CHUNK_MAX_BYTES	  (4u << 20)  /* or PAGES_MAX pages, if that is more */
#define CHUNK_HARD_MAX	  (16u << 20) /* ten of the largest sub-buffers of Linux, and some more */
#define CHUNK_PAGES_MAX	  16	      /* maximum in a chunk that is uncompressed page by page */
#define CHUNK_GUESS_BYTES (40u << 10)
/*
 * A thread that unpacks into memory which the reader has just read must first get every cache line
 * of it from the other processor's cache. That makes unpacking 2.5 times slower. So chunks rest
 * until others have taken their place there; all streams together have REST_CHUNKS.
 */
#define REST_CHUNKS	  64

enum slot_state { SLOT_QUEUED, SLOT_BUSY, SLOT_READY, SLOT_BAD, SLOT_NO_MEMORY };

struct slot {
	enum slot_state state;
	struct piece packed;
	/* size of the chunk; if larger than its memory, it is uncompressed page by page */
	uint32_t plain;
	struct chunk *chunk;
};

/* A chunk: where its header is, how many bytes of sub-buffers come before, and its time. */
struct chunk_place {
	uint64_t pos, position;
	uint64_t time; /* 0: unknown */
};

struct pagestream {
	struct tracefile *tf;
	const struct tracefile_buffer *buffer;
	const struct tracefile_cpu *cpu;
	struct livepages *live; /* NULL: the pages are in the file */
	struct unpacker *unpacker;
	struct pagestream *next_stream, **link; /* links of the unpacker's list */
	uint64_t pos;  /* plain: next page; compressed: next chunk header */
	uint32_t left; /* chunks not queued yet */
	bool broken;   /* further chunk headers are not trusted */
	int error;     /* -ENOMEM: the stream ends here, and every further call returns it */
	struct chunk *current;
	uint32_t current_pos;
	struct { /* the chunk that is uncompressed page by page; plain is 0 if there is none */
		struct piece packed;
		uint32_t plain, pos;
		uint64_t offset;
	} pages;
	uint64_t position, next_position; /* counted in bytes of sub-buffers */
	unsigned window;
	unsigned use, queue; /* numbers of the next slot to use / to queue */
	struct slot slots[WINDOW_MAX];
	/* chunks that were read, freed when as many came after them; see REST_CHUNKS */
	struct chunk *resting[REST_CHUNKS];
	unsigned n_rest, rest_at;
	struct chunk_place *places; /* of all chunks, once pagestream_n_parts() was called */
	uint32_t n_places;
};

struct unpacker {
	pthread_mutex_t lock;
	pthread_cond_t work, ready;
	struct pagestream *streams;
	unsigned window, n_threads;
	unsigned n_idle; /* threads that wait for work */
	bool stop;
	pthread_t threads[64];
};

static size_t stream_bytes(const struct pagestream *ps)
{
	return atomic_load_explicit(&tracefile_private(ps->tf)->stream_bytes, memory_order_relaxed);
}

/* Uncompresses a chunk of `plain` bytes and keeps the page at `pos`. */
static int unpack_page(const struct pagestream *ps, struct piece packed, uint32_t plain,
		       uint32_t pos, struct chunk *to)
{
	SCOPED(scope_free) uint8_t *all = malloc(plain);

	TRY(all ? unpack(ps->tf->compression, packed, all, plain) : -ENOMEM);
	memcpy(to->data, all + pos, to->n_bytes);
	return 0;
}

/* Uncompresses a BUSY slot, without the lock, and returns the new state of the slot. */
static enum slot_state slot_unpack(const struct pagestream *ps, struct slot *slot)
{
	int r = slot->plain == slot->chunk->n_bytes
			? unpack(ps->tf->compression, slot->packed, slot->chunk->data, slot->plain)
			: unpack_page(ps, slot->packed, slot->plain, 0, slot->chunk);

	return r == -ENOMEM ? SLOT_NO_MEMORY : r < 0 ? SLOT_BAD : SLOT_READY;
}

static struct slot *find_queued(struct unpacker *u, struct pagestream **ret_stream)
{
	struct slot *best = NULL;
	unsigned best_distance = WINDOW_MAX + 1;

	for (struct pagestream *ps = u->streams; ps; ps = ps->next_stream) {
		for (unsigned n = ps->use; n != ps->queue && n - ps->use < best_distance; n++) {
			struct slot *slot = &ps->slots[n % WINDOW_MAX];

			if (slot->state != SLOT_QUEUED)
				continue;
			best = slot;
			best_distance = n - ps->use;
			*ret_stream = ps;
			break;
		}
	}
	return best;
}

static void *unpacker_thread(void *arg)
{
	struct unpacker *u = arg;
	struct pagestream *ps = NULL;

	pthread_mutex_lock(&u->lock);
	while (!u->stop) {
		struct slot *slot = find_queued(u, &ps);
		enum slot_state state;

		if (!slot) {
			u->n_idle++;
			pthread_cond_wait(&u->work, &u->lock);
			u->n_idle--;
			continue;
		}
		slot->state = SLOT_BUSY;
		pthread_mutex_unlock(&u->lock);
		state = slot_unpack(ps, slot);
		pthread_mutex_lock(&u->lock);
		slot->state = state;
		pthread_cond_broadcast(&u->ready);
	}
	pthread_mutex_unlock(&u->lock);
	return NULL;
}

struct unpacker *unpacker_new(unsigned n_threads, size_t n_streams)
{
	struct unpacker *u = calloc(1, sizeof(*u));
	size_t window = AHEAD_MAX_BYTES / CHUNK_GUESS_BYTES / (n_streams + 1);

	if (!u)
		return NULL;
	pthread_mutex_init(&u->lock, NULL);
	pthread_cond_init(&u->work, NULL);
	pthread_cond_init(&u->ready, NULL);
	u->window = window < 1 ? 1 : window > WINDOW_MAX ? WINDOW_MAX : window;
	/* the other CPUs are for those who read */
	if (n_threads > (conveyor_n_cpus() + 1) / 2)
		n_threads = (conveyor_n_cpus() + 1) / 2;
	while (u->n_threads < n_threads && u->n_threads < 64 &&
	       !pthread_create(&u->threads[u->n_threads], NULL, unpacker_thread, u))
		u->n_threads++;
	return u;
}

void unpacker_free(struct unpacker *u)
{
	if (!u)
		return;
	pthread_mutex_lock(&u->lock);
	u->stop = true;
	pthread_cond_broadcast(&u->work);
	pthread_mutex_unlock(&u->lock);
	while (u->n_threads)
		pthread_join(u->threads[--u->n_threads], NULL);
	pthread_mutex_destroy(&u->lock);
	pthread_cond_destroy(&u->work);
	pthread_cond_destroy(&u->ready);
	free(u);
}

static void stream_lock(struct pagestream *ps)
{
	if (ps->unpacker)
		pthread_mutex_lock(&ps->unpacker->lock);
}

static void stream_unlock(struct pagestream *ps)
{
	if (ps->unpacker)
		pthread_mutex_unlock(&ps->unpacker->lock);
}

struct pagestream *pagestream_new(struct tracefile *tf, const struct tracefile_buffer *buffer,
				  size_t cpu, struct unpacker *unpacker)
{
	struct pagestream *ps = calloc(1, sizeof(*ps));

	if (!ps)
		return NULL;
	ps->tf = tf;
	ps->buffer = buffer;
	ps->cpu = &buffer->cpus[cpu];
	ps->pos = ps->cpu->offset;
	ps->live = tracefile_livepages(tf);
	if (ps->live || !buffer->compressed)
		return ps;
	if (ps->cpu->n_bytes >= 4 && ps->pos < tf->map.len && tf->map.len - ps->pos >= 4) {
		ps->left = bytes_get32(tf->map.data + ps->pos, tf->swap);
		ps->pos += 4;
	}
	ps->window = unpacker ? unpacker->window : 1;
	/* if no chunks are uncompressed in advance, the threads have nothing to do */
	ps->unpacker = ps->window > 1 ? unpacker : NULL;
	if (ps->unpacker)
		ps->n_rest = REST_CHUNKS / tracefile_private(tf)->n_streams;
	stream_lock(ps);
	if (ps->unpacker) {
		ps->next_stream = unpacker->streams;
		ps->link = &unpacker->streams;
		if (ps->next_stream)
			ps->next_stream->link = &ps->next_stream;
		unpacker->streams = ps;
	}
	stream_unlock(ps);
	return ps;
}

/* Gives back the chunks that nobody has taken. The caller holds the lock. */
static void stream_drop_queue(struct pagestream *ps)
{
	for (unsigned n = ps->use; n != ps->queue; n++)
		while (ps->slots[n % WINDOW_MAX].state == SLOT_BUSY)
			pthread_cond_wait(&ps->unpacker->ready, &ps->unpacker->lock);
	for (; ps->use != ps->queue; ps->use++)
		chunk_leave(ps->slots[ps->use % WINDOW_MAX].chunk);
}

void pagestream_free(struct pagestream *ps)
{
	if (!ps)
		return;
	stream_lock(ps);
	stream_drop_queue(ps);
	if (ps->unpacker) {
		*ps->link = ps->next_stream;
		if (ps->next_stream)
			ps->next_stream->link = ps->link;
	}
	stream_unlock(ps);
	for (unsigned i = 0; i < REST_CHUNKS; i++)
		chunk_leave(ps->resting[i]);
	chunk_leave(ps->current);
	free(ps->places);
	free(ps);
}

static void stream_break(struct pagestream *ps, const char *what)
{
	ps->broken = true;
	tracefile_add_damage(ps->tf,
			     "%s: the data of CPU %u %s at byte %llu; what comes after is lost",
			     ps->tf->path, ps->cpu->cpu, what, (unsigned long long)ps->pos);
}

/* Reads the header of the next chunk. Returns false if there is no valid one. */
static bool stream_read_header(struct pagestream *ps, struct piece *ret_packed, uint32_t *ret_plain)
{
	const struct tracefile *tf = ps->tf;
	uint64_t left = ps->pos < ps->cpu->end ? ps->cpu->end - ps->pos : 0;
	uint64_t max = (uint64_t)ps->buffer->page_size * CHUNK_PAGES_MAX;
	uint32_t packed;

	if (!ps->left || ps->broken)
		return false;
	if (left < 8 || bytes_get32(tf->map.data + ps->pos, tf->swap) > left - 8) {
		stream_break(ps, "is truncated");
		return false;
	}
	packed = bytes_get32(tf->map.data + ps->pos, tf->swap);
	*ret_plain = bytes_get32(tf->map.data + ps->pos + 4, tf->swap);
	*ret_packed = (struct piece){tf->map.data + ps->pos + 8, packed};
	max = max < CHUNK_MAX_BYTES ? CHUNK_MAX_BYTES : max > CHUNK_HARD_MAX ? CHUNK_HARD_MAX : max;
	if (!*ret_plain || *ret_plain > max) {
		stream_break(ps, "is damaged");
		return false;
	}
	return true;
}

/*
 * Reads the next chunk header and queues the chunk. Returns false when there is none. The caller
 * holds the lock.
 */
static bool stream_queue_one(struct pagestream *ps)
{
	struct slot *slot = &ps->slots[ps->queue % WINDOW_MAX];
	uint32_t page_size = ps->buffer->page_size, plain;
	size_t share = NEEDED_MAX_BYTES / tracefile_private(ps->tf)->n_streams;
	bool ahead = ps->queue != ps->use, by_page;
	struct piece packed;

	if (!stream_read_header(ps, &packed, &plain) ||
	    (ahead && stream_bytes(ps) + plain > AHEAD_MAX_BYTES))
		return false;
	by_page = plain > share;
	if (by_page && (page_size > share || plain / page_size > CHUNK_PAGES_MAX)) {
		stream_break(ps, "does not fit into memory");
		return false;
	}
	slot->chunk = chunk_new(ps->tf, by_page ? page_size : plain, ps->pos);
	if (!slot->chunk) {
		ps->error = ahead ? 0 : -ENOMEM; /* a chunk in advance is tried again later */
		return false;
	}
	slot->packed = packed;
	slot->plain = plain;
	slot->state = SLOT_QUEUED;
	ps->pos += 8 + (uint64_t)packed.len;
	ps->left--;
	ps->queue++;
	return true;
}

/*
 * Wakes a thread if there is enough to do: half a window. To wake one for every chunk costs as much
 * as unpacking it. What they leave, the reader unpacks.
 */
static void stream_wake(struct pagestream *ps)
{
	unsigned n_queued = 0;

	if (!ps->unpacker || !ps->unpacker->n_idle)
		return;
	for (unsigned n = ps->use; n != ps->queue; n++)
		n_queued += ps->slots[n % WINDOW_MAX].state == SLOT_QUEUED;
	if (n_queued * 2 >= ps->window)
		pthread_cond_signal(&ps->unpacker->work);
}

/* Unpacks a QUEUED slot. The caller holds the lock. */
static void stream_unpack(struct pagestream *ps, struct slot *slot)
{
	enum slot_state state;

	slot->state = SLOT_BUSY;
	stream_unlock(ps);
	state = slot_unpack(ps, slot);
	stream_lock(ps);
	slot->state = state;
}

/* While another thread unpacks the next chunk, the reader unpacks a later one: no one sleeps. */
static bool stream_unpack_other(struct pagestream *ps)
{
	for (unsigned n = ps->use; n != ps->queue; n++)
		if (ps->slots[n % WINDOW_MAX].state == SLOT_QUEUED) {
			stream_unpack(ps, &ps->slots[n % WINDOW_MAX]);
			return true;
		}
	return false;
}

/* Returns the next chunk, uncompressed, or NULL at the end. The caller holds the lock. */
static struct chunk *stream_take_chunk(struct pagestream *ps)
{
	struct slot *slot = &ps->slots[ps->use % WINDOW_MAX];

	while (ps->queue - ps->use < ps->window && stream_queue_one(ps))
		;
	if (ps->use == ps->queue)
		return NULL;
	stream_wake(ps);
	if (slot->state == SLOT_QUEUED)
		stream_unpack(ps, slot);
	while (slot->state == SLOT_BUSY)
		if (!stream_unpack_other(ps))
			pthread_cond_wait(&ps->unpacker->ready, &ps->unpacker->lock);
	ps->use++;
	return slot->chunk;
}

static void stream_tell_bad(struct pagestream *ps, uint64_t offset)
{
	tracefile_add_damage(ps->tf,
			     "%s: sonde cannot uncompress a chunk of CPU %u at byte %llu; its "
			     "events are missing",
			     ps->tf->path, ps->cpu->cpu, (unsigned long long)offset);
}

/*
 * Uncompresses the next page of a chunk that is uncompressed page by page. Returns 0 if there is
 * none.
 */
static int stream_next_part(struct pagestream *ps)
{
	uint32_t left = ps->pages.plain - ps->pages.pos, page_size = ps->buffer->page_size;
	int r;

	if (!left)
		return 0;
	ps->current = chunk_new(ps->tf, left < page_size ? left : page_size, ps->pages.offset);
	r = ps->current
		    ? unpack_page(ps, ps->pages.packed, ps->pages.plain, ps->pages.pos, ps->current)
		    : -ENOMEM;
	if (r < 0) {
		if (r != -ENOMEM)
			stream_tell_bad(ps, ps->pages.offset);
		chunk_leave(ps->current);
		ps->current = NULL;
		ps->pages.plain = ps->pages.pos = 0;
		return r == -ENOMEM ? r : 0;
	}
	ps->pages.pos += ps->current->n_bytes;
	return 1;
}

/* The reader is done with the chunk. */
static void stream_leave(struct pagestream *ps)
{
	struct chunk *c = ps->current;

	ps->current = NULL;
	if (c && ps->n_rest && c->n_bytes <= 2 * CHUNK_GUESS_BYTES) {
		struct chunk *oldest = ps->resting[ps->rest_at];

		ps->resting[ps->rest_at] = c;
		ps->rest_at = (ps->rest_at + 1) % ps->n_rest;
		c = oldest;
	}
	chunk_leave(c);
}

/* Returns 1, 0 at the end, or -ENOMEM. */
static int stream_next_chunk(struct pagestream *ps)
{
	int r;

	stream_leave(ps);
	ps->current_pos = 0;
	r = stream_next_part(ps);
	if (r)
		return r;
	for (;;) {
		const struct slot *slot;
		enum slot_state state;

		stream_lock(ps);
		slot = &ps->slots[ps->use % WINDOW_MAX];
		ps->current = stream_take_chunk(ps);
		state = slot->state;
		ps->pages.plain = ps->pages.pos = 0;
		if (ps->current && slot->plain > ps->current->n_bytes) {
			ps->pages.packed = slot->packed;
			ps->pages.plain = slot->plain;
			ps->pages.pos = ps->current->n_bytes;
			ps->pages.offset = ps->current->offset;
		}
		stream_unlock(ps);
		if (!ps->current)
			return ps->error;
		if (state == SLOT_READY)
			return 1;
		if (state == SLOT_BAD)
			stream_tell_bad(ps, ps->current->offset);
		chunk_leave(ps->current);
		ps->current = NULL;
		if (state == SLOT_NO_MEMORY)
			return -ENOMEM;
	}
}

static int next_plain(struct pagestream *ps, struct page *ret_page)
{
	uint64_t left = ps->cpu->offset + ps->cpu->n_bytes - ps->pos;
	size_t len = left < ps->buffer->page_size ? left : ps->buffer->page_size;

	if (!left || ps->pos >= ps->tf->map.len)
		return 0;
	*ret_page = (struct page){.data = ps->tf->map.data + ps->pos, .len = len};
	ps->position = ps->pos - ps->cpu->offset;
	ps->pos += len;
	return 1;
}

static int next_live(struct pagestream *ps, struct page *ret_page)
{
	int r;

	chunk_leave(ps->current);
	ps->current = NULL;
	r = livepages_take(ps->live, ps->buffer - ps->tf->buffers, ps->cpu->cpu, &ps->current,
			   &ret_page->round);
	if (r <= 0)
		return r;
	*ret_page = (struct page){.data = ps->current->data,
				  .len = ps->current->n_bytes,
				  .chunk = ps->current,
				  .round = ps->current->round};
	ps->position = ps->current->offset;
	return 1;
}

int pagestream_next(struct pagestream *ps, struct page *ret_page)
{
	uint32_t left, len;

	if (ps->live)
		return next_live(ps, ret_page);
	if (!ps->buffer->compressed)
		return next_plain(ps, ret_page);
	if (ps->error)
		return ps->error;
	if (!ps->current || ps->current_pos == ps->current->n_bytes) {
		int r = stream_next_chunk(ps);

		if (r <= 0) {
			ps->error = r;
			return r;
		}
	}
	left = ps->current->n_bytes - ps->current_pos;
	len = left < ps->buffer->page_size ? left : ps->buffer->page_size;
	*ret_page = (struct page){
		.data = ps->current->data + ps->current_pos, .len = len, .chunk = ps->current};
	ps->current_pos += len;
	ps->position = ps->next_position;
	ps->next_position += len;
	return 1;
}

uint64_t pagestream_offset(const struct pagestream *ps, const struct page *page)
{
	return page->chunk ? page->chunk->offset : (uint64_t)(page->data - ps->tf->map.data);
}

/* Skips chunks before the first page, by their headers, until the rest has n_bytes or less. */
static void skip_chunks(struct pagestream *ps, uint64_t n_bytes)
{
	const struct tracefile *tf = ps->tf;
	uint64_t rest = pagestream_plain_bytes(tf, ps->buffer, ps->cpu - ps->buffer->cpus);

	while (ps->left > 1 && ps->pos < ps->cpu->end && ps->cpu->end - ps->pos >= 8) {
		uint32_t packed = bytes_get32(tf->map.data + ps->pos, tf->swap);
		uint32_t plain = bytes_get32(tf->map.data + ps->pos + 4, tf->swap);

		if (rest < n_bytes + plain || packed > ps->cpu->end - ps->pos - 8)
			return;
		rest -= plain;
		ps->next_position += plain;
		ps->pos += 8 + (uint64_t)packed;
		ps->left--;
	}
}

void pagestream_skip_to_end(struct pagestream *ps, size_t n_pages)
{
	uint64_t pages = ps->cpu->n_bytes / ps->buffer->page_size;

	if (ps->buffer->compressed)
		skip_chunks(ps, (uint64_t)n_pages * ps->buffer->page_size);
	else if (pages > n_pages)
		ps->pos = ps->cpu->offset + (pages - n_pages) * ps->buffer->page_size;
}

/* Finds the chunks by their headers. Returns false if one is not in the file. */
static bool find_places(struct pagestream *ps)
{
	const struct tracefile *tf = ps->tf;
	uint64_t pos = ps->cpu->offset, position = 0, end = ps->cpu->end;
	uint32_t n;

	if (ps->cpu->n_bytes < 4 || end > tf->map.len || pos >= end || end - pos < 4)
		return !ps->cpu->n_bytes;
	n = bytes_get32(tf->map.data + pos, tf->swap);
	pos += 4;
	if (n > (end - pos) / 8)
		return false;
	ps->places = calloc((size_t)n + 1, sizeof(*ps->places));
	for (uint32_t i = 0; ps->places && i < n; i++) {
		uint32_t packed;

		if (end - pos < 8)
			return false;
		packed = bytes_get32(tf->map.data + pos, tf->swap);
		if (packed > end - pos - 8)
			return false;
		ps->places[i] = (struct chunk_place){pos, position, 0};
		position += bytes_get32(tf->map.data + pos + 4, tf->swap);
		pos += 8 + (uint64_t)packed;
	}
	ps->n_places = ps->places ? n : 0;
	return ps->places;
}

static uint64_t count_pages(const struct pagestream *ps)
{
	uint64_t left = ps->cpu->offset < ps->tf->map.len ? ps->tf->map.len - ps->cpu->offset : 0;
	uint64_t n_bytes = ps->cpu->n_bytes < left ? ps->cpu->n_bytes : left;

	return n_bytes / ps->buffer->page_size;
}

bool pagestream_can_seek(struct pagestream *ps)
{
	if (ps->live)
		return false;
	if (!ps->buffer->compressed)
		return count_pages(ps) || !ps->cpu->n_bytes;
	return ps->places || find_places(ps);
}

uint64_t pagestream_n_parts(struct pagestream *ps)
{
	if (!pagestream_can_seek(ps))
		return 0;
	return ps->buffer->compressed ? ps->n_places : count_pages(ps);
}

void pagestream_seek(struct pagestream *ps, uint64_t n)
{
	if (!ps->buffer->compressed) {
		ps->pos = ps->cpu->offset + n * ps->buffer->page_size;
		return;
	}
	stream_lock(ps);
	stream_drop_queue(ps);
	ps->left = n < ps->n_places ? ps->n_places - (uint32_t)n : 0;
	if (ps->left) {
		ps->pos = ps->places[n].pos;
		ps->position = ps->next_position = ps->places[n].position;
	}
	stream_unlock(ps);
	stream_leave(ps);
	ps->current_pos = 0;
	ps->pages.plain = ps->pages.pos = 0;
	ps->error = 0;
}

uint64_t pagestream_part_time(struct pagestream *ps, uint64_t n,
			      uint64_t (*time_of)(void *ctx, const struct page *page), void *ctx)
{
	uint64_t time = ps->places ? ps->places[n].time : 0;
	struct page page;

	if (time)
		return time;
	pagestream_seek(ps, n);
	time = pagestream_next(ps, &page) > 0 ? time_of(ctx, &page) : 0;
	if (ps->places)
		ps->places[n].time = time;
	return time;
}

/* Guesses where a time is, as if all parts took equally long. */
static uint64_t guess_part(uint64_t time, uint64_t first, uint64_t last, uint64_t n)
{
	if (time <= first || last <= first)
		return 0;
	return time >= last ? n - 1
			    : (uint64_t)((double)(time - first) / (double)(last - first) *
					 (double)(n - 1));
}

/*
 * To learn the time of a chunk it must be unpacked, so the search begins at a guess, and steps away
 * from it until it has passed the time; between the last two steps it halves. All parts below `low`
 * begin before the time, those from `high` on do not.
 */
uint64_t pagestream_find_time(struct pagestream *ps, uint64_t time,
			      uint64_t (*time_of)(void *ctx, const struct page *page), void *ctx)
{
	uint64_t low = 0, n = pagestream_n_parts(ps), high = n, step = 1, at;

	if (!n)
		return 0;
	at = guess_part(time, pagestream_part_time(ps, 0, time_of, ctx),
			pagestream_part_time(ps, n - 1, time_of, ctx), n);
	while (low < high) {
		if (pagestream_part_time(ps, at, time_of, ctx) < time) {
			low = at + 1;
			at = high == n && step < n - low ? at + step : low + (high - low) / 2;
		} else {
			high = at;
			at = !low && step < high ? high - step : low + (high - low) / 2;
		}
		step *= 2;
	}
	return low - (low > 0);
}

uint64_t pagestream_progress(const struct pagestream *ps, uint64_t *ret_total)
{
	*ret_total = ps->cpu->n_bytes;
	return ps->pos - ps->cpu->offset;
}

uint64_t pagestream_position(const struct pagestream *ps)
{
	return ps->position;
}

uint64_t pagestream_plain_bytes(const struct tracefile *tf, const struct tracefile_buffer *buffer,
				size_t cpu)
{
	const struct tracefile_cpu *c = &buffer->cpus[cpu];
	uint64_t pos = c->offset + 4, sum = 0;
	uint32_t n;

	if (!buffer->compressed)
		return c->n_bytes;
	if (c->n_bytes < 4)
		return 0;
	for (n = bytes_get32(tf->map.data + c->offset, tf->swap); n; n--) {
		if (pos > c->end || c->end - pos < 8)
			break;
		sum += bytes_get32(tf->map.data + pos + 4, tf->swap);
		pos += 8 + (uint64_t)bytes_get32(tf->map.data + pos, tf->swap);
	}
	return sum;
}

uint64_t pagestream_place(const struct tracefile *tf, const struct tracefile_buffer *buffer,
			  size_t cpu)
{
	uint64_t place = buffer->page_size;

	if (!buffer->compressed)
		return buffer->cpus[cpu].offset;
	for (size_t i = 0; i < cpu; i++) {
		uint64_t n = pagestream_plain_bytes(tf, buffer, i);

		place += (n + buffer->page_size - 1) / buffer->page_size * buffer->page_size;
	}
	return place;
}
