// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * losses.c - finds where a trace lost events, and how many.
 *
 * The kernel reports a loss at the beginning of a sub-buffer, so it belongs to the first event of a
 * page. The index has a bit for each page that may have one (PAGE_LOST). Only those pages, and the
 * first page with events of each segment, are read from the file. So the cost depends on the number
 * of losses, not on the size of the trace, and is the same for a new index and one from the
 * sidecar.
 */
#include "decode/walker.h"
#include "timeline/timeline_int.h"

#include <errno.h>

/* Returns true if this page may begin with a loss; see segment_missed(). */
static bool page_may_lose(const struct index_segment *seg, uint32_t page)
{
	uint32_t n = seg->page_first[page + 1] - seg->page_first[page];

	return n && (seg->page_bits[page] & PAGE_LOST || !seg->page_first[page]);
}

/* Reads the first event of a page, if events were lost before it. */
static bool read_loss(struct timeline *tl, struct stream *st, const struct index_segment *seg,
		      uint32_t page, struct timeline_loss *ret)
{
	uint64_t number = seg->first_page + page;
	struct pagehold hold = {0};
	struct walked rec;
	struct pagewalk pw;
	bool found = false;

	if (!page_may_lose(seg, page))
		return false;
	page_hold(tl, st, number, &hold);
	if (hold.data && pagewalk_start(&pw, tl, st, hold.data, hold.len,
					segment_page_ts(seg, page), segment_page_end(seg, page))) {
		ret->missed = page_missed(tl, st, number, &pw.w);
		found = ret->missed && pagewalk_next(&pw, &rec, &ret->ts);
		ret->ref = event_ref_make(st->number, number << st->ref_shift);
	}
	page_drop(&hold);
	return found;
}

static void count_segment(struct timeline *tl, struct stream *st, const struct index_segment *seg,
			  struct timeline_losses *ret)
{
	struct timeline_loss one;

	for (uint32_t p = 0; p < seg->n_pages; p++) {
		if (!read_loss(tl, st, seg, p, &one))
			continue;
		ret->n_places++;
		ret->n_events += one.missed > 0 ? one.missed : 0;
		ret->is_all = ret->is_all && one.missed > 0;
	}
}

void timeline_losses(struct timeline *tl, struct timeline_losses *ret)
{
	*ret = (struct timeline_losses){.is_all = true};
	timeline_enter(tl);
	for (size_t s = 0; s < timeline_n_streams(tl); s++) {
		struct stream *st = timeline_find_stream(tl, s);

		for (size_t i = 0; i < st->n_segments; i++)
			if (segment_is_ready(st->segments[i]))
				count_segment(tl, st, st->segments[i], ret);
	}
	timeline_leave(tl);
}

/* --- the next one ----------------------------------------------------------------------------- */

static bool find_after(struct timeline *tl, struct stream *st, uint64_t t,
		       struct timeline_loss *ret)
{
	long i = stream_find_segment(st, t);

	for (i = i < 0 ? 0 : i; (size_t)i < st->n_segments; i++) {
		const struct index_segment *seg = st->segments[i];

		if (!segment_is_ready(seg))
			continue;
		for (uint32_t p = segment_find_page(seg, t); p < seg->n_pages; p++)
			if (read_loss(tl, st, seg, p, ret) && ret->ts > t)
				return true;
	}
	return false;
}

static bool find_before(struct timeline *tl, struct stream *st, uint64_t t,
			struct timeline_loss *ret)
{
	for (long i = stream_find_segment(st, t); i >= 0; i--) {
		const struct index_segment *seg = st->segments[i];

		if (!segment_is_ready(seg))
			continue;
		for (uint32_t p = seg->n_pages; p--;)
			if (segment_page_ts(seg, p) < t && read_loss(tl, st, seg, p, ret) &&
			    ret->ts < t)
				return true;
	}
	return false;
}

static bool take_missed(void *ctx, const struct walk_event *ev)
{
	*(bool *)ctx = ev->missed != 0;
	return false;
}

/* Returns true if events were lost at t, that is, if the next event is the first after a loss. */
static bool is_in_loss(struct timeline *tl, size_t stream, uint64_t t)
{
	struct walk_wants wants = {.from = t, .to = TIMELINE_TIME_MAX};
	bool missed = false, whole;

	timeline_walk(tl, stream, &wants, take_missed, &missed, &whole);
	return missed;
}

bool timeline_lost_within(struct timeline *tl, size_t stream, uint64_t from, uint64_t to)
{
	struct stream *st = timeline_find_stream(tl, stream);
	struct timeline_loss one;
	bool found = false;

	timeline_enter(tl);
	for (long i = stream_find_segment(st, from) < 0 ? 0 : stream_find_segment(st, from);
	     (size_t)i < st->n_segments && !found; i++) {
		const struct index_segment *seg = st->segments[i];

		if (segment_page_ts(seg, 0) > to)
			break;
		if (!segment_is_ready(seg))
			continue;
		for (uint32_t p = segment_find_page(seg, from);
		     p < seg->n_pages && segment_page_ts(seg, p) <= to && !found; p++)
			found = read_loss(tl, st, seg, p, &one) && one.ts > from && one.ts <= to;
	}
	timeline_leave(tl);
	return found || is_in_loss(tl, stream, to);
}

int timeline_find_loss(struct timeline *tl, uint64_t t, bool back, struct timeline_loss *ret)
{
	bool found = false;

	timeline_enter(tl);
	for (size_t s = 0; s < timeline_n_streams(tl); s++) {
		struct stream *st = timeline_find_stream(tl, s);
		struct timeline_loss one = {0};

		if (!(back ? find_before(tl, st, t, &one) : find_after(tl, st, t, &one)))
			continue;
		if (!found || (back ? one.ts > ret->ts : one.ts < ret->ts))
			*ret = one;
		found = true;
	}
	timeline_leave(tl);
	return found ? 0 : -ENOENT;
}
