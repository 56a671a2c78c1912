// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * ticks.c - builds lanes of single events: a tracepoint, all events of a CPU, hits of a
 * search.
 *
 * Such a lane stores only a pyramid of counts; for high zoom levels the events are read from the
 * file. The base is so fine that a tile below it walks at most about EVENTS_A_BUCKET × 1024 events,
 * wanted or not.
 *
 * passes.c counts the events, together with the other lanes that are built. Hits of a search are
 * counted by ranks: the trace is cut into slices of whole buckets, one job each.
 */
#include "base/errmsg.h"
#include "base/scope.h"
#include "timeline/lanes/lane_int.h"

#include <errno.h>
#include <stdlib.h>

/* hits are counted for each bucket, so there are as few buckets as possible */
#define FOUND_BITS_N	0
#define EVENTS_A_BUCKET 48
#define EVENTS_A_PAGE	80
#define SLICES		64

struct counting {
	struct lane *ln;
	size_t step; /* number of buckets of a slice */
};

struct slice {
	struct tick_bucket *buckets;
	int level;
	size_t from, to;
};

/* Finds the range of a slice, in buckets. Returns false if it is empty. */
static bool slice_init(struct slice *s, const struct counting *c, size_t i)
{
	const struct pyramid *p = &c->ln->ticks;

	s->buckets = p->buckets;
	s->level = p->base_level;
	s->from = i * c->step;
	s->to = s->from + c->step < p->n[0] ? s->from + c->step : p->n[0];
	return s->from < s->to;
}

/* Counts hits of a search: the selection knows the number of hits before any time. */
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

		s.buckets[b] = (struct tick_bucket){n > 0xffffff ? 0xffffff : n, 0};
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

			*to = (struct tick_bucket){n > 0xffffff ? 0xffffff : n,
						   a->flags | (has_b ? a[1].flags : 0)};
		}
}

/*
 * Adds a pyramid. n_walked is the number of events that a walk over the whole trace reads. before
 * has buckets that will be copied; the new buckets must not be finer.
 */
static int add_pyramid(struct lane *ln, uint64_t n_walked, const struct pyramid *before)
{
	unsigned bits = pyramid_bits(n_walked, EVENTS_A_BUCKET);
	uint64_t duration = timeline_duration(ln->owner->tl);
	size_t n = pyramid_lay_out(&ln->ticks, duration, bits);

	while (before && ln->ticks.base_level < before->base_level)
		n = pyramid_lay_out(&ln->ticks, duration, --bits);

	ln->ticks.buckets = calloc(n, sizeof(struct tick_bucket));
	if (!ln->ticks.buckets) {
		ln->ticks.n_levels = 0;
		return -ENOMEM;
	}
	ln->n_bytes += n * sizeof(struct tick_bucket);
	return 0;
}

/* Returns the number of events of the lane's kinds. */
static uint64_t count_wanted(const struct lane *ln)
{
	struct timeline *tl = ln->owner->tl;
	uint64_t n = 0;

	for (size_t i = 0; i < ln->kinds.n && i < timeline_n_kinds(tl); i++)
		if (bit_get(ln->kinds.bits, i))
			n += timeline_kind(tl, i)->n_events;
	return n;
}

/* Returns true if the lane can extend its previous version, and that is not much too coarse. */
static bool goes_on(const struct lane_plan *p, uint64_t n_walked)
{
	struct pyramid fresh;

	if (!lane_goes_on(p) || !p->before->ticks.n_levels)
		return false;
	pyramid_lay_out(&fresh, timeline_duration(p->ln->owner->tl),
			pyramid_bits(n_walked, EVENTS_A_BUCKET));
	return fresh.base_level + 1 >= p->before->ticks.base_level;
}

/* Copies the counts of the base into buckets of the same width or wider. */
static void take_over(struct pyramid *to, const struct pyramid *from)
{
	int wider = to->base_level - from->base_level;
	struct tick_bucket *buckets = to->buckets;

	for (size_t i = 0; i < from->n[0] && i >> wider < to->n[0]; i++) {
		const struct tick_bucket *b = (struct tick_bucket *)from->buckets + i;
		uint32_t n = buckets[i >> wider].n + b->n;

		buckets[i >> wider].n = n > 0xffffff ? 0xffffff : n;
		buckets[i >> wider].flags |= b->flags;
	}
}

int lane_plan_ticks(struct lane_plan *p, struct errmsg *err)
{
	struct lane *ln = p->ln;
	struct timeline *tl = ln->owner->tl;
	bool is_all = ln->spec.type == LANE_OF_ALL;
	uint64_t n_walked = 0;
	size_t n_kinds = 0;
	int r = lane_take_streams(ln, ln->spec.machine, is_all ? (int)ln->spec.number : -1);

	if (!r && !is_all)
		r = lane_take_kinds(ln, &ln->kinds, &ln->spec.event, &n_kinds);
	TRY(r);
	if (!is_all && !n_kinds && ln->is_whole)
		return errmsg_set(err, -EINVAL, "No event %s/%s was recorded on machine %u.",
				  ln->spec.event.system, ln->spec.event.name, ln->spec.machine);
	for (size_t i = 0; i < ln->n_streams; i++)
		n_walked += timeline_stream(tl, ln->streams[i])->n_events;
	/* for rare events only the pages with such an event are walked */
	if (!is_all && ln->is_whole && count_wanted(ln) * EVENTS_A_PAGE < n_walked)
		n_walked = count_wanted(ln) * EVENTS_A_PAGE;
	r = add_pyramid(ln, n_walked, goes_on(p, n_walked) ? &p->before->ticks : NULL);
	p->g = (struct gatherer){.streams = ln->streams,
				 .n_streams = ln->n_streams,
				 .kinds = ln->kinds.bits,
				 .n_kinds = ln->kinds.n,
				 .ticks = &ln->ticks,
				 .until = ln->until,
				 .n_until = ln->n_until};
	if (!r && goes_on(p, n_walked)) {
		p->g.since = p->before->until;
		p->g.n_since = p->before->n_until;
		take_over(&ln->ticks, &p->before->ticks);
	}
	p->is_wanting = is_all || n_kinds;
	return r;
}

int lane_finish_ticks(struct lane_plan *p, struct errmsg *err)
{
	raise_levels(&p->ln->ticks);
	return 0;
}

int lane_build_found(struct lane *ln, struct errmsg *err)
{
	struct counting c = {.ln = ln};
	struct lanes *ls = ln->owner;

	pthread_mutex_lock(&ls->lock);
	for (size_t i = 0; i < ls->n_selections; i++)
		if (ls->selections[i].id == ln->spec.number)
			ln->found = selection_hold(ls->selections[i].sel);
	pthread_mutex_unlock(&ls->lock);
	if (!ln->found)
		return errmsg_set(err, -EINVAL, "Search %llu has expired; search again.",
				  (unsigned long long)ln->spec.number);
	TRY(add_pyramid(ln, FOUND_BITS_N, NULL));
	c.step = ln->ticks.n[0] / SLICES + 1;
	timeline_parallel(ls->tl, SLICES, rank_slice, &c);
	raise_levels(&ln->ticks);
	return 0;
}
