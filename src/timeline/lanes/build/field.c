// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * field.c - builds the lane of a field over time: samples in order, and their pyramid.
 *
 * Any field of 1, 2, 4 or 8 bytes is possible. A sample has 16 bytes; there are at most
 * SAMPLES_MAX. passes.c gathers them in time order. The level above stores minimum and maximum of
 * each SAMPLES_A_BUCKET samples, and so on, so that any zoom level reads only a few hundred.
 */
#include "base/errmsg.h"
#include "base/scope.h"
#include "format/bytes.h"
#include "timeline/lanes/lane_int.h"
#include "decode/print/print.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define SAMPLES_A_BUCKET 64
#define SAMPLES_MAX	 (8u << 20)

struct gathering {
	struct timeline *tl;
	const struct field **fields; /* by kind */
	const struct field **wheres; /* by kind; NULL: all events */
	double where_number;
	size_t n_fields;
};

static bool is_number(const struct field *f)
{
	return f && !(f->flags & (FIELD_ARRAY | FIELD_STRING | FIELD_DYNAMIC)) &&
	       (f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8);
}

static double number_of(const struct field *f, const uint8_t *data, bool swap)
{
	uint64_t v = field_number(f, bytes_get(data + f->offset, f->size, swap));
	unsigned shift = 64 - 8 * f->size;

	if (f->flags & FIELD_REAL)
		return real_of(f, v);
	return f->flags & FIELD_SIGNED ? (double)((int64_t)(v << shift) >> shift) : (double)v;
}

/* Has the event the wanted value in another field? */
static bool is_chosen(const struct gathering *g, const struct walk_event *ev, bool swap)
{
	const struct field *w = g->wheres[ev->kind];

	return w && (uint64_t)w->offset + w->size <= ev->size &&
	       number_of(w, ev->data, swap) == g->where_number;
}

static bool take(void *ctx, struct mark_cache *cache, const struct walk_event *ev, void *ret)
{
	const struct gathering *g = ctx;
	const struct field *f = ev->kind < g->n_fields ? g->fields[ev->kind] : NULL;
	struct sample *sample = ret;
	double number;
	bool swap;

	if (!f || (uint64_t)f->offset + f->size > ev->size)
		return false;
	swap = timeline_source(g->tl, timeline_kind(g->tl, ev->kind)->source)->formats->swap;
	if (g->wheres && !is_chosen(g, ev, swap))
		return false;
	if (field_is_gone(f, bytes_get(ev->data + f->offset, f->size, swap)))
		return false;
	number = number_of(f, ev->data, swap);
	*sample = (struct sample){ev->ts, number};
	return isfinite(number); /* NaN and infinity have no place on a scale */
}

static void add_bucket(struct counter_bucket *to, const struct counter_bucket *b)
{
	if (!b->n)
		return;
	to->min = to->n ? fminf(to->min, b->min) : b->min;
	to->max = to->n ? fmaxf(to->max, b->max) : b->max;
	to->last = b->last;
	to->n += b->n;
}

static int make_pyramid(struct lane *ln)
{
	struct pyramid *p = &ln->counters;
	size_t n = pyramid_lay_out(p, timeline_duration(ln->owner->tl),
				   pyramid_bits(ln->n_samples, SAMPLES_A_BUCKET));
	struct counter_bucket *all = calloc(n, sizeof(*all));

	p->buckets = all;
	if (!all) {
		p->n_levels = 0;
		return -ENOMEM;
	}
	for (size_t i = 0; i < ln->n_samples; i++) {
		size_t at = ln->samples[i].ts >> p->base_level;
		float v = ln->samples[i].number;

		if (at < p->n[0])
			add_bucket(&all[at], &(struct counter_bucket){v, v, v, 1});
	}
	for (int l = 1; l < p->n_levels; l++)
		for (size_t i = 0; i < p->n[l - 1]; i++)
			add_bucket(&all[p->at[l] + i / 2], &all[p->at[l - 1] + i]);
	ln->n_bytes += n * sizeof(*all);
	return 0;
}

static int add_range(struct lane *ln)
{
	for (size_t i = 0; i < ln->n_samples; i++) {
		double v = ln->samples[i].number;

		ln->min = i && ln->min < v ? ln->min : v;
		ln->max = i && ln->max > v ? ln->max : v;
	}
	ln->n_bytes += ln->n_samples * sizeof(*ln->samples);
	return ln->n_samples > 8192 ? make_pyramid(ln) : 0;
}

static int find_fields(struct lane *ln, struct gathering *g, struct errmsg *err)
{
	struct timeline *tl = ln->owner->tl;
	size_t n_kinds, n_found = 0;

	TRY(lane_take_kinds(ln, &ln->kinds, &ln->spec.event, &n_kinds));
	if (!n_kinds && ln->is_whole)
		return errmsg_set(err, -EINVAL, "No event %s/%s was recorded on machine %u.",
				  ln->spec.event.system, ln->spec.event.name, ln->spec.machine);
	g->n_fields = ln->kinds.n;
	g->fields = calloc(g->n_fields + 1, sizeof(*g->fields));
	if (!g->fields)
		return -ENOMEM;
	g->where_number = (double)ln->spec.where_number;
	if (ln->spec.where[0]) {
		g->wheres = calloc(g->n_fields + 1, sizeof(*g->wheres));
		if (!g->wheres)
			return -ENOMEM;
	}
	for (size_t i = 0; i < g->n_fields && i < timeline_n_kinds(tl); i++) {
		const struct field *f;

		if (!bit_get(ln->kinds.bits, i))
			continue;
		f = event_find_any(timeline_kind(tl, i)->event, ln->spec.field);
		if (!is_number(f))
			continue;
		g->fields[i] = f;
		if (g->wheres) {
			f = event_find_any(timeline_kind(tl, i)->event, ln->spec.where);
			g->wheres[i] = is_number(f) ? f : NULL;
		}
		n_found++;
	}
	if (n_kinds && !n_found)
		return errmsg_set(
			err, -EINVAL,
			"%s/%s has no number \"%s\"; its fields are in the list of events.",
			ln->spec.event.system, ln->spec.event.name, ln->spec.field);
	return 0;
}

/* Joins the samples of the previous lane and the new ones. Both are sorted. */
static int take_over(struct lane_plan *p)
{
	const struct sample *a = p->before->samples, *b = p->g.items;
	size_t n_a = p->before->n_samples, n_b = p->g.n_items, i = 0, k = 0, n = 0;
	struct sample *all;

	if (n_a + n_b > SAMPLES_MAX)
		return -E2BIG;
	all = malloc((n_a + n_b) * sizeof(*all) + 1);
	if (!all)
		return -ENOMEM;
	/* nearly all old samples are before the first new one */
	if (n_b)
		i = lane_search_sample(p->before, b[0].ts);
	else
		i = n_a;
	if (i)
		memcpy(all, a, i * sizeof(*all));
	for (n = i; i < n_a || k < n_b; n++)
		all[n] = k == n_b || (i < n_a && a[i].ts <= b[k].ts) ? a[i++] : b[k++];
	free(p->g.items);
	p->g.items = all;
	p->g.n_items = n;
	return 0;
}

int lane_plan_field(struct lane_plan *p, struct errmsg *err)
{
	struct lane *ln = p->ln;
	struct gathering *g = p->own = calloc(1, sizeof(*g));

	TRY(g ? lane_take_streams(ln, ln->spec.machine, ln->spec.only_cpu) : -ENOMEM);
	g->tl = ln->owner->tl;
	TRY(find_fields(ln, g, err));
	if (ln->spec.only_pid >= 0 && lane_take_task(ln, ln->spec.only_pid) < 0 && ln->is_whole)
		return errmsg_set(err, -EINVAL, "The trace has no task %d.", ln->spec.only_pid);
	p->is_wanting = ln->kinds.bits && (ln->tasks.bits || ln->spec.only_pid < 0);
	p->g = (struct gatherer){.streams = ln->streams,
				 .n_streams = ln->n_streams,
				 .kinds = ln->kinds.bits,
				 .n_kinds = ln->kinds.n,
				 .tasks = ln->tasks.bits,
				 .n_tasks = ln->tasks.n,
				 .take = take,
				 .ctx = g,
				 .item_bytes = sizeof(struct sample),
				 .items_max = SAMPLES_MAX,
				 .until = ln->until,
				 .n_until = ln->n_until};
	if (lane_goes_on(p)) {
		p->g.since = p->before->until;
		p->g.n_since = p->before->n_until;
	}
	return 0;
}

int lane_finish_field(struct lane_plan *p, struct errmsg *err)
{
	TRY(lane_goes_on(p) ? take_over(p) : 0);
	p->ln->samples = p->g.items;
	p->ln->n_samples = p->g.n_items;
	p->g.items = NULL;
	return add_range(p->ln);
}

void lane_release_field(struct lane_plan *p)
{
	struct gathering *g = p->own;

	if (g) {
		free(g->fields);
		free(g->wheres);
	}
	free(g);
}
