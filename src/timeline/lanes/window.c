// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * window.c - builds lanes with more events than can be held at once, one part at a time.
 *
 *	trace     |------------------------------------------------------------|
 *	windows   |              |              |              |              |    2^bits ns each
 *	t                              ^
 *	gathered              [- margin -|==== window ====|- margin -]
 *
 * A lane gathers all its events, up to a ceiling. If it has more, only the window around a time is
 * built: the largest one, by powers of two, whose events stay below the ceiling. A window is a
 * normal lane with its own spec (SPEC@BITS:NUMBER), so it is cached and freed like others. A size
 * that is too large is tried only once; its slot stores the failure.
 *
 * A margin of a quarter of the window is gathered on both sides, so that spans across its edge have
 * their true ends. A span that extends further is cut there and marked (open start, open end). A
 * pass over all windows returns such a span once, in the window where it begins. It does not return
 * a span whose begin was not recorded, if it ends some windows later.
 *
 * A tile wider than a window is joined from the tiles of all its windows, each without its margins.
 * In it, a span that is open at the end of one window lasts until the next record of its row,
 * however many windows later. A span without a start begins after the record before it.
 */
#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "timeline/lanes/lane_int.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW_BITS_MIN 14 /* 16 µs: no trace has more events in it than can be gathered */
#define SPEC_BYTES	512
#define RECORDS_MAX	(1u << 20) /* limit of a tile of many windows */

void lanes_set_events_max(struct lanes *ls, size_t n)
{
	ls->events_max = n;
}

void lane_window_range(const struct lane_spec *spec, uint64_t *ret_from, uint64_t *ret_to)
{
	uint64_t size = UINT64_C(1) << spec->window_bits, start = spec->window * size;
	uint64_t margin = size / 4;

	*ret_from = 0;
	*ret_to = TIMELINE_TIME_MAX;
	if (!spec->window_bits)
		return;
	*ret_from = start > margin ? start - margin : 0;
	*ret_to = start + size + margin;
}

int lane_get_at(struct lanes *ls, const char *spec, uint64_t t, struct lane **ret,
		uint64_t *ret_from, uint64_t *ret_to, struct errmsg *err)
{
	uint64_t duration = timeline_duration(ls->tl);
	int r = lane_get(ls, spec, ret, err), bits = WINDOW_BITS_MIN;
	char window[SPEC_BYTES];

	*ret_from = 0;
	*ret_to = TIMELINE_TIME_MAX;
	if (r != -E2BIG || strlen(spec) > sizeof(window) - 40 || strchr(spec, '@'))
		return r;
	while (duration >> bits > 1)
		bits++;
	for (; r == -E2BIG && bits >= WINDOW_BITS_MIN; bits--) {
		*ret_from = t >> bits << bits;
		*ret_to = *ret_from + (UINT64_C(1) << bits) - 1;
		snprintf(window, sizeof(window), "%s@%d:%llu", spec, bits,
			 (unsigned long long)(t >> bits));
		*err = (struct errmsg){0};
		r = lane_get(ls, window, ret, err);
	}
	return r;
}

/* --- through several -------------------------------------------------------------------------- */

static int step_once(struct lane *ln, uint64_t t, unsigned row, enum lane_step step, uint64_t from,
		     uint64_t to, struct lane_span *ret)
{
	int r = lane_span_at(ln, t, row, step, ret);

	/* outside its edges a window is incomplete */
	if (!r && (step == LANE_NEXT ? ret->start > to : ret->end < from))
		r = -ENOENT;
	return r;
}

int lanes_span_at(struct lanes *ls, const char *spec, uint64_t t, unsigned row, enum lane_step step,
		  struct lane **ret_lane, struct lane_span *ret, struct errmsg *err)
{
	uint64_t end = timeline_duration(ls->tl), from, to, at = t;

	for (;;) {
		int r = lane_get_at(ls, spec, at, ret_lane, &from, &to, err);

		TRY(r);
		r = step_once(*ret_lane, t, row, step, from, to, ret);
		if (r != -ENOENT || step == LANE_AT || step == LANE_NEAREST)
			return r;
		if (step == LANE_NEXT ? to >= end : !from)
			return r;
		lane_put(*ret_lane);
		*ret_lane = NULL;
		at = step == LANE_NEXT ? to + 1 : from - 1;
	}
}

struct passing_on {
	bool (*each)(void *ctx, const struct lane_span *span);
	void *ctx;
	uint64_t from, to; /* range of the window */
	bool is_first, stopped;
};

/*
 * Visits a span in the window where it begins. Spans that begin earlier belong to the first window.
 */
static bool pass_on(void *ctx, const struct lane_span *s)
{
	struct passing_on *p = ctx;

	if ((s->start < p->from && !p->is_first) || s->start > p->to)
		return true;
	p->stopped = !p->each(p->ctx, s);
	return !p->stopped;
}

int lanes_each(struct lanes *ls, const char *spec, uint64_t from, uint64_t to,
	       bool (*each)(void *ctx, const struct lane_span *span), void *ctx,
	       uint64_t *ret_part_ns, struct errmsg *err)
{
	struct passing_on p = {.each = each, .ctx = ctx, .is_first = true};
	uint64_t end = timeline_duration(ls->tl);
	int r = 0;

	to = to < end ? to : end;
	for (uint64_t at = from; !r && !p.stopped && at <= to; at = p.to + 1, p.is_first = false) {
		struct lane *ln;

		r = lane_get_at(ls, spec, at, &ln, &p.from, &p.to, err);
		TRY(r);
		if (ret_part_ns && p.to < TIMELINE_TIME_MAX &&
		    (!*ret_part_ns || p.to - p.from + 1 < *ret_part_ns))
			*ret_part_ns = p.to - p.from + 1;
		r = lane_each(ln, at, to < p.to ? to : p.to, pass_on, &p);
		lane_put(ln);
		if (p.to >= to)
			break;
	}
	return r;
}

/* --- a tile of several ------------------------------------------------------------------------ */

struct joining {
	struct lanes_tile *out;
	size_t cap;
	/* the current window, in buckets of the tile */
	float from, to;
	/* by row: index of its last record + 1, and whether its end is in the next window */
	size_t last[LANE_ROWS_MAX];
	bool is_open[LANE_ROWS_MAX];
};

/* Returns false if the whole record is in a margin. */
static bool clip(const struct joining *j, struct tile_record *r)
{
	if (r->x0 >= j->to || (r->x1 <= j->from && r->x0 < j->from))
		return false;
	if (r->x0 < j->from) {
		r->x0 = j->from;
		if (j->out->kind != LANE_COUNTER)
			r->flags &= ~TILE_OPEN_START;
	}
	if (r->x1 > j->to) {
		r->x1 = j->to;
		if (j->out->kind != LANE_COUNTER)
			r->flags &= ~TILE_OPEN_END;
	}
	return true;
}

/* Joins a span across the edge. Returns true if the record is the rest of the last one. */
static bool join(struct joining *j, const struct tile_record *whole, const struct tile_record *r)
{
	struct tile_record *last = &j->out->tile.records[j->last[r->row] - 1];

	if (!j->is_open[r->row])
		return false;
	if (whole->x0 < j->from && last->x1 == r->x0 && last->value == r->value &&
	    r->flags & TILE_EXACT) {
		last->x1 = r->x1;
		last->flags |= r->flags & TILE_OPEN_END;
		return true;
	}
	last->x1 = r->x0;
	return false;
}

static int add_record(struct joining *j, const struct tile_record *whole)
{
	struct tile *t = &j->out->tile;
	struct tile_record r = *whole;
	bool is_span = j->out->kind == LANE_SPANS && whole->row < LANE_ROWS_MAX;
	bool is_exact = is_span && whole->flags & TILE_EXACT;

	if (!clip(j, &r))
		return 0;
	/*
	 * the span began before its window, at an unknown time: the row has been empty since then
	 */
	if (is_exact && whole->x0 < j->from && whole->flags & TILE_OPEN_START &&
	    !j->is_open[r.row]) {
		r.x0 = j->last[r.row] ? t->records[j->last[r.row] - 1].x1 : 0;
		r.flags |= r.x0 > 0 ? TILE_OPEN_START : 0;
	}
	if (!is_span || !join(j, whole, &r)) {
		if (!ARRAY_ROOM(t->records, j->cap, t->n + 1, RECORDS_MAX))
			return -ENOMEM;
		t->records[t->n++] = r;
		if (is_span)
			j->last[r.row] = t->n;
	}
	if (is_span)
		j->is_open[r.row] = is_exact && whole->x1 > j->to;
	return 0;
}

static int add_window(struct joining *j, struct lane *ln, int level, uint64_t number)
{
	struct lanes_tile *out = j->out;
	struct tile part;
	double low, high;
	int r = lane_tile(ln, level, number, &part);

	TRY(r);
	out->kind = lane_kind(ln);
	out->n_rows = lane_n_rows(ln) > out->n_rows ? lane_n_rows(ln) : out->n_rows;
	out->tile.is_whole &= part.is_whole;
	out->tile.known = fmax(out->tile.known, part.known);
	if (out->kind == LANE_COUNTER) {
		lane_range(ln, &low, &high);
		out->low = fmin(out->low, low);
		out->high = fmax(out->high, high);
	}
	for (size_t i = 0; i < part.n && !r; i++)
		r = add_record(j, &part.records[i]);
	free(part.records);
	return r;
}

ARRAY_ORDER(compare_places, struct tile_record, COMPARE(x->row, y->row) ?: COMPARE(x->x0, y->x0))

/* Extends spans that are still open to the end of the tile. Records are in the order of rows. */
static void finish_tile(struct joining *j, float end)
{
	struct tile *t = &j->out->tile;

	if (j->out->kind != LANE_SPANS)
		return;
	for (unsigned i = 0; i < LANE_ROWS_MAX; i++)
		if (j->is_open[i])
			t->records[j->last[i] - 1].x1 = end;
	if (t->n)
		qsort(t->records, t->n, sizeof(*t->records), compare_places);
}

int lanes_tile(struct lanes *ls, const char *spec, int level, uint64_t number,
	       struct lanes_tile *ret, struct errmsg *err)
{
	uint64_t start = number << (level + TILE_BITS), duration = timeline_duration(ls->tl);
	uint64_t end = start + ((uint64_t)TILE_BUCKETS << level) - 1, from, to = 0;
	struct lanes_tile out = {.tile = {.is_whole = true}, .low = INFINITY, .high = -INFINITY};
	struct joining j = {.out = &out};
	int r = 0;

	end = end < duration ? end : duration;
	for (uint64_t at = start; !r && at <= end; at = to + 1) {
		struct lane *ln;

		r = lane_get_at(ls, spec, at, &ln, &from, &to, err);
		if (r < 0)
			break;
		to = to < end ? to : end;
		/* the share of a bucket cannot be divided */
		if (to - at < UINT64_C(1) << level && to < end)
			r = lane_refuse_many(err);
		j.from = (float)ldexp((double)(at - start), -level);
		j.to = to < end ? (float)ldexp((double)(to + 1 - start), -level) : TILE_BUCKETS;
		if (!r)
			r = add_window(&j, ln, level, number);
		lane_put(ln);
	}
	if (r < 0) {
		free(out.tile.records);
		return r;
	}
	finish_tile(&j, (float)ldexp((double)(end + 1 - start), -level));
	*ret = out;
	return 0;
}

int lanes_count_rows(struct lanes *ls, const char *spec, uint64_t from, uint64_t to, unsigned *ret,
		     struct errmsg *err)
{
	uint64_t duration = timeline_duration(ls->tl), start, end;
	unsigned n = 0;

	to = to < duration ? to : duration;
	for (uint64_t at = from; at <= to; at = end + 1) {
		struct lane *ln;
		int r = lane_get_at(ls, spec, at, &ln, &start, &end, err);

		TRY(r);
		n = lane_n_rows(ln) > n ? lane_n_rows(ln) : n;
		lane_put(ln);
		if (end >= to)
			break;
	}
	*ret = n;
	return 0;
}
