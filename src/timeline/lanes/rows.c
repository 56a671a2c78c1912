// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * rows.c - makes the rows of a lane, and the pyramids above them.
 *
 * A row is a sorted array of spans that do not overlap. If it is long, it has a pyramid:
 *
 *	level b + 2   [       ][       ]        a bucket is the sum of the two below it
 *	level b + 1   [   ][   ][   ][   ]
 *	level b       [ ][ ][ ][ ][ ][ ][ ]     buckets of 2^b ns: about 2^14 over the trace
 *	spans         ── ─ ───── ── ─────
 *
 * A bucket contains how much of its time is used, to the nanosecond, and which value used most of
 * it. This value is exact at the base (up to SHARES_MAX values in a bucket), and an estimate above,
 * which is good enough for a colour.
 *
 * With 2^14 buckets a tile one level below the base covers a 32nd of the trace. If a bucket would
 * then have more than SPANS_A_BUCKET spans, there are more buckets, so that a tile never reads more
 * than about 65 000 spans, in half a millisecond. Rows of up to ROW_SCAN_MAX spans need no pyramid.
 *
 * All threads fill buckets, each for a part of the time that begins and ends between buckets.
 */
#include "base/array.h"
#include "base/scope.h"
#include "decode/taskstate.h"
#include "timeline/lanes/lane_int.h"

#include <errno.h>
#include <stdlib.h>

#define BITS_MIN       14
#define BITS_MAX       20
#define SPANS_A_BUCKET 64
#define ROW_SCAN_MAX   8192
#define FILL_JOBS      16
#define LANE_SPANS_MAX (16u << 20) /* 256 MB: the ceiling of all lanes */

size_t pyramid_lay_out(struct pyramid *p, uint64_t duration, unsigned n_base_bits)
{
	size_t total = 0;

	p->base_level = 0;
	while (duration >> p->base_level >> n_base_bits)
		p->base_level++;
	for (p->n_levels = 0; p->n_levels < PYRAMID_LEVELS; p->n_levels++) {
		size_t n = (duration >> p->base_level >> p->n_levels) + 1;

		p->at[p->n_levels] = total;
		p->n[p->n_levels] = n;
		total += n;
		if (n == 1) {
			p->n_levels++;
			break;
		}
	}
	return total;
}

unsigned pyramid_bits(uint64_t n, uint64_t n_a_bucket)
{
	unsigned bits = BITS_MIN;

	while (bits < BITS_MAX && n >> bits > n_a_bucket)
		bits++;
	return bits;
}

/* --- shares ----------------------------------------------------------------------------------- */

unsigned shares_largest(const struct shares *s)
{
	unsigned best = 0;

	for (unsigned i = 1; i < s->n; i++)
		if (s->ns[i] > s->ns[best])
			best = i;
	return best;
}

void shares_add(struct shares *s, uint32_t value, uint64_t ns, uint8_t flags)
{
	unsigned i, least = 0;

	if (!(flags & TILE_UNKNOWN))
		s->busy += ns;
	s->flags |= flags;
	s->any = true;
	for (i = 0; i < s->n && s->values[i] != value; i++)
		;
	if (i == s->n && s->n < SHARES_MAX) {
		s->values[s->n] = value;
		s->ns[s->n++] = ns;
		return;
	}
	if (i < s->n) {
		s->ns[i] += ns;
		return;
	}
	for (i = 1; i < s->n; i++)
		if (s->ns[i] < s->ns[least])
			least = i;
	if (ns > s->ns[least]) {
		s->values[least] = value;
		s->ns[least] = ns;
	}
}

/* --- filling ---------------------------------------------------------------------------------- */

struct filler {
	struct pyramid *p;
	bool is_states;
	size_t at;	 /* index of the current bucket */
	size_t from, to; /* the buckets of this thread */
	struct shares shares;
};

static uint64_t saturate40(uint64_t v)
{
	return v >> 40 ? (UINT64_C(1) << 40) - 1 : v;
}

static void flush(struct filler *f)
{
	const struct shares *s = &f->shares;
	struct pyramid *p = f->p;

	if (s->any && f->is_states) {
		struct state_bucket *b = (struct state_bucket *)p->buckets + f->at;

		for (unsigned i = 0; i < s->n; i++)
			if (s->values[i] < STATES_N)
				b->share[s->values[i]] = (s->ns[i] * 65535 +
							  ((UINT64_C(1) << p->base_level) >> 1)) >>
							 p->base_level;
	} else if (s->any) {
		unsigned best = shares_largest(s);

		((struct span_bucket *)p->buckets)[f->at] =
			(struct span_bucket){.busy = s->busy,
					     .flags = s->flags,
					     .any = 1,
					     .dominant_ns = saturate40(s->ns[best]),
					     .value = s->values[best]};
	}
	f->shares = (struct shares){0};
}

static bool fill(void *ctx, const struct drawn_span *d)
{
	struct filler *f = ctx;
	struct pyramid *p = f->p;
	uint64_t from = (uint64_t)f->from << p->base_level;
	uint64_t start = d->start > from ? d->start : from, end = d->end;

	if (end < start)
		return true;
	do {
		size_t bucket = start >> p->base_level;
		uint64_t stop = (uint64_t)(bucket + 1) << p->base_level;

		if (bucket >= f->to)
			return true;
		if (bucket != f->at) {
			flush(f);
			f->at = bucket;
		}
		stop = stop < end ? stop : end;
		shares_add(&f->shares, d->value, stop - start, d->flags);
		start = stop;
	} while (start < end);
	return true;
}

static struct span_bucket sum_spans(const struct span_bucket *a, const struct span_bucket *b)
{
	struct span_bucket s = *a;

	if (!b || !b->any)
		return s;
	if (!a->any)
		return *b;
	s.busy = a->busy + b->busy;
	s.flags = a->flags | b->flags;
	if (a->value == b->value) {
		s.dominant_ns = saturate40((uint64_t)a->dominant_ns + b->dominant_ns);
	} else if (b->dominant_ns > a->dominant_ns) {
		s.dominant_ns = b->dominant_ns;
		s.value = b->value;
	}
	return s;
}

static struct state_bucket sum_states(const struct state_bucket *a, const struct state_bucket *b)
{
	struct state_bucket s;

	for (unsigned i = 0; i < STATES_N; i++)
		s.share[i] = ((unsigned)a->share[i] + (b ? b->share[i] : 0) + 1) / 2;
	return s;
}

static void raise_levels(struct pyramid *p, bool is_states)
{
	for (int l = 1; l < p->n_levels; l++)
		for (size_t i = 0; i < p->n[l]; i++) {
			size_t a = p->at[l - 1] + 2 * i;
			bool has_b = 2 * i + 1 < p->n[l - 1];

			if (is_states) {
				struct state_bucket *all = p->buckets;

				all[p->at[l] + i] = sum_states(&all[a], has_b ? &all[a + 1] : NULL);
			} else {
				struct span_bucket *all = p->buckets;

				all[p->at[l] + i] = sum_spans(&all[a], has_b ? &all[a + 1] : NULL);
			}
		}
}

struct fill_job {
	struct lane *ln;
	unsigned row;
	size_t first; /* index of the first bucket to fill */
};

static void fill_part(void *ctx, size_t i)
{
	struct fill_job *job = ctx;
	struct pyramid *p = &job->ln->rows[job->row].pyramid;
	size_t step = (p->n[0] - job->first) / FILL_JOBS + 1;
	struct filler f = {.p = p, .is_states = job->ln->kind == LANE_STATES};

	f.from = f.at = job->first + i * step;
	f.to = f.from + step < p->n[0] ? f.from + step : p->n[0];
	if (f.from >= f.to)
		return;
	lane_each_span(job->ln, job->row, (uint64_t)f.from << p->base_level,
		       (uint64_t)f.to << p->base_level, fill, &f);
	flush(&f);
}

/* Copies the buckets of another lane, unless they are too coarse. Returns their number. */
static size_t take_buckets(struct lane *ln, unsigned row, size_t size)
{
	const struct pyramid *from;
	struct pyramid *p = &ln->rows[row].pyramid;
	size_t n = ln->sums_until >> p->base_level;
	int level;

	if (!ln->taken_from || row >= ln->taken_from->n_rows)
		return 0;
	from = &ln->taken_from->rows[row].pyramid;
	level = p->base_level - from->base_level;
	if (level < 0 || level >= from->n_levels)
		return 0;
	n = n < from->n[level] ? n : from->n[level];
	n = n < p->n[0] ? n : p->n[0];
	memcpy(p->buckets, (const uint8_t *)from->buckets + from->at[level] * size, n * size);
	return n;
}

static int make_pyramid(struct lane *ln, unsigned row, uint64_t n_spans)
{
	struct pyramid *p = &ln->rows[row].pyramid;
	struct timeline *tl = ln->owner->tl;
	struct fill_job job = {.ln = ln, .row = row};
	size_t n = pyramid_lay_out(p, timeline_duration(tl), pyramid_bits(n_spans, SPANS_A_BUCKET));
	size_t size =
		ln->kind == LANE_STATES ? sizeof(struct state_bucket) : sizeof(struct span_bucket);

	p->buckets = calloc(n, size);
	if (!p->buckets) {
		p->n_levels = 0;
		return -ENOMEM;
	}
	job.first = take_buckets(ln, row, size);
	timeline_parallel(tl, FILL_JOBS, fill_part, &job);
	raise_levels(p, ln->kind == LANE_STATES);
	ln->n_bytes += n * size;
	return 0;
}

/* --- rows ------------------------------------------------------------------------------------- */

static int need_row(struct lane *ln, unsigned row)
{
	struct lane_row *more;

	if (row < ln->n_rows)
		return 0;
	more = realloc(ln->rows, (row + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	memset(more + ln->n_rows, 0, (row + 1 - ln->n_rows) * sizeof(*more));
	ln->rows = more;
	ln->n_rows = row + 1;
	return 0;
}

static int row_grow(struct lane *ln, struct lane_row *row)
{
	size_t cap = row->cap ? row->cap * 2 : 64;
	struct span *spans;
	uint32_t *aux;

	if (cap > LANE_SPANS_MAX)
		return -E2BIG;
	spans = realloc(row->spans, cap * sizeof(*spans));
	if (!spans)
		return -ENOMEM;
	row->spans = spans;
	if (ln->has_aux) {
		aux = realloc(row->aux, cap * sizeof(*aux));
		if (!aux)
			return -ENOMEM;
		row->aux = aux;
	}
	row->cap = cap;
	return 0;
}

int lane_add_span(struct lane *ln, unsigned at, uint64_t start, uint64_t end, uint32_t value,
		  uint8_t flags, uint32_t aux)
{
	struct lane_row *row;

	if (at >= LANE_ROWS_MAX)
		return 0;
	TRY(need_row(ln, at));
	row = &ln->rows[at];
	if (row->n == row->cap) {
		TRY(row_grow(ln, row));
	}
	end = end < start ? start : end;
	row->is_mixed |= start < row->last_end;
	row->last_end = end;
	if (ln->has_aux)
		row->aux[row->n] = aux;
	row->spans[row->n++] = span_make(start, end, value, flags);
	return 0;
}

static int take_row(struct lane *ln, unsigned at)
{
	const struct lane_row *from = &ln->taken_from->rows[at];
	size_t n = row_search(from, ln->taken_until - 1), cap = 64;
	size_t max = ln->kind == LANE_STATES ? ln->owner->live_spans_max : SIZE_MAX;
	size_t skip = n > max ? n - max / 2 : 0;
	struct lane_row *row = &ln->rows[at];

	row->n_gone = from->n_gone + skip;
	row->gone_until = skip ? span_end(&from->spans[skip - 1]) : from->gone_until;
	n -= skip;
	while (cap < n)
		cap *= 2;
	row->spans = malloc(cap * sizeof(*row->spans));
	row->aux = ln->has_aux ? malloc(cap * sizeof(*row->aux)) : NULL;
	if (!row->spans || (ln->has_aux && !row->aux))
		return -ENOMEM;
	if (n)
		memcpy(row->spans, from->spans + skip, n * sizeof(*row->spans));
	if (n && row->aux)
		memcpy(row->aux, from->aux + skip, n * sizeof(*row->aux));
	row->cap = cap;
	row->n = n;
	row->last_end = n ? span_end(&row->spans[n - 1]) : row->gone_until;
	return 0;
}

int lane_take_spans(struct lane *ln)
{
	unsigned n_rows = ln->taken_from->n_rows;
	int r = n_rows ? need_row(ln, n_rows - 1) : 0;

	for (unsigned i = 0; i < n_rows && !r; i++)
		r = take_row(ln, i);
	ln->has_lost |= ln->taken_from->has_lost;
	if (!r && ln->kind == LANE_STATES)
		ln->sums_until = n_rows ? ln->rows[0].last_end : 0;
	return r;
}

ARRAY_ORDER(compare_spans, struct span,
	    COMPARE(span_start(x), span_start(y)) ?: COMPARE(span_end(x), span_end(y)))

/*
 * Sorts the spans. A span that overlaps the next one ends there. Rows with aux are sorted already.
 */
static void row_sort(struct lane_row *row)
{
	if (!row->aux)
		qsort(row->spans, row->n, sizeof(*row->spans), compare_spans);
	for (size_t i = 0; i + 1 < row->n; i++) {
		struct span *s = &row->spans[i];
		uint64_t next = span_start(s + 1);

		if (span_end(s) > next)
			*s = span_make(span_start(s) < next ? span_start(s) : next, next,
				       span_value(s), span_flags(s));
	}
}

int lane_finish_rows(struct lane *ln)
{
	for (unsigned i = 0; i < ln->n_rows; i++) {
		struct lane_row *row = &ln->rows[i];
		struct span *spans;
		int r;

		if (row->is_mixed)
			row_sort(row);
		spans = row->n ? realloc(row->spans, row->n * sizeof(*spans)) : NULL;
		row->spans = spans ? spans : row->spans;
		ln->n_bytes += row->n * (sizeof(*spans) + (row->aux ? sizeof(*row->aux) : 0));
		if (row->n + row->n_gone <= ROW_SCAN_MAX)
			continue;
		r = make_pyramid(ln, i, row->n + row->n_gone);
		TRY(r);
	}
	return 0;
}

int lane_finish_switches(struct lane *ln)
{
	const struct timeline_stream *st = timeline_stream(ln->owner->tl, ln->sched_stream);
	int r = need_row(ln, 0);

	/* the number of switches is unknown; a third of all events is a high estimate */
	return r < 0 ? r : make_pyramid(ln, 0, st->n_events / 3);
}

void mask_release(struct walk_mask *m)
{
	free(m->bits);
	*m = (struct walk_mask){0};
}
