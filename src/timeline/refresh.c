// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * refresh.c - a file that is being recorded: what came since it was looked at last.
 *
 * The file can be opened at every moment (store/livefile.h). It is opened anew, its directory says how much
 * each CPU has now, and it is closed again; the data is read through a descriptor of the timeline's own,
 * never mapped, because the holes in it are closed when the recording ends.
 *
 *	[segment][segment][last one, not full]            before
 *	[segment][segment][the same, longer  ][new]…      after
 *
 * The last segment is indexed anew each time: more pages have come, and the last page may have been
 * written again with more events. What it had told before is taken back first. New segments behind it are
 * given to the threads.
 *
 * A region may move: when the recording ends, and when old pages are dropped (record -m). The page that is
 * its first one now is looked for by its time among those that are known; what was before it is gone, and
 * holds no events any more.
 *
 * Names of tasks (saved_cmdlines) are read again as well: a recorder writes them when it begins and when it ends.
 *
 * All of it happens while nobody walks (timeline.shape), and while no segment waits or is being indexed:
 * else there is nothing new yet.
 */
#include "timeline/timeline_int.h"

#include "base/errmsg.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct refresh {
	struct timeline *tl;
	struct indexer *ix;
	bool changed;
};

/* --- taking back ------------------------------------------------------------------------------- */

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

/* Drops the last segment; from where on pages and chunks are to be cut again. */
static void drop_last(struct timeline *tl, struct stream *st, uint64_t *ret_page,
		      uint32_t *ret_chunk)
{
	struct index_segment *seg = st->n_segments ? st->segments[st->n_segments - 1] : NULL;

	*ret_page = *ret_chunk = 0;
	if (!seg)
		return;
	*ret_page = seg->first_page;
	*ret_chunk = seg->first_chunk;
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
	segment_free(seg);
}

/* --- what the file says now -------------------------------------------------------------------- */

/* The page whose time is that of the page at `offset`; -1: there is none. */
static int64_t find_moved(struct timeline *tl, struct stream *st, uint64_t offset)
{
	uint8_t buf[64];
	uint16_t fill;
	const uint8_t *p = stream_bytes(st, offset, sizeof(buf), buf);
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

/* Where its pages are now; false: nothing is known of it any more. */
static bool find_place(struct timeline *tl, struct stream *st, const struct tracefile_cpu *cpu)
{
	uint64_t was = st->offset + st->n_dropped * st->page_size;
	int64_t page = st->n_dropped;

	if (cpu->offset == was)
		return true;
	if (st->pub.n_pages && st->kind != STREAM_PACKED)
		page = find_moved(tl, st, cpu->offset);
	if (page < 0)
		return false;
	for (size_t i = 0; i < st->n_chunks; i++)
		st->chunks[i].pos += cpu->offset - was;
	st->generation++;
	if (st->n_dropped != (uint64_t)page)
		atomic_fetch_add(&tl->n_drops, 1);
	st->n_dropped = page;
	st->offset = cpu->offset - page * st->page_size;
	return true;
}

/* Is the last page still as it was? */
static bool last_page_changed(const struct stream *st)
{
	const struct index_segment *seg = st->n_segments ? st->segments[st->n_segments - 1] : NULL;
	uint8_t buf[64];
	uint16_t fill;
	const uint8_t *p;

	if (!seg || st->kind == STREAM_PACKED)
		return false;
	p = stream_bytes(st, st->offset + (st->pub.n_pages - 1) * st->page_size, sizeof(buf), buf);
	page_header(st, p, p ? st->page_size : 0, &fill);
	return p && fill != seg->fill[seg->n_pages - 1];
}

/* --- growing ----------------------------------------------------------------------------------- */

static void note_edges(struct timeline *tl, struct stream *st)
{
	uint64_t ts = stream_edge(tl, st, true);

	if (ts != TS_UNKNOWN && timeline_since(tl, ts) > st->pub.last)
		__atomic_store_n(&st->pub.last, timeline_since(tl, ts), __ATOMIC_RELAXED);
}

/* The new segments of a stream that has grown. */
static int index_new(struct refresh *rf, struct stream *st)
{
	struct timeline *tl = rf->tl;
	size_t first = st->grown_from;

	for (size_t i = first; i < st->n_segments; i++)
		segment_read_headers(tl, st->segments[i]);
	note_edges(tl, st);
	if (stream_settle(tl, st, first) < 0)
		return -ENOMEM;
	stream_settle_edges(tl, st);
	pthread_mutex_lock(&tl->lock);
	for (size_t i = first; i < st->n_segments; i++)
		pool_add_segment(tl, st->segments[i]);
	/* the one that was there before must not be missing; the rest may take its time */
	if (first < st->n_segments)
		pool_run_segment(tl, rf->ix, st->segments[first]);
	pthread_mutex_unlock(&tl->lock);
	return 0;
}

/* lock held. Cuts the pages anew from the last segment on. */
static int cut_again(struct timeline *tl, struct stream *st, uint64_t n_bytes)
{
	uint64_t page;
	uint32_t chunk;

	drop_last(tl, st, &page, &chunk);
	st->generation++;
	st->n_bytes = n_bytes;
	st->left = st->right = st->grown_from = st->n_segments;
	st->has_grown = true;
	if (st->kind != STREAM_PACKED)
		st->pub.n_pages = (n_bytes + st->page_size - 1) / st->page_size;
	else if (n_bytes >= 4 && stream_read_chunks(st) < 0)
		return -ENOMEM;
	return stream_cut(st, page, chunk);
}

static int grow(struct refresh *rf, struct stream *st, const struct tracefile_cpu *cpu)
{
	uint64_t n_bytes = cpu->n_bytes + st->n_dropped * st->page_size;
	int r;

	if (n_bytes > st->max_pages * st->page_size)
		n_bytes = st->max_pages * st->page_size;
	st->end = cpu->end;
	if (n_bytes == st->n_bytes && !last_page_changed(st))
		return 0;
	rf->changed = true;
	pthread_mutex_lock(&rf->tl->lock);
	r = cut_again(rf->tl, st, n_bytes);
	pthread_mutex_unlock(&rf->tl->lock);
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

static int refresh_source(struct refresh *rf, size_t source, const struct tracefile *now)
{
	struct timeline *tl = rf->tl;
	int r = 0;

	for (uint32_t i = 0; i < tl->n_streams && !r; i++) {
		struct stream *st = tl->streams[i];
		const struct tracefile_cpu *cpu;

		if (st->pub.source != source)
			continue;
		cpu = find_cpu(now, st->src->buffer, st->pub.cpu);
		if (cpu && cpu->n_bytes && find_place(tl, st, cpu))
			r = grow(rf, st, cpu);
	}
	return r;
}

/* Behind the same number, so that whoever reads at this moment reads on. */
static int reopen(struct timeline *tl, size_t source, struct errmsg *err)
{
	const char *path = tl->sources[source].tf->path;
	int fd = open(path, O_RDONLY | O_CLOEXEC), r = 0;

	if (fd < 0)
		return errmsg_set_errno(err, -errno, "cannot open %s", path);
	if (dup3(fd, tl->source_states[source].fd, O_CLOEXEC) < 0)
		r = errmsg_set_errno(err, -errno, "cannot open %s", path);
	close(fd);
	return r;
}

/* A trace that was empty has no origin yet. */
static void find_origin(struct timeline *tl)
{
	uint64_t origin = TS_UNKNOWN;

	if (tl->has_origin)
		return;
	for (uint32_t i = 0; i < tl->n_streams; i++) {
		struct stream *st = tl->streams[i];
		uint64_t ts = stream_edge(tl, st, false);

		if (ts < origin)
			origin = ts;
	}
	tl->has_origin = origin != TS_UNKNOWN;
	tl->origin = tl->has_origin ? origin : 0;
}

static int refresh_all(struct refresh *rf, struct errmsg *err)
{
	struct timeline *tl = rf->tl;
	struct tracefile *now = NULL;
	const char *path = NULL;
	int r = 0;

	for (size_t i = 0; i < tl->n_sources && !r; i++) {
		if (!tl->sources[i].is_live)
			continue;
		/* buffers of one file follow each other */
		if (!now || strcmp(path, tl->sources[i].tf->path)) {
			tracefile_close(now);
			now = NULL;
			path = tl->sources[i].tf->path;
			r = tracefile_open(&now, path, err);
		}
		if (!r && tasktable_learn(tl, tl->source_states[i].machine,
					  tracefile_text(now, TRACEFILE_CMDLINES)) < 0)
			r = errmsg_set_errno(err, -ENOMEM, "cannot read the names in %s", path);
		if (!r)
			r = reopen(tl, i, err);
		if (!r && refresh_source(rf, i, now) < 0)
			r = errmsg_set_errno(err, -ENOMEM, "cannot index what is new in %s", path);
	}
	tracefile_close(now);
	find_origin(tl);
	for (uint32_t i = 0; i < tl->n_streams; i++) {
		if (tl->streams[i]->has_grown && index_new(rf, tl->streams[i]) < 0 && !r)
			r = errmsg_set_errno(err, -ENOMEM, "cannot index what is new");
		tl->streams[i]->has_grown = false;
	}
	return r;
}

int timeline_refresh(struct timeline *tl, struct errmsg *err)
{
	struct refresh rf = {.tl = tl};
	bool busy;
	int r;

	if (!tl->is_live)
		return 0;
	pthread_mutex_lock(&tl->lock);
	busy = !tl->is_started || tl->n_todo || tl->n_busy;
	pthread_mutex_unlock(&tl->lock);
	if (busy)
		return 0;
	rf.ix = indexer_new();
	if (!rf.ix)
		return errmsg_set_errno(err, -ENOMEM, "cannot index what is new");
	pthread_rwlock_wrlock(&tl->shape);
	r = refresh_all(&rf, err);
	pthread_mutex_lock(&tl->lock);
	pthread_cond_broadcast(&tl->work);
	pthread_mutex_unlock(&tl->lock);
	pthread_rwlock_unlock(&tl->shape);
	indexer_free(rf.ix);
	return r < 0 ? r : rf.changed;
}
