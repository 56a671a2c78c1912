// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * spans.c - computes durations of interrupts, system calls, functions and pairs: spans of lanes, by
 * name.
 *
 *	lanes of one sort (interrupts of all CPUs, system calls of all tasks, one pair)
 *	  └─ all of them together: number, time, quantiles, the longest
 *	      └─ the same for each name
 *
 * A span that overlaps the range counts with its whole length, because the result is about the
 * duration of spans. The part within the range is summed separately (inside). A span whose start or
 * end was not recorded has no length; it is only counted (cut). The length of a function includes
 * the functions that it calls, and times off the CPU.
 *
 * All lengths are stored, with the number of their group in the upper bits, so that quantiles are
 * exact. Sorting them orders them by group; a second sort uses the number of the sort instead.
 *
 * Ceilings: SPANS_LANES_MAX lanes, GROUPS_MAX names; above LENGTHS_MAX spans there are no
 * quantiles; all other numbers are exact. For each sort, the ROWS_SHOWN names with the most time
 * are reported.
 */
#include "base/array.h"
#include "base/scope.h"
#include "timeline/insight/insight_int.h"
#include "timeline/insight/lengths.h"

#include "base/hash.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define GROUPS_MAX (UINT16_MAX - SPANS_LANES_MAX)
#define ROWS_SHOWN 2000

struct span_group {
	uint64_t n, n_cut, total, inside, min, max, max_at;
	uint64_t quantiles[3];
	uint32_t label, max_lane;
	uint16_t sort; /* groups 0 … n_sorts - 1 are the sorts themselves */
	uint8_t max_row;
};

static const unsigned quantiles[] = SPANS_QUANTILES;

struct span_counting {
	struct lanes *ls;
	const char *const *specs;
	uint64_t from, to;
	uint32_t lane; /* index of the lane that is being read */
	uint16_t sort;
	size_t n_sorts;
	uint32_t first_lane[SPANS_LANES_MAX]; /* first lane of each sort */
	struct lane_spec sorts[SPANS_LANES_MAX];
	struct span_group *groups;
	size_t n_groups, cap_groups;
	struct map by_name; /* maps (sort, label) to a group + 1 */
	struct lengths lengths;
	bool is_over;	  /* there are more names than groups */
	uint64_t part_ns; /* length of the parts in which lanes of many events were read; 0: none */
	int error;
};

/* --- groups ----------------------------------------------------------------------------------- */

static int add_group(struct span_counting *c, uint16_t sort, uint32_t label)
{
	if (!ARRAY_ROOM(c->groups, c->cap_groups, c->n_groups + 1, ARRAY_NO_MAX))
		return -ENOMEM;
	c->groups[c->n_groups] = (struct span_group){.sort = sort, .label = label};
	return c->n_groups++;
}

/* Finds or adds the group of a name. Returns -ENOSPC if there are too many. */
static int find_group(struct span_counting *c, uint32_t label)
{
	uint64_t key = (uint64_t)c->sort << 32 | label;
	uintptr_t known = (uintptr_t)map_find(&c->by_name, key);
	void **slot;
	int n;

	if (known)
		return (int)known - 1;
	if (c->n_groups >= c->n_sorts + GROUPS_MAX)
		return -ENOSPC;
	slot = map_take(&c->by_name, key, ARRAY_NO_MAX);
	n = slot ? add_group(c, c->sort, label) : -ENOMEM;
	if (n >= 0)
		*slot = (void *)(uintptr_t)(n + 1);
	return n;
}

static void group_add(struct span_group *g, const struct span_counting *c,
		      const struct lane_span *s)
{
	uint64_t ns = s->end - s->start;

	g->inside += overlap(s->start, s->end, c->from, c->to);
	if (s->flags & (TILE_OPEN_START | TILE_OPEN_END)) {
		g->n_cut++;
		return;
	}
	if (!g->n || ns < g->min)
		g->min = ns;
	if (!g->n || ns > g->max) {
		g->max = ns;
		g->max_at = s->start;
		g->max_lane = c->lane;
		g->max_row = s->row;
	}
	g->n++;
	g->total += ns;
}

static bool add_span(void *ctx, const struct lane_span *s)
{
	struct span_counting *c = ctx;
	int n;

	if (s->end <= c->from && s->start < c->from)
		return true;
	group_add(&c->groups[c->sort], c, s);
	n = find_group(c, s->value);
	if (n == -ENOMEM) {
		c->error = n;
		return false;
	}
	if (n < 0) {
		/* if there is no group for the name, the span counts only in its sort */
		c->is_over = true;
		n = c->sort;
	} else {
		group_add(&c->groups[n], c, s);
	}
	if (!(s->flags & (TILE_OPEN_START | TILE_OPEN_END)))
		c->error =
			lengths_add(&c->lengths, (uint64_t)n << LENGTHS_BITS | (s->end - s->start));
	return !c->error;
}

/* --- lanes ------------------------------------------------------------------------------------ */

/*
 * Returns true if both lanes belong to one sort. Lanes of one type and machine are one sort; each
 * pair is its own.
 */
static bool is_same_sort(const struct lane_spec *a, const struct lane_spec *b)
{
	return a->type == b->type && a->machine == b->machine && a->type != LANE_OF_PAIR;
}

static bool is_repeated(const struct span_counting *c, uint32_t lane)
{
	return ARRAY_ANY(lane, i, !strcmp(c->specs[i], c->specs[lane]));
}

/* Finds all sorts before the names, so that their numbers are those of the first groups. */
static int find_sorts(struct span_counting *c, size_t n_specs, int16_t *ret_sort_of)
{
	for (size_t i = 0; i < n_specs; i++) {
		struct errmsg err = {0};
		struct lane_spec spec = {0};
		size_t s = 0;

		ret_sort_of[i] = -1;
		if (lane_spec_parse(&spec, c->specs[i], &err) < 0 || is_repeated(c, i) ||
		    lane_kind_of(spec.type) != LANE_SPANS)
			continue;
		while (s < c->n_sorts && !is_same_sort(&c->sorts[s], &spec))
			s++;
		if (s == c->n_sorts) {
			c->sorts[s] = spec;
			c->first_lane[s] = i;
			c->n_sorts++;
			if (add_group(c, s, 0) < 0)
				return -ENOMEM;
		}
		ret_sort_of[i] = s;
	}
	return 0;
}

int lanes_refuse(struct lanes_refused *list, const char *spec, enum refusal why, const char *text)
{
	if (!ARRAY_ONE_MORE(list->list, list->n, ARRAY_NO_MAX))
		return -ENOMEM;
	list->list[list->n++] = (struct lane_refused){spec, why, text ? strdup(text) : NULL};
	return 0;
}

void lanes_refused_release(struct lanes_refused *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->list[i].text);
	free(list->list);
	*list = (struct lanes_refused){0};
}

/* Reads all lanes; lists those that cannot be read. */
static int count_lanes(struct span_counting *c, size_t n_specs, struct lanes_refused *refused)
{
	int16_t sort_of[SPANS_LANES_MAX];
	int r = find_sorts(c, n_specs, sort_of);

	for (size_t i = 0; i < n_specs && !r; i++) {
		struct errmsg err = {0};
		struct lane_spec spec;

		if (is_repeated(c, i))
			continue;
		if (sort_of[i] < 0) {
			r = lane_spec_parse(&spec, c->specs[i], &err);
			r = lanes_refuse(refused, c->specs[i],
					 r < 0 ? REFUSED_BY_LANE : REFUSED_NO_SPANS,
					 r < 0 ? err.text : NULL);
			continue;
		}
		c->lane = i;
		c->sort = sort_of[i];
		/* start 1 ns earlier, to include spans of length 0 at the start */
		r = lanes_each(c->ls, c->specs[i], c->from ? c->from - 1 : 0, c->to, add_span, c,
			       &c->part_ns, &err);
		if (r == -EINVAL || r == -E2BIG)
			r = lanes_refuse(refused, c->specs[i], REFUSED_BY_LANE, err.text);
		r = r < 0 ? r : c->error;
	}
	return r;
}

/* --- rows ------------------------------------------------------------------------------------- */

/* Computes the quantiles of all groups in the list, which is sorted by group. */
static void find_quantiles(struct span_counting *c, bool of_sorts)
{
	const uint64_t *list = c->lengths.list, mask = (UINT64_C(1) << LENGTHS_BITS) - 1;
	size_t n = c->lengths.n;

	for (size_t i = 0, end; i < n; i = end) {
		size_t group = list[i] >> LENGTHS_BITS;

		for (end = i + 1; end < n && list[end] >> LENGTHS_BITS == group; end++)
			;
		/* in the first round, spans without a group have that of their sort; skip it */
		for (size_t q = 0; q < 3 && (of_sorts || group >= c->n_sorts); q++)
			c->groups[group].quantiles[q] =
				lengths_quantile(list + i, end - i, quantiles[q]) & mask;
	}
}

static int sort_lengths(struct span_counting *c)
{
	uint64_t mask = (UINT64_C(1) << LENGTHS_BITS) - 1;

	TRY(lengths_sort(&c->lengths));
	find_quantiles(c, false);
	for (size_t i = 0; i < c->lengths.n; i++) {
		uint64_t *v = &c->lengths.list[i];

		*v = (*v & mask) | (uint64_t)c->groups[*v >> LENGTHS_BITS].sort << LENGTHS_BITS;
	}
	TRY(lengths_sort(&c->lengths));
	find_quantiles(c, true);
	return 0;
}

/* Sorts by sort; within it the sort itself comes first, then its names by time. */
static int compare_groups(const void *a, const void *b)
{
	const struct span_group *x = a, *y = b;

	if (x->sort != y->sort)
		return x->sort < y->sort ? -1 : 1;
	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	if (x->n != y->n)
		return x->n > y->n ? -1 : 1;
	return (x->label > y->label) - (x->label < y->label);
}

static void add_row(const struct span_counting *c, const struct span_group *g, bool is_sort,
		    struct insight_spans *ret)
{
	struct span_times *t = &ret->rows[ret->n_rows++];

	*t = (struct span_times){.of = c->specs[c->first_lane[g->sort]],
				 .name = is_sort ? NULL : labels_find(&c->ls->labels, g->label),
				 .n = g->n,
				 .n_cut = g->n_cut,
				 .total = g->total,
				 .inside = g->inside,
				 .min = g->min,
				 .max = g->max,
				 .max_at = g->max_at,
				 .max_lane = c->specs[g->max_lane],
				 .max_row = g->max_row};
	memcpy(t->quantiles, g->quantiles, sizeof(t->quantiles));
}

static int list_groups(struct span_counting *c, struct insight_spans *ret)
{
	/* without any lane there are no groups at all */
	struct span_group *names = c->groups ? c->groups + c->n_sorts : NULL;
	size_t n_names = c->n_groups - c->n_sorts, at = 0;

	ret->rows = calloc(c->n_groups + 1, sizeof(*ret->rows));
	if (!ret->rows)
		return -ENOMEM;
	if (n_names)
		qsort(names, n_names, sizeof(*names), compare_groups);
	for (size_t s = 0; s < c->n_sorts; s++) {
		if (c->groups[s].n || c->groups[s].n_cut)
			add_row(c, &c->groups[s], true, ret);
		for (size_t shown = 0; at < n_names && names[at].sort == s; at++, shown++)
			if (shown < ROWS_SHOWN)
				add_row(c, &names[at], false, ret);
			else
				c->is_over = true;
	}
	ret->has_more = c->is_over;
	ret->is_over = c->lengths.is_over;
	ret->part_ns = c->part_ns;
	return 0;
}

static void span_counting_free(struct span_counting **counting)
{
	struct span_counting *c = *counting;

	if (!c)
		return;
	lengths_release(&c->lengths);
	free(c->groups);
	map_release(&c->by_name);
	free(c);
}

int insight_spans(struct insight_spans *ret, struct lanes *ls, const char *const *specs,
		  size_t n_specs, uint64_t from, uint64_t to)
{
	SCOPED(span_counting_free) struct span_counting *c = calloc(1, sizeof(*c));
	SCOPED(insight_spans_release) struct insight_spans answer = {.from = from};

	if (!c)
		return -ENOMEM;
	c->ls = ls;
	c->specs = specs;
	c->from = from;
	c->to = answer.to = earlier(to, timeline_duration(ls->tl));
	n_specs = n_specs < SPANS_LANES_MAX ? n_specs : SPANS_LANES_MAX;
	lanes_prepare(ls, specs, n_specs);
	TRY(count_lanes(c, n_specs, &answer.refused));
	if (!c->lengths.is_over)
		TRY(sort_lengths(c));
	TRY(list_groups(c, &answer));
	*ret = TAKE_STRUCT(answer);
	return 0;
}

void insight_spans_release(struct insight_spans *s)
{
	lanes_refused_release(&s->refused);
	free(s->rows);
	*s = (struct insight_spans){0};
}
