// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * latencies.c - sums durations.
 *
 * Each spread keeps two histograms. One is for the user (log2 or linear). The other is for
 * percentiles: it divides each power of two into 128 equal parts, so that the error of a
 * percentile is less than one percent. Durations below 128 are exact.
 *
 *	octave 0:  0 … 127        1 each
 *	octave 1:  128 … 255      1 each
 *	octave 2:  256 … 511      2 each
 *	octave k:  2^(k+6) …      2^(k-1) each
 *
 * An octave takes 1 KB and is allocated when needed; typical durations need about ten octaves.
 *
 * The longest durations are in a heap with the shortest on top, so a duration that is not among
 * the longest costs one comparison.
 */
#include "analyse/latency/latencies.h"

#include "base/arena.h"
#include "base/errmsg.h"
#include "base/scope.h"

#include <errno.h>
#include <stdlib.h>

#define PARTS		128
#define PARTS_LOG	7
#define GROUPS_MAX	65536
#define BUCKETS_DEFAULT 22

const unsigned latency_percentiles[LATENCY_PERCENTILES] = {5000, 9000, 9500, 9900, 9990};

/*
 * --- the scale ---------------------------------------------------------------------------------
 */

int latency_scale_check(long long range, long long min, long long max, struct errmsg *err)
{
	if (range < 0 || min < 0 || max < 0)
		return errmsg_set(err, -EINVAL, "a duration cannot be negative");
	if (!range && (min || max))
		return errmsg_set(err, -EINVAL, "--%s-latency works only with --bucket-range",
				  min ? "min" : "max");
	if (range && max && max < (min ? min : range) + range)
		return errmsg_set(err, -EINVAL,
				  "--max-latency must be larger than --min-latency and "
				  "--bucket-range together");
	return 0;
}

void latency_scale_settle(struct latency_scale *s)
{
	if (!s->unit_ns)
		s->unit_ns = 1000;
	s->n_buckets = BUCKETS_DEFAULT;
	if (!s->range)
		return;
	if (!s->min)
		s->min = s->range;
	if (s->max > s->min)
		s->n_buckets = (s->max - s->min + s->range - 1) / s->range + 2;
	if (s->n_buckets > LATENCY_BUCKETS_MAX)
		s->n_buckets = LATENCY_BUCKETS_MAX;
	if (s->max <= s->min || s->n_buckets == LATENCY_BUCKETS_MAX)
		s->max = s->min + (s->n_buckets - 2) * s->range;
}

int latency_scale_set(struct latency_scale *s, bool in_ns, long long range, long long min,
		      long long max, struct errmsg *err)
{
	TRY(latency_scale_check(range, min, max, err));
	*s = (struct latency_scale){
		.unit_ns = in_ns ? 1 : 1000, .range = range, .min = min, .max = max};
	latency_scale_settle(s);
	return 0;
}

size_t latency_scale_bucket(const struct latency_scale *s, uint64_t ns)
{
	uint64_t v = s->unit_ns == 1000 ? ns / 1000 : ns / s->unit_ns;
	size_t i;

	if (!s->range)
		i = v ? 64 - __builtin_clzll(v) : 0;
	else if (v < s->min)
		i = 0;
	else if (v >= s->max)
		i = s->n_buckets - 1;
	else
		i = (v - s->min) / s->range + 1;
	return i < s->n_buckets ? i : s->n_buckets - 1;
}

void latency_scale_range(const struct latency_scale *s, size_t bucket, uint64_t *ret_from,
			 uint64_t *ret_to)
{
	bool last = bucket + 1 == s->n_buckets;

	if (!s->range) {
		*ret_from = bucket ? 1ull << (bucket - 1) : 0;
		*ret_to = last ? 0 : 1ull << bucket;
		return;
	}
	*ret_from = bucket ? s->min + (bucket - 1) * s->range : 0;
	*ret_to = s->min + bucket * s->range;
	if (*ret_from > s->max || last)
		*ret_from = s->max;
	if (*ret_to > s->max)
		*ret_to = s->max;
	if (last)
		*ret_to = 0;
}

/*
 * --- one spread --------------------------------------------------------------------------------
 */

static void find_part(uint64_t v, unsigned *ret_octave, unsigned *ret_part)
{
	unsigned log = v < PARTS ? 0 : 63 - __builtin_clzll(v);

	*ret_octave = v < PARTS ? 0 : log - PARTS_LOG + 1;
	*ret_part = v < PARTS ? v : (v >> (log - PARTS_LOG)) & (PARTS - 1);
}

/* Returns the largest value of a part. */
static uint64_t part_end(unsigned octave, unsigned part)
{
	unsigned shift = octave ? octave - 1 : 0;

	if (!octave)
		return part;
	return ((uint64_t)(PARTS | part) << shift) + ((1ull << shift) - 1);
}

static void count_part(struct latency_spread *s, struct arena *arena, uint64_t ns, uint64_t n)
{
	unsigned octave, part;

	find_part(ns, &octave, &part);
	if (__builtin_expect(!s->octaves[octave], 0))
		s->octaves[octave] = arena_alloc_array(arena, PARTS, sizeof(**s->octaves));
	if (s->octaves[octave])
		s->octaves[octave][part] += n;
}

void latency_spread_add(struct latency_spread *s, struct arena *arena, uint64_t ns)
{
	if (!s->n || ns < s->min)
		s->min = ns;
	if (ns > s->max)
		s->max = ns;
	s->n++;
	s->total += ns;
	count_part(s, arena, ns, 1);
}

static void spread_add(struct latencies *l, struct latency_spread *s,
		       const struct latency_cell *cell, size_t bucket)
{
	if (!s->n || cell->min < s->min)
		s->min = cell->min;
	if (!s->n || cell->max > s->max) {
		s->max = cell->max;
		s->max_ts = cell->max_ts;
	}
	s->n += cell->n;
	s->total += cell->total;
	count_part(s, &l->groups.arena, cell->min, cell->n);
	if (__builtin_expect(!s->buckets, 0))
		s->buckets = arena_alloc_array(&l->groups.arena, l->scale.n_buckets,
					       sizeof(*s->buckets));
	if (s->buckets)
		s->buckets[bucket] += cell->n;
}

void latency_spread_merge(struct latency_spread *to, struct arena *arena,
			  const struct latency_spread *from)
{
	if (!from->n)
		return;
	for (size_t i = 0; i < LATENCY_OCTAVES; i++) {
		if (!from->octaves[i])
			continue;
		if (!to->octaves[i])
			to->octaves[i] = arena_alloc_array(arena, PARTS, sizeof(**to->octaves));
		for (size_t part = 0; to->octaves[i] && part < PARTS; part++)
			to->octaves[i][part] += from->octaves[i][part];
	}
	if (!to->n || from->min < to->min)
		to->min = from->min;
	if (!to->n || from->max > to->max) {
		to->max = from->max;
		to->max_ts = from->max_ts;
	}
	to->n += from->n;
	to->total += from->total;
}

uint64_t latency_spread_percentile(const struct latency_spread *s, unsigned of_10000)
{
	/*
	 * the rank of the percentile, rounded up; computed in two steps, because the product may
	 * overflow
	 */
	uint64_t rank = s->n / 10000 * of_10000 + (s->n % 10000 * of_10000 + 9999) / 10000;
	uint64_t seen = 0;

	for (unsigned octave = 0; octave < LATENCY_OCTAVES; octave++)
		for (unsigned part = 0; s->octaves[octave] && part < PARTS; part++) {
			seen += s->octaves[octave][part];
			if (seen >= rank) {
				uint64_t end = part_end(octave, part);

				return end < s->max ? end : s->max;
			}
		}
	return s->max;
}

/*
 * --- the worst ---------------------------------------------------------------------------------
 */

/*
 * Compares two durations. Of two equal durations the later one is less, so that the order is
 * deterministic, also if several threads found them.
 */
static bool is_less(const struct latency_place *a, const struct latency_place *b)
{
	if (a->ns != b->ns)
		return a->ns < b->ns;
	if (a->to_ts != b->to_ts)
		return a->to_ts > b->to_ts;
	if (a->to_cpu != b->to_cpu)
		return a->to_cpu > b->to_cpu;
	return a->from_cpu > b->from_cpu;
}

static void sink(struct latency_place *heap, size_t n, const struct latency_place *place)
{
	size_t at = 0;

	for (;;) {
		size_t child = at * 2 + 1;

		if (child >= n)
			break;
		if (child + 1 < n && is_less(&heap[child + 1], &heap[child]))
			child++;
		if (!is_less(&heap[child], place))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = *place;
}

static void rise(struct latency_place *heap, size_t at, const struct latency_place *place)
{
	while (at && is_less(place, &heap[(at - 1) / 2])) {
		heap[at] = heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	heap[at] = *place;
}

/* Restores the heap: latencies_finish() sorted it with the longest first. */
static void make_heap(struct latencies *l)
{
	for (size_t i = 0; i < l->n_worst / 2; i++) {
		struct latency_place place = l->worst[i];

		l->worst[i] = l->worst[l->n_worst - 1 - i];
		l->worst[l->n_worst - 1 - i] = place;
	}
	l->is_sorted = false;
}

static void add_worst(struct latencies *l, const struct latency_place *place)
{
	if (l->is_sorted)
		make_heap(l);
	if (l->n_worst < l->max_worst)
		rise(l->worst, l->n_worst++, place);
	else if (is_less(&l->worst[0], place))
		sink(l->worst, l->n_worst, place);
}

/*
 * --- all ---------------------------------------------------------------------------------------
 */

int latencies_init(struct latencies *l, const struct latency_scale *scale, size_t n_keys,
		   size_t n_worst)
{
	*l = (struct latencies){.scale = *scale};
	keytable_init(&l->groups, n_keys, sizeof(struct latency_group), GROUPS_MAX);
	l->max_worst = n_worst < LATENCY_WORST_MAX ? n_worst : LATENCY_WORST_MAX;
	l->worst = calloc(l->max_worst + 1, sizeof(*l->worst));
	return l->worst ? 0 : -ENOMEM;
}

void latencies_release(struct latencies *l)
{
	keytable_release(&l->groups);
	free(l->worst);
	free(l->sorted);
}

struct latency_group *latencies_group(struct latencies *l, const uint64_t *values,
				      const struct key_slot *const *slots)
{
	return l->groups.n_keys ? (struct latency_group *)keytable_get(&l->groups, values, slots)
				: NULL;
}

void latencies_add_cell(struct latencies *l, struct latency_group *g,
			const struct latency_cell *cell)
{
	size_t bucket = latency_scale_bucket(&l->scale, cell->min);

	spread_add(l, &l->all, cell, bucket);
	if (g)
		spread_add(l, &g->spread, cell, bucket);
	else
		l->n_dropped += l->groups.n_keys ? cell->n : 0;
}

void latencies_add(struct latencies *l, struct latency_group *g, uint64_t ns, uint64_t n,
		   const struct latency_place *place)
{
	struct latency_cell cell = {
		.n = n, .total = ns * n, .min = ns, .max = ns, .max_ts = place ? place->to_ts : 0};

	latencies_add_cell(l, g, &cell);
	if (place && l->max_worst)
		add_worst(l, place);
}

void latencies_join_spread(struct latencies *l, struct latency_spread *to,
			   const struct latency_spread *from)
{
	if (from->buckets && !to->buckets)
		to->buckets = arena_alloc_array(&l->groups.arena, l->scale.n_buckets,
						sizeof(*to->buckets));
	for (size_t i = 0; from->buckets && to->buckets && i < l->scale.n_buckets; i++)
		to->buckets[i] += from->buckets[i];
	latency_spread_merge(to, &l->groups.arena, from);
}

void latencies_add_place(struct latencies *l, const struct latency_place *place)
{
	if (l->max_worst)
		add_worst(l, place);
}

static int compare_groups(const void *a, const void *b)
{
	const struct latency_group *x = *(struct latency_group *const *)a,
				   *y = *(struct latency_group *const *)b;

	if (x->spread.total != y->spread.total)
		return x->spread.total < y->spread.total ? 1 : -1;
	if (x->spread.n != y->spread.n)
		return x->spread.n < y->spread.n ? 1 : -1;
	return x->key.number < y->key.number ? -1 : x->key.number > y->key.number;
}

static int compare_places(const void *a, const void *b)
{
	return is_less(a, b) ? 1 : is_less(b, a) ? -1 : 0;
}

int latencies_finish(struct latencies *l)
{
	size_t n = 0;

	free(l->sorted);
	l->sorted = calloc(l->groups.n_used + 1, sizeof(*l->sorted));
	if (!l->sorted)
		return -ENOMEM;
	for (size_t i = 0; i < l->groups.n_used; i++)
		l->sorted[n++] = (struct latency_group *)l->groups.list[i];
	qsort(l->sorted, n, sizeof(*l->sorted), compare_groups);
	qsort(l->worst, l->n_worst, sizeof(*l->worst), compare_places);
	l->is_sorted = true;
	return 0;
}
