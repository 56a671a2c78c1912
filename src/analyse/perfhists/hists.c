// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * hists.c - rows by their cells, each with a tree of call chains.
 *
 *	row  main                     self 0, total 770
 *	     └ main 770 ─┬ spin 660
 *	                 └ gamma_ 110
 *
 * Rows are in a hash table by the ids of their cells. The tree has a node for each frame; when it
 * is printed, a node is joined with its only child if no chain ends between them.
 *
 * Order of rows: the weight; then callers above what they call, if the rows are of one thread; then
 * the texts of the cells. Order of children: the weight, then the higher address first, as perf
 * does it.
 */
#include "analyse/perfhists/hists.h"

#include "base/arena.h"
#include "base/array.h"
#include "base/map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_MAX	(1u << 22)
#define ARENA_MAX_BYTES (4ull << 30)
#define DEPTH_MAX	2048

struct perfhists {
	struct perfhists_config config;
	struct arena arena;
	struct map by_hash;
	uint64_t seed;
	struct perfhists_row **rows;
	size_t n_rows, cap_rows;
	uint64_t period, n;
};

struct perfhists *perfhists_new(const struct perfhists_config *config)
{
	struct perfhists *h = calloc(1, sizeof(*h));

	if (!h)
		return NULL;
	h->config = *config;
	h->seed = hash_seed();
	arena_init(&h->arena, ARENA_MAX_BYTES);
	return h;
}

void perfhists_free(struct perfhists *h)
{
	if (!h)
		return;
	arena_release(&h->arena);
	map_release(&h->by_hash);
	free(h->rows);
	free(h);
}

static bool is_same(const struct perfhists *h, const struct perfhists_row *row,
		    const struct perfhists_cell *cells)
{
	for (size_t i = 0; i < h->config.n_cells; i++)
		if (row->cells[i].id != cells[i].id)
			return false;
	return true;
}

static struct perfhists_row *take_row(struct perfhists *h, const struct perfhists_sample *s)
{
	struct perfhists_row *row;
	uint64_t hash = 0;
	void **slot;

	for (size_t i = 0; i < h->config.n_cells; i++)
		hash = hash_step(h->seed, hash, s->cells[i].id);
	slot = map_take(&h->by_hash, hash, ROWS_MAX);
	if (!slot)
		return NULL;
	for (row = *slot; row; row = row->same_hash)
		if (is_same(h, row, s->cells))
			return row;
	row = arena_alloc(&h->arena, sizeof(*row));
	if (!row || !ARRAY_ROOM(h->rows, h->cap_rows, h->n_rows + 1, ROWS_MAX))
		return NULL;
	memcpy(row->cells, s->cells, h->config.n_cells * sizeof(*s->cells));
	row->user = s->user;
	row->is_hidden = s->is_hidden;
	row->number = (uint32_t)h->n_rows;
	row->same_hash = *slot;
	*slot = row;
	h->rows[h->n_rows++] = row;
	return row;
}

static struct perfhists_node *take_child(struct perfhists *h, struct perfhists_node *parent,
					 const struct perfhists_frame *frame)
{
	struct perfhists_node *c;

	for (c = parent->children; c; c = c->next)
		if (c->frame.id == frame->id)
			return c;
	c = arena_alloc(&h->arena, sizeof(*c));
	if (!c)
		return NULL;
	c->frame = *frame;
	c->next = parent->children;
	parent->children = c;
	parent->n_children++;
	return c;
}

struct perfhists_row *perfhists_add(struct perfhists *h, const struct perfhists_sample *s)
{
	struct perfhists_row *row = take_row(h, s);
	struct perfhists_node *node;

	if (!row)
		return NULL;
	row->total += s->period;
	row->self += s->is_self ? s->period : 0;
	row->n += s->is_self;
	if (s->n_chain > row->max_depth)
		row->max_depth = s->n_chain;
	node = &row->chains;
	for (size_t i = 0; i < s->n_chain && i < DEPTH_MAX; i++) {
		node = take_child(h, node, &s->chain[i]);
		if (!node)
			return NULL;
		node->cumul += s->period;
	}
	if (node != &row->chains)
		node->hits += s->period;
	return row;
}

void perfhists_add_total(struct perfhists *h, uint64_t period)
{
	h->period += period;
	h->n++;
}

/*
 * --- order -------------------------------------------------------------------------------------
 */

static int compare_rows(const void *pa, const void *pb, void *ctx)
{
	const struct perfhists_row *a = *(struct perfhists_row *const *)pa;
	const struct perfhists_row *b = *(struct perfhists_row *const *)pb;
	const struct perfhists_config *config = ctx;
	int r = config->by_total ? COMPARE(b->total, a->total) : COMPARE(b->self, a->self);

	if (!r && config->by_depth && a->user == b->user && a->max_depth && b->max_depth)
		r = config->caller_first ? COMPARE(b->max_depth, a->max_depth)
					 : COMPARE(a->max_depth, b->max_depth);
	if (!r && config->by_total)
		r = COMPARE(b->self, a->self);
	for (size_t i = 0; !r && i < config->n_cells; i++)
		r = config->descending >> i & 1 ? strcmp(b->cells[i].order, a->cells[i].order)
						: strcmp(a->cells[i].order, b->cells[i].order);
	return r ?: COMPARE(a->number, b->number);
}

static int compare_children(const void *pa, const void *pb)
{
	const struct perfhists_node *a = *(struct perfhists_node *const *)pa;
	const struct perfhists_node *b = *(struct perfhists_node *const *)pb;

	return COMPARE(b->cumul, a->cumul)
	       ?: COMPARE(b->frame.address, a->frame.address)
	       ?: strcmp(a->frame.name, b->frame.name);
}

/* Drops children below min_hits, and sorts the others. A node without a child ends the walk. */
static void sort_children(struct perfhists *h, struct perfhists_node *node, uint64_t min_hits,
			  double min_part)
{
	struct perfhists_node **list, *c;
	uint64_t all = 0;
	size_t n = 0;

	if (!node->n_children)
		return;
	for (c = node->children; c && min_part > 0; c = c->next)
		all += c->cumul;
	if (min_part > 0)
		min_hits = (uint64_t)ceil((double)all * min_part);
	list = arena_alloc_array(&h->arena, node->n_children, sizeof(*list));
	if (!list)
		return;
	for (c = node->children; c; c = c->next)
		if (c->cumul >= min_hits)
			list[n++] = c;
	qsort(list, n, sizeof(*list), compare_children);
	node->children = NULL;
	for (size_t i = n; i--;) {
		list[i]->next = node->children;
		node->children = list[i];
	}
	/* n_children stays: a node that had two children is not joined with the remaining one */
	for (c = node->children; c; c = c->next)
		sort_children(h, c, min_hits, min_part);
}

void perfhists_sort(struct perfhists *h, double min_part, bool is_relative)
{
	uint64_t min_hits = (uint64_t)((double)h->period * min_part);

	if (!h->n_rows)
		return;
	qsort_r(h->rows, h->n_rows, sizeof(*h->rows), compare_rows, &h->config);
	for (size_t i = 0; i < h->n_rows; i++)
		sort_children(h, &h->rows[i]->chains, min_hits, is_relative ? min_part : 0);
}

struct perfhists_row *const *perfhists_rows(const struct perfhists *h, size_t *ret_n)
{
	*ret_n = h->n_rows;
	return h->rows;
}

const struct perfhists_config *perfhists_config(const struct perfhists *h)
{
	return &h->config;
}

uint64_t perfhists_period(const struct perfhists *h)
{
	return h->period;
}

uint64_t perfhists_n(const struct perfhists *h)
{
	return h->n;
}
