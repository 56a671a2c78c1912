// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * marks.c - walks streams on all threads and puts what was found in the order of time.
 *
 * A job is a slice of time of a stream. The slices of a stream, one after the other, are in order; so there
 * are as many ordered runs as streams, which are merged two by two:
 *
 *	stream 0   [slice][slice][slice]  ┐
 *	stream 1   [slice][slice][slice]  ┴ merged ┐
 *	stream 2   [slice][slice][slice]  ─────────┴ merged
 */
#include "timeline/marks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define JOBS_MIN 16

struct part {
	struct mark *marks;
	size_t n, cap;
	int error;
};

struct gather {
	struct timeline *tl;
	const struct mark_wants *wants;
	size_t n_slices;
	uint64_t step;
	struct part *parts; /* by stream, then slice */
	size_t n_all;	    /* __atomic */
};

struct gather_walk {
	struct gather *g;
	struct part *part;
	struct mark_cache cache;
};

static int part_grow(struct gather *g, struct part *p)
{
	size_t cap = p->cap ? p->cap * 2 : 512;
	struct mark *more;

	if (__atomic_add_fetch(&g->n_all, cap - p->cap, __ATOMIC_RELAXED) > 2 * (size_t)MARKS_MAX)
		return -E2BIG;
	more = realloc(p->marks, cap * sizeof(*more));
	if (!more)
		return -ENOMEM;
	p->marks = more;
	p->cap = cap;
	return 0;
}

static bool take(void *ctx, const struct walk_event *ev)
{
	struct gather_walk *w = ctx;
	struct part *p = w->part;

	if (p->n == p->cap) {
		p->error = part_grow(w->g, p);
		if (p->error)
			return false;
	}
	if (w->g->wants->make(w->g->wants->ctx, &w->cache, ev, &p->marks[p->n]))
		p->n++;
	return true;
}

static void gather_job(void *ctx, size_t i)
{
	struct gather *g = ctx;
	const struct mark_wants *m = g->wants;
	size_t slice = i % g->n_slices;
	struct walk_wants wants = {.from = m->from + slice * g->step,
				   .kinds = m->kinds,
				   .n_kinds = m->n_kinds,
				   .tasks = m->tasks,
				   .n_tasks = m->n_tasks};
	struct gather_walk *w;
	bool whole;
	int r;

	if (wants.from > m->to)
		return;
	wants.to = m->to - wants.from < g->step ? m->to : wants.from + g->step - 1;
	w = calloc(1, sizeof(*w));
	if (!w) {
		g->parts[i].error = -ENOMEM;
		return;
	}
	w->g = g;
	w->part = &g->parts[i];
	r = timeline_walk(g->tl, m->streams[i / g->n_slices], &wants, take, w, &whole);
	if (r < 0)
		w->part->error = r;
	free(w);
}

static void merge_runs(struct mark *to, const struct mark *a, size_t n_a, const struct mark *b,
		       size_t n_b)
{
	size_t i = 0, j = 0;

	while (i < n_a && j < n_b)
		*to++ = b[j].ts < a[i].ts ? b[j++] : a[i++];
	if (n_a - i)
		memcpy(to, a + i, (n_a - i) * sizeof(*a));
	else if (n_b - j)
		memcpy(to, b + j, (n_b - j) * sizeof(*b));
}

/* starts: n_runs + 1 places. */
static int merge_all(struct marks *m, size_t *starts, size_t n_runs)
{
	struct mark *other = n_runs > 1 ? malloc(m->n * sizeof(*other) + 1) : NULL;

	if (n_runs > 1 && !other)
		return -ENOMEM;
	while (n_runs > 1) {
		struct mark *swap = m->marks;
		size_t n = 0;

		for (size_t i = 0; i < n_runs; i += 2) {
			size_t a = starts[i], b = starts[i + 1];
			size_t end = i + 2 <= n_runs ? starts[i + 2] : b;

			merge_runs(other + a, m->marks + a, b - a, m->marks + b, end - b);
			starts[n++] = a;
		}
		starts[n] = m->n;
		n_runs = n;
		m->marks = other;
		other = swap;
	}
	free(other);
	return 0;
}

/* One array of all parts, with the places where each stream begins. */
static int join(struct marks *m, struct gather *g, size_t *starts, size_t *ret_runs)
{
	size_t n_parts = g->wants->n_streams * g->n_slices, n = 0, runs = 0;

	for (size_t i = 0; i < n_parts; i++) {
		if (g->parts[i].error)
			return g->parts[i].error;
		n += g->parts[i].n;
	}
	if (n > MARKS_MAX)
		return -E2BIG;
	m->marks = malloc(n * sizeof(*m->marks) + 1);
	if (!m->marks)
		return -ENOMEM;
	for (size_t i = 0; i < n_parts; i++) {
		if (i % g->n_slices == 0 && (!runs || starts[runs - 1] != m->n))
			starts[runs++] = m->n;
		if (g->parts[i].n)
			memcpy(m->marks + m->n, g->parts[i].marks,
			       g->parts[i].n * sizeof(*m->marks));
		m->n += g->parts[i].n;
		free(g->parts[i].marks);
		g->parts[i].marks = NULL;
	}
	starts[runs] = m->n;
	*ret_runs = runs;
	return 0;
}

int marks_gather(struct marks *ret, struct timeline *tl, const struct mark_wants *wants)
{
	struct gather g = {.tl = tl, .wants = wants, .n_slices = 1};
	uint64_t end = timeline_duration(tl);
	uint64_t to = wants->to < end ? wants->to : end;
	size_t *starts = calloc(wants->n_streams + 2, sizeof(*starts));
	size_t n_runs = 0;
	int r = starts ? 0 : -ENOMEM;

	*ret = (struct marks){0};
	if (wants->n_streams && wants->n_streams < JOBS_MIN)
		g.n_slices = JOBS_MIN / wants->n_streams;
	g.step = (to > wants->from ? to - wants->from : 0) / g.n_slices + 1;
	g.parts = calloc(wants->n_streams * g.n_slices + 1, sizeof(*g.parts));
	if (!g.parts)
		r = -ENOMEM;
	if (!r) {
		timeline_parallel(tl, wants->n_streams * g.n_slices, gather_job, &g);
		r = join(ret, &g, starts, &n_runs);
	}
	if (!r)
		r = merge_all(ret, starts, n_runs);
	for (size_t i = 0; g.parts && i < wants->n_streams * g.n_slices; i++)
		free(g.parts[i].marks);
	free(g.parts);
	free(starts);
	if (r < 0) {
		free(ret->marks);
		*ret = (struct marks){0};
	}
	return r;
}
