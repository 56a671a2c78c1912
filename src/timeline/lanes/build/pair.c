// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * pair.c - builds spans from one event to another, matched by a number in both.
 *
 *	pair:0:block/block_rq_issue:block/block_rq_complete:sector
 *
 * A second A before its B restarts the span, as in sonde-latency(1) and the kernel's histograms.
 * Several spans may be open at once; each takes the uppermost free row. `pid` and `cpu` are those
 * of the event, unless it has a field of that name. A span without an end is open until the end of
 * the trace.
 *
 * Ceilings: PAIRS_MAX open spans at once, LANE_ROWS_MAX rows.
 */
#include "base/array.h"
#include "base/scope.h"
#include "decode/formats/event.h"
#include "format/bytes.h"
#include "timeline/lanes/lane_int.h"
#include "timeline/insight/marks.h"
#include "base/arena.h"
#include "base/map.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define PAIRS_MAX	(1u << 16)
#define PAIRS_MAX_BYTES (8u << 20)

enum key_kind { KEY_NONE, KEY_FIELD, KEY_TASK, KEY_CPU };

struct pair_kind { /* properties of a kind of event */
	bool is_a, is_b, swap;
	enum key_kind key, key_b; /* an event can be both A and B */
	const struct field *field, *field_b;
};

struct under_way {
	uint64_t key, start;
	uint32_t label;
	uint8_t row;
	struct under_way *next; /* next in the list of unused entries */
};

struct pairing {
	struct lane *ln;
	struct pair_kind *kinds;
	size_t n_kinds;
	struct walk_mask mask;
	struct map under_way; /* open spans by key */
	struct arena arena;
	struct under_way *over;
	bool row_taken[LANE_ROWS_MAX];
	struct mark_cache labels; /* labels of keys */
};

/* --- marks ------------------------------------------------------------------------------------ */

static bool key_of(const struct pairing *p, enum key_kind kind, const struct field *f, bool swap,
		   const struct walk_event *ev, uint64_t *ret)
{
	struct timeline *tl = p->ln->owner->tl;

	if (kind == KEY_TASK)
		*ret = ev->task < timeline_n_tasks(tl) ? timeline_task(tl, ev->task)->pid : -1;
	else if (kind == KEY_CPU)
		*ret = timeline_stream(tl, event_ref_stream(ev->ref))->cpu;
	else if (kind == KEY_FIELD && (uint64_t)f->offset + f->size <= ev->size)
		*ret = bytes_get(ev->data + f->offset, f->size, swap);
	else
		return false;
	return true;
}

/* Stores a key of 64 bits in a mark, which has 56 + 32 bits for it: the upper bits go into id. */
static void mark_set_key(struct mark *m, uint64_t key)
{
	m->extra = key;
	m->id = key >> 32;
}

static uint64_t mark_key(const struct mark *m)
{
	return (uint64_t)m->id << 32 | (m->extra & 0xffffffff);
}

/*
 * Makes a mark. For an event that is both A and B, depth selects the keys, and both marks come from
 * one event.
 */
static bool make_mark(void *ctx, struct mark_cache *cache, const struct walk_event *ev,
		      void *ret_mark)
{
	struct pairing *p = ctx;
	struct mark *ret = ret_mark;
	const struct pair_kind *k = ev->kind < p->n_kinds ? &p->kinds[ev->kind] : NULL;
	uint64_t key;

	if (!k || !(k->is_a || k->is_b))
		return false;
	if (!key_of(p, k->is_b ? k->key_b : k->key, k->is_b ? k->field_b : k->field, k->swap, ev,
		    &key))
		return false;
	*ret = (struct mark){.ts = ev->ts, .task = ev->task};
	ret->what = k->is_b ? MARK_LEAVE : MARK_ENTER;
	ret->depth = k->is_a && k->is_b;
	mark_set_key(ret, key);
	return true;
}

/* --- pairs ------------------------------------------------------------------------------------ */

/* Returns true if the key is an address, which is printed in hexadecimal. */
static bool key_is_address(const struct pairing *p)
{
	return ARRAY_ANY(p->n_kinds, i,
			 p->kinds[i].is_a && p->kinds[i].field &&
				 p->kinds[i].field->flags & FIELD_POINTER);
}

static uint32_t key_label(struct pairing *p, uint64_t key)
{
	struct timeline *tl = p->ln->owner->tl;
	const char *name = p->ln->spec.field;
	size_t name_len = strlen(name);
	bool is_pid = name_len >= 3 && !strcmp(name + name_len - 3, "pid");
	int task = is_pid ? timeline_find_task(tl, p->ln->spec.machine, (int)key) : -1;
	char text[128];
	int len;

	if (task >= 0) {
		const struct timeline_task *t = timeline_task(tl, task);

		len = snprintf(text, sizeof(text), "%s-%d", t->comm, t->pid);
	} else if (key_is_address(p)) {
		len = snprintf(text, sizeof(text), "%s 0x%llx", name, (unsigned long long)key);
	} else {
		len = snprintf(text, sizeof(text), "%s %lld", name, (long long)key);
	}
	return labels_add(&p->ln->owner->labels, text, len);
}

/* Returns the label of a key from a cache, because the same keys repeat. */
static uint32_t cached_label(struct pairing *p, uint64_t key)
{
	size_t at = (key * 0x9e3779b97f4a7c15u) >> (64 - MARK_CACHE_BITS);

	if (p->labels.slots[at].key != key || p->labels.slots[at].of != p) {
		p->labels.slots[at].key = key;
		p->labels.slots[at].of = p;
		p->labels.slots[at].label = key_label(p, key);
	}
	return p->labels.slots[at].label;
}

static void begin(struct pairing *p, const struct mark *m)
{
	void **slot = map_take(&p->under_way, mark_key(m), PAIRS_MAX);
	struct under_way *u = slot ? *slot : NULL;
	unsigned row = 0;

	if (!slot)
		return;
	if (u) {
		u->start = m->ts;
		return;
	}
	u = p->over;
	if (u)
		p->over = u->next;
	else
		u = arena_alloc(&p->arena, sizeof(*u));
	*slot = u;
	if (!u)
		return;
	while (row < LANE_ROWS_MAX && p->row_taken[row])
		row++;
	if (row < LANE_ROWS_MAX)
		p->row_taken[row] = true;
	*u = (struct under_way){.key = mark_key(m),
				.start = m->ts,
				.row = row,
				.label = cached_label(p, mark_key(m))};
}

static int finish(struct pairing *p, const struct under_way *u, uint64_t ts, uint8_t flags)
{
	if (u->row >= LANE_ROWS_MAX)
		return 0;
	p->row_taken[u->row] = false;
	return lane_add_span(p->ln, u->row, u->start, ts, u->label, flags, 0);
}

static int end(struct pairing *p, const struct mark *m)
{
	struct under_way *u = map_find(&p->under_way, mark_key(m));

	if (!u)
		return 0;
	map_remove(&p->under_way, mark_key(m));
	u->next = p->over;
	p->over = u;
	return finish(p, u, m->ts, 0);
}

static int match(struct pairing *p, const struct marks *m)
{
	uint64_t duration = timeline_duration(p->ln->owner->tl), from, until;
	int r = 0;

	lane_window_range(&p->ln->spec, &from, &until);
	until = until < duration ? until : duration;
	for (size_t i = 0; i < m->n && !r; i++) {
		const struct mark *k = &m->marks[i];

		if (k->what == MARK_LEAVE)
			r = end(p, k);
		if (k->what == MARK_ENTER || k->depth)
			begin(p, k);
	}
	for (size_t i = 0; i < p->under_way.n_slots && !r; i++)
		if (p->under_way.slots[i].value)
			r = finish(p, p->under_way.slots[i].value, until, TILE_OPEN_END);
	return r;
}

/* --- which events ----------------------------------------------------------------------------- */

static enum key_kind find_key(const struct event *ev, const char *name, const struct field **ret)
{
	const struct field *f = event_find_any(ev, name);

	*ret = f;
	if (f && !(f->flags & (FIELD_ARRAY | FIELD_STRING | FIELD_DYNAMIC)))
		return KEY_FIELD;
	if (!strcmp(name, "pid"))
		return KEY_TASK;
	return !strcmp(name, "cpu") ? KEY_CPU : KEY_NONE;
}

static int find_side(struct pairing *p, bool is_b, struct errmsg *err)
{
	struct lane *ln = p->ln;
	struct timeline *tl = ln->owner->tl;
	const struct spec_event *e = is_b ? &ln->spec.event_b : &ln->spec.event;
	const char *name = is_b ? ln->spec.field_b : ln->spec.field;
	struct walk_mask *mask = is_b ? &ln->ends : &ln->kinds;
	size_t n;

	TRY(lane_take_kinds(ln, mask, e, &n));
	if (!n && ln->is_whole)
		return errmsg_set(err, -EINVAL, "No event %s/%s was recorded on machine %u.",
				  e->system, e->name, ln->spec.machine);
	for (size_t i = 0; i < p->n_kinds && i < mask->n; i++) {
		struct pair_kind *k = &p->kinds[i];
		const struct timeline_kind *kind = timeline_kind(tl, i);

		if (!bit_get(mask->bits, i))
			continue;
		k->swap = timeline_source(tl, kind->source)->formats->swap;
		*(is_b ? &k->is_b : &k->is_a) = true;
		*(is_b ? &k->key_b : &k->key) =
			find_key(kind->event, name, is_b ? &k->field_b : &k->field);
		if ((is_b ? k->key_b : k->key) == KEY_NONE)
			return errmsg_set(
				err, -EINVAL,
				"%s/%s has no number \"%s\"; a pair is matched by a field, "
				"by pid or by cpu.",
				e->system, e->name, name);
		TRY(mask_add_kind(&p->mask, i));
	}
	return 0;
}

int lane_plan_pair(struct lane_plan *plan, struct errmsg *err)
{
	struct lane *ln = plan->ln;
	struct pairing *p = plan->own = calloc(1, sizeof(*p));

	TRY(p ? lane_take_streams(ln, ln->spec.machine, -1) : -ENOMEM);
	p->ln = ln;
	arena_init(&p->arena, PAIRS_MAX_BYTES);
	p->n_kinds = timeline_n_kinds(ln->owner->tl);
	p->kinds = calloc(p->n_kinds + 1, sizeof(*p->kinds));
	if (!p->kinds)
		return -ENOMEM;
	TRY(find_side(p, false, err));
	TRY(find_side(p, true, err));
	if (!p->mask.bits)
		return 0;
	marks_want(&plan->g, &(struct mark_wants){.streams = ln->streams,
						  .n_streams = ln->n_streams,
						  .kinds = p->mask.bits,
						  .n_kinds = p->mask.n,
						  .make = make_mark,
						  .ctx = p});
	plan->is_wanting = true;
	return 0;
}

int lane_finish_pair(struct lane_plan *plan, struct errmsg *err)
{
	struct marks m = {plan->g.items, plan->g.n_items};
	int r = match(plan->own, &m);

	return r < 0 ? r : lane_finish_rows(plan->ln);
}

void lane_release_pair(struct lane_plan *plan)
{
	struct pairing *p = plan->own;

	if (!p)
		return;
	map_release(&p->under_way);
	arena_release(&p->arena);
	free(p->kinds);
	mask_release(&p->mask);
	free(p);
}
