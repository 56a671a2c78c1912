// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * events.c - counts the events of each kind in a range, with all threads.
 *
 * The range is cut into COUNT_SLICES parts of equal length. Each part has its own counts, so that
 * threads share nothing; the counts are added at the end. With a selection, one bit per event is
 * tested.
 */
#include "base/scope.h"
#include "timeline/insight/insight_int.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_SLICES   16
#define JOIN_KINDS_MAX 4096

struct counting {
	struct timeline *tl;
	const struct selection *sel;
	uint64_t from, step, to;
	uint64_t *counts; /* by job, then kind */
	size_t n_kinds;
	int error;
};

struct count_job {
	const struct selection *sel;
	uint64_t *counts;
	size_t n_kinds;
};

static bool count_event(void *ctx, const struct walk_event *ev)
{
	struct count_job *j = ctx;

	if (ev->kind < j->n_kinds && (!j->sel || selection_has(j->sel, ev->ref)))
		j->counts[ev->kind]++;
	return true;
}

static void count_slice(void *ctx, size_t i)
{
	struct counting *c = ctx;
	struct count_job j = {c->sel, c->counts + i * c->n_kinds, c->n_kinds};
	struct walk_wants wants = {.from = c->from + i * c->step};
	bool whole;

	if (wants.from > c->to)
		return;
	wants.to = earlier(c->to, wants.from + c->step - 1);
	for (size_t s = 0; s < timeline_n_streams(c->tl); s++) {
		int r = timeline_walk(c->tl, s, &wants, count_event, &j, &whole);

		if (r < 0)
			__atomic_store_n(&c->error, r, __ATOMIC_RELAXED);
	}
}

static bool is_same_kind(const struct timeline *tl, size_t a, size_t b)
{
	const struct timeline_kind *x = timeline_kind(tl, a), *y = timeline_kind(tl, b);

	return x->event && y->event && x->source != y->source &&
	       timeline_source(tl, x->source)->machine == timeline_source(tl, y->source)->machine &&
	       !strcmp(x->event->name, y->event->name) &&
	       !strcmp(x->event->system, y->event->system);
}

/* Joins the counts of kinds with the same name: each file of a machine has its own kinds. */
static void join_counts(const struct counting *c)
{
	for (size_t k = 1; k < c->n_kinds && c->n_kinds <= JOIN_KINDS_MAX; k++)
		for (size_t first = 0; first < k; first++) {
			if (!is_same_kind(c->tl, first, k))
				continue;
			for (size_t i = 0; i < COUNT_SLICES; i++) {
				uint64_t *counts = c->counts + i * c->n_kinds;

				counts[first] += counts[k];
				counts[k] = 0;
			}
			break;
		}
}

static int list_counts(const struct counting *c, struct insight_events *ret)
{
	if (timeline_n_sources(c->tl) > 1)
		join_counts(c);
	ret->kinds = calloc(c->n_kinds + 1, sizeof(*ret->kinds));
	if (!ret->kinds)
		return -ENOMEM;
	for (size_t k = 0; k < c->n_kinds; k++) {
		uint64_t n = 0;

		for (size_t i = 0; i < COUNT_SLICES; i++)
			n += c->counts[i * c->n_kinds + k];
		if (n)
			ret->kinds[ret->n_kinds++] = (struct kind_count){k, n};
		ret->total += n;
	}
	return 0;
}

int insight_events(struct insight_events *ret, struct lanes *ls, const struct selection *sel,
		   uint64_t from, uint64_t to)
{
	struct counting c = {.tl = ls->tl, .sel = sel, .from = from};
	struct insight_events answer = {0};
	int r;

	c.to = earlier(to, timeline_duration(ls->tl));
	c.step = (c.to > from ? c.to - from : 0) / COUNT_SLICES + 1;
	c.n_kinds = timeline_n_kinds(ls->tl);
	c.counts = calloc(COUNT_SLICES * c.n_kinds + 1, sizeof(*c.counts));
	if (!c.counts)
		return -ENOMEM;
	timeline_parallel(ls->tl, COUNT_SLICES, count_slice, &c);
	r = c.error < 0 ? c.error : list_counts(&c, &answer);
	free(c.counts);
	TRY(r);
	*ret = answer;
	return 0;
}

void insight_events_release(struct insight_events *e)
{
	free(e->kinds);
	*e = (struct insight_events){0};
}
