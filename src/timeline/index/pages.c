// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * pages.c - finds the pages of all streams and their times, from page headers alone.
 *
 *	stream   ┌ segment 0 ────────────┐┌ segment 1 ───────…
 *	pages    [ts][ts][ts][ts] … [ts]  [ts][ts] …
 *	                                  └ end_ts of segment 0
 *
 * pages_open() counts the pages and reads both ends of each stream; pages_read() reads all headers,
 * unless the sidecar has them. Reading a header touches a page of the file; 262 144 of them, a
 * gigabyte, take about 50 ms, in parallel. Packed data has no readable headers: there the first
 * page of each segment is unpacked, and the times between are interpolated until the segment is
 * indexed.
 *
 * All later searches for a time are binary searches, so the times must ascend. An event is never
 * before the time of its page and never after that of the next page; pagewalk_next() moves other
 * times into this range. If two pages are in the wrong order, the time that does not fit the others
 * counts as unknown, like that of a page without events. Such a page takes the time of the next
 * page, so that the page before keeps its own time:
 *
 *	10  20  900  30  40        900 is wrong: 20 and 30 fit together
 *	10  20    3  30  40        3 is wrong
 */
#include "decode/walker.h"
#include "format/bytes.h"
#include "store/tracefile.h"
#include "timeline/timeline_int.h"

#include "base/array.h"
#include "base/errmsg.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define EDGE_PAGES_MAX	    64	       /* limit for skipping empty pages at the ends of a stream */
#define CHUNK_MIN_MAX_BYTES (4u << 20) /* limit, as in pagestream.c */
#define CHUNK_PAGES_MAX	    16

/* --- times ------------------------------------------------------------------------------------ */

static size_t next_known(const uint64_t *ts, size_t n, size_t i)
{
	while (i < n && ts[i] == TS_UNKNOWN)
		i++;
	return i;
}

/*
 * Returns true if ts[i] is wrong, and false if ts[k] is. ts[i] > ts[k], with only unknown times
 * between them.
 */
static bool first_is_wrong(const uint64_t *ts, size_t n, size_t i, size_t k, uint64_t before)
{
	size_t after;

	if (before != TS_UNKNOWN)
		return before <= ts[k];
	after = next_known(ts, n, k + 1);
	return after == n || ts[after] < ts[i];
}

void pages_settle(uint64_t *ts, size_t n, uint64_t end)
{
	uint64_t before = TS_UNKNOWN;
	size_t i = next_known(ts, n, 0);

	while (i < n) {
		size_t k = next_known(ts, n, i + 1);

		if (k < n && ts[i] > ts[k]) {
			if (!first_is_wrong(ts, n, i, k, before)) {
				ts[k] = TS_UNKNOWN;
				continue;
			}
			ts[i] = TS_UNKNOWN;
		} else {
			before = ts[i];
		}
		i = k;
	}
	if (before != TS_UNKNOWN && end < before)
		end = before;
	for (i = n; i-- > 0;) {
		if (ts[i] == TS_UNKNOWN || ts[i] > end)
			ts[i] = end;
		end = ts[i];
	}
}

/* Reads only the header, because the rest of the page may not be in memory. */
uint64_t page_header(const struct stream *st, const uint8_t *data, size_t len, uint16_t *ret_fill)
{
	const struct page_layout *l = &st->layout;
	size_t used, room;

	*ret_fill = 0;
	if (!data || len < l->data_offset || len < 8u + l->long_size)
		return TS_UNKNOWN;
	used = (uint32_t)bytes_get(data + 8, l->long_size, l->swap) & SNF_COMMIT_MASK;
	room = len - l->data_offset;
	if (!used)
		return TS_UNKNOWN;
	*ret_fill = (uint64_t)(used < room ? used : room) * 65535 / st->page_size;
	return timeconv(&st->src->time, bytes_get64(data, l->swap), st->pub.cpu);
}

/* Reads the headers of a segment. The times are on the trace's clock until stream_settle(). */
void segment_read_headers(struct timeline *tl, struct stream *st, struct index_segment *seg)
{
	uint8_t buf[64];
	size_t need = st->layout.data_offset < 8u + st->layout.long_size ? 8u + st->layout.long_size
									 : st->layout.data_offset;

	if (st->kind == STREAM_PACKED) {
		struct pagehold hold = {0};

		for (uint32_t i = 1; i < seg->n_pages; i++) {
			seg->page_ts[i] = TS_UNKNOWN;
			seg->fill[i] = 65535;
		}
		page_hold(tl, st, seg->first_page, &hold);
		seg->page_ts[0] = page_header(st, hold.data, hold.len, &seg->fill[0]);
		page_drop(&hold);
		return;
	}
	for (uint32_t i = 0; i < seg->n_pages; i++) {
		uint64_t at = (seg->first_page + i) * st->page_size, left = st->n_bytes - at;
		size_t len = left < st->page_size ? left : st->page_size;
		const uint8_t *data = NULL;

		if (need <= len && need <= sizeof(buf) && seg->first_page + i >= st->n_dropped)
			data = stream_bytes(st, st->offset + at, st->source->fd < 0 ? len : need,
					    buf);
		seg->page_ts[i] = page_header(st, data, len, &seg->fill[i]);
	}
}

static void spread(struct index_segment *seg, uint64_t end)
{
	uint64_t start = seg->page_ts[0];

	for (uint32_t i = 1; i < seg->n_pages; i++)
		seg->page_ts[i] =
			start + (end > start ? (double)(end - start) * i / seg->n_pages : 0);
}

int stream_settle(struct timeline *tl, struct stream *st, uint64_t low)
{
	bool firsts_only = st->kind == STREAM_PACKED;
	size_t n = 0, at = 0;
	uint64_t *ts;

	for (size_t i = 0; i < st->n_segments; i++)
		n += firsts_only ? 1 : st->segments[i]->n_pages;
	ts = malloc((n + 1) * sizeof(*ts));
	if (!ts)
		return -ENOMEM;
	for (size_t i = 0; i < st->n_segments; i++)
		for (uint32_t k = 0; k < (firsts_only ? 1 : st->segments[i]->n_pages); k++) {
			uint64_t t = st->segments[i]->page_ts[k];

			ts[at++] = t == TS_UNKNOWN ? t : timeline_since(tl, t);
		}
	pages_settle(ts, n, st->pub.last);
	at = 0;
	for (size_t i = 0; i < st->n_segments; i++)
		for (uint32_t k = 0; k < (firsts_only ? 1 : st->segments[i]->n_pages); k++, at++)
			st->segments[i]->page_ts[k] = ts[at] < low ? low : ts[at];
	free(ts);
	for (size_t i = 0; i < st->n_segments; i++) {
		struct index_segment *seg = st->segments[i];
		bool is_last = i + 1 == st->n_segments;

		seg->end_ts = is_last ? TIMELINE_TIME_MAX : st->segments[i + 1]->page_ts[0];
		if (firsts_only)
			spread(seg, is_last ? st->pub.last : seg->end_ts);
	}
	return 0;
}

/* --- looking for a time ----------------------------------------------------------------------- */

long stream_find_segment(const struct stream *st, uint64_t t)
{
	if (!st->n_segments)
		return -1;
	return ARRAY_BISECT(st->n_segments - 1, i, segment_page_ts(st->segments[i + 1], 0) < t);
}

uint32_t segment_find_page(const struct index_segment *seg, uint64_t t)
{
	return seg->n_pages ? ARRAY_BISECT(seg->n_pages - 1, i, segment_page_ts(seg, i + 1) < t)
			    : 0;
}

long stream_page_place(const struct stream *st, uint64_t page)
{
	size_t n = ARRAY_BISECT(st->n_segments, i, st->segments[i]->first_page <= page);
	const struct index_segment *seg = n ? st->segments[n - 1] : NULL;

	return seg && page - seg->first_page < seg->n_pages ? (long)n - 1 : -1;
}

struct index_segment *stream_page_segment(const struct stream *st, uint64_t page)
{
	long i = stream_page_place(st, page);

	return i < 0 ? NULL : st->segments[i];
}

uint64_t stream_edge(struct timeline *tl, struct stream *st, bool last)
{
	struct pagehold hold = {0};
	uint64_t ts = TS_UNKNOWN, n = st->pub.n_pages;

	for (uint64_t i = 0; i < n && i < EDGE_PAGES_MAX && ts == TS_UNKNOWN; i++) {
		struct walker w;
		struct walked rec;

		page_hold(tl, st, last ? n - 1 - i : i, &hold);
		if (!hold.data || !walker_start(&w, hold.data, hold.len, &st->layout))
			continue;
		/*
		 * if times decrease, the latest one counts, because no later event gets an earlier
		 * time
		 */
		while (walker_next(&w, &rec) && (last || ts == TS_UNKNOWN)) {
			uint64_t t = timeconv(&st->src->time, rec.ts, st->pub.cpu);

			if (ts == TS_UNKNOWN || t > ts)
				ts = t;
		}
	}
	page_drop(&hold);
	return ts;
}

/* --- segments --------------------------------------------------------------------------------- */

void segment_free(struct index_segment *seg)
{
	if (!seg)
		return;
	free(seg->page_ts);
	free(seg->blob);
	free(seg);
}

void stream_free(struct stream *st)
{
	if (!st)
		return;
	for (size_t i = 0; i < st->n_segments; i++)
		segment_free(st->segments[i]);
	free(st->segments);
	free(st->chunks);
	free(st);
}

static struct index_segment *add_segment(struct stream *st, uint64_t first_page, uint32_t n_pages)
{
	struct index_segment *seg = calloc(1, sizeof(*seg));

	if (seg)
		seg->page_ts = calloc(n_pages + 1, sizeof(*seg->page_ts) + sizeof(*seg->fill));
	if (!seg || !seg->page_ts) {
		segment_free(seg);
		return NULL;
	}
	if (!ARRAY_ROOM(st->segments, st->cap_segments, st->n_segments + 1, ARRAY_NO_MAX)) {
		segment_free(seg);
		return NULL;
	}
	seg->stream = st->number;
	seg->first_page = first_page;
	seg->n_pages = n_pages;
	seg->fill = (uint16_t *)(seg->page_ts + n_pages);
	seg->end_ts = TIMELINE_TIME_MAX;
	st->segments[st->n_segments++] = seg;
	return seg;
}

static int cut_packed(struct stream *st, uint32_t chunk)
{
	while (chunk < st->n_chunks) {
		uint32_t first = chunk;
		uint64_t n_bytes = 0, first_page = st->chunks[first].first_page, end;
		struct index_segment *seg;

		while (chunk < st->n_chunks && n_bytes < st->segment_bytes)
			n_bytes += st->chunks[chunk++].plain;
		end = chunk < st->n_chunks ? st->chunks[chunk].first_page : st->pub.n_pages;
		seg = add_segment(st, first_page, end - first_page);
		if (!seg)
			return -ENOMEM;
		seg->first_chunk = first;
		seg->n_chunks = chunk - first;
	}
	return 0;
}

int stream_cut(struct stream *st, uint64_t page, uint32_t chunk)
{
	uint32_t each = st->segment_bytes / st->page_size;

	if (st->kind == STREAM_PACKED)
		return cut_packed(st, chunk);
	each = each ? each : 1;
	if (st->kind == STREAM_READ && each > LIVE_CHUNK_PAGES)
		each -= each % LIVE_CHUNK_PAGES;
	for (; page < st->pub.n_pages; page += each) {
		uint64_t left = st->pub.n_pages - page;
		struct index_segment *seg = add_segment(st, page, left < each ? left : each);

		if (!seg)
			return -ENOMEM;
		seg->first_chunk = page / LIVE_CHUNK_PAGES;
		seg->n_chunks = (page + seg->n_pages - 1) / LIVE_CHUNK_PAGES - seg->first_chunk + 1;
	}
	return 0;
}

/* --- streams ---------------------------------------------------------------------------------- */

static int add_chunk(struct stream *st, struct chunk_row row)
{
	if (!ARRAY_ROOM(st->chunks, st->cap_chunks, st->n_chunks + 1, ARRAY_NO_MAX))
		return -ENOMEM;
	row.first_page = st->pub.n_pages;
	st->chunks[st->n_chunks++] = row;
	st->pub.n_pages += (row.plain + st->page_size - 1) / st->page_size;
	return 0;
}

int stream_read_chunks(struct stream *st)
{
	uint64_t max = (uint64_t)st->page_size * CHUNK_PAGES_MAX, pos = st->offset + 4;
	const struct chunk_row *last = st->n_chunks ? &st->chunks[st->n_chunks - 1] : NULL;
	bool swap = st->layout.swap;
	uint8_t buf[8];
	const uint8_t *p = stream_bytes(st, st->offset, 4, buf);
	uint32_t n = p ? bytes_get32(p, swap) : 0;

	max = max < CHUNK_MIN_MAX_BYTES	   ? CHUNK_MIN_MAX_BYTES
	      : max > CHUNK_HARD_MAX_BYTES ? CHUNK_HARD_MAX_BYTES
					   : max;
	if (last)
		pos = last->pos + last->packed;
	while (st->n_chunks < n && st->pub.n_pages < st->max_pages) {
		struct chunk_row row;

		p = pos < st->end && st->end - pos >= 8 ? stream_bytes(st, pos, 8, buf) : NULL;
		if (!p)
			break;
		row = (struct chunk_row){pos + 8, bytes_get32(p, swap), bytes_get32(p + 4, swap),
					 0};
		if (row.packed > st->end - row.pos || !row.plain || row.plain > max)
			break;
		if (add_chunk(st, row) < 0)
			return -ENOMEM;
		pos = row.pos + row.packed;
	}
	st->is_cut = st->n_chunks < n && !st->src->is_live;
	return 0;
}

static uint8_t bits_of(uint32_t n)
{
	return n < 2 ? 1 : 32 - __builtin_clz(n - 1);
}

static int add_stream(struct timeline *tl, size_t source, size_t cpu)
{
	const struct timeline_source *src = &tl->sources[source];
	const struct tracefile_cpu *c = &src->buffer->cpus[cpu];
	uint32_t n = atomic_load(&tl->n_streams);
	struct stream *st = calloc(1, sizeof(*st));

	if (!st)
		return -ENOMEM;
	st->number = n;
	st->src = src;
	st->source = &tl->source_states[source];
	st->machine = st->source->machine;
	st->pub.source = source;
	st->pub.cpu = c->cpu;
	st->page_size = src->buffer->page_size;
	st->segment_bytes = SEGMENT_BYTES;
	st->layout = (struct page_layout){src->tf->swap, src->tf->big_endian, src->tf->long_size,
					  src->tf->data_offset};
	st->kind = src->buffer->compressed ? STREAM_PACKED
		   : src->is_live	   ? STREAM_READ
					   : STREAM_MAPPED;
	/* a record has at least 8 bytes */
	st->ref_shift = bits_of((st->page_size + 7) / 8 + 1);
	st->max_pages = (uint64_t)1 << (41 - st->ref_shift);
	st->offset = c->offset;
	st->end = c->end;
	st->n_bytes = c->n_bytes;
	if (!src->is_live && st->offset > src->tf->map.len)
		st->n_bytes = 0;
	else if (!src->is_live && st->n_bytes > src->tf->map.len - st->offset)
		st->n_bytes = src->tf->map.len - st->offset;
	if (st->n_bytes > st->max_pages * st->page_size)
		st->n_bytes = st->max_pages * st->page_size;
	/*
	 * the file is truncated, or its directory is missing and the stream reaches the end of the
	 * file
	 */
	st->is_cut = !src->is_live &&
		     (c->n_bytes < c->n_bytes_stated ||
		      (src->tf->n_damage && st->offset + st->n_bytes >= src->tf->map.len));
	tl->streams[n] = st;
	atomic_store(&tl->n_streams, n + 1);
	if (st->kind == STREAM_PACKED) {
		if (st->n_bytes >= 4 && stream_read_chunks(st) < 0)
			return -ENOMEM;
		if (st->is_cut)
			tracefile_add_damage(src->tf,
					     "%s: the data of CPU %u is truncated; what it did "
					     "after that is not known",
					     src->tf->path, st->pub.cpu);
	} else {
		st->pub.n_pages = (st->n_bytes + st->page_size - 1) / st->page_size;
	}
	return stream_cut(st, 0, 0);
}

static int add_source(struct timeline *tl, size_t source)
{
	const struct timeline_source *src = &tl->sources[source];
	const struct tracefile_buffer *b = src->buffer;

	if (b->is_text || b->page_size < 64 || b->page_size > 1u << 24)
		return 0;
	for (size_t i = 0; i < b->n_cpus; i++) {
		if (!b->cpus[i].n_bytes && !src->is_live)
			continue;
		if (atomic_load(&tl->n_streams) == STREAMS_MAX) {
			tracefile_add_damage(src->tf,
					     "%s: only the first %d buffers of CPUs can be shown; "
					     "some of this file are left out",
					     src->tf->path, STREAMS_MAX);
			return 0;
		}
		if (add_stream(tl, source, i) < 0)
			return -ENOMEM;
	}
	return 0;
}

struct header_job {
	struct timeline *tl;
	struct index_segment **segments;
};

static void header_job_run(void *ctx, size_t i)
{
	struct header_job *job = ctx;

	struct index_segment *seg = job->segments[i];

	segment_read_headers(job->tl, job->tl->streams[seg->stream], seg);
}

static int read_headers(struct timeline *tl)
{
	struct header_job job = {tl, NULL};
	size_t n = 0;

	for (uint32_t i = 0; i < tl->n_streams; i++)
		n += tl->streams[i]->n_segments;
	job.segments = malloc((n + 1) * sizeof(*job.segments));
	if (!job.segments)
		return -ENOMEM;
	n = 0;
	for (uint32_t i = 0; i < tl->n_streams; i++)
		for (size_t k = 0; k < tl->streams[i]->n_segments; k++)
			job.segments[n++] = tl->streams[i]->segments[k];
	timeline_parallel(tl, n, header_job_run, &job);
	free(job.segments);
	return 0;
}

/* Finds the first and last event of all streams. The earliest event gets time 0. */
static void find_edges(struct timeline *tl)
{
	uint64_t origin = TS_UNKNOWN, duration = 0;

	for (uint32_t i = 0; i < tl->n_streams; i++) {
		struct stream *st = tl->streams[i];

		st->pub.first = stream_edge(tl, st, false);
		st->pub.last = stream_edge(tl, st, true);
		if (st->pub.first < origin)
			origin = st->pub.first;
	}
	tl->has_origin = origin != TS_UNKNOWN;
	atomic_store(&tl->origin, tl->has_origin ? origin : 0);
	for (uint32_t i = 0; i < tl->n_streams; i++) {
		struct stream *st = tl->streams[i];

		st->pub.first = st->pub.first == TS_UNKNOWN ? 0 : timeline_since(tl, st->pub.first);
		st->pub.last = st->pub.last == TS_UNKNOWN ? 0 : timeline_since(tl, st->pub.last);
		if (st->pub.last < st->pub.first)
			st->pub.last = st->pub.first;
		if (st->pub.last > duration)
			duration = st->pub.last;
	}
	atomic_store(&tl->duration, duration);
}

/* Limits the times of the first and last event to the range of the pages. */
void stream_settle_edges(struct timeline *tl, struct stream *st)
{
	const struct index_segment *last = st->n_segments ? st->segments[st->n_segments - 1] : NULL;
	uint64_t first_ts = last ? st->segments[0]->page_ts[0] : 0;
	uint64_t last_ts = last ? last->page_ts[last->n_pages - 1] : 0;

	if (st->pub.first < first_ts)
		st->pub.first = first_ts;
	if (st->pub.last < last_ts)
		st->pub.last = last_ts;
	if (atomic_load(&tl->duration) < st->pub.last)
		atomic_store(&tl->duration, st->pub.last);
}

int pages_open(struct timeline *tl, struct errmsg *err)
{
	int r = 0;

	for (size_t i = 0; i < tl->n_sources && !r; i++)
		r = add_source(tl, i);
	if (r < 0)
		return errmsg_set_errno(err, r, "cannot allocate the list of pages");
	find_edges(tl);
	return 0;
}

int pages_read(struct timeline *tl, struct errmsg *err)
{
	int r = read_headers(tl);

	for (uint32_t i = 0; i < tl->n_streams && !r; i++) {
		r = stream_settle(tl, tl->streams[i], 0);
		stream_settle_edges(tl, tl->streams[i]);
	}
	return r < 0 ? errmsg_set_errno(err, r, "cannot allocate the times of the pages") : 0;
}
