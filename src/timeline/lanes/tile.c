// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * tile.c - draws a lane at a zoom level: 1024 buckets, as records of 16 bytes.
 *
 *	bucket     0         1         2         3         4
 *	spans      |-- - - ──|─────────|───-  - -|   -     |
 *	records    [bucket  ][exact           ]  [bucket  ]
 *	                                       [bu]
 *
 * A span that is at least as long as a bucket has its own record, with its true edges. Shorter
 * spans are summed up for the bucket; the record of a bucket ends where an exact one begins. So the
 * records of a row never overlap, and the total area, (x1 - x0) × weight, is the used time.
 *
 * Spans come from the row itself if the range has few of them, otherwise from the pyramid (rows.c),
 * whose buckets contain the sums; full neighbours with the same value become one record. So a tile
 * costs at most about ten thousand spans or 1024 buckets for each row, for any range.
 */
#include "decode/taskstate.h"
#include "timeline/lanes/lane_int.h"

#include "base/array.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define SCAN_MAX    8192 /* up to this many spans of a row are scanned instead of the pyramid */
#define RECORDS_MAX (256u << 10)
#define WEIGHT_FULL 65535

struct drawing {
	struct lane *ln;
	int level;
	uint64_t from, to; /* range of the tile */
	struct tile_record *records;
	size_t n, cap;
	bool failed;
	size_t n_left; /* spans that may still be scanned; 0: too many */

	/* the current row and bucket */
	unsigned row;
	uint64_t bucket_start, bucket_end; /* start == end: there is no current bucket */
	struct shares shares;
};

static float x_of(const struct drawing *d, uint64_t t)
{
	return (float)ldexp((double)(t - d->from), -d->level);
}

static struct tile_record *add_record(struct drawing *d)
{
	if (!ARRAY_ROOM(d->records, d->cap, d->n + 1, RECORDS_MAX)) {
		d->failed = true;
		return NULL;
	}
	return &d->records[d->n++];
}

static uint16_t weight_of(uint64_t busy, uint64_t length)
{
	uint64_t w = length ? (uint64_t)((double)busy / length * WEIGHT_FULL + 0.5) : 0;

	return w > WEIGHT_FULL ? WEIGHT_FULL : w ? w : 1;
}

/* Appends a record, or extends the last one if both are full and equal. */
static void put(struct drawing *d, float x0, float x1, uint32_t value, uint16_t weight,
		uint8_t flags)
{
	struct tile_record *last = d->n ? &d->records[d->n - 1] : NULL;
	struct tile_record *rec;

	if (last && !((flags | last->flags) & TILE_EXACT) && weight == WEIGHT_FULL &&
	    last->weight == WEIGHT_FULL && last->value == value && last->flags == flags &&
	    last->row == d->row && last->x1 == x0) {
		last->x1 = x1;
		return;
	}
	rec = add_record(d);
	if (rec)
		*rec = (struct tile_record){x0, x1, value, weight, d->row, flags};
}

/* --- from spans ------------------------------------------------------------------------------- */

static void flush_states(struct drawing *d, float x0, float x1, uint64_t length)
{
	struct shares *s = &d->shares;

	while (s->n) {
		unsigned best = shares_largest(s);

		put(d, x0, x1, s->values[best], weight_of(s->ns[best], length), s->flags);
		s->n--;
		s->values[best] = s->values[s->n];
		s->ns[best] = s->ns[s->n];
	}
}

/* Ends the bucket at `end`, where an exact span begins, or where buckets end. */
static void flush_bucket(struct drawing *d, uint64_t end)
{
	struct shares *s = &d->shares;
	uint64_t length = end - d->bucket_start;

	if (s->any && d->ln->kind == LANE_STATES)
		flush_states(d, x_of(d, d->bucket_start), x_of(d, end), length);
	else if (s->any)
		put(d, x_of(d, d->bucket_start), x_of(d, end), s->values[shares_largest(s)],
		    weight_of(s->busy, length), s->flags);
	*s = (struct shares){0};
	d->bucket_start = d->bucket_end = 0;
}

/* Makes the bucket of t the current one. It begins at t_min at the earliest. */
static void enter_bucket(struct drawing *d, uint64_t t, uint64_t t_min)
{
	uint64_t start = t >> d->level << d->level;

	if (d->bucket_end > t)
		return;
	if (d->bucket_end)
		flush_bucket(d, d->bucket_end);
	d->bucket_start = start > t_min ? start : t_min;
	d->bucket_end = start + (UINT64_C(1) << d->level);
}

struct scan {
	struct drawing *d;
	uint64_t last_exact; /* end of the last exact span */
};

static uint8_t visible_flags(const struct drawing *d, const struct drawn_span *s)
{
	uint8_t flags = s->flags;

	/* an edge outside the tile belongs to the neighbour tile */
	if (s->start < d->from)
		flags &= ~TILE_OPEN_START;
	if (s->end > d->to)
		flags &= ~TILE_OPEN_END;
	return flags;
}

static bool scan_span(void *ctx, const struct drawn_span *s)
{
	struct scan *sc = ctx;
	struct drawing *d = sc->d;
	uint64_t start = s->start > d->from ? s->start : d->from;
	uint64_t end = s->end < d->to ? s->end : d->to;
	uint8_t flags = visible_flags(d, s);

	if (!--d->n_left)
		return false;
	if (end < start)
		return true;
	if ((s->end - s->start) >> d->level) {
		if (d->bucket_end) {
			uint64_t stop = d->bucket_end < start ? d->bucket_end : start;

			flush_bucket(d, stop);
		}
		if (end > start)
			put(d, x_of(d, start), x_of(d, end), s->value,
			    flags & TILE_UNKNOWN ? 1 : WEIGHT_FULL, flags | TILE_EXACT);
		sc->last_exact = end;
		return !d->failed;
	}
	do {
		uint64_t stop;

		enter_bucket(d, start, sc->last_exact);
		stop = d->bucket_end < end ? d->bucket_end : end;
		shares_add(&d->shares, s->value, stop - start, flags);
		start = stop;
	} while (start < end);
	return !d->failed;
}

/* Draws a row from its spans. Returns false if there are more than max. */
static bool draw_scan(struct drawing *d, size_t max)
{
	struct scan sc = {d, 0};
	size_t n = d->n;

	d->n_left = max;
	lane_each_span(d->ln, d->row, d->from, d->to, scan_span, &sc);
	if (d->bucket_end)
		flush_bucket(d, d->bucket_end);
	if (!d->n_left)
		d->n = n;
	return d->n_left;
}

/* --- from the pyramid ------------------------------------------------------------------------- */

static void put_states(struct drawing *d, size_t x, const struct state_bucket *b)
{
	struct state_bucket rest = *b;

	for (;;) {
		unsigned best = 0;

		for (unsigned i = 1; i < STATES_N; i++)
			if (rest.share[i] > rest.share[best])
				best = i;
		if (!rest.share[best])
			return;
		/*
		 * a sum cannot distinguish them: if any data was lost, all unknown time counts as
		 * lost
		 */
		put(d, x, x + 1, best, rest.share[best],
		    best == STATE_UNKNOWN && d->ln->has_lost ? TILE_MISSED : 0);
		rest.share[best] = 0;
	}
}

static void draw_pyramid(struct drawing *d, const struct pyramid *p)
{
	int up = d->level - p->base_level, l = up < p->n_levels ? up : p->n_levels - 1;
	/* above the top, the whole trace is a part of one bucket */
	unsigned more = up - l;
	uint64_t first = d->from >> (p->base_level + l);
	uint64_t length = UINT64_C(1) << d->level;

	for (size_t x = 0; x < TILE_BUCKETS && !d->failed; x++) {
		uint64_t i = first + x;

		if (i >= p->n[l])
			return;
		if (d->ln->kind == LANE_STATES) {
			struct state_bucket b = ((struct state_bucket *)p->buckets)[p->at[l] + i];

			for (unsigned s = 0; s < STATES_N; s++)
				b.share[s] >>= more;
			put_states(d, x, &b);
		} else {
			const struct span_bucket *b =
				(struct span_bucket *)p->buckets + p->at[l] + i;

			if (b->any)
				put(d, x, x + 1, b->value, weight_of(b->busy, length), b->flags);
		}
	}
}

static void draw_spans(struct drawing *d)
{
	unsigned n_rows = lane_n_rows(d->ln);

	for (d->row = 0; d->row < n_rows && !d->failed; d->row++) {
		const struct pyramid *p =
			d->row < d->ln->n_rows ? &d->ln->rows[d->row].pyramid : NULL;

		if (!p || !p->n_levels || d->level < p->base_level)
			draw_scan(d, SIZE_MAX);
		else if (lane_count_spans(d->ln, d->row, d->from, d->to) > SCAN_MAX ||
			 !draw_scan(d, SCAN_MAX))
			draw_pyramid(d, p);
	}
}

/* --- ticks ------------------------------------------------------------------------------------ */

struct tick_counts {
	struct drawing *d;
	uint32_t n[TILE_BUCKETS];
	uint8_t flags[TILE_BUCKETS];
	uint64_t at[TILE_BUCKETS];
};

static bool count_tick(void *ctx, const struct tick *t)
{
	struct tick_counts *c = ctx;
	size_t i;

	if (t->ts < c->d->from || t->ts >= c->d->to)
		return true;
	i = (t->ts - c->d->from) >> c->d->level;
	c->n[i]++;
	c->at[i] = t->ts;
	if (t->missed)
		c->flags[i] |= TILE_MISSED;
	return true;
}

static void scan_ticks(struct drawing *d, uint8_t extra)
{
	struct tick_counts *c = calloc(1, sizeof(*c));

	if (!c) {
		d->failed = true;
		return;
	}
	c->d = d;
	if (lane_each_tick(d->ln, d->from, d->to - 1, count_tick, c) < 0)
		d->failed = true;
	for (size_t i = 0; i < TILE_BUCKETS; i++) {
		struct tile_record *r = c->n[i] ? add_record(d) : NULL;
		float x = c->n[i] == 1 ? x_of(d, c->at[i]) : i;

		if (r)
			*r = (struct tile_record){x, c->n[i] == 1 ? x : x + 1, c->n[i], WEIGHT_FULL,
						  0, c->flags[i] | extra};
		if (r && c->n[i] == 1)
			r->flags |= TILE_EXACT;
	}
	free(c);
}

static void draw_ticks(struct drawing *d)
{
	const struct pyramid *p = &d->ln->ticks;
	uint8_t extra = d->ln->spec.type == LANE_OF_FOUND ? TILE_FOUND : 0;
	int l = d->level - p->base_level;
	uint64_t first;

	if (!p->n_levels || l < 0) {
		scan_ticks(d, extra);
		return;
	}
	l = l < p->n_levels ? l : p->n_levels - 1;
	first = d->from >> (p->base_level + l);
	for (size_t x = 0; x < TILE_BUCKETS && first + x < p->n[l]; x++) {
		const struct tick_bucket *b =
			(struct tick_bucket *)p->buckets + p->at[l] + first + x;
		struct tile_record *r = b->n ? add_record(d) : NULL;

		if (r)
			*r = (struct tile_record){x, x + 1, b->n, WEIGHT_FULL, 0, b->flags | extra};
	}
}

/* --- counters --------------------------------------------------------------------------------- */

static void put_counter(struct drawing *d, float x0, float x1, float min, float max)
{
	struct tile_record *r = x1 > x0 ? add_record(d) : NULL;

	if (r)
		memcpy(r, &(struct counter_record){x0, x1, min, max}, sizeof(*r));
}

/* Returns where the counter's last value ends: at the end of the trace. */
static float last_x(const struct drawing *d)
{
	uint64_t end = timeline_duration(d->ln->owner->tl);

	return end < d->from ? 0 : end < d->to ? x_of(d, end) : TILE_BUCKETS;
}

static void scan_counter(struct drawing *d, size_t from, size_t to)
{
	const struct sample *s = d->ln->samples;
	float x = 0, min = 0, max = 0, last = 0, end = last_x(d);
	bool has = from > 0;

	if (has)
		min = max = last = s[from - 1].number;
	for (size_t i = from; i < to;) {
		float at = x_of(d, s[i].ts), bucket = floorf(at) + 1;
		size_t n = 0;

		if (has)
			put_counter(d, x, at, last, last);
		min = max = s[i].number;
		/* several samples in one bucket are one record */
		for (; i < to && x_of(d, s[i].ts) < bucket; i++, n++) {
			last = s[i].number;
			min = fminf(min, last);
			max = fmaxf(max, last);
		}
		has = true;
		x = at;
		if (n > 1) {
			put_counter(d, at, bucket, min, max);
			x = bucket;
		}
	}
	if (has)
		put_counter(d, x, end, last, last);
}

static void draw_counter_pyramid(struct drawing *d, size_t before)
{
	const struct pyramid *p = &d->ln->counters;
	int l = d->level - p->base_level;
	float last = 0, x_last = 0, end = last_x(d);
	bool has = before > 0;
	uint64_t first;

	l = l < p->n_levels ? l : p->n_levels - 1;
	first = d->from >> (p->base_level + l);
	if (has)
		last = d->ln->samples[before - 1].number;
	for (size_t x = 0; x < TILE_BUCKETS && first + x < p->n[l]; x++) {
		const struct counter_bucket *b =
			(struct counter_bucket *)p->buckets + p->at[l] + first + x;

		if (!b->n)
			continue;
		if (has)
			put_counter(d, x_last, x, last, last);
		put_counter(d, x, x + 1, b->min, b->max);
		last = b->last;
		x_last = x + 1;
		has = true;
	}
	if (has)
		put_counter(d, x_last, end, last, last);
}

static void draw_counter(struct drawing *d)
{
	size_t from = lane_search_sample(d->ln, d->from), to = lane_search_sample(d->ln, d->to);
	const struct pyramid *p = &d->ln->counters;

	if (p->n_levels && d->level >= p->base_level && to - from > SCAN_MAX)
		draw_counter_pyramid(d, from);
	else
		scan_counter(d, from, to);
}

static double known_buckets(const struct lane *ln, const struct drawing *d)
{
	if (ln->end >= d->to)
		return 1u << TILE_BITS;
	return ln->end > d->from ? (double)(ln->end - d->from) / (double)(1ull << d->level) : 0;
}

int lane_tile(struct lane *ln, int level, uint64_t number, struct tile *ret)
{
	struct drawing d = {.ln = ln, .level = level};

	if (level < 0 || level > 48 || number >> (48 - (level < 38 ? level + TILE_BITS : 48)))
		return -EINVAL;
	d.from = number << (level + TILE_BITS);
	d.to = (number + 1) << (level + TILE_BITS);
	if (d.from <= timeline_duration(ln->owner->tl)) {
		if (ln->kind == LANE_TICKS)
			draw_ticks(&d);
		else if (ln->kind == LANE_COUNTER)
			draw_counter(&d);
		else
			draw_spans(&d);
	}
	if (d.failed) {
		free(d.records);
		return -ENOMEM;
	}
	*ret = (struct tile){d.records, d.n, ln->is_whole, known_buckets(ln, &d)};
	return 0;
}
