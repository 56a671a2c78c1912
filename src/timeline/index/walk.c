// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * walk.c - reads events from the file: all of a range, or a single one.
 *
 * A page has bits for its kinds, and the columns are exact, so a page without wanted events is
 * skipped without file access. A walk returns at most the events that the index counted in a page:
 * if the file has changed since, it ends early and never returns more.
 *
 * The first event of a page reports `missed`; empty pages before it may report missed events, too.
 */
#include "decode/walker.h"
#include "timeline/timeline_int.h"

#include <errno.h>

#define EMPTY_PAGES_MAX 16

static uint32_t page_count(const struct index_segment *seg, uint32_t page)
{
	return seg->page_first[page + 1] - seg->page_first[page];
}

int64_t page_missed(struct timeline *tl, struct stream *st, uint64_t page, const struct walker *w)
{
	int64_t missed = w->missed;

	for (unsigned i = 0; i < EMPTY_PAGES_MAX && !missed && page--; i++) {
		const struct index_segment *seg = stream_page_segment(st, page);
		struct pagehold hold = {0};
		struct walker before = {0};

		if (!seg || !segment_is_ready(seg) || page_count(seg, page - seg->first_page))
			break;
		page_hold(tl, st, page, &hold);
		if (hold.data && walker_start(&before, hold.data, hold.len, &st->layout))
			missed = before.missed;
		page_drop(&hold);
	}
	return missed;
}

int64_t segment_missed(struct timeline *tl, struct stream *st, const struct index_segment *seg,
		       uint32_t page, const uint8_t *data, size_t len)
{
	struct walker w = {0};

	/* empty pages before the segment's first event may report a loss, too */
	if (!(seg->page_bits[page] & PAGE_LOST) && seg->page_first[page])
		return 0;
	if (!data || !walker_start(&w, data, len, &st->layout))
		return 0;
	return page_missed(tl, st, seg->first_page + page, &w);
}

uint64_t page_bits_of_kinds(const uint8_t *kinds, size_t n_kinds)
{
	uint64_t bits = 0;

	if (!kinds)
		return PAGE_KINDS_ALL;
	for (size_t i = 0; i < n_kinds; i++)
		if (!kinds[i / 8])
			i |= 7;
		else if (kinds[i / 8] >> i % 8 & 1)
			bits |= page_bit_of_kind(i);
	return bits;
}

/* --- many ------------------------------------------------------------------------------------- */

struct walk {
	struct timeline *tl;
	struct stream *st;
	const struct walk_wants *wants;
	bool (*each)(void *ctx, const struct walk_event *ev);
	void *ctx;
	uint64_t bits; /* bits of the wanted kinds */
	struct pagehold hold;
};

static inline bool has_bit(const uint8_t *bits, size_t n, uint16_t i)
{
	return !bits || (i < n && bits[i / 8] >> i % 8 & 1);
}

static inline bool is_wanted(const struct walk_wants *w, uint16_t kind, uint16_t task)
{
	return has_bit(w->kinds, w->n_kinds, kind) && has_bit(w->tasks, w->n_tasks, task);
}

static bool page_has_wanted(const struct walk_wants *w, const struct index_segment *seg,
			    uint32_t page)
{
	uint32_t i = seg->page_first[page], end = seg->page_first[page + 1];

	if (!w->kinds && !w->tasks)
		return i < end;
	for (; i < end; i++)
		if (is_wanted(w, seg->kinds[i], seg->tasks[i]))
			return true;
	return false;
}

/* Returns false to stop. */
static bool walk_page(struct walk *wk, const struct index_segment *seg, uint32_t page)
{
	const struct walk_wants *w = wk->wants;
	uint64_t number = seg->first_page + page;
	uint32_t n = page_count(seg, page), first = seg->page_first[page];
	struct walk_event ev;
	struct walked rec;
	struct pagewalk pw;

	if (!(seg->page_bits[page] & wk->bits) || !page_has_wanted(w, seg, page))
		return true;
	page_hold(wk->tl, wk->st, number, &wk->hold);
	if (!wk->hold.data ||
	    !pagewalk_start(&pw, wk->tl, wk->st, wk->hold.data, wk->hold.len,
			    segment_page_ts(seg, page), segment_page_end(seg, page)))
		return true;
	for (uint32_t i = 0; i < n && pagewalk_next(&pw, &rec, &ev.ts); i++) {
		ev.kind = seg->kinds[first + i];
		ev.task = seg->tasks[first + i];
		if (ev.ts < w->from || !is_wanted(w, ev.kind, ev.task))
			continue;
		if (ev.ts > w->to)
			return false;
		ev.ref = event_ref_make(wk->st->number, number << wk->st->ref_shift | i);
		ev.missed =
			i ? 0
			  : segment_missed(wk->tl, wk->st, seg, page, wk->hold.data, wk->hold.len);
		ev.data = rec.data;
		ev.size = rec.size;
		if (!wk->each(wk->ctx, &ev))
			return false;
	}
	return true;
}

static bool walk_segment(struct walk *wk, const struct index_segment *seg)
{
	for (uint32_t p = segment_find_page(seg, wk->wants->from); p < seg->n_pages; p++) {
		if (segment_page_ts(seg, p) > wk->wants->to)
			return false;
		if (!walk_page(wk, seg, p))
			return false;
	}
	return true;
}

int timeline_walk(struct timeline *tl, size_t stream, const struct walk_wants *wants,
		  bool (*each)(void *ctx, const struct walk_event *ev), void *ctx, bool *ret_whole)
{
	struct walk wk = {.tl = tl, .wants = wants, .each = each, .ctx = ctx};
	bool whole = true;
	long i;

	wk.bits = page_bits_of_kinds(wants->kinds, wants->n_kinds);
	timeline_enter(tl);
	wk.st = timeline_find_stream(tl, stream);
	i = wk.st ? stream_find_segment(wk.st, wants->from) : -1;
	for (; i >= 0 && (size_t)i < wk.st->n_segments; i++) {
		const struct index_segment *seg = wk.st->segments[i];

		if (segment_page_ts(seg, 0) > wants->to)
			break;
		if (!segment_is_ready(seg))
			whole = false;
		else if (!walk_segment(&wk, seg))
			break;
	}
	page_drop(&wk.hold);
	timeline_leave(tl);
	if (ret_whole)
		*ret_whole = whole;
	return 0;
}

/* --- one -------------------------------------------------------------------------------------- */

static int get_in_page(struct timeline *tl, struct stream *st, const struct index_segment *seg,
		       uint64_t page, uint32_t index, struct walk_one *ret)
{
	uint32_t p = page - seg->first_page;
	struct pagehold hold = {0};
	struct walk_event *ev = &ret->ev;
	struct walked rec;
	struct pagewalk pw;
	uint32_t i = 0;

	if (index >= page_count(seg, p))
		return -ENOENT;
	page_hold(tl, st, page, &hold);
	if (hold.data && pagewalk_start(&pw, tl, st, hold.data, hold.len, segment_page_ts(seg, p),
					segment_page_end(seg, p)))
		while (pagewalk_next(&pw, &rec, &ev->ts)) {
			if (i++ < index)
				continue;
			ev->kind = seg->kinds[seg->page_first[p] + index];
			ev->task = seg->tasks[seg->page_first[p] + index];
			ev->missed = index ? 0 : page_missed(tl, st, page, &pw.w);
			ev->data = rec.data;
			ev->size = rec.size;
			ret->hold = hold.chunk;
			return 0;
		}
	page_drop(&hold);
	return -ENOENT;
}

int timeline_get(struct timeline *tl, event_ref ref, struct walk_one *ret)
{
	struct stream *st;
	const struct index_segment *seg = NULL;
	uint64_t n = event_ref_number(ref);
	int r = -ENOENT;

	timeline_enter(tl);
	st = timeline_find_stream(tl, event_ref_stream(ref));
	if (st)
		seg = stream_page_segment(st, n >> st->ref_shift);
	if (seg && segment_is_ready(seg))
		r = get_in_page(tl, st, seg, n >> st->ref_shift,
				n & ((UINT64_C(1) << st->ref_shift) - 1), ret);
	timeline_leave(tl);
	if (!r)
		ret->ev.ref = ref;
	return r;
}

void walk_release(struct walk_one *one)
{
	chunk_release(one->hold);
	one->hold = NULL;
}

/*
 * Finds the nearest page with events, from `page` on in direction `by`. Returns false if there is
 * none.
 */
static bool find_filled(const struct stream *st, uint64_t *page, int by, uint32_t *ret_count)
{
	for (; *page < st->pub.n_pages; *page += by) {
		const struct index_segment *seg = stream_page_segment(st, *page);

		if (!seg || !segment_is_ready(seg))
			return false;
		*ret_count = page_count(seg, *page - seg->first_page);
		if (*ret_count)
			return true;
	}
	return false;
}

static int step(const struct stream *st, uint64_t n, int by, uint64_t *ret)
{
	uint64_t page = n >> st->ref_shift;
	uint32_t index = n & ((UINT64_C(1) << st->ref_shift) - 1), count;
	const struct index_segment *seg = stream_page_segment(st, page);

	if (!seg || !segment_is_ready(seg))
		return -ENOENT;
	count = page_count(seg, page - seg->first_page);
	if (by < 0 ? index > 0 && index <= count : index + 1 < count) {
		*ret = n + by;
		return 0;
	}
	page += by;
	if (!find_filled(st, &page, by, &count))
		return -ENOENT;
	*ret = page << st->ref_shift | (by < 0 ? count - 1 : 0);
	return 0;
}

int timeline_step(struct timeline *tl, event_ref ref, int by, event_ref *ret)
{
	const struct stream *st;
	uint64_t n;
	int r = -ENOENT;

	timeline_enter(tl);
	st = timeline_find_stream(tl, event_ref_stream(ref));
	if (st)
		r = step(st, event_ref_number(ref), by < 0 ? -1 : 1, &n);
	timeline_leave(tl);
	if (!r)
		*ret = event_ref_make(event_ref_stream(ref), n);
	return r;
}
