// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lane_build_field.c - a number of an event over time: samples in order, and their pyramid.
 *
 * Any field of 1, 2, 4 or 8 bytes will do. Streams are walked at once, each into an array of its own, which are in
 * order; together they are sorted by time. A sample is 16 bytes, at most SAMPLES_MAX of them.
 */
#include "timeline/lane_int.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define SAMPLES_A_BUCKET 64
#define SAMPLES_MAX	 (8u << 20)

struct gathered {
	struct sample *samples;
	size_t n, cap;
	int error;
};

struct gathering {
	struct lane *ln;
	const struct field **fields; /* by kind */
	size_t n_fields;
	struct gathered *parts; /* by stream of the lane */
	struct gathered *part;	/* walking: the one at hand */
};

static bool is_number(const struct field *f)
{
	return f && !(f->flags & (FIELD_ARRAY | FIELD_STRING | FIELD_DYNAMIC)) &&
	       (f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8);
}

static double number_of(const struct field *f, const uint8_t *data, bool swap)
{
	uint64_t v = bytes_get(data + f->offset, f->size, swap);
	unsigned shift = 64 - 8 * f->size;

	return f->flags & FIELD_SIGNED ? (double)((int64_t)(v << shift) >> shift) : (double)v;
}

static bool take(void *ctx, const struct walk_event *ev)
{
	struct gathering *g = ctx;
	struct gathered *p = g->part;
	struct timeline *tl = g->ln->owner->tl;
	const struct field *f = ev->kind < g->n_fields ? g->fields[ev->kind] : NULL;
	bool swap;

	if (!f || (uint64_t)f->offset + f->size > ev->size)
		return true;
	if (p->n == p->cap) {
		size_t cap = p->cap ? p->cap * 2 : 256;
		struct sample *more;

		more = cap > SAMPLES_MAX ? NULL : realloc(p->samples, cap * sizeof(*more));
		if (!more) {
			p->error = -ENOMEM;
			return false;
		}
		p->samples = more;
		p->cap = cap;
	}
	swap = timeline_source(tl, timeline_kind(tl, ev->kind)->source)->formats->swap;
	p->samples[p->n++] = (struct sample){ev->ts, number_of(f, ev->data, swap)};
	return true;
}

static void gather_stream(void *ctx, size_t i)
{
	struct gathering g = *(struct gathering *)ctx;
	struct lane *ln = g.ln;
	struct walk_wants wants = {.to = TIMELINE_TIME_MAX,
				   .kinds = ln->kinds.bits,
				   .n_kinds = ln->kinds.n,
				   .tasks = ln->tasks.bits,
				   .n_tasks = ln->tasks.n};
	bool whole;
	int r;

	g.part = &g.parts[i];
	r = timeline_walk(ln->owner->tl, ln->streams[i], &wants, take, &g, &whole);
	if (r < 0)
		g.part->error = r;
}

static int compare_samples(const void *a, const void *b)
{
	uint64_t x = ((const struct sample *)a)->ts, y = ((const struct sample *)b)->ts;

	return (x > y) - (x < y);
}

/* Merges b behind a, both in order, into to. */
static void merge(struct sample *to, const struct sample *a, size_t n_a, const struct sample *b,
		  size_t n_b)
{
	size_t i = 0, j = 0;

	while (i < n_a || j < n_b)
		*to++ = j == n_b || (i < n_a && compare_samples(&a[i], &b[j]) <= 0) ? a[i++]
										    : b[j++];
}

static int join_parts(struct lane *ln, struct gathered *parts, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct sample *all;

		if (parts[i].error)
			return parts[i].error;
		if (!parts[i].n)
			continue;
		if (ln->n_samples + parts[i].n > SAMPLES_MAX)
			return -ENOMEM;
		all = malloc((ln->n_samples + parts[i].n) * sizeof(*all));
		if (!all)
			return -ENOMEM;
		merge(all, ln->samples, ln->n_samples, parts[i].samples, parts[i].n);
		free(ln->samples);
		ln->samples = all;
		ln->n_samples += parts[i].n;
	}
	return 0;
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

static int finish(struct lane *ln)
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
	int r = lane_take_kinds(ln, &ln->kinds, &ln->spec.event, &n_kinds);

	if (r < 0)
		return r;
	if (!n_kinds && ln->is_whole)
		return errmsg_set(err, -EINVAL, "No event %s/%s was recorded on machine %u.",
				  ln->spec.event.system, ln->spec.event.name, ln->spec.machine);
	g->n_fields = ln->kinds.n;
	g->fields = calloc(g->n_fields + 1, sizeof(*g->fields));
	if (!g->fields)
		return -ENOMEM;
	for (size_t i = 0; i < g->n_fields && i < timeline_n_kinds(tl); i++) {
		const struct field *f;

		if (!bit_get(ln->kinds.bits, i))
			continue;
		f = event_find_any(timeline_kind(tl, i)->event, ln->spec.field);
		if (!is_number(f))
			continue;
		g->fields[i] = f;
		n_found++;
	}
	if (n_kinds && !n_found)
		return errmsg_set(
			err, -EINVAL,
			"%s/%s has no number \"%s\"; its fields are in the list of events.",
			ln->spec.event.system, ln->spec.event.name, ln->spec.field);
	return 0;
}

int lane_build_field(struct lane *ln, struct errmsg *err)
{
	struct gathering g = {.ln = ln};
	int r = lane_take_streams(ln, ln->spec.machine, ln->spec.only_cpu);

	if (!r)
		r = find_fields(ln, &g, err);
	if (!r && ln->spec.only_pid >= 0 && lane_take_task(ln, ln->spec.only_pid) < 0)
		r = ln->is_whole ? errmsg_set(err, -EINVAL, "The trace has no task %d.",
					      ln->spec.only_pid)
				 : 0;
	if (!r && ln->kinds.bits && (ln->tasks.bits || ln->spec.only_pid < 0)) {
		g.parts = calloc(ln->n_streams + 1, sizeof(*g.parts));
		if (!g.parts)
			r = -ENOMEM;
		if (!r) {
			timeline_parallel(ln->owner->tl, ln->n_streams, gather_stream, &g);
			r = join_parts(ln, g.parts, ln->n_streams);
		}
		for (size_t i = 0; g.parts && i < ln->n_streams; i++)
			free(g.parts[i].samples);
		free(g.parts);
	}
	free(g.fields);
	return r < 0 ? r : finish(ln);
}
