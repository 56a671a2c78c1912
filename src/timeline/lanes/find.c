// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * find.c - finds a span of a lane (under the pointer, nearest, previous or next), or all spans of a
 * range.
 *
 * Some lanes can only be read forwards. To find the span before a time, this reads a window before
 * it, then one twice as long before that, until one contains a span. So the cost depends on the
 * distance, not on the size of the trace.
 *
 * The events that begin and end a span are not stored; they are searched in the file at exactly
 * these times.
 */
#include "timeline/lanes/lane_int.h"

#include "base/array.h"
#include "base/scope.h"
#include <errno.h>
#include <stdlib.h>

#define FIRST_WINDOW_NS UINT64_C(4096)
#define TICKS_MAX	(4u << 20) /* limit for one lane_each() */
#define NO_REF		UINT64_MAX

/* --- references ------------------------------------------------------------------------------- */

struct ref_search {
	const struct timeline *tl;
	bool is_call; /* other calls may begin or end at the same time: only one of this row fits */
	unsigned row;
	event_ref ref;
};

static bool take_ref(void *ctx, const struct walk_event *ev)
{
	struct ref_search *rs = ctx;

	if (rs->is_call && !lane_is_call_at(rs->tl, ev, rs->row))
		return true;
	rs->ref = ev->ref;
	return false;
}

/*
 * Finds the event of these kinds (NULL: any) at ts in the streams of the lane, on all its CPUs. row
 * is that of a span.
 */
static event_ref find_ref(const struct lane *ln, uint64_t ts, const struct walk_mask *kinds,
			  unsigned row)
{
	struct walk_wants wants = {.from = ts,
				   .to = ts,
				   .kinds = kinds->bits,
				   .n_kinds = kinds->n,
				   .tasks = ln->tasks.bits,
				   .n_tasks = ln->tasks.n};
	struct ref_search rs = {ln->owner->tl,
				ln->spec.type == LANE_OF_CALLS || ln->spec.type == LANE_OF_CPUCALLS,
				row, NO_REF};
	bool whole;

	for (size_t i = 0; i < ln->n_streams && rs.ref == NO_REF; i++)
		timeline_walk(ln->owner->tl, ln->streams[i], &wants, take_ref, &rs, &whole);
	return rs.ref;
}

void lane_fill_refs(const struct lane *ln, struct lane_span *s)
{
	const struct walk_mask *ends = ln->ends.bits ? &ln->ends : &ln->kinds;

	if (!(s->flags & TILE_OPEN_START) || ln->kind == LANE_CPU)
		s->first = find_ref(ln, s->start, &ln->kinds, s->row);
	if (!(s->flags & TILE_OPEN_END) || ln->kind == LANE_CPU)
		s->last = find_ref(ln, s->end, ends, s->row);
}

/* --- spans ------------------------------------------------------------------------------------ */

static struct lane_span span_of(const struct lane *ln, unsigned row, const struct drawn_span *d)
{
	struct lane_span s = {.start = d->start, .end = d->end, .value = d->value};

	s.row = row;
	s.flags = d->flags;
	s.first = s.last = NO_REF;
	s.waker = -1;
	s.aux = UINT32_MAX;
	if (ln->kind == LANE_STATES) {
		s.aux = d->aux >> 17 == 0xfff ? UINT32_MAX : d->aux >> 17;
		s.waker = (d->aux & 0xffff) == 0xffff ? -1 : (int32_t)(d->aux & 0xffff);
		s.waker_in_irq = d->aux >> 16 & 1;
	} else if (ln->kind == LANE_CPU) {
		s.aux = ln->spec.number;
	} else if (d->aux) {
		s.aux = d->aux - 1;
	}
	return s;
}

struct looking {
	uint64_t t;
	bool found;
	struct drawn_span best;
};

static bool look_at(void *ctx, const struct drawn_span *d)
{
	struct looking *l = ctx;

	if (d->start > l->t)
		return false;
	if (d->end > l->t || d->start == l->t) {
		l->best = *d;
		l->found = true;
	}
	return true;
}

static bool look_next(void *ctx, const struct drawn_span *d)
{
	struct looking *l = ctx;

	if (d->start <= l->t)
		return true;
	l->best = *d;
	l->found = true;
	return false;
}

static bool look_previous(void *ctx, const struct drawn_span *d)
{
	struct looking *l = ctx;

	if (d->start >= l->t)
		return false;
	l->best = *d;
	l->found = true;
	return true;
}

static bool find_previous(const struct lane *ln, unsigned row, struct looking *l)
{
	uint64_t window = FIRST_WINDOW_NS, from = l->t;

	while (from && !l->found) {
		from = from > window ? from - window : 0;
		window *= 2;
		lane_each_span(ln, row, from, l->t, look_previous, l);
	}
	return l->found;
}

static bool find_next(const struct lane *ln, unsigned row, struct looking *l)
{
	lane_each_span(ln, row, l->t, UINT64_MAX, look_next, l);
	return l->found;
}

static bool find_nearest(const struct lane *ln, unsigned row, struct looking *l)
{
	struct looking before = {.t = l->t}, after = {.t = l->t};

	find_previous(ln, row, &before);
	find_next(ln, row, &after);
	if (!before.found && !after.found)
		return false;
	if (!before.found || (after.found && after.best.start - l->t < l->t - before.best.end))
		l->best = after.best;
	else
		l->best = before.best;
	l->found = true;
	return true;
}

static int span_at(const struct lane *ln, uint64_t t, unsigned row, enum lane_step step,
		   struct lane_span *ret)
{
	struct looking l = {.t = t};
	bool found = false;

	if (step == LANE_AT || step == LANE_NEAREST) {
		lane_each_span(ln, row, t, t + 1, look_at, &l);
		found = l.found;
	}
	if (step == LANE_NEAREST && !found)
		found = find_nearest(ln, row, &l);
	else if (step == LANE_NEXT)
		found = find_next(ln, row, &l);
	else if (step == LANE_PREVIOUS)
		found = find_previous(ln, row, &l);
	if (!found)
		return -ENOENT;
	*ret = span_of(ln, row, &l.best);
	lane_fill_refs(ln, ret);
	return 0;
}

/* --- ticks ------------------------------------------------------------------------------------ */

struct tick_looking {
	uint64_t t;
	bool found, want_last;
	struct tick best;
};

static bool look_tick(void *ctx, const struct tick *t)
{
	struct tick_looking *l = ctx;

	if (!l->found || (l->want_last ? t->ts >= l->best.ts : t->ts < l->best.ts))
		l->best = *t;
	l->found = true;
	return true;
}

static bool tick_next(const struct lane *ln, struct tick_looking *l)
{
	uint64_t window = FIRST_WINDOW_NS, from = l->t + 1, end = timeline_duration(ln->owner->tl);

	while (from <= end && !l->found) {
		lane_each_tick(ln, from, from + window - 1, look_tick, l);
		from += window;
		window *= 2;
	}
	return l->found;
}

static bool tick_previous(const struct lane *ln, struct tick_looking *l)
{
	uint64_t window = FIRST_WINDOW_NS, to = l->t;

	l->want_last = true;
	while (to && !l->found) {
		uint64_t from = to > window ? to - window : 0;

		lane_each_tick(ln, from, to - 1, look_tick, l);
		to = from;
		window *= 2;
	}
	return l->found;
}

static int tick_at(const struct lane *ln, uint64_t t, enum lane_step step, struct lane_span *ret)
{
	struct tick_looking l = {.t = t}, after = {.t = t};

	if (step == LANE_AT || step == LANE_NEAREST)
		lane_each_tick(ln, t, t, look_tick, &l);
	if (!l.found && step != LANE_AT && step != LANE_NEXT)
		tick_previous(ln, &l);
	if (step == LANE_NEXT || (step == LANE_NEAREST && !(l.found && l.best.ts == t)))
		tick_next(ln, &after);
	if (after.found && (!l.found || after.best.ts - t < t - l.best.ts))
		l = after;
	if (!l.found)
		return -ENOENT;
	*ret = (struct lane_span){.start = l.best.ts,
				  .end = l.best.ts,
				  .value = 1,
				  .aux = UINT32_MAX,
				  .waker = -1,
				  .first = l.best.ref,
				  .last = NO_REF,
				  .flags = l.best.missed ? TILE_MISSED : 0};
	return 0;
}

/* --- counters --------------------------------------------------------------------------------- */

static struct lane_span sample_span(const struct lane *ln, size_t i)
{
	uint64_t end =
		i + 1 < ln->n_samples ? ln->samples[i + 1].ts : timeline_duration(ln->owner->tl);

	return (struct lane_span){.start = ln->samples[i].ts,
				  .end = end,
				  .aux = UINT32_MAX,
				  .waker = -1,
				  .first = NO_REF,
				  .last = NO_REF,
				  .number = ln->samples[i].number};
}

static int sample_at(const struct lane *ln, uint64_t t, enum lane_step step, struct lane_span *ret)
{
	size_t i = lane_search_sample(ln, t), n = ln->n_samples;
	bool is_here = i < n && ln->samples[i].ts == t;

	if (step == LANE_NEXT)
		i = lane_search_sample(ln, t + 1);
	else if (step == LANE_PREVIOUS || (step == LANE_AT && !is_here))
		i = i ? i - 1 : n;
	else if (!is_here && i && (i == n || t - ln->samples[i - 1].ts <= ln->samples[i].ts - t))
		i--;
	if (i >= n)
		return -ENOENT;
	*ret = sample_span(ln, i);
	ret->first = find_ref(ln, ret->start, &ln->kinds, 0);
	return 0;
}

int lane_span_at(struct lane *ln, uint64_t t, unsigned row, enum lane_step step,
		 struct lane_span *ret)
{
	if (t > TIMELINE_TIME_MAX)
		return -ENOENT;
	if (ln->kind == LANE_TICKS)
		return tick_at(ln, t, step, ret);
	if (ln->kind == LANE_COUNTER)
		return sample_at(ln, t, step, ret);
	return span_at(ln, t, row, step, ret);
}

/* --- all of a range --------------------------------------------------------------------------- */

struct giving {
	struct lane *ln;
	bool (*each)(void *ctx, const struct lane_span *span);
	void *ctx;
};

static bool give_one(void *ctx, const struct drawn_span *d)
{
	struct giving *g = ctx;
	struct lane_span s = span_of(g->ln, 0, d);

	return g->each(g->ctx, &s);
}

/* Merges the rows: the span that begins first comes next; of equal spans the upper row. */
static int each_of_rows(struct giving *g, uint64_t from, uint64_t to)
{
	const struct lane *ln = g->ln;
	SCOPED(scope_free) size_t *at = calloc(ln->n_rows + 1, sizeof(*at));
	bool go_on = true;

	if (!at)
		return -ENOMEM;
	for (unsigned i = 0; i < ln->n_rows; i++)
		at[i] = row_search(&ln->rows[i], from);
	while (go_on) {
		const struct lane_row *row;
		unsigned best = ln->n_rows;
		struct drawn_span d;
		struct lane_span s;

		for (unsigned i = 0; i < ln->n_rows; i++)
			if (at[i] < ln->rows[i].n &&
			    (best == ln->n_rows ||
			     span_start(&ln->rows[i].spans[at[i]]) <
				     span_start(&ln->rows[best].spans[at[best]])))
				best = i;
		if (best == ln->n_rows)
			break;
		row = &ln->rows[best];
		d = (struct drawn_span){
			span_start(&row->spans[at[best]]), span_end(&row->spans[at[best]]),
			span_value(&row->spans[at[best]]), row->aux ? row->aux[at[best]] : 0,
			span_flags(&row->spans[at[best]])};
		if (d.start > to)
			break;
		at[best]++;
		s = span_of(ln, best, &d);
		go_on = g->each(g->ctx, &s);
	}
	return 0;
}

struct tick_list {
	struct tick *ticks;
	size_t n, cap;
	bool failed;
};

static bool keep_tick(void *ctx, const struct tick *t)
{
	struct tick_list *l = ctx;

	if (!ARRAY_ROOM(l->ticks, l->cap, l->n + 1, TICKS_MAX)) {
		l->failed = true;
		return false;
	}
	l->ticks[l->n++] = *t;
	return true;
}

ARRAY_ORDER(compare_ticks, struct tick, COMPARE(x->ts, y->ts) ?: COMPARE(x->ref, y->ref))

static int each_of_ticks(struct giving *g, uint64_t from, uint64_t to)
{
	struct tick_list l = {0};
	int r = lane_each_tick(g->ln, from, to, keep_tick, &l);

	if (l.failed)
		r = -ENOMEM;
	if (!r && l.n)
		qsort(l.ticks, l.n, sizeof(*l.ticks), compare_ticks);
	for (size_t i = 0; !r && i < l.n; i++) {
		struct lane_span s = {.start = l.ticks[i].ts, .end = l.ticks[i].ts, .value = 1};

		s.aux = UINT32_MAX;
		s.waker = -1;
		s.first = l.ticks[i].ref;
		s.last = NO_REF;
		s.flags = l.ticks[i].missed ? TILE_MISSED : 0;
		if (!g->each(g->ctx, &s))
			break;
	}
	free(l.ticks);
	return r;
}

int lane_each(struct lane *ln, uint64_t from, uint64_t to,
	      bool (*each)(void *ctx, const struct lane_span *span), void *ctx)
{
	struct giving g = {ln, each, ctx};

	if (ln->kind == LANE_TICKS)
		return each_of_ticks(&g, from, to);
	if (ln->kind == LANE_COUNTER) {
		for (size_t i = lane_search_sample(ln, from);
		     i < ln->n_samples && ln->samples[i].ts <= to; i++) {
			struct lane_span s = sample_span(ln, i);

			if (!each(ctx, &s))
				break;
		}
		return 0;
	}
	if (ln->sched_stream < 0)
		return each_of_rows(&g, from, to);
	lane_each_span(ln, 0, from, to < UINT64_MAX ? to + 1 : to, give_one, &g);
	return 0;
}
