// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * finding.c - a span that is asked for by time must be one of the lane's listing.
 *
 * The listing of the whole lane (lane_each() from 0 to the end) is the reference. From it alone, by going through all
 * spans of a row, follows what lane_span_at() must say at every time: at, nearest, next and previous. Tried are all
 * times at which something begins or ends, the nanosecond before and after, and the middle. Parts of the listing must
 * hold the same spans as the whole, with their true ends, and so must the exact records of the finest tiles.
 */
#include "finding.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POINTS_MAX 700 /* times of one row; of more, every so many */
#define PARTS	   24

struct listing {
	struct lane_span *spans;
	size_t n, cap;
	unsigned row, n_rows; /* row: only this one is taken; ROW_ALL: all */
	bool is_counter, failed;
};
#define ROW_ALL ~0u

static bool keep(void *ctx, const struct lane_span *s)
{
	struct listing *l = ctx;

	l->n_rows = s->row + 1u > l->n_rows ? s->row + 1u : l->n_rows;
	if (l->row != ROW_ALL && s->row != l->row)
		return true;
	if (l->n == l->cap) {
		size_t cap = l->cap ? l->cap * 2 : 256;
		struct lane_span *more = realloc(l->spans, cap * sizeof(*more));

		l->failed = !more;
		if (!more)
			return false;
		l->spans = more;
		l->cap = cap;
	}
	l->spans[l->n++] = *s;
	return true;
}

/* --- what the listing says -------------------------------------------------------------------------------- */

static bool is_here(const struct lane_span *s, uint64_t t)
{
	return s->start == t || (s->start < t && s->end > t);
}

/* How many spans of the row begin before t, or at t. */
static size_t count_until(const struct listing *l, uint64_t t, bool with_t)
{
	size_t low = 0, high = l->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (l->spans[mid].start < t || (with_t && l->spans[mid].start == t))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Spans of a row do not overlap (the tests rows-… show that), so only the last one that has begun can be here. */
static const struct lane_span *find_here(const struct listing *l, uint64_t t)
{
	size_t n = count_until(l, t, true);

	/* a counter's last value is still there in the end */
	if (n && (is_here(&l->spans[n - 1], t) || (l->is_counter && n == l->n)))
		return &l->spans[n - 1];
	return NULL;
}

static const struct lane_span *find_after(const struct listing *l, uint64_t t)
{
	size_t n = count_until(l, t, true);

	return n < l->n ? &l->spans[n] : NULL;
}

static const struct lane_span *find_before(const struct listing *l, uint64_t t)
{
	size_t n = count_until(l, t, false);

	return n ? &l->spans[n - 1] : NULL;
}

static const struct lane_span *find_nearest(const struct listing *l, uint64_t t)
{
	const struct lane_span *here = find_here(l, t), *before = find_before(l, t);
	const struct lane_span *after = find_after(l, t);

	if (l->is_counter && here && after) /* the nearest change */
		return here->start == t || t - here->start <= after->start - t ? here : after;
	if (here || !before || !after)
		return here ? here : before ? before : after;
	return after->start - t < t - before->end ? after : before;
}

static const struct lane_span *find_by_listing(const struct listing *l, uint64_t t,
					       enum lane_step step)
{
	switch (step) {
	case LANE_AT:
		return find_here(l, t);
	case LANE_NEAREST:
		return find_nearest(l, t);
	case LANE_NEXT:
		return find_after(l, t);
	default:
		return find_before(l, t);
	}
}

/* --- comparing -------------------------------------------------------------------------------------------- */

struct finding {
	struct lane *ln;
	const char *spec;
	uint64_t end;
	unsigned n_wrong;
};

static bool is_same(const struct finding *f, const struct lane_span *a, const struct lane_span *b)
{
	if (a->start != b->start || a->end != b->end)
		return false;
	/* of several events at one time any will do */
	if (lane_kind(f->ln) == LANE_TICKS)
		return true;
	return a->value == b->value && a->row == b->row && a->flags == b->flags &&
	       a->aux == b->aux && a->waker == b->waker && a->number == b->number;
}

static void print_one(const struct lane_span *s)
{
	if (s)
		printf("%llu-%llu value %u flags %u", (unsigned long long)s->start,
		       (unsigned long long)s->end, s->value, s->flags);
	else
		printf("nothing");
}

static void complain(struct finding *f, unsigned row, const char *what, uint64_t t,
		     const struct lane_span *got, const struct lane_span *want)
{
	if (f->n_wrong++)
		return;
	printf("%s row %u %s %llu: ", f->spec, row, what, (unsigned long long)t);
	print_one(got);
	printf(", the listing has ");
	print_one(want);
	putchar('\n');
}

static void try_time(struct finding *f, const struct listing *l, uint64_t t)
{
	static const char *const names[] = {"at", "nearest", "next", "previous"};

	for (enum lane_step step = LANE_AT; step <= LANE_PREVIOUS; step++) {
		const struct lane_span *want = find_by_listing(l, t, step);
		struct lane_span got;
		bool has = lane_span_at(f->ln, t, l->row, step, &got) >= 0;

		if (has != !!want || (has && !is_same(f, &got, want)))
			complain(f, l->row, names[step], t, has ? &got : NULL, want);
	}
}

static void try_row(struct finding *f, const struct listing *l)
{
	size_t each = l->n * 7 / POINTS_MAX + 1;

	try_time(f, l, 0);
	try_time(f, l, f->end);
	for (size_t i = 0; i < l->n; i += each) {
		const struct lane_span *s = &l->spans[i];
		uint64_t points[] = {
			s->start - 1, s->start, s->start + 1, s->start + (s->end - s->start) / 2,
			s->end - 1,   s->end,	s->end + 1};

		for (size_t p = 0; p < sizeof(points) / sizeof(points[0]); p++)
			if (points[p] <= f->end)
				try_time(f, l, points[p]);
	}
}

/* --- parts and tiles -------------------------------------------------------------------------------------- */

static bool has_same(const struct finding *f, const struct listing *l, const struct lane_span *s)
{
	for (size_t i = count_until(l, s->start, false); i < l->n && l->spans[i].start == s->start;
	     i++)
		if (is_same(f, &l->spans[i], s))
			return true;
	return false;
}

static void try_part(struct finding *f, const struct listing *all, uint64_t from, uint64_t to)
{
	struct listing part = {.row = ROW_ALL};

	lane_each(f->ln, from, to, keep, &part);
	for (size_t i = 0; i < part.n; i++)
		if (!has_same(f, all, &part.spans[i]))
			complain(f, part.spans[i].row, "part from", from, &part.spans[i], NULL);
	for (size_t i = 0; i < all->n; i++)
		if (all->spans[i].start < to && all->spans[i].end > from &&
		    all->spans[i].start < all->spans[i].end && !has_same(f, &part, &all->spans[i]))
			complain(f, all->spans[i].row, "part from", from, NULL, &all->spans[i]);
	free(part.spans);
}

static bool begins_or_ends(const struct listing *l, unsigned row, uint64_t t, bool begins)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->spans[i].row == row && (begins ? l->spans[i].start : l->spans[i].end) == t)
			return true;
	return false;
}

/* Records are cut at the edges of their tile. Places of a tile are exact floats at these levels. */
static void try_tile(struct finding *f, const struct listing *all, uint64_t number)
{
	const int level = 12;
	uint64_t base = number << (level + TILE_BITS);
	struct tile tile;

	if (lane_tile(f->ln, level, number, &tile) < 0)
		return;
	for (size_t i = 0; i < tile.n; i++) {
		const struct tile_record *r = &tile.records[i];
		uint64_t start = base + (uint64_t)((double)r->x0 * (1 << level) + .5);
		uint64_t end = base + (uint64_t)((double)r->x1 * (1 << level) + .5);
		struct lane_span got = {.start = start, .end = end, .value = r->value};

		if (!(r->flags & TILE_EXACT))
			continue;
		if ((r->x0 > 0 && !begins_or_ends(all, r->row, start, true)) ||
		    (r->x1 < TILE_BUCKETS && !begins_or_ends(all, r->row, end, false)))
			complain(f, r->row, "tile", number, &got, NULL);
	}
	free(tile.records);
}

static void try_whole(struct finding *f, const struct listing *all)
{
	enum lane_kind kind = lane_kind(f->ln);

	if (kind == LANE_TICKS || kind == LANE_COUNTER)
		return;
	for (uint64_t i = 0; i < PARTS; i++) {
		uint64_t from = f->end / PARTS * i, to = f->end / PARTS * (i + 1);

		try_part(f, all, from, to);
		try_tile(f, all, from >> (12 + TILE_BITS));
	}
}

long finding_try(struct lane *ln, const char *spec, uint64_t end)
{
	struct finding f = {.ln = ln, .spec = spec, .end = end};
	struct listing all = {.row = ROW_ALL};
	bool is_counter = lane_kind(ln) == LANE_COUNTER;
	long n;

	if (lane_each(ln, 0, TIMELINE_TIME_MAX, keep, &all) < 0 || all.failed)
		return -1;
	for (unsigned row = 0; row < all.n_rows; row++) {
		struct listing one = {.row = row, .is_counter = is_counter};

		for (size_t i = 0; i < all.n; i++)
			keep(&one, &all.spans[i]);
		try_row(&f, &one);
		free(one.spans);
	}
	try_whole(&f, &all);
	n = all.n;
	free(all.spans);
	return n;
}
