// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * passes.c - one pass over the trace that serves many consumers of events.
 *
 *	time      ├── slice ──┼── slice ──┼── slice ──┤      one job each; about equally many pages
 *	stream 0   [pg][pg][pg][pg]    [pg] [pg][pg]
 *	stream 1   [  page   ][  page    ][pg][pg][pg]
 *
 *	page ──▶ contains none of the kinds?     skipped: one comparison of bits
 *	     ──▶ all events are only counted?    the columns give the bucket of each; the file is
 *	                                         read only where the columns are not exact enough
 *	     ──▶ otherwise                       walked up to the last wanted event; each event goes
 *	                                         to the consumers of its kind
 *
 * A slice processes its streams sequentially, so it collects one sorted run per stream. It merges
 * them itself (runmerge.c). The slices (slicecuts.c) follow each other in time.
 *
 * Each bucket of a count belongs to one slice: slices begin and end at a boundary of the coarsest
 * buckets. The index has the time of an event to 1/65536 of its page's time (places), which is
 * mostly enough to choose the bucket without reading the page.
 *
 * Memory: the items of all consumers, at most GATHER_MAX_BYTES.
 */
#include "timeline/index/passes.h"

#include "base/array.h"
#include "base/scope.h"
#include "decode/walker.h"
#include "timeline/lanes/lane_int.h"
#include "timeline/insight/marks.h"
#include "timeline/index/runmerge.h"
#include "timeline/index/slicecuts.h"
#include "timeline/timeline_int.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SLICES_MAX	 64
#define GATHER_MAX_BYTES ((size_t)768 << 20)

struct part { /* the result of one gatherer in one slice */
	uint8_t *items;
	size_t n, cap;
	int error;
};

struct pass {
	struct timeline *tl;
	struct gatherer *list;
	size_t n;
	/*
	 * the consumers of a kind are targets[first[kind]] … targets[first[kind + 1] - 1]; kind
	 * n_kinds is any other kind
	 */
	uint32_t *first;
	uint16_t *targets;
	/*
	 * Consumers that want one task are no targets: there may be thousands, and each event would
	 * ask all of them. They are a chain for each task, of numbers plus 1.
	 */
	uint16_t *of_task, *next_of_task;
	uint8_t *is_kind_wanted; /* by kind, of any consumer */
	size_t n_kinds;
	uint64_t *bits;	      /* bits of the kinds of each gatherer */
	int finest, coarsest; /* levels of the counting buckets; finest 64: none */
	uint64_t cuts[SLICES_MAX + 1];
	size_t n_slices;
	struct part *parts; /* by slice, then gatherer */
	size_t n_bytes;	    /* accessed with __atomic */
};

/* The consumer that counts a kind. There is nearly always only one. */
struct counter {
	struct tick_bucket *buckets;
	size_t n_buckets;
	uint8_t level;
	uint8_t n; /* number of consumers; 2: several */
};

struct slice {
	struct pass *p;
	uint64_t from, to;
	struct part *parts;
	struct mark_cache *cache;
	struct pagehold hold;

	/* the current stream */
	struct stream *st;
	bool *is_on;		  /* whether a gatherer wants events of the stream */
	struct counter *counters; /* by kind; the last one is for all other kinds */
	/* bits of all wanted kinds, and of those that are not only counted */
	uint64_t bits, walk_bits;
	uint64_t first_page,
		/* no events are wanted before first_page; up to cut_page, only some of a page */
		cut_page;
	uint64_t until_page; /* from this page on, only some events of a page are wanted */
	uint8_t *tasks;	     /* one bit for each wanted task, if no consumer wants all tasks */
	bool by_task;
};

#define TASK_BYTES ((UINT16_MAX + 1) / 8)

static uint64_t limit_of(const uint64_t *limits, size_t n, uint32_t stream, uint64_t none)
{
	return !limits ? none : stream < n ? limits[stream] : 0;
}

/* --- counting --------------------------------------------------------------------------------- */

static void add_ticks(const struct pyramid *p, uint64_t ts, uint32_t n, bool missed)
{
	size_t i = ts >> p->base_level;
	struct tick_bucket *b = (struct tick_bucket *)p->buckets + i;

	if (i >= p->n[0])
		return;
	b->n = b->n + n < 0xffffff ? b->n + n : 0xffffff;
	if (missed)
		b->flags |= TILE_MISSED;
}

static uint32_t kind_place(const struct pass *p, uint16_t kind)
{
	return kind < p->n_kinds ? kind : p->n_kinds;
}

static bool page_is_missed(struct slice *s, const struct index_segment *seg, uint32_t page)
{
	if (!(seg->page_bits[page] & PAGE_LOST) && seg->page_first[page])
		return false;
	page_hold(s->p->tl, s->st, seg->first_page + page, &s->hold);
	return segment_missed(s->p->tl, s->st, seg, page, s->hold.data, s->hold.len);
}

/*
 * A page that is counted from the columns. The file is read only where the columns are not exact
 * enough.
 */
struct counted_page {
	const struct index_segment *seg;
	uint32_t page, n_walked;
	uint64_t ts; /* time of the last walked event */
	struct pagewalk pw;
	bool is_open, has_failed;
};

/* Returns the exact time of event i of the page. i must ascend from call to call. */
static uint64_t exact_ts(struct slice *s, struct counted_page *c, uint32_t i, uint64_t guess)
{
	const struct index_segment *seg = c->seg;
	struct walked rec;

	if (!c->is_open) {
		c->is_open = true;
		page_hold(s->p->tl, s->st, seg->first_page + c->page, &s->hold);
		c->has_failed =
			!s->hold.data || !pagewalk_start(&c->pw, s->p->tl, s->st, s->hold.data,
							 s->hold.len, segment_page_ts(seg, c->page),
							 segment_page_end(seg, c->page));
	}
	while (!c->has_failed && c->n_walked <= i) {
		c->has_failed = !pagewalk_next(&c->pw, &rec, &c->ts);
		c->n_walked++;
	}
	return c->has_failed ? guess : c->ts;
}

/* Counts an event whose kind has several consumers, or that reports a loss. */
static void count_slowly(const struct slice *s, uint32_t place, uint64_t ts, bool missed)
{
	const struct pass *p = s->p;

	for (uint32_t t = p->first[place]; t < p->first[place + 1]; t++)
		if (s->is_on[p->targets[t]])
			add_ticks(p->list[p->targets[t]].ticks, ts, 1, missed);
}

static void count_page(struct slice *s, const struct index_segment *seg, uint32_t page)
{
	const struct pass *p = s->p;
	struct counted_page c = {.seg = seg, .page = page};
	uint32_t first = seg->page_first[page], end = seg->page_first[page + 1];
	uint64_t start = segment_page_ts(seg, page);
	uint8_t shift = seg->page_shift[page];
	bool missed = page_is_missed(s, seg, page);

	for (uint32_t i = first; i < end; i++) {
		uint32_t place = kind_place(p, seg->kinds[i]);
		const struct counter *k = &s->counters[place];
		struct tick_bucket *b;
		uint64_t ts = start + ((uint64_t)seg->places[i] << shift);

		if (!k->n)
			continue;
		/* the event may be in this bucket or in the next one */
		if (ts >> p->finest != (ts + (UINT64_C(1) << shift) - 1) >> p->finest)
			ts = exact_ts(s, &c, i - first, ts);
		if (ts < s->from || ts > s->to)
			continue;
		if (k->n > 1 || (missed && i == first)) {
			count_slowly(s, place, ts, missed && i == first);
			continue;
		}
		b = k->buckets + (ts >> k->level);
		if (ts >> k->level < k->n_buckets && b->n < 0xffffff)
			b->n++;
	}
}

/* --- taking ----------------------------------------------------------------------------------- */

static int part_grow(struct pass *p, const struct gatherer *g, struct part *part)
{
	size_t cap = part->cap ? part->cap * 2 : 256, more = (cap - part->cap) * g->item_bytes;
	uint8_t *items;

	if (__atomic_add_fetch(&p->n_bytes, more, __ATOMIC_RELAXED) > GATHER_MAX_BYTES)
		return -E2BIG;
	items = realloc(part->items, cap * g->item_bytes);
	if (!items)
		return -ENOMEM;
	part->items = items;
	part->cap = cap;
	return 0;
}

static void give(struct slice *s, uint16_t number, const struct walk_event *ev)
{
	const struct gatherer *g = &s->p->list[number];
	struct part *part = &s->parts[number];
	uint64_t n = event_ref_number(ev->ref);

	if (g->tasks && (ev->task >= g->n_tasks || !bit_get(g->tasks, ev->task)))
		return;
	if (n < limit_of(g->since, g->n_since, s->st->number, 0) ||
	    n >= limit_of(g->until, g->n_until, s->st->number, UINT64_MAX))
		return;
	if (g->ticks) {
		add_ticks(g->ticks, ev->ts, 1, ev->missed);
		return;
	}
	if (part->error)
		return;
	if (part->n == part->cap) {
		part->error = part_grow(s->p, g, part);
		if (part->error)
			return;
	}
	if (g->take(g->ctx, s->cache, ev, part->items + part->n * g->item_bytes))
		part->n++;
}

static bool wants_kind(const struct gatherer *g, size_t kind, size_t n_kinds)
{
	return !g->kinds || (kind < n_kinds && kind < g->n_kinds && bit_get(g->kinds, kind));
}

static bool is_wanted(const struct slice *s, uint16_t kind, uint16_t task)
{
	uint32_t place = kind_place(s->p, kind);

	return s->p->is_kind_wanted[place] && (!s->by_task || bit_get(s->tasks, task));
}

static void walk_page(struct slice *s, const struct index_segment *seg, uint32_t page)
{
	const struct pass *p = s->p;
	uint32_t first = seg->page_first[page], n = seg->page_first[page + 1] - first;
	uint64_t number = seg->first_page + page;
	struct walk_event ev;
	struct walked rec;
	struct pagewalk pw;

	/* events after the last wanted one need not be read */
	while (n && !is_wanted(s, seg->kinds[first + n - 1], seg->tasks[first + n - 1]))
		n--;
	if (!n)
		return;
	page_hold(p->tl, s->st, number, &s->hold);
	if (!s->hold.data ||
	    !pagewalk_start(&pw, p->tl, s->st, s->hold.data, s->hold.len,
			    segment_page_ts(seg, page), segment_page_end(seg, page)))
		return;
	for (uint32_t i = 0; i < n && pagewalk_next(&pw, &rec, &ev.ts); i++) {
		uint32_t place;

		ev.kind = seg->kinds[first + i];
		ev.task = seg->tasks[first + i];
		if (ev.ts < s->from || !is_wanted(s, ev.kind, ev.task))
			continue;
		if (ev.ts > s->to)
			return;
		ev.ref = event_ref_make(s->st->number, number << s->st->ref_shift | i);
		ev.missed =
			i ? 0 : segment_missed(p->tl, s->st, seg, page, s->hold.data, s->hold.len);
		ev.data = rec.data;
		ev.size = rec.size;
		place = kind_place(p, ev.kind);
		for (uint32_t t = p->first[place]; t < p->first[place + 1]; t++)
			if (s->is_on[p->targets[t]])
				give(s, p->targets[t], &ev);
		for (uint16_t t = p->of_task[ev.task]; t; t = p->next_of_task[t])
			if (s->is_on[t - 1] && wants_kind(&p->list[t - 1], place, p->n_kinds))
				give(s, t - 1, &ev);
	}
}

/* --- a slice ---------------------------------------------------------------------------------- */

/* Returns true if all consumers only count the events of the page. */
static bool is_countable(const struct slice *s, const struct index_segment *seg, uint32_t page)
{
	uint64_t number = seg->first_page + page;

	return !(seg->page_bits[page] & s->walk_bits) && number >= s->cut_page &&
	       number < s->until_page;
}

/* Processes a segment. Returns false if the rest of the stream is after the slice. */
static bool go_through(struct slice *s, const struct index_segment *seg)
{
	for (uint32_t page = segment_find_page(seg, s->from); page < seg->n_pages; page++) {
		if (segment_page_ts(seg, page) > s->to)
			return false;
		if (seg->first_page + page < s->first_page || !(seg->page_bits[page] & s->bits) ||
		    segment_page_end(seg, page) < s->from)
			continue;
		if (is_countable(s, seg, page))
			count_page(s, seg, page);
		else
			walk_page(s, seg, page);
	}
	return true;
}

static bool has_stream(const struct gatherer *g, uint16_t stream)
{
	size_t at = ARRAY_BISECT(g->n_streams, i, g->streams[i] < stream);

	return at < g->n_streams && g->streams[at] == stream;
}

static void add_tasks(struct slice *s, const struct gatherer *g)
{
	size_t n = g->n_tasks / 8 + 1 < TASK_BYTES ? g->n_tasks / 8 + 1 : TASK_BYTES;

	for (size_t i = 0; i < n && g->tasks; i++)
		s->tasks[i] |= g->tasks[i];
	s->by_task &= g->tasks != NULL;
}

static void find_counters(struct slice *s)
{
	const struct pass *p = s->p;

	for (uint32_t k = 0; k <= p->n_kinds; k++) {
		s->counters[k] = (struct counter){0};
		for (uint32_t t = p->first[k]; t < p->first[k + 1]; t++) {
			const struct pyramid *ticks = p->list[p->targets[t]].ticks;
			uint8_t n = s->counters[k].n;

			if (s->is_on[p->targets[t]] && ticks)
				s->counters[k] = (struct counter){ticks->buckets, ticks->n[0],
								  ticks->base_level, n ? 2 : 1};
		}
	}
}

/* Prepares what is wanted of this stream. Returns false if nothing is. */
static bool aim(struct slice *s, uint32_t stream)
{
	struct pass *p = s->p;
	bool any = false;

	s->st = timeline_find_stream(p->tl, stream);
	s->bits = s->walk_bits = s->cut_page = 0;
	s->first_page = s->until_page = UINT64_MAX;
	s->by_task = true;
	for (size_t i = 0; i < p->n && s->st; i++) {
		const struct gatherer *g = &p->list[i];
		uint64_t since = limit_of(g->since, g->n_since, stream, 0);
		uint64_t until = limit_of(g->until, g->n_until, stream, UINT64_MAX);
		uint64_t page = since >> s->st->ref_shift, stop = until >> s->st->ref_shift;

		s->is_on[i] = has_stream(g, stream);
		if (!s->is_on[i])
			continue;
		if (!any && s->tasks)
			memset(s->tasks, 0, TASK_BYTES);
		any = true;
		s->bits |= p->bits[i];
		if (!g->ticks)
			s->walk_bits |= p->bits[i];
		s->until_page = stop < s->until_page ? stop : s->until_page;
		s->first_page = page < s->first_page ? page : s->first_page;
		if (since && page + 1 > s->cut_page)
			s->cut_page = page + 1;
		add_tasks(s, g);
	}
	if (any)
		find_counters(s);
	return any;
}

static void walk_stream(struct slice *s)
{
	long i = stream_find_segment(s->st, s->from);

	for (; i >= 0 && (size_t)i < s->st->n_segments; i++) {
		const struct index_segment *seg = s->st->segments[i];

		if (segment_page_ts(seg, 0) > s->to)
			break;
		if (seg->first_page + seg->n_pages <= s->first_page || !segment_is_ready(seg))
			continue;
		if (!go_through(s, seg))
			break;
	}
	page_drop(&s->hold);
}

static void slice_fail(struct slice *s, int error)
{
	for (size_t i = 0; i < s->p->n; i++)
		s->parts[i].error = error;
}

static void slice_run(void *ctx, size_t i)
{
	struct pass *p = ctx;
	struct slice s = {
		.p = p, .from = p->cuts[i], .to = p->cuts[i + 1] - 1, .parts = &p->parts[i * p->n]};
	size_t n_streams = timeline_n_streams(p->tl);

	s.cache = calloc(1, sizeof(*s.cache));
	s.is_on = calloc(p->n, sizeof(*s.is_on));
	s.tasks = calloc(1, TASK_BYTES);
	s.counters = calloc(p->n_kinds + 1, sizeof(*s.counters));
	if (!s.cache || !s.is_on || !s.tasks || !s.counters)
		slice_fail(&s, -ENOMEM);
	for (size_t k = 0; k < n_streams && s.counters && s.cache && s.is_on && s.tasks; k++) {
		timeline_enter(p->tl);
		if (aim(&s, k))
			walk_stream(&s);
		timeline_leave(p->tl);
	}
	for (size_t g = 0; g < p->n; g++)
		if (!s.parts[g].error && s.parts[g].n)
			s.parts[g].error =
				runs_merge(&s.parts[g].items, s.parts[g].n, p->list[g].item_bytes);
	free(s.cache);
	free(s.is_on);
	free(s.tasks);
	free(s.counters);
}

/* --- a pass ----------------------------------------------------------------------------------- */

/* The only task of a consumer; -1: it wants several, or all. */
static int only_task(const struct gatherer *g)
{
	int only = -1;

	for (size_t i = 0; g->tasks && i < g->n_tasks; i++) {
		if (!(i % 8) && !g->tasks[i / 8]) {
			i += 7;
			continue;
		}
		if (!bit_get(g->tasks, i))
			continue;
		if (only >= 0)
			return -1;
		only = (int)i;
	}
	return only;
}

/* Puts the consumers of one task into its chain. */
static int find_chains(struct pass *p, bool *is_chained)
{
	p->of_task = calloc(UINT16_MAX + 1, sizeof(*p->of_task));
	p->next_of_task = calloc(p->n + 1, sizeof(*p->next_of_task));
	p->is_kind_wanted = calloc(p->n_kinds + 1, 1);
	if (!p->of_task || !p->next_of_task || !p->is_kind_wanted)
		return -ENOMEM;
	for (size_t g = 0; g < p->n; g++) {
		int task = g < UINT16_MAX ? only_task(&p->list[g]) : -1;

		for (size_t k = 0; k <= p->n_kinds; k++)
			p->is_kind_wanted[k] |= wants_kind(&p->list[g], k, p->n_kinds);
		is_chained[g] = task >= 0 && task <= UINT16_MAX;
		if (!is_chained[g])
			continue;
		p->next_of_task[g + 1] = p->of_task[task];
		p->of_task[task] = (uint16_t)(g + 1);
	}
	return 0;
}

static int find_targets(struct pass *p)
{
	SCOPED(scope_free) bool *is_chained = calloc(p->n + 1, sizeof(*is_chained));
	size_t n = 0;

	p->n_kinds = timeline_n_kinds(p->tl);
	p->first = calloc(p->n_kinds + 2, sizeof(*p->first));
	p->bits = calloc(p->n + 1, sizeof(*p->bits));
	if (!p->first || !p->bits || !is_chained)
		return -ENOMEM;
	TRY(find_chains(p, is_chained));
	for (size_t g = 0; g < p->n; g++) {
		p->bits[g] = page_bits_of_kinds(p->list[g].kinds, p->list[g].n_kinds);
		for (size_t k = 0; k <= p->n_kinds; k++)
			n += wants_kind(&p->list[g], k, p->n_kinds);
	}
	p->targets = malloc((n + 1) * sizeof(*p->targets));
	if (!p->targets)
		return -ENOMEM;
	n = 0;
	for (size_t k = 0; k <= p->n_kinds; k++) {
		p->first[k] = n;
		for (size_t g = 0; g < p->n; g++)
			if (!is_chained[g] && wants_kind(&p->list[g], k, p->n_kinds))
				p->targets[n++] = g;
	}
	p->first[p->n_kinds + 1] = n;
	return 0;
}

/* Concatenates all slices of one gatherer. */
static void join(void *ctx, size_t number)
{
	struct pass *p = ctx;
	struct gatherer *g = &p->list[number];
	size_t n = 0;

	for (size_t i = 0; i < p->n_slices; i++) {
		const struct part *part = &p->parts[i * p->n + number];

		n += part->n;
		if (part->error)
			g->error = part->error;
	}
	if (!g->error && g->take && n > g->items_max)
		g->error = -E2BIG;
	if (g->error || !g->take)
		return;
	g->items = malloc(n * g->item_bytes + 1);
	if (!g->items) {
		g->error = -ENOMEM;
		return;
	}
	for (size_t i = 0; i < p->n_slices; i++) {
		struct part *part = &p->parts[i * p->n + number];

		if (part->n)
			memcpy((uint8_t *)g->items + g->n_items * g->item_bytes, part->items,
			       part->n * g->item_bytes);
		g->n_items += part->n;
		free(part->items);
		part->items = NULL;
	}
}

/*
 * Writes to fresh buckets once before counting. A first read would map the kernel's zero page, and
 * replacing that page later interrupts all threads.
 */
static void touch(void *ctx, size_t i)
{
	const struct gatherer *g = &((struct pass *)ctx)->list[i];
	const struct pyramid *t = g->ticks;

	if (t && !g->since)
		memset(t->buckets, 0,
		       (t->at[t->n_levels - 1] + t->n[t->n_levels - 1]) *
			       sizeof(struct tick_bucket));
}

static void find_levels(struct pass *p)
{
	p->finest = 64;
	for (size_t i = 0; i < p->n; i++)
		if (p->list[i].ticks) {
			int level = p->list[i].ticks->base_level;

			p->finest = level < p->finest ? level : p->finest;
			p->coarsest = level > p->coarsest ? level : p->coarsest;
		}
}

static void pass_release(struct pass *p)
{
	for (size_t i = 0; p->parts && i < p->n_slices * p->n; i++)
		free(p->parts[i].items);
	free(p->parts);
	free(p->first);
	free(p->targets);
	free(p->of_task);
	free(p->next_of_task);
	free(p->is_kind_wanted);
	free(p->bits);
}

int gather(struct timeline *tl, struct gatherer *list, size_t n, uint64_t from, uint64_t to)
{
	SCOPED(pass_release) struct pass p = {.tl = tl, .list = list, .n = n};
	uint64_t end = timeline_duration(tl);

	for (size_t i = 0; i < n; i++) {
		list[i].items = NULL;
		list[i].n_items = 0;
		list[i].error = 0;
	}
	to = to < end ? to : end;
	if (!n || from > to)
		return 0;
	find_levels(&p);
	TRY(find_targets(&p));
	TRY(slice_cuts(tl, from, to, p.coarsest, p.cuts, SLICES_MAX, &p.n_slices));
	p.parts = calloc(p.n_slices * n, sizeof(*p.parts));
	if (!p.parts)
		return -ENOMEM;
	if (p.finest < 64)
		timeline_parallel(tl, n, touch, &p);
	timeline_parallel(tl, p.n_slices, slice_run, &p);
	timeline_parallel(tl, n, join, &p);
	return 0;
}

uint64_t *gather_until(struct timeline *tl, size_t *ret_n)
{
	size_t n = timeline_n_streams(tl);
	uint64_t *until = calloc(n + 1, sizeof(*until));

	timeline_enter(tl);
	for (size_t i = 0; until && i < n; i++) {
		const struct stream *st = tl->streams[i];
		const struct index_segment *last = NULL;

		for (size_t k = 0; k < st->n_segments && segment_is_ready(st->segments[k]); k++)
			last = st->segments[k];
		if (!last || !last->n_pages)
			continue;
		/* the position after the last event of the last page, which may grow */
		until[i] = (last->first_page + last->n_pages - 1) << st->ref_shift |
			   (last->page_first[last->n_pages] - last->page_first[last->n_pages - 1]);
	}
	timeline_leave(tl);
	*ret_n = n;
	return until;
}
