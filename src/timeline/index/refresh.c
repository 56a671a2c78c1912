// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * refresh.c - indexes the new data of a file that is still being recorded.
 *
 * The file can be opened at any moment (store/live/livefile.h). Each refresh opens it, reads from
 * its directory how much data each CPU has, and closes it. The timeline reads the data through its
 * own descriptor and never maps it, because the recorder closes the holes in the file when it ends.
 *
 *	[segment][segment][last one, not full]            before
 *	[segment][segment][the same, longer  ][new]…      after
 *
 * Each refresh indexes the last segment again: it has more pages, and its last page may have been
 * rewritten with more events. This happens in a private copy of the stream, while requests use the
 * existing data:
 *
 *	look      finds the pages of each CPU                         no thread waits
 *	move      adapts the pages that have moved                    timeline.shape, rare
 *	grow      cut, read headers, index; several CPUs at once      no thread waits
 *	publish   replace the last segment and its counts, add the    timeline.shape, about 100 us
 *	          new ones; the pool indexes all after the first
 *
 * A segment joins a stream, where the threads see it, only when its pages have their times.
 *
 * A region may move: when the recording ends, and when old pages are dropped (record -m). Then the
 * page that is now the first is searched by its time among the known pages. Pages before it no
 * longer exist and have no events. The oldest segments are dropped in the same way when the index
 * exceeds LIVE_INDEX_BYTES.
 *
 * A refresh also reads the names of tasks (saved_cmdlines) again: a recorder writes them when it
 * starts and when it ends.
 *
 * A refresh does nothing while a segment is queued or being indexed. One thread at a time.
 */
#include "base/scope.h"
#include "store/tracefile.h"
#include "timeline/timeline_int.h"

#include "base/array.h"
#include "base/errmsg.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BATCH 16 /* number of streams indexed at once; each needs about 10 MB */

/* A stream that has grown or moved. */
struct growth {
	struct stream *st;
	/* a copy of the stream with only the new segments, until they are published */
	struct stream now;
	struct source_state source;
	bool has_moved, has_grown;
	struct indexer *ix;
	struct index_segment *old; /* the removed segment, to be freed */
	int result;
};

struct refresh {
	struct timeline *tl;
	struct growth *list;
	size_t n;
	int *fds; /* descriptors of the current files by source; -1: none */
	bool changed;
};

/* --- removing --------------------------------------------------------------------------------- */

static void sub_from(uint64_t *p)
{
	__atomic_store_n(p, *p - 1, __ATOMIC_RELAXED);
}

static void uncount(struct timeline *tl, struct stream *st, const struct index_segment *seg)
{
	for (uint32_t i = 0; i < seg->n_events; i++) {
		if (seg->kinds[i] != TIMELINE_NO_KIND)
			sub_from(&kinds_get(tl, seg->kinds[i])->pub.n_events);
		if (seg->tasks[i] != TIMELINE_NO_TASK)
			sub_from(&tasktable_row(&tl->tasks, seg->tasks[i])->pub.n_events);
	}
	__atomic_store_n(&st->pub.n_events, st->pub.n_events - seg->n_events, __ATOMIC_RELAXED);
	atomic_fetch_sub(&tl->n_events, seg->n_events);
	atomic_fetch_sub(&tl->n_lost, seg->n_lost);
	atomic_fetch_sub(&tl->n_uncounted, seg->n_uncounted);
}

/* Removes the last segment from the stream. The caller holds both locks. */
static struct index_segment *take_last(struct timeline *tl, struct stream *st)
{
	struct index_segment *seg = st->n_segments ? st->segments[st->n_segments - 1] : NULL;

	if (!seg)
		return NULL;
	if (segment_is_ready(seg)) {
		timeline_unstitch(tl, st);
		uncount(tl, st, seg);
	}
	atomic_fetch_sub(&tl->n_bytes,
			 seg->blob_bytes + sizeof(*seg) +
				 seg->n_pages * (sizeof(*seg->page_ts) + sizeof(*seg->fill)));
	tl->n_pages -= seg->n_pages;
	tl->n_pages_done -= seg->n_pages;
	st->n_segments--;
	return seg;
}

/* Drops the events of a segment, which keeps its times. The caller holds both locks. */
static void forget(struct timeline *tl, struct stream *st, struct index_segment *seg)
{
	static const uint32_t none[4];
	size_t n_bytes = segment_layout(seg, NULL, 0, none);
	uint8_t *blob = segment_is_ready(seg) ? calloc(1, n_bytes + 1) : NULL;

	if (!blob)
		return;
	uncount(tl, st, seg);
	atomic_fetch_sub(&tl->n_bytes, seg->blob_bytes - n_bytes);
	free(seg->blob);
	segment_layout(seg, blob, 0, none);
	seg->blob = blob;
	seg->blob_bytes = n_bytes;
	seg->last_ts = seg->n_lost = seg->n_uncounted = 0;
}

/* Drops segments, but never the last one, which is indexed again. The caller holds both locks. */
static void forget_before(struct timeline *tl, struct stream *st, uint64_t page)
{
	while (st->n_forgotten + 1 < st->n_segments) {
		struct index_segment *seg = st->segments[st->n_forgotten];

		if (seg->first_page + seg->n_pages > page)
			return;
		forget(tl, st, seg);
		st->n_forgotten++;
	}
}

/* --- the file now ----------------------------------------------------------------------------- */

/* Returns the known page with the time of the page at `offset`, or -1. */
static int64_t find_moved(struct timeline *tl, const struct growth *g, uint64_t offset)
{
	const struct stream *st = g->st;
	uint8_t buf[64];
	uint16_t fill;
	const uint8_t *p = stream_bytes(&g->now, offset, sizeof(buf), buf);
	uint64_t t = page_header(st, p, p ? st->page_size : 0, &fill);
	long i;

	if (t == TS_UNKNOWN)
		return -1;
	t = timeline_since(tl, t);
	i = stream_find_segment(st, t + 1);
	for (; i >= 0; i--) {
		const struct index_segment *seg = st->segments[i];

		for (uint32_t k = seg->n_pages; k--;) {
			if (segment_page_ts(seg, k) == t)
				return seg->first_page + k;
			if (segment_page_ts(seg, k) < t)
				return -1;
		}
	}
	return -1;
}

/* Finds the present position of the stream's pages. Returns false if none of them is known. */
static bool find_place(struct timeline *tl, struct growth *g, const struct tracefile_cpu *cpu)
{
	struct stream *now = &g->now;
	uint64_t was = now->offset + now->n_dropped * now->page_size;
	int64_t page = now->n_dropped;

	if (cpu->offset == was)
		return true;
	if (now->pub.n_pages && now->kind != STREAM_PACKED)
		page = find_moved(tl, g, cpu->offset);
	if (page < 0)
		return false;
	for (size_t i = 0; i < now->n_chunks; i++)
		now->chunks[i].pos += cpu->offset - was;
	now->n_dropped = page;
	now->offset = cpu->offset - page * now->page_size;
	g->has_moved = true;
	return true;
}

static bool last_page_changed(const struct growth *g)
{
	const struct stream *st = g->st, *now = &g->now;
	const struct index_segment *seg = st->n_segments ? st->segments[st->n_segments - 1] : NULL;
	uint8_t buf[64];
	uint16_t fill;
	const uint8_t *p;

	if (!seg || st->kind == STREAM_PACKED)
		return false;
	p = stream_bytes(now, now->offset + (st->pub.n_pages - 1) * st->page_size, sizeof(buf),
			 buf);
	page_header(st, p, p ? st->page_size : 0, &fill);
	return p && fill != seg->fill[seg->n_pages - 1];
}

static void growth_release(struct growth *g)
{
	for (size_t i = 0; i < g->now.n_segments; i++)
		segment_free(g->now.segments[i]);
	free(g->now.segments);
	free(g->now.chunks);
	segment_free(g->old);
	indexer_free(g->ix);
}

/* Copies the stream with its own chunks, without its segments. */
static int growth_init(struct growth *g, struct stream *st, int fd)
{
	*g = (struct growth){.st = st, .now = *st, .source = *st->source};
	g->source.fd = fd;
	g->now.source = &g->source;
	g->now.segments = NULL;
	g->now.n_segments = g->now.cap_segments = 0;
	g->now.chunks = NULL;
	g->now.cap_chunks = st->n_chunks;
	if (!st->n_chunks)
		return 0;
	g->now.chunks = malloc(st->n_chunks * sizeof(*st->chunks));
	if (!g->now.chunks)
		return -ENOMEM;
	memcpy(g->now.chunks, st->chunks, st->n_chunks * sizeof(*st->chunks));
	return 0;
}

/* Cuts the pages into segments again, from the last segment on. */
static int cut_again(struct growth *g)
{
	const struct stream *st = g->st;
	const struct index_segment *last = st->n_segments ? st->segments[st->n_segments - 1] : NULL;
	struct stream *now = &g->now;

	now->generation++;
	if (now->kind != STREAM_PACKED)
		now->pub.n_pages = (now->n_bytes + now->page_size - 1) / now->page_size;
	else if (now->n_bytes >= 4 && stream_read_chunks(now) < 0)
		return -ENOMEM;
	return stream_cut(now, last ? last->first_page : 0, last ? last->first_chunk : 0);
}

static int look_at(struct refresh *rf, struct stream *st, const struct tracefile_cpu *cpu)
{
	struct growth *g = &rf->list[rf->n];
	uint64_t n_bytes;
	int r = growth_init(g, st, rf->fds[st->pub.source]);

	if (r < 0 || !find_place(rf->tl, g, cpu)) {
		growth_release(g);
		return r;
	}
	n_bytes = cpu->n_bytes + g->now.n_dropped * st->page_size;
	if (n_bytes > st->max_pages * st->page_size)
		n_bytes = st->max_pages * st->page_size;
	g->now.end = cpu->end;
	g->has_grown = n_bytes != st->n_bytes || last_page_changed(g);
	g->now.n_bytes = n_bytes;
	if (g->has_grown)
		r = cut_again(g);
	if (r < 0 || (!g->has_grown && !g->has_moved))
		growth_release(g);
	else
		rf->n++;
	return r;
}

static const struct tracefile_cpu *find_cpu(const struct tracefile *tf,
					    const struct tracefile_buffer *was, uint32_t cpu)
{
	for (size_t i = 0; i < tf->n_buffers; i++)
		for (size_t k = 0; k < tf->buffers[i].n_cpus; k++)
			if (!strcmp(tf->buffers[i].name, was->name) &&
			    tf->buffers[i].cpus[k].cpu == cpu)
				return &tf->buffers[i].cpus[k];
	return NULL;
}

static int look_at_source(struct refresh *rf, size_t source, const struct tracefile *now)
{
	struct timeline *tl = rf->tl;
	int r = 0;

	for (uint32_t i = 0; i < tl->n_streams && !r; i++) {
		struct stream *st = tl->streams[i];
		const struct tracefile_cpu *cpu;

		if (st->pub.source != source)
			continue;
		cpu = find_cpu(now, st->src->buffer, st->pub.cpu);
		if (cpu && cpu->n_bytes)
			r = look_at(rf, st, cpu);
	}
	return r;
}

/* Opens the current files and finds what has changed. */
static int look(struct refresh *rf, struct errmsg *err)
{
	SCOPED(tracefile_close_scoped) struct tracefile *now = NULL;
	struct timeline *tl = rf->tl;
	const char *path = NULL;

	for (size_t i = 0; i < tl->n_sources; i++) {
		if (!tl->sources[i].is_live)
			continue;
		/* buffers of one file are adjacent */
		if (!now || strcmp(path, tl->sources[i].tf->path)) {
			tracefile_close(TAKE(now));
			path = tl->sources[i].tf->path;
			TRY(tracefile_open(&now, path, err));
		}
		if (tasktable_learn(tl, tl->source_states[i].machine,
				    tracefile_text(now, TRACEFILE_CMDLINES)) < 0)
			return errmsg_set_errno(err, -ENOMEM, "cannot read the task names in %s",
						path);
		if (latesymbols_learn(tl, i, now) < 0)
			return errmsg_set_errno(err, -ENOMEM, "cannot read the symbols in %s",
						path);
		rf->fds[i] = open(path, O_RDONLY | O_CLOEXEC);
		if (rf->fds[i] < 0)
			return errmsg_set_errno(err, -errno, "cannot open %s", path);
		if (look_at_source(rf, i, now) < 0)
			return errmsg_set_errno(err, -ENOMEM, "cannot index new data in %s", path);
	}
	return 0;
}

/* --- moving ----------------------------------------------------------------------------------- */

static bool is_other_file(int a, int b)
{
	struct stat x, y;

	return fstat(a, &x) < 0 || fstat(b, &y) < 0 || x.st_ino != y.st_ino || x.st_dev != y.st_dev;
}

static bool has_any_moved(const struct refresh *rf)
{
	for (size_t i = 0; i < rf->tl->n_sources; i++)
		if (rf->fds[i] >= 0 && is_other_file(rf->fds[i], rf->tl->source_states[i].fd))
			return true;
	return ARRAY_ANY(rf->n, i, rf->list[i].has_moved);
}

/* The caller holds both locks. */
static void move_stream(struct timeline *tl, struct growth *g)
{
	struct stream *st = g->st;
	const struct stream *now = &g->now;

	for (size_t i = 0; i < st->n_chunks; i++)
		st->chunks[i].pos = now->chunks[i].pos;
	if (st->n_dropped != now->n_dropped)
		atomic_fetch_add(&tl->n_drops, 1);
	st->n_dropped = now->n_dropped;
	st->offset = now->offset;
	st->generation++;
	g->now.generation++;
	forget_before(tl, st, st->n_dropped);
}

/* Moves all streams at once, because the data of the new file must be read at its new position. */
static int move_all(struct refresh *rf, struct errmsg *err)
{
	struct timeline *tl = rf->tl;
	int r = 0;

	if (!has_any_moved(rf))
		return 0;
	pthread_rwlock_wrlock(&tl->shape);
	pthread_mutex_lock(&tl->lock);
	/* keep the descriptor's number, so that concurrent readers can continue */
	for (size_t i = 0; i < tl->n_sources && !r; i++)
		if (rf->fds[i] >= 0 && dup3(rf->fds[i], tl->source_states[i].fd, O_CLOEXEC) < 0)
			r = errmsg_set_errno(err, -errno, "cannot open %s",
					     tl->sources[i].tf->path);
	for (size_t i = 0; i < rf->n && !r; i++)
		if (rf->list[i].has_moved)
			move_stream(tl, &rf->list[i]);
	pthread_mutex_unlock(&tl->lock);
	pthread_rwlock_unlock(&tl->shape);
	return r;
}

/* --- growing ---------------------------------------------------------------------------------- */

/*
 * Finds the origin of times. An empty trace has none yet. Once known, the origin never changes,
 * because the page stores times.
 */
static void find_origin(struct refresh *rf)
{
	uint64_t origin = TS_UNKNOWN;

	if (rf->tl->has_origin)
		return;
	for (size_t i = 0; i < rf->n; i++) {
		uint64_t ts = rf->list[i].has_grown ? stream_edge(rf->tl, &rf->list[i].now, false)
						    : TS_UNKNOWN;

		if (ts < origin)
			origin = ts;
	}
	if (origin == TS_UNKNOWN)
		return;
	atomic_store(&rf->tl->origin, origin);
	rf->tl->has_origin = true;
}

/*
 * Reads the times of the new segments of a stream and indexes the first one, which must not be
 * missing.
 */
static int grow(struct timeline *tl, struct growth *g)
{
	const struct stream *st = g->st;
	struct stream *now = &g->now;
	uint64_t low = st->n_segments > 1 ? st->segments[st->n_segments - 2]->end_ts : 0, last;

	for (size_t i = 0; i < now->n_segments; i++)
		segment_read_headers(tl, now, now->segments[i]);
	last = stream_edge(tl, now, true);
	if (last != TS_UNKNOWN && timeline_since(tl, last) > now->pub.last)
		now->pub.last = timeline_since(tl, last);
	if (stream_settle(tl, now, low) < 0)
		return -ENOMEM;
	if (!now->n_segments)
		return 0;
	g->ix = indexer_new();
	return g->ix ? indexer_walk(g->ix, tl, now, now->segments[0]) : -ENOMEM;
}

static void grow_one(void *ctx, size_t i)
{
	struct refresh *rf = ctx;

	if (rf->list[i].has_grown)
		rf->list[i].result = grow(rf->tl, &rf->list[i]);
}

/* The caller holds both locks. */
static int make_room(struct stream *st, size_t n)
{
	return ARRAY_ROOM(st->segments, st->cap_segments, st->n_segments + n, ARRAY_NO_MAX)
		       ? 0
		       : -ENOMEM;
}

/* The caller holds both locks. */
static int publish(struct timeline *tl, struct growth *g)
{
	struct stream *st = g->st, *now = &g->now;
	struct chunk_row *chunks = st->chunks;

	if (make_room(st, now->n_segments) < 0)
		return -ENOMEM;
	g->old = take_last(tl, st);
	st->n_bytes = now->n_bytes;
	st->end = now->end;
	st->generation = now->generation;
	st->pub.n_pages = now->pub.n_pages;
	st->chunks = now->chunks;
	now->chunks = chunks; /* the old chunks, to be freed */
	st->n_chunks = now->n_chunks;
	st->cap_chunks = now->cap_chunks;
	if (now->pub.last > st->pub.last)
		__atomic_store_n(&st->pub.last, now->pub.last, __ATOMIC_RELAXED);
	st->left = st->right = st->n_segments;
	for (size_t i = 0; i < now->n_segments; i++) {
		st->segments[st->n_segments++] = now->segments[i];
		if (i)
			pool_add_segment(tl, now->segments[i]);
	}
	stream_settle_edges(tl, st);
	if (now->n_segments) {
		indexer_merge(g->ix, tl, st);
		pool_add_indexed(tl, now->segments[0]);
	}
	now->n_segments = 0;
	return 0;
}

/*
 * Drops the oldest segment of the stream whose index reaches back furthest. The caller holds both
 * locks.
 */
static bool forget_oldest(struct timeline *tl)
{
	bool any = false;

	while (atomic_load(&tl->n_bytes) > tl->index_max) {
		struct stream *best = NULL;
		uint64_t oldest = UINT64_MAX;

		for (uint32_t i = 0; i < tl->n_streams; i++) {
			struct stream *st = tl->streams[i];

			if (st->n_forgotten + 1 < st->n_segments &&
			    segment_page_ts(st->segments[st->n_forgotten], 0) < oldest) {
				best = st;
				oldest = segment_page_ts(st->segments[st->n_forgotten], 0);
			}
		}
		if (!best)
			break;
		forget(tl, best, best->segments[best->n_forgotten++]);
		atomic_fetch_add(&tl->n_drops, 1);
		any = true;
	}
	return any;
}

/* Reports, once for each file, that old events were dropped. */
static void tell_of_forgetting(struct timeline *tl)
{
	for (size_t i = 0; i < tl->n_sources; i++) {
		struct tracefile *tf = tl->sources[i].tf;

		if (!tl->sources[i].is_live || (i && tl->sources[i - 1].tf == tf))
			continue;
		timeline_lock_formats(tl);
		tracefile_add_damage(tf,
				     "%s: the recording is too large: its beginning is not shown; "
				     "with -o the file still contains it",
				     tf->path);
		timeline_unlock_formats(tl);
	}
}

static int publish_some(struct refresh *rf, size_t first, size_t n)
{
	struct timeline *tl = rf->tl;
	bool has_forgotten;
	int r = 0;

	pthread_rwlock_wrlock(&tl->shape);
	pthread_mutex_lock(&tl->lock);
	for (size_t i = first; i < first + n; i++) {
		struct growth *g = &rf->list[i];

		if (g->has_grown && !g->result)
			g->result = publish(tl, g);
		if (g->result < 0)
			r = g->result;
		else
			rf->changed |= g->has_grown;
	}
	has_forgotten = forget_oldest(tl);
	pthread_cond_broadcast(&tl->work);
	pthread_mutex_unlock(&tl->lock);
	pthread_rwlock_unlock(&tl->shape);
	for (size_t i = first; i < first + n; i++)
		growth_release(&rf->list[i]);
	if (has_forgotten)
		tell_of_forgetting(tl);
	return r;
}

struct batch {
	struct refresh *rf;
	size_t first;
};

static void grow_in_batch(void *ctx, size_t i)
{
	const struct batch *b = ctx;

	grow_one(b->rf, b->first + i);
}

static int grow_all(struct refresh *rf)
{
	int r = 0;

	for (size_t i = 0; i < rf->n; i += BATCH) {
		struct batch b = {rf, i};
		size_t n = rf->n - i < BATCH ? rf->n - i : BATCH;
		int some;

		timeline_parallel(rf->tl, n, grow_in_batch, &b);
		some = publish_some(rf, i, n);
		r = some < 0 ? some : r;
	}
	return r;
}

static int refresh_init(struct refresh *rf, struct timeline *tl)
{
	*rf = (struct refresh){.tl = tl};
	rf->list = calloc(tl->n_streams + 1, sizeof(*rf->list));
	rf->fds = malloc((tl->n_sources + 1) * sizeof(*rf->fds));
	for (size_t i = 0; rf->fds && i < tl->n_sources; i++)
		rf->fds[i] = -1;
	return rf->list && rf->fds ? 0 : -ENOMEM;
}

static void refresh_release(struct refresh *rf)
{
	for (size_t i = 0; rf->fds && i < rf->tl->n_sources; i++)
		if (rf->fds[i] >= 0)
			close(rf->fds[i]);
	free(rf->fds);
	free(rf->list);
}

static int look_and_move(struct refresh *rf, struct errmsg *err)
{
	TRY(look(rf, err));
	return move_all(rf, err);
}

int timeline_refresh(struct timeline *tl, struct errmsg *err)
{
	struct refresh rf;
	bool busy;
	int r;

	if (!tl->is_live)
		return 0;
	pthread_mutex_lock(&tl->lock);
	busy = !tl->is_started || tl->n_todo || tl->n_busy;
	pthread_mutex_unlock(&tl->lock);
	if (busy)
		return 0;
	r = refresh_init(&rf, tl);
	r = r < 0 ? errmsg_set_errno(err, r, "cannot index new data") : look_and_move(&rf, err);
	if (r < 0) {
		for (size_t i = 0; i < rf.n; i++)
			growth_release(&rf.list[i]);
	} else {
		find_origin(&rf);
		if (grow_all(&rf) < 0)
			r = errmsg_set_errno(err, -ENOMEM, "cannot index new data");
	}
	refresh_release(&rf);
	return r < 0 ? r : rf.changed;
}
