// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * join.c - measures the parts of a trace separately, and joins them.
 *
 *	part 1          │ part 2            │ part 3
 *	A1 ─▶ B1   A2 ──┼─▶ B2   A3 ─▶ B3   │  B4
 *	                │ early             │ early
 *
 * A part does not know which starts were open when it began. The events that depend on that are
 * early: they are kept, and the whole adds them when the part is joined, before all other events of
 * the part.
 *   - An end without a start in its part. Where calls nest, each such end belongs to a call of an
 *     earlier part. Otherwise only the first event with its keys is early: after it, the open start
 *     is known.
 *   - Where calls do not nest, the first start with its keys: it replaces one that is open.
 * A gap (lost events) discards all open starts, so nothing behind it is early.
 *
 * Values that are texts belong to the reader of the part. They are found again in that of the
 * whole.
 */
#include "analyse/latency/latency_int.h"
#include "base/array.h"
#include "base/hash.h"
#include "base/map.h"
#include "decode/record.h"
#include "symbols/tasks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define EARLY_MAX	(1u << 18) /* events; with more, one measurement does it */
#define ARENA_MAX_BYTES (64u << 20)

struct early_event {
	struct record rec;
	bool is_start, is_left_out;
};

/* Keys that an event of the part had. */
struct touched {
	struct touched *same_hash;
	uint64_t keys[START_KEYS_MAX];
};

struct latency_early {
	struct early_event *list;
	size_t n, cap;
	struct map touched;
	struct arena arena;
	uint64_t seed;
	bool had_gap;
	bool is_short; /* of memory */
};

/* --- in a part -------------------------------------------------------------------------------- */

bool latency_can_join(const struct latency *l)
{
	if (l->config->keeps_first)
		return false;
	if (l->config->match != LATENCY_BY_FIELD || l->config->function)
		return true;
	for (size_t id = 0; id < l->n_events; id++)
		for (size_t i = 0; l->events[id] && i < l->config->n_fields; i++)
			if (key_is_text(&l->events[id]->from_keys[i]) ||
			    key_is_text(&l->events[id]->to_keys[i]))
				return false;
	return true;
}

bool latency_uses_names(const struct latency *l)
{
	if (l->config->n_worst)
		return true;
	for (size_t id = 0; id < l->n_events; id++)
		for (size_t i = 0; l->events[id] && i < l->config->n_groups; i++)
			if (l->events[id]->groups[i].kind == KEY_COMM ||
			    l->events[id]->groups[i].kind == KEY_TASK)
				return true;
	return false;
}

int latency_make_part(struct latency *l)
{
	l->early = calloc(1, sizeof(*l->early));
	if (!l->early)
		return -ENOMEM;
	arena_init(&l->early->arena, ARENA_MAX_BYTES);
	l->early->seed = hash_seed();
	return 0;
}

void latency_free_early(struct latency *l)
{
	if (!l->early)
		return;
	map_release(&l->early->touched);
	arena_release(&l->early->arena);
	free(l->early->list);
	free(l->early);
}

/* Returns true if no event of the part had these keys. */
static bool is_first(const struct latency *l, const uint64_t *keys)
{
	struct latency_early *e = l->early;
	struct touched *t;
	uint64_t hash = 0;
	void **slot;

	for (size_t i = 0; i < l->n_keys; i++)
		hash = hash_step(e->seed, hash, keys[i]);
	slot = map_take(&e->touched, hash, EARLY_MAX);
	for (t = slot ? *slot : NULL; t; t = t->same_hash)
		if (!memcmp(t->keys, keys, l->n_keys * sizeof(*keys)))
			return false;
	t = slot ? arena_alloc(&e->arena, sizeof(*t)) : NULL;
	if (!t) {
		e->is_short = true;
		return true;
	}
	t->same_hash = *slot;
	memcpy(t->keys, keys, l->n_keys * sizeof(*keys));
	*slot = t;
	return true;
}

/* The bytes of the record are copied: those of a packed trace do not outlive its chunk. */
static void keep(struct latency_early *e, const struct record *rec, bool is_start, bool is_left_out)
{
	uint8_t *data = arena_alloc_array(&e->arena, rec->size + 1, 1);
	struct early_event *event;

	if (!data || !ARRAY_ROOM(e->list, e->cap, e->n + 1, EARLY_MAX)) {
		e->is_short = true;
		return;
	}
	memcpy(data, rec->data, rec->size);
	event = &e->list[e->n++];
	*event = (struct early_event){*rec, is_start, is_left_out};
	event->rec.data = data;
	event->rec.extra = NULL;
}

bool latency_is_early_end(struct latency *l, const struct latency_event *le,
			  const struct record *rec, bool is_left_out)
{
	uint64_t keys[START_KEYS_MAX];

	if (l->early->had_gap)
		return false;
	if (!latency_nests(l)) {
		latency_read_keys(l, le, le->to_keys, rec, keys);
		if (!is_first(l, keys))
			return false;
	}
	keep(l->early, rec, false, is_left_out);
	return true;
}

void latency_note_begin(struct latency *l, const struct record *rec, const uint64_t *keys)
{
	if (!l->early->had_gap && !latency_nests(l) && is_first(l, keys))
		keep(l->early, rec, true, false);
}

void latency_note_gap(struct latency *l)
{
	l->early->had_gap = true;
}

/* --- the whole -------------------------------------------------------------------------------- */

/* Finds the slot of the whole that stands for a slot of the part. */
static const struct key_slot *same_slot(const struct latency *l, const struct latency *part,
					const struct key_slot *slot)
{
	for (size_t id = 0; slot && id < part->n_events; id++) {
		const struct latency_event *le = part->events[id];

		if (le && slot >= le->groups && slot < le->groups + KEYS_MAX)
			return &l->events[id]->groups[slot - le->groups];
	}
	return NULL;
}

static void translate(struct latency *l, const struct latency *part, uint64_t *values,
		      const struct key_slot **slots)
{
	for (size_t i = 0; i < l->config->n_groups; i++) {
		slots[i] = same_slot(l, part, slots[i]);
		if (slots[i] && key_is_text(slots[i]))
			values[i] = key_of_same_text(&l->keys, values[i]);
	}
}

static void take_early(struct latency *l, const struct early_event *event, struct tasks *tasks)
{
	struct record rec = event->rec;
	const struct latency_event *le = l->events[rec.event->id];
	uint64_t keys[START_KEYS_MAX];
	struct start *s;

	rec.event = l->f->table[rec.event->id];
	rec.task = rec.task ? tasks_find(tasks, rec.task->pid) : NULL;
	if (!event->is_start)
		return latency_end(l, le, &rec, event->is_left_out);
	latency_read_keys(l, le, le->from_keys, &rec, keys);
	s = l->n_used ? latency_find_start(l, keys) : NULL;
	if (!s || !s->is_used)
		return;
	l->counts.n_again++;
	latency_remove_start(l, s);
}

/* Puts a call and, before it, those around it. */
static bool put_calls(struct latency *l, const struct latency *part, const struct start *s,
		      const struct point *point, const struct call *outer)
{
	struct point copy = *point;
	struct start *to;

	if (outer && !put_calls(l, part, s, &outer->point, outer->outer))
		return false;
	translate(l, part, copy.values, copy.slots);
	to = latency_find_start(l, s->keys);
	return to && latency_put_point(l, to, s->keys, &copy);
}

static bool put_starts(struct latency *l, struct latency *part)
{
	for (size_t i = 0; i < part->n_starts; i++) {
		const struct start *s = &part->starts[i];

		if (s->is_used && !put_calls(l, part, s, &s->point, s->outer))
			return false;
	}
	latency_clear_starts(part);
	return true;
}

/* Joins the groups; same[number of the part's group] is that of the whole. */
static bool join_groups(struct latency *l, const struct latency *part,
			const struct latency_group **same)
{
	for (size_t i = 0; i < part->result.groups.n_used; i++) {
		struct latency_group *from = (struct latency_group *)part->result.groups.list[i];
		const struct key_slot *slots[KEYS_MAX];
		uint64_t values[KEYS_MAX];
		struct latency_group *to;

		memcpy(values, from->key.values, sizeof(values));
		memcpy(slots, from->key.slots, sizeof(slots));
		translate(l, part, values, slots);
		to = latencies_group(&l->result, values, slots);
		if (!to)
			return false;
		latencies_join_spread(&l->result, &to->spread, &from->spread);
		same[i] = to;
	}
	return true;
}

static int join_result(struct latency *l, struct latency *part, struct tasks *tasks)
{
	struct latencies *from = &part->result;
	const struct latency_group **same = calloc(from->groups.n_used + 1, sizeof(*same));
	bool ok = same && join_groups(l, part, same);

	for (size_t i = 0; ok && i < from->n_worst; i++) {
		struct latency_place place = from->worst[i];

		place.group = place.group ? same[place.group->key.number] : NULL;
		place.task = place.task ? tasks_find(tasks, place.task->pid) : NULL;
		latencies_add_place(&l->result, &place);
	}
	free(same);
	if (!ok)
		return -EAGAIN;
	latencies_join_spread(&l->result, &l->result.all, &from->all);
	latencies_release(from);
	return latencies_init(from, &part->config->scale, part->config->n_groups,
			      part->config->n_worst);
}

static void join_counts(struct latency_counts *to, struct latency_counts *from)
{
	to->n_from += from->n_from;
	to->n_to += from->n_to;
	to->n_again += from->n_again;
	to->n_alone += from->n_alone;
	to->n_whole += from->n_whole;
	to->n_given_up += from->n_given_up;
	to->n_gaps += from->n_gaps;
	to->n_backwards += from->n_backwards;
	*from = (struct latency_counts){0};
}

static void forget_early(struct latency_early *e)
{
	e->n = 0;
	e->had_gap = false;
	map_clear(&e->touched);
	arena_release(&e->arena);
	arena_init(&e->arena, ARENA_MAX_BYTES);
}

int latency_join(struct latency *l, struct latency *part, struct tasks *tasks)
{
	struct latency_early *e = part->early;

	if (e->is_short || part->result.n_dropped || part->counts.n_dropped ||
	    (l->kind && part->kind && l->kind != part->kind))
		return -EAGAIN;
	l->kind = part->kind ? part->kind : l->kind;
	for (size_t i = 0; i < e->n; i++)
		take_early(l, &e->list[i], tasks);
	if (e->had_gap)
		l->counts.n_given_up += latency_clear_starts(l);
	forget_early(e);
	join_counts(&l->counts, &part->counts);
	if (!put_starts(l, part) || l->counts.n_dropped)
		return -EAGAIN;
	return join_result(l, part, tasks);
}
