// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * group.c - joins the tables of a group of events, as perf report shows {cycles,cs}:
 *
 *	cycles  main 70, leaf 30      ─▶   main  70 %  20 %
 *	cs      main 20, wait 80           leaf  30 %   0 %
 *	                                   wait   0 %  80 %
 *
 * Rows are in the order of the first event's values, then of the second's, and so on; then as in
 * hists.c. With callers, only totals of the first event count before what the rows have themselves:
 * so it is in perf.
 */
#include "analyse/perfhists/group.h"

#include "base/array.h"
#include "base/map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_MAX (1u << 22)

struct joining {
	struct perfgroup *group;
	struct perfhists_config config;
	struct map by_hash; /* number of a row + 1 */
	uint64_t seed;
};

static bool is_same(const struct joining *j, const struct perfhists_row *a,
		    const struct perfhists_row *b)
{
	for (size_t i = 0; i < j->config.n_cells; i++)
		if (a->cells[i].id != b->cells[i].id)
			return false;
	return true;
}

static struct perfgroup_row *take_row(struct joining *j, const struct perfhists_row *row)
{
	struct perfgroup *g = j->group;
	uint64_t hash = 0;
	uintptr_t first;
	void **slot;

	for (size_t i = 0; i < j->config.n_cells; i++)
		hash = hash_step(j->seed, hash, row->cells[i].id);
	slot = map_take(&j->by_hash, hash, ROWS_MAX);
	if (!slot)
		return NULL;
	first = (uintptr_t)*slot;
	for (uintptr_t i = first; i; i = g->rows[i - 1].same_hash)
		if (is_same(j, g->rows[i - 1].first, row))
			return &g->rows[i - 1];
	if (!ARRAY_ROOM(g->rows, g->cap, g->n + 1, ROWS_MAX))
		return NULL;
	g->rows[g->n++] = (struct perfgroup_row){.first = row, .same_hash = (uint32_t)first};
	*slot = (void *)(uintptr_t)g->n;
	return &g->rows[g->n - 1];
}

static int join(struct joining *j)
{
	for (size_t k = 0; k < j->group->n_events; k++) {
		size_t n = 0;
		struct perfhists_row *const *rows =
			j->group->tables[k] ? perfhists_rows(j->group->tables[k], &n) : NULL;

		for (size_t i = 0; i < n; i++) {
			struct perfgroup_row *row = take_row(j, rows[i]);

			if (!row)
				return -ENOMEM;
			row->of[k] = rows[i];
		}
	}
	return 0;
}

static uint64_t value_of(const struct perfhists_row *row, bool of_total)
{
	return !row ? 0 : of_total ? row->total : row->self;
}

static int compare_self(const struct joining *j, const struct perfgroup_row *a,
			const struct perfgroup_row *b)
{
	int r = 0;

	for (size_t k = 0; !r && k < j->group->n_events; k++)
		r = COMPARE(value_of(b->of[k], false), value_of(a->of[k], false));
	return r;
}

static int compare_rows(const void *pa, const void *pb, void *ctx)
{
	const struct perfgroup_row *a = pa, *b = pb;
	const struct perfhists_row *x = a->of[0], *y = b->of[0];
	const struct joining *j = ctx;
	int r = j->config.by_total ? COMPARE(value_of(y, true), value_of(x, true))
				   : compare_self(j, a, b);

	if (!r && j->config.by_depth && x && y && x->user == y->user && x->max_depth &&
	    y->max_depth)
		r = j->config.caller_first ? COMPARE(y->max_depth, x->max_depth)
					   : COMPARE(x->max_depth, y->max_depth);
	if (!r && j->config.by_total)
		r = compare_self(j, a, b);
	for (size_t i = 0; !r && i < j->config.n_cells; i++) {
		const char *s = a->first->cells[i].order, *t = b->first->cells[i].order;

		r = j->config.descending >> i & 1 ? strcmp(t, s) : strcmp(s, t);
	}
	return r ?: COMPARE(a->first->number, b->first->number);
}

int perfgroup_init(struct perfgroup *g, const struct perfhists *const *tables, size_t n_events)
{
	struct joining j = {.group = g, .seed = hash_seed()};
	int r;

	*g = (struct perfgroup){.n_events = n_events};
	for (size_t k = n_events; k-- > 0;) {
		g->tables[k] = tables[k];
		if (tables[k])
			j.config = *perfhists_config(tables[k]);
	}
	r = join(&j);
	map_release(&j.by_hash);
	if (r < 0)
		perfgroup_release(g);
	else if (g->n)
		qsort_r(g->rows, g->n, sizeof(*g->rows), compare_rows, &j);
	return r;
}

void perfgroup_release(struct perfgroup *g)
{
	free(g->rows);
	*g = (struct perfgroup){0};
}
