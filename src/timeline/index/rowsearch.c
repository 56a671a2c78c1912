// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * rowsearch.c - numbers all events in time order, without a global array.
 *
 *	rank(t)      for each stream: counts segments and pages before t, and walks one page
 *	rows(r)      finds the time t with rank(t) <= r < rank(t + 1) with a binary search, first by
 *	             whole pages, finally by walking some; then merges the streams from there on
 *	row_of(e)    counts the events before it in its own stream and in others; at equal times
 *	             lower streams come first
 *
 * With a selection, only its events count. Data that is not indexed yet has no rows.
 *
 * Cost: one or two microseconds per stream for a rank, some tens for rows().
 */
#include "base/scope.h"
#include "decode/walker.h"
#include "timeline/index/selection_int.h"

#include <stdlib.h>

/* --- counting --------------------------------------------------------------------------------- */

static uint32_t segment_count(const struct selection *sel, const struct stream *st, size_t i)
{
	const struct index_segment *seg = st->segments[i];
	const struct sel_segment *ss = sel ? selection_segment(sel, st->number, i) : NULL;

	if (!segment_is_ready(seg))
		return 0;
	return sel ? (ss ? ss->count : 0) : seg->n_events;
}

/*
 * Counts selected events in the first n events of page p of a segment and in all pages before it.
 */
static uint32_t count_in_segment(const struct selection *sel, const struct stream *st, size_t i,
				 uint32_t p, uint32_t n)
{
	const struct index_segment *seg = st->segments[i];
	const struct sel_segment *ss = sel ? selection_segment(sel, st->number, i) : NULL;

	if (!sel)
		return seg->page_first[p] + n;
	if (!ss || !ss->n_pages)
		return 0;
	if (p >= ss->n_pages)
		return ss->count;
	return ss->page_first[p] +
	       sel_segment_count(ss, seg->page_first[p], seg->page_first[p] + n);
}

/* Returns the number of events of a page before t. */
static uint32_t count_in_page(struct timeline *tl, struct stream *st,
			      const struct index_segment *seg, uint32_t p, uint64_t t)
{
	uint32_t n = seg->page_first[p + 1] - seg->page_first[p], i = 0;
	struct pagehold hold = {0};
	struct pagewalk pw;
	struct walked rec;
	uint64_t ts;

	if (!n || segment_page_end(seg, p) < t)
		return n;
	page_hold(tl, st, seg->first_page + p, &hold);
	if (hold.data && pagewalk_start(&pw, tl, st, hold.data, hold.len, segment_page_ts(seg, p),
					segment_page_end(seg, p)))
		while (i < n && pagewalk_next(&pw, &rec, &ts) && ts < t)
			i++;
	page_drop(&hold);
	return i;
}

static uint64_t stream_rank(struct timeline *tl, const struct selection *sel, struct stream *st,
			    uint64_t t)
{
	long i = stream_find_segment(st, t);
	uint64_t sum = 0;
	uint32_t p;

	if (i < 0)
		return 0;
	for (long k = 0; k < i; k++)
		sum += segment_count(sel, st, k);
	if (!segment_is_ready(st->segments[i]))
		return sum;
	p = segment_find_page(st->segments[i], t);
	return sum + count_in_segment(sel, st, i, p, count_in_page(tl, st, st->segments[i], p, t));
}

static uint64_t rank(struct timeline *tl, const struct selection *sel, uint64_t t)
{
	uint32_t n = atomic_load(&tl->n_streams);
	uint64_t sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += stream_rank(tl, sel, tl->streams[i], t);
	return sum;
}

/* Computes the lower and upper bound of a rank by whole pages, without walking any. */
static void rank_bounds(struct timeline *tl, const struct selection *sel, uint64_t t,
			uint64_t *ret_low, uint64_t *ret_high)
{
	uint32_t n = atomic_load(&tl->n_streams);

	*ret_low = *ret_high = 0;
	for (uint32_t i = 0; i < n; i++) {
		const struct stream *st = tl->streams[i];
		const struct index_segment *seg;
		long s = stream_find_segment(st, t);
		uint64_t sum = 0;
		uint32_t p;

		for (long k = 0; k < s; k++)
			sum += segment_count(sel, st, k);
		*ret_low += sum;
		*ret_high += sum;
		if (s < 0 || !segment_is_ready(st->segments[s]))
			continue;
		seg = st->segments[s];
		p = segment_find_page(seg, t);
		*ret_low += count_in_segment(sel, st, s, p, 0);
		*ret_high += count_in_segment(sel, st, s, p,
					      seg->page_first[p + 1] - seg->page_first[p]);
	}
}

/* Returns the last time with at most `row` events before it. */
static uint64_t find_time(struct timeline *tl, const struct selection *sel, uint64_t row)
{
	uint64_t low = 0, high = atomic_load(&tl->duration) + 1;

	while (high - low > 1) {
		uint64_t mid = low + (high - low) / 2, least, most;

		rank_bounds(tl, sel, mid, &least, &most);
		if (least <= row && row < most)
			least = most = rank(tl, sel, mid);
		if (most <= row)
			low = mid;
		else
			high = mid;
	}
	return low;
}

uint64_t timeline_rank(struct timeline *tl, const struct selection *sel, uint64_t t)
{
	uint64_t n;

	timeline_enter(tl);
	n = rank(tl, sel, t);
	timeline_leave(tl);
	return n;
}

/* --- merging ---------------------------------------------------------------------------------- */

struct row_cursor {
	struct stream *st;
	size_t segment;
	/* index: next record in the page; n: number of records in the page */
	uint32_t page, index, n;
	bool is_open, ended;
	struct pagehold hold;
	struct pagewalk pw;
	uint64_t ts;
	event_ref ref;
};

static bool page_is_empty(const struct selection *sel, const struct row_cursor *c)
{
	const struct index_segment *seg = c->st->segments[c->segment];
	const struct sel_segment *ss =
		sel ? selection_segment(sel, c->st->number, c->segment) : NULL;

	if (!sel)
		return seg->page_first[c->page] == seg->page_first[c->page + 1];
	return !ss || c->page >= ss->n_pages ||
	       ss->page_first[c->page] == ss->page_first[c->page + 1];
}

/*
 * Opens the current page, or the first one after it with (selected) events. Returns false if there
 * is none.
 */
static bool cursor_open(struct timeline *tl, const struct selection *sel, struct row_cursor *c)
{
	for (; c->segment < c->st->n_segments; c->segment++, c->page = 0) {
		const struct index_segment *seg = c->st->segments[c->segment];

		if (!segment_is_ready(seg))
			continue;
		for (; c->page < seg->n_pages; c->page++) {
			if (page_is_empty(sel, c))
				continue;
			page_hold(tl, c->st, seg->first_page + c->page, &c->hold);
			c->index = 0;
			c->n = seg->page_first[c->page + 1] - seg->page_first[c->page];
			c->is_open = c->hold.data &&
				     pagewalk_start(&c->pw, tl, c->st, c->hold.data, c->hold.len,
						    segment_page_ts(seg, c->page),
						    segment_page_end(seg, c->page));
			if (c->is_open)
				return true;
		}
	}
	return false;
}

static bool is_selected(const struct selection *sel, const struct row_cursor *c, uint32_t index)
{
	const struct sel_segment *ss;

	if (!sel)
		return true;
	ss = selection_segment(sel, c->st->number, c->segment);
	return ss && sel_segment_has(ss, c->st->segments[c->segment]->page_first[c->page] + index);
}

/* Moves to the next (selected) event, or to the end. */
static void cursor_next(struct timeline *tl, const struct selection *sel, struct row_cursor *c)
{
	struct walked rec;

	for (;;) {
		while (c->is_open && c->index < c->n && pagewalk_next(&c->pw, &rec, &c->ts)) {
			uint32_t index = c->index++;
			uint64_t page;

			if (!is_selected(sel, c, index))
				continue;
			page = c->st->segments[c->segment]->first_page + c->page;
			c->ref = event_ref_make(c->st->number, page << c->st->ref_shift | index);
			return;
		}
		if (c->is_open)
			c->page++;
		c->is_open = false;
		if (!cursor_open(tl, sel, c))
			break;
	}
	c->ended = true;
}

static void cursor_seek(struct timeline *tl, const struct selection *sel, struct row_cursor *c,
			uint64_t t)
{
	long i = stream_find_segment(c->st, t);

	if (i < 0) {
		c->ended = true;
		return;
	}
	c->segment = i;
	c->page =
		segment_is_ready(c->st->segments[i]) ? segment_find_page(c->st->segments[i], t) : 0;
	do
		cursor_next(tl, sel, c);
	while (!c->ended && c->ts < t);
}

static size_t merge(struct timeline *tl, const struct selection *sel, uint64_t t, uint64_t skip,
		    event_ref *ret_refs, uint64_t *ret_times, size_t max)
{
	uint32_t n = atomic_load(&tl->n_streams);
	SCOPED(scope_free) struct row_cursor *cursors = calloc(n + 1, sizeof(*cursors));
	size_t got = 0;

	for (uint32_t i = 0; cursors && i < n; i++) {
		cursors[i].st = tl->streams[i];
		cursor_seek(tl, sel, &cursors[i], t);
	}
	while (cursors && got < max) {
		struct row_cursor *best = NULL;

		for (uint32_t i = 0; i < n; i++)
			if (!cursors[i].ended && (!best || cursors[i].ts < best->ts))
				best = &cursors[i];
		if (!best)
			break;
		if (skip) {
			skip--;
		} else {
			ret_refs[got] = best->ref;
			if (ret_times)
				ret_times[got] = best->ts;
			got++;
		}
		cursor_next(tl, sel, best);
	}
	for (uint32_t i = 0; cursors && i < n; i++)
		page_drop(&cursors[i].hold);
	return got;
}

size_t timeline_rows(struct timeline *tl, const struct selection *sel, uint64_t row,
		     event_ref *ret_refs, uint64_t *ret_times, size_t max)
{
	uint64_t low, before;
	size_t n;

	timeline_enter(tl);
	low = find_time(tl, sel, row);
	before = rank(tl, sel, low);
	n = merge(tl, sel, low, row > before ? row - before : 0, ret_refs, ret_times, max);
	timeline_leave(tl);
	return n;
}

uint64_t timeline_row_of(struct timeline *tl, const struct selection *sel, event_ref ref)
{
	uint32_t n = atomic_load(&tl->n_streams), own = event_ref_stream(ref);
	struct walk_one one;
	uint64_t sum = 0, page, index;
	struct stream *st;

	if (timeline_get(tl, ref, &one) < 0)
		return 0;
	walk_release(&one);
	timeline_enter(tl);
	for (uint32_t i = 0; i < n; i++)
		if (i != own)
			sum += stream_rank(tl, sel, tl->streams[i], one.ev.ts + (i < own));
	st = tl->streams[own];
	page = event_ref_number(ref) >> st->ref_shift;
	index = event_ref_number(ref) & ((UINT64_C(1) << st->ref_shift) - 1);
	for (size_t i = 0; i < st->n_segments; i++) {
		const struct index_segment *seg = st->segments[i];

		if (page < seg->first_page + seg->n_pages) {
			sum += count_in_segment(sel, st, i, page - seg->first_page, index);
			break;
		}
		sum += segment_count(sel, st, i);
	}
	timeline_leave(tl);
	return sum;
}
