// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lane_build_ticks.c - lanes of single events: a tracepoint, all of a CPU, hits of a search.
 *
 * Nothing is kept of them but a pyramid of counts; close up they are found again in the file. Its base is fine
 * enough that a tile below it has not more than some EVENTS_A_BUCKET × 1024 events to walk, wanted or not.
 *
 * Building: the trace is cut into slices of whole buckets, a job each, which walks all streams; no two jobs
 * count in the same bucket.
 */
#include "timeline/lane_int.h"

#include <errno.h>
#include <stdlib.h>

#define FOUND_BITS_N	0 /* hits are counted bucket by bucket: as few as can be */
#define EVENTS_A_BUCKET 48
#define SLICES		64

struct counting {
	struct lane *ln;
	size_t step; /* buckets of a slice */
	int error;   /* __atomic */
};

struct slice {
	struct tick_bucket *buckets;
	int level;
	size_t from, to;
};

static bool count(void *ctx, const struct tick *t)
{
	struct slice *s = ctx;
	size_t i = t->ts >> s->level;

	if (i < s->from || i >= s->to)
		return true;
	if (s->buckets[i].n < 0xffffff)
		s->buckets[i].n++;
	if (t->missed)
		s->buckets[i].flags |= TILE_MISSED;
	return true;
}

/* The range of a slice, in buckets; false: it has none. */
static bool slice_init(struct slice *s, const struct counting *c, size_t i)
{
	const struct pyramid *p = &c->ln->ticks;

	s->buckets = p->buckets;
	s->level = p->base_level;
	s->from = i * c->step;
	s->to = s->from + c->step < p->n[0] ? s->from + c->step : p->n[0];
	return s->from < s->to;
}

static void count_slice(void *ctx, size_t i)
{
	struct counting *c = ctx;
	struct slice s;
	int r;

	if (!slice_init(&s, c, i))
		return;
	r = lane_each_tick(c->ln, (uint64_t)s.from << s.level, ((uint64_t)s.to << s.level) - 1,
			   count, &s);
	if (r < 0)
		__atomic_store_n(&c->error, r, __ATOMIC_RELAXED);
}

/* Hits of a search: the selection knows how many are before any time. */
static void rank_slice(void *ctx, size_t i)
{
	struct counting *c = ctx;
	struct timeline *tl = c->ln->owner->tl;
	struct slice s;
	uint64_t before;

	if (!slice_init(&s, c, i))
		return;
	before = timeline_rank(tl, c->ln->found, (uint64_t)s.from << s.level);
	for (size_t b = s.from; b < s.to; b++) {
		uint64_t to = timeline_rank(tl, c->ln->found, (uint64_t)(b + 1) << s.level);
		uint64_t n = to > before ? to - before : 0;

		s.buckets[b].n = n > 0xffffff ? 0xffffff : n;
		before = to;
	}
}

static void raise_levels(struct pyramid *p)
{
	struct tick_bucket *all = p->buckets;

	for (int l = 1; l < p->n_levels; l++)
		for (size_t i = 0; i < p->n[l]; i++) {
			const struct tick_bucket *a = &all[p->at[l - 1] + 2 * i];
			bool has_b = 2 * i + 1 < p->n[l - 1];
			uint32_t n = a->n + (has_b ? a[1].n : 0);
			struct tick_bucket *to = &all[p->at[l] + i];

			to->n = n > 0xffffff ? 0xffffff : n;
			to->flags = a->flags | (has_b ? a[1].flags : 0);
		}
}

/* n_walked: events that a walk over the whole trace looks at. */
static int make_pyramid(struct lane *ln, uint64_t n_walked, void (*job)(void *ctx, size_t i))
{
	struct counting c = {.ln = ln};
	size_t n = pyramid_lay_out(&ln->ticks, timeline_duration(ln->owner->tl),
				   pyramid_bits(n_walked, EVENTS_A_BUCKET));

	ln->ticks.buckets = calloc(n, sizeof(struct tick_bucket));
	if (!ln->ticks.buckets) {
		ln->ticks.n_levels = 0;
		return -ENOMEM;
	}
	ln->n_bytes += n * sizeof(struct tick_bucket);
	c.step = ln->ticks.n[0] / SLICES + 1;
	timeline_parallel(ln->owner->tl, SLICES, job, &c);
	raise_levels(&ln->ticks);
	return c.error;
}

int lane_build_ticks(struct lane *ln, struct errmsg *err)
{
	struct timeline *tl = ln->owner->tl;
	bool is_all = ln->spec.type == LANE_OF_ALL;
	uint64_t n_walked = 0;
	size_t n_kinds;
	int r = lane_take_streams(ln, ln->spec.machine, is_all ? (int)ln->spec.number : -1);

	if (r < 0)
		return r;
	for (size_t i = 0; i < ln->n_streams; i++)
		n_walked += timeline_stream(tl, ln->streams[i])->n_events;
	if (is_all)
		return make_pyramid(ln, n_walked, count_slice);
	r = lane_take_kinds(ln, &ln->kinds, &ln->spec.event, &n_kinds);
	if (r < 0)
		return r;
	if (!n_kinds && ln->is_whole)
		return errmsg_set(err, -EINVAL, "No event %s/%s was recorded on machine %u.",
				  ln->spec.event.system, ln->spec.event.name, ln->spec.machine);
	return make_pyramid(ln, n_walked, count_slice);
}

int lane_build_found(struct lane *ln, struct errmsg *err)
{
	struct lanes *ls = ln->owner;

	pthread_mutex_lock(&ls->lock);
	for (size_t i = 0; i < ls->n_selections; i++)
		if (ls->selections[i].id == ln->spec.number)
			ln->found = ls->selections[i].sel;
	pthread_mutex_unlock(&ls->lock);
	if (!ln->found)
		return errmsg_set(err, -EINVAL, "There is no search %llu any more; search again.",
				  (unsigned long long)ln->spec.number);
	return make_pyramid(ln, FOUND_BITS_N, rank_slice);
}
