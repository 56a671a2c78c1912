// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * list.c - lists single spans of lanes: all calls of a function, all runs of an interrupt, all
 * times in which a task was blocked.
 *
 * The spans must overlap the range, and have a given name (a label of interrupts, system calls,
 * functions, pairs) or a given value (the number of a task on a CPU, or of a state of a task). All
 * of them are counted, and the first `max` in the requested order are listed. These are in a heap
 * with the last one on top, so memory depends only on max.
 *
 * A span whose start or end was not recorded has no length; sorted by length, it comes after the
 * others.
 */
#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "timeline/insight/insight_int.h"

#include <errno.h>
#include <stdlib.h>

#define VALUES_MAX_BYTES 65536
#define TEXTS_MAX_BYTES	 ((size_t)8 << 20)

struct listed_span {
	uint64_t start, end;
	uint32_t lane, value;
	uint8_t row, flags;
};

struct span_listing {
	struct lanes *ls;
	const struct list_wants *wants;
	uint64_t from, to;
	uint32_t lane;
	int64_t label; /* number of the wanted name; -1: the name was not found yet */
	uint64_t n, n_cut, total;
	struct listed_span *heap;
	size_t n_heap;
};

static bool is_cut(const struct listed_span *s)
{
	return s->flags & (TILE_OPEN_START | TILE_OPEN_END);
}

/* Returns true if a comes before b in the requested order. The last rule makes the order total. */
static bool is_before(enum list_order order, const struct listed_span *a,
		      const struct listed_span *b)
{
	uint64_t x = a->end - a->start, y = b->end - b->start;

	if (order == LIST_LONGEST || order == LIST_SHORTEST) {
		if (is_cut(a) != is_cut(b))
			return is_cut(b);
		if (x != y)
			return order == LIST_LONGEST ? x > y : x < y;
	}
	if (a->start != b->start)
		return order == LIST_LAST ? a->start > b->start : a->start < b->start;
	return a->lane != b->lane ? a->lane < b->lane : a->row < b->row;
}

/* --- the heap: heap[0] is the one that goes first when a better one comes --------------------- */

static void sift_up(struct span_listing *l, size_t at)
{
	while (at) {
		size_t up = (at - 1) / 2;
		struct listed_span s = l->heap[at];

		if (!is_before(l->wants->order, &l->heap[up], &s))
			return;
		l->heap[at] = l->heap[up];
		l->heap[up] = s;
		at = up;
	}
}

static void sift_down(struct span_listing *l, size_t n)
{
	for (size_t at = 0, down = 1; down < n; down = 2 * at + 1) {
		struct listed_span s = l->heap[at];

		if (down + 1 < n && is_before(l->wants->order, &l->heap[down], &l->heap[down + 1]))
			down++;
		if (!is_before(l->wants->order, &s, &l->heap[down]))
			return;
		l->heap[at] = l->heap[down];
		l->heap[down] = s;
		at = down;
	}
}

static void keep(struct span_listing *l, const struct listed_span *s)
{
	if (l->n_heap < l->wants->max) {
		l->heap[l->n_heap] = *s;
		sift_up(l, l->n_heap++);
	} else if (l->n_heap && is_before(l->wants->order, s, &l->heap[0])) {
		l->heap[0] = *s;
		sift_down(l, l->n_heap);
	}
}

/* Sorts the heap: repeatedly moves the last span to the end. */
static void put_in_order(struct span_listing *l)
{
	for (size_t n = l->n_heap; n > 1; n--) {
		struct listed_span s = l->heap[0];

		l->heap[0] = l->heap[n - 1];
		l->heap[n - 1] = s;
		sift_down(l, n - 1);
	}
}

/* --- spans ------------------------------------------------------------------------------------ */

/*
 * Returns true if the value is the wanted name. A name has one number, so texts are compared only
 * until the number is known.
 */
static bool is_wanted(struct span_listing *l, uint32_t value)
{
	if (!l->wants->name)
		return value == l->wants->value;
	if (l->label < 0 && !strcmp(labels_find(&l->ls->labels, value), l->wants->name))
		l->label = value;
	return value == l->label;
}

static bool add_span(void *ctx, const struct lane_span *s)
{
	struct span_listing *l = ctx;
	struct listed_span one = {s->start, s->end, l->lane, s->value, s->row, s->flags};

	if ((s->end <= l->from && s->start < l->from) || !is_wanted(l, s->value))
		return true;
	l->n++;
	if (is_cut(&one))
		l->n_cut++;
	else
		l->total += s->end - s->start;
	keep(l, &one);
	return true;
}

static bool is_repeated(const char *const *specs, size_t at)
{
	return ARRAY_ANY(at, i, !strcmp(specs[i], specs[at]));
}

static int list_lane(struct span_listing *l, const char *spec, struct lanes_refused *refused)
{
	struct errmsg err = {0};
	struct lane *ln;
	uint64_t from, to;
	int r = lane_get_at(l->ls, spec, l->from, &ln, &from, &to, &err);

	if (r == -EINVAL || r == -E2BIG)
		return lanes_refuse(refused, spec, REFUSED_BY_LANE, err.text);
	TRY(r);
	if (lane_kind(ln) > LANE_SPANS || (lane_kind(ln) == LANE_SPANS) != !!l->wants->name)
		r = lanes_refuse(refused, spec,
				 l->wants->name ? REFUSED_NO_NAMES : REFUSED_NO_VALUES, NULL);
	else /* start 1 ns earlier, to include spans of length 0 at the start */
		r = lanes_each(l->ls, spec, l->from ? l->from - 1 : 0, l->to, add_span, l, NULL,
			       &err);
	lane_put(ln);
	return r;
}

static int take_spans(const struct span_listing *l, const char *const *specs,
		      struct insight_list *ret)
{
	ret->spans = calloc(l->n_heap + 1, sizeof(*ret->spans));
	if (!ret->spans)
		return -ENOMEM;
	ret->n_spans = l->n_heap;
	for (size_t i = 0; i < l->n_heap; i++) {
		const struct listed_span *s = &l->heap[i];

		ret->spans[i] = (struct single_span){.lane = specs[s->lane],
						     .start = s->start,
						     .end = s->end,
						     .row = s->row,
						     .is_cut = is_cut(s)};
	}
	ret->n = l->n;
	ret->n_cut = l->n_cut;
	ret->total = l->total;
	return 0;
}

static const char *keep_text(struct insight_list *l, const struct textbuf *tb)
{
	size_t len = textbuf_len(tb);

	return len ? arena_strndup(&l->texts, tb->start, len) : NULL;
}

/* Adds arguments and return values, as far as there is room for the texts. */
static void add_values(const struct span_listing *l, struct insight_list *ret)
{
	TEXTBUF(args, VALUES_MAX_BYTES);
	TEXTBUF(value, VALUES_MAX_BYTES);

	for (size_t i = 0; i < ret->n_spans; i++) {
		struct single_span *one = &ret->spans[i];
		struct errmsg ignored = {0};
		struct lane_span s;
		struct lane *ln = NULL;

		if (lanes_span_at(l->ls, one->lane, one->start, one->row, LANE_AT, &ln, &s,
				  &ignored) >= 0 &&
		    s.start == one->start && lane_read_values(ln, &s, &args, &value)) {
			one->args = keep_text(ret, &args);
			one->ret = keep_text(ret, &value);
		}
		lane_put(ln);
	}
}

static void span_listing_release(struct span_listing *l)
{
	free(l->heap);
}

int insight_list(struct insight_list *ret, struct lanes *ls, const char *const *specs,
		 size_t n_specs, const struct list_wants *wants, uint64_t from, uint64_t to)
{
	SCOPED(span_listing_release)
	struct span_listing l = {.ls = ls, .wants = wants, .from = from, .label = -1};
	SCOPED(insight_list_release) struct insight_list answer = {.from = from};

	arena_init(&answer.texts, TEXTS_MAX_BYTES);
	l.to = answer.to = earlier(to, timeline_duration(ls->tl));
	l.heap = calloc(wants->max + 1, sizeof(*l.heap));
	if (!l.heap)
		return -ENOMEM;
	n_specs = n_specs < SPANS_LANES_MAX ? n_specs : SPANS_LANES_MAX;
	lanes_prepare(ls, specs, n_specs);
	for (size_t i = 0; i < n_specs; i++) {
		l.lane = i;
		if (!is_repeated(specs, i))
			TRY(list_lane(&l, specs[i], &answer.refused));
	}
	put_in_order(&l);
	TRY(take_spans(&l, specs, &answer));
	if (wants->name && lanes_have_values(ls))
		add_values(&l, &answer);
	*ret = TAKE_STRUCT(answer);
	return 0;
}

void insight_list_release(struct insight_list *l)
{
	lanes_refused_release(&l->refused);
	free(l->spans);
	arena_release(&l->texts);
	*l = (struct insight_list){0};
}
