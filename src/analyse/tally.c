// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * tally.c - counts records at full walking speed.
 *
 * Event ids are small numbers (the kernel assigns them from 1 on), so they index a table; ids
 * without a format go into a hash table, like tasks. Consecutive records of a CPU mostly belong to
 * the same task, so a task is looked up only when it changes.
 *
 *	by_id[316] { n, bytes }     other_ids { 70000: n, bytes }     pids { 136: n, bytes }
 *
 * Cost: some 4 ns per record on one core; uncompressing a trace takes ten times as long. The loop
 * is compiled twice: once for the layout that every kernel writes (ids of two bytes at 0, tasks of
 * four bytes at 4, native byte order), and once for other layouts.
 */
#include "analyse/tally.h"
#include "base/array.h"
#include "format/bytes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define COUNTS_MAX_BYTES (64u << 20) /* more than COUNTS_MAX entries need */

/* --- counts by hash --------------------------------------------------------------------------- */

static void counts_add(struct counts *cs, int64_t key, uint64_t n, uint64_t n_bytes)
{
	void **slot = map_take(&cs->map, (uint64_t)key, COUNTS_MAX);
	struct count *c = slot ? *slot : NULL;

	if (slot && !c) {
		*slot = c = arena_alloc(&cs->arena, sizeof(*c));
		if (c)
			c->key = key;
	}
	if (!c) {
		cs->n_dropped += n;
		return;
	}
	c->n += n;
	c->n_bytes += n_bytes;
}

static void counts_release(struct counts *cs)
{
	map_release(&cs->map);
	arena_release(&cs->arena);
}

/* --- records ---------------------------------------------------------------------------------- */

struct tally_layout tally_layout_of(const struct formats *f)
{
	return (struct tally_layout){
		.page = {f->swap, f->big_endian, f->long_size, f->tf->data_offset},
		.type = f->type,
		.pid = f->pid,
		.n_ids = f->n_table};
}

int tally_init(struct tally *t, const struct tally_layout *layout)
{
	memset(t, 0, sizeof(*t));
	t->layout = *layout;
	arena_init(&t->other_ids.arena, COUNTS_MAX_BYTES);
	arena_init(&t->pids.arena, COUNTS_MAX_BYTES);
	t->by_id = calloc(layout->n_ids + 1, sizeof(*t->by_id));
	return t->by_id ? 0 : -ENOMEM;
}

void tally_release(struct tally *t)
{
	free(t->by_id);
	counts_release(&t->other_ids);
	counts_release(&t->pids);
	memset(t, 0, sizeof(*t));
}

static inline int64_t field_of(const struct common_field *c, const struct walked *rec, bool swap)
{
	return c->size && c->offset + c->size <= rec->size
		       ? (int64_t)bytes_get(rec->data + c->offset, c->size, swap)
		       : -1;
}

/* Consecutive records of one task, before they are added to the table. */
struct pid_run {
	int pid;
	uint64_t n, n_bytes;
};

static inline void run_end(struct tally *t, struct pid_run *run)
{
	if (run->n)
		counts_add(&t->pids, run->pid, run->n, run->n_bytes);
}

static inline __attribute__((always_inline)) void count_records(struct tally *t, struct walker *w,
								struct tally_span *span, bool usual)
{
	const struct tally_layout *l = &t->layout;
	struct pid_run run = {0};
	struct walked rec;
	uint64_t n = 0, last_ts = 0;

	while (walker_next(w, &rec)) {
		int64_t id, pid;

		if (usual && rec.size >= 8) {
			id = bytes_get16(rec.data, false);
			pid = bytes_get32(rec.data + 4, false);
		} else {
			id = field_of(&l->type, &rec, l->page.swap);
			pid = field_of(&l->pid, &rec, l->page.swap);
		}
		if (__builtin_expect((uint64_t)id < l->n_ids, 1)) {
			t->by_id[id].n++;
			t->by_id[id].n_bytes += rec.size;
		} else {
			counts_add(&t->other_ids, id, 1, rec.size);
		}
		if (__builtin_expect((int)pid != run.pid, 0)) {
			run_end(t, &run);
			run = (struct pid_run){.pid = pid};
		}
		run.n++;
		run.n_bytes += rec.size;
		if (!n++ && (!span->n_records || rec.ts < span->first_ts))
			span->first_ts = rec.ts;
		last_ts = rec.ts;
	}
	run_end(t, &run);
	if (n && (!span->n_records || last_ts > span->last_ts))
		span->last_ts = last_ts;
	span->n_records += n;
}

static bool layout_is_usual(const struct tally_layout *l)
{
	return !l->page.swap && l->type.offset == 0 && l->type.size == 2 && l->pid.offset == 4 &&
	       l->pid.size == 4;
}

bool tally_add_page(struct tally *t, struct tally_span *span, const uint8_t *page, size_t len)
{
	struct walker w;

	span->n_pages++;
	if (!walker_start(&w, page, len, &t->layout.page))
		return false;
	if (w.missed) {
		span->n_gaps++;
		span->n_gaps_unknown += w.missed == WALKER_MISSED_UNKNOWN;
		span->n_missed += w.missed == WALKER_MISSED_UNKNOWN ? 0 : w.missed;
	}
	if (layout_is_usual(&t->layout))
		count_records(t, &w, span, true);
	else
		count_records(t, &w, span, false);
	return !w.damaged;
}

/* --- sums ------------------------------------------------------------------------------------- */

static void counts_add_all(struct counts *cs, const struct counts *more)
{
	for (size_t i = 0; i < more->map.n_slots; i++) {
		const struct count *c = more->map.slots[i].value;

		if (c)
			counts_add(cs, c->key, c->n, c->n_bytes);
	}
	cs->n_dropped += more->n_dropped;
}

void tally_add(struct tally *t, const struct tally *more)
{
	for (size_t i = 0; i < t->layout.n_ids && i < more->layout.n_ids; i++) {
		t->by_id[i].n += more->by_id[i].n;
		t->by_id[i].n_bytes += more->by_id[i].n_bytes;
	}
	counts_add_all(&t->other_ids, &more->other_ids);
	counts_add_all(&t->pids, &more->pids);
}

void tally_span_add(struct tally_span *span, const struct tally_span *more)
{
	if (more->n_records) {
		if (!span->n_records || more->first_ts < span->first_ts)
			span->first_ts = more->first_ts;
		if (!span->n_records || more->last_ts > span->last_ts)
			span->last_ts = more->last_ts;
	}
	span->n_pages += more->n_pages;
	span->n_records += more->n_records;
	span->n_gaps += more->n_gaps;
	span->n_missed += more->n_missed;
	span->n_gaps_unknown += more->n_gaps_unknown;
}

ARRAY_ORDER(count_compare, struct count, COMPARE(y->n, x->n) ?: COMPARE(x->key, y->key))

static size_t counts_copy(const struct counts *cs, struct count *to)
{
	size_t n = 0;

	for (size_t i = 0; i < cs->map.n_slots; i++)
		if (cs->map.slots[i].value)
			to[n++] = *(const struct count *)cs->map.slots[i].value;
	return n;
}

struct count *tally_list_ids(const struct tally *t, size_t *ret_n)
{
	struct count *list = malloc((t->layout.n_ids + t->other_ids.map.n + 1) * sizeof(*list));
	size_t n = 0;

	if (!list)
		return NULL;
	for (size_t i = 0; i < t->layout.n_ids; i++)
		if (t->by_id[i].n)
			list[n++] = (struct count){i, t->by_id[i].n, t->by_id[i].n_bytes};
	n += counts_copy(&t->other_ids, list + n);
	qsort(list, n, sizeof(*list), count_compare);
	*ret_n = n;
	return list;
}

struct count *tally_list_pids(const struct tally *t, size_t *ret_n)
{
	struct count *list = malloc((t->pids.map.n + 1) * sizeof(*list));

	if (!list)
		return NULL;
	*ret_n = counts_copy(&t->pids, list);
	qsort(list, *ret_n, sizeof(*list), count_compare);
	return list;
}
