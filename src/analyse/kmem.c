// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * kmem.c - follows every allocation from its kmalloc to its kfree.
 *
 *	kmalloc  call_site ptr bytes_req bytes_alloc ─▶ row of the function, live[ptr] = row, bytes
 *	kfree    ptr ─▶ live[ptr] has the owner; the row's current bytes decrease
 *
 * If an address is allocated again without a free in between (the event was lost, or that kind of
 * free is not traced), the address belongs to the new owner from then on. The old owner still
 * counts the memory in `current`, as in trace-cmd mem.
 *
 * Rows are sorted by waste. Rows with equal waste (most have none) are in the order of trace-cmd's
 * hash table: by bucket_of() their name, and within a bucket the latest first. This order allows to
 * compare the output with trace-cmd's.
 *
 * Functions are distinguished by symbol: two symbols with the same name have two rows. An address
 * without a symbol has its own row, named by the address (trace-cmd crashes there).
 */
#include "analyse/kmem.h"
#include "analyse/namepool.h"
#include "base/arena.h"
#include "base/array.h"
#include "base/map.h"
#include "format/bytes.h"
#include "symbols/kallsyms.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIVE_MAX       (1u << 20) /* limit of allocations at one time */
#define LIVE_MAX_BYTES (64u << 20)
#define ROWS_MAX_BYTES (64u << 20)
#define BUCKETS	       4096

struct alloc_event {
	const struct event *event;
	const struct field *call_site, *requested, *allocated, *ptr;
	bool is_free;
};

struct live { /* an allocation */
	union {
		struct row *row;
		struct live *next; /* next in the list of unused entries */
	};
	struct kmem_bytes bytes;
};

struct row {
	struct kmem_row pub; /* must be the first member */
	uint32_t bucket, order;
};

struct kmem {
	struct formats *f;
	const struct kallsyms *symbols;
	struct ksym_cache *cache;
	struct alloc_event events[6];
	struct arena arena;
	struct namepool made_up; /* names of addresses without a symbol */
	struct map rows;	 /* struct row by the address of its name */
	size_t n_rows;
	struct map live; /* struct live by address */
	struct arena lives;
	struct live *unused;
	struct kmem_row **sorted;
	uint64_t n_dropped;
};

/* --- functions -------------------------------------------------------------------------------- */

/* Computes Paul Hsieh's hash of one word, as trace-cmd's tables use it. */
static uint32_t hash_word(uint32_t word)
{
	/* a positive step shifts right and adds; a negative step shifts left and xors */
	static const int8_t steps[] = {11, -3, 5, -4, 17, -25, 6};
	uint32_t hash = 12546869 + (word & 0xffff);

	hash = hash << 16 ^ word >> 16 ^ hash;
	for (size_t i = 0; i < sizeof(steps); i++)
		if (steps[i] > 0)
			hash += hash >> steps[i];
		else
			hash ^= hash << -steps[i];
	return hash;
}

/* Returns the bucket of a name, whose bytes are folded into one word. */
static uint32_t bucket_of(const char *name, uint32_t len)
{
	uint8_t bytes[4] = {0};

	for (uint32_t i = 0; i < len; i++)
		bytes[i & 3] ^= (uint8_t)name[i];
	return hash_word((uint32_t)bytes[3] << 24 | bytes[2] << 16 | bytes[1] << 8 | bytes[0]) %
	       BUCKETS;
}

static struct row *row_of_name(struct kmem *k, const char *name, uint32_t len)
{
	void **slot = map_take(&k->rows, (uintptr_t)name, ARRAY_NO_MAX);
	struct row *row;

	if (!slot || *slot)
		return slot ? *slot : NULL;
	row = arena_alloc(&k->arena, sizeof(*row));
	if (!row)
		return NULL;
	row->pub.function = name;
	row->pub.function_len = len;
	row->bucket = bucket_of(name, len);
	row->order = k->n_rows++;
	*slot = row;
	return row;
}

static struct row *row_of(struct kmem *k, uint64_t call_site)
{
	const struct ksym *sym = kallsyms_find_cached(k->symbols, k->cache, call_site);
	const struct pooled_name *name;
	char text[32];

	if (sym)
		return row_of_name(k, sym->name, sym->name_len);
	name = namepool_find(&k->made_up, text,
			     snprintf(text, sizeof(text), "0x%llx", (unsigned long long)call_site));
	return name ? row_of_name(k, name->text, name->len) : NULL;
}

/* --- live allocations ------------------------------------------------------------------------- */

/* Finds or adds the allocation at that address. Returns NULL if there is no room for one more. */
static struct live *live_of(struct kmem *k, uint64_t ptr)
{
	void **slot = map_take(&k->live, ptr, LIVE_MAX);

	if (!slot || *slot)
		return slot ? *slot : NULL;
	if (k->unused) {
		*slot = k->unused;
		k->unused = k->unused->next;
	} else {
		*slot = arena_alloc(&k->lives, sizeof(struct live));
	}
	return *slot;
}

/* --- events ----------------------------------------------------------------------------------- */

static void raise_max(uint64_t *max, uint64_t v)
{
	/* the value is never negative: only bytes that were added before are subtracted */
	if (v > *max)
		*max = v;
}

static void add_alloc(struct kmem *k, const struct alloc_event *e, const struct record *rec)
{
	uint64_t call_site, ptr;
	struct kmem_bytes bytes;
	struct row *row;
	struct live *l;

	if (!formats_read(k->f, rec, e->call_site, &call_site) ||
	    !formats_read(k->f, rec, e->ptr, &ptr) ||
	    !formats_read(k->f, rec, e->requested, &bytes.requested) ||
	    !formats_read(k->f, rec, e->allocated, &bytes.allocated))
		return;
	row = row_of(k, call_site);
	l = row ? live_of(k, ptr) : NULL;
	if (!l) {
		k->n_dropped++;
		return;
	}
	row->pub.total.requested += bytes.requested;
	row->pub.total.allocated += bytes.allocated;
	row->pub.current.requested += bytes.requested;
	row->pub.current.allocated += bytes.allocated;
	raise_max(&row->pub.max.requested, row->pub.current.requested);
	raise_max(&row->pub.max.allocated, row->pub.current.allocated);
	*l = (struct live){.row = row, .bytes = bytes};
}

static void add_free(struct kmem *k, const struct alloc_event *e, const struct record *rec)
{
	struct live *l;
	uint64_t ptr;

	if (!formats_read(k->f, rec, e->ptr, &ptr))
		return;
	l = map_remove(&k->live, ptr);
	if (!l)
		return;
	l->row->pub.current.requested -= l->bytes.requested;
	l->row->pub.current.allocated -= l->bytes.allocated;
	l->next = k->unused;
	k->unused = l;
}

void kmem_add(struct kmem *k, const struct record *rec)
{
	for (size_t i = 0; rec->event && i < ARRAY_LEN(k->events); i++) {
		const struct alloc_event *e = &k->events[i];

		if (e->event != rec->event)
			continue;
		if (e->is_free)
			add_free(k, e, rec);
		else
			add_alloc(k, e, rec);
		return;
	}
}

/* --- the end, and life ------------------------------------------------------------------------ */

static int row_compare(const void *a, const void *b)
{
	const struct row *x = *(struct row *const *)a, *y = *(struct row *const *)b;

	if (x->pub.waste != y->pub.waste)
		return (uint64_t)x->pub.waste > (uint64_t)y->pub.waste ? -1 : 1;
	if (x->bucket != y->bucket)
		return x->bucket < y->bucket ? -1 : 1;
	return x->order > y->order ? -1 : x->order < y->order;
}

int kmem_finish(struct kmem *k)
{
	size_t n = 0;

	k->sorted = calloc(k->n_rows + 1, sizeof(*k->sorted));
	if (!k->sorted)
		return -ENOMEM;
	for (size_t i = 0; i < k->rows.n_slots; i++)
		if (k->rows.slots[i].value) {
			struct kmem_row *r = &((struct row *)k->rows.slots[i].value)->pub;

			r->waste = r->current.allocated - r->current.requested;
			r->max_waste = r->max.allocated - r->max.requested;
			k->sorted[n++] = r;
		}
	qsort(k->sorted, n, sizeof(*k->sorted), row_compare);
	return 0;
}

struct kmem_row *const *kmem_rows(const struct kmem *k, size_t *ret_n)
{
	*ret_n = k->n_rows;
	return k->sorted;
}

uint64_t kmem_n_dropped(const struct kmem *k)
{
	return k->n_dropped;
}

static void find_events(struct kmem *k)
{
	static const struct {
		const char *name;
		bool is_free;
	} rows[] = {{"kmalloc", false},
		    {"kmalloc_node", false},
		    {"kfree", true},
		    {"kmem_cache_alloc", false},
		    {"kmem_cache_alloc_node", false},
		    {"kmem_cache_free", true}};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct event *ev = formats_find_name(k->f, "kmem", rows[i].name);

		if (!ev)
			continue;
		/* records contain the event that their id finds, which may differ */
		ev = formats_find(k->f, ev->id);
		k->events[i] =
			(struct alloc_event){.event = ev,
					     .call_site = event_find_field(ev, "call_site"),
					     .requested = event_find_field(ev, "bytes_req"),
					     .allocated = event_find_field(ev, "bytes_alloc"),
					     .ptr = event_find_field(ev, "ptr"),
					     .is_free = rows[i].is_free};
	}
}

struct kmem *kmem_new(struct formats *f)
{
	struct kmem *k = calloc(1, sizeof(*k));

	if (!k)
		return NULL;
	k->f = f;
	arena_init(&k->arena, ROWS_MAX_BYTES);
	arena_init(&k->lives, LIVE_MAX_BYTES);
	namepool_init(&k->made_up);
	k->symbols = formats_kallsyms(f);
	k->cache = malloc(sizeof(*k->cache));
	if (!k->cache) {
		kmem_free(k);
		return NULL;
	}
	ksym_cache_init(k->cache, k->symbols);
	find_events(k);
	return k;
}

void kmem_free(struct kmem *k)
{
	if (!k)
		return;
	map_release(&k->rows);
	map_release(&k->live);
	arena_release(&k->lives);
	free(k->sorted);
	free(k->cache);
	namepool_release(&k->made_up);
	arena_release(&k->arena);
	free(k);
}
