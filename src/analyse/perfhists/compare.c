// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * compare.c - pairs rows of two tables by the texts of their cells.
 *
 * Addresses differ between two recordings, so the ids of cells do not help: a function is found by
 * its name. Both tables are sorted by their texts and merged. Rows that the second table does not
 * have come last; the others are in the order of the change.
 */
#include "analyse/perfhists/compare.h"

#include "base/array.h"
#include "base/scope.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct order {
	size_t n_cells;
	enum perfcompare_by by;
};

static int compare_cells(const struct perfhists_row *a, const struct perfhists_row *b,
			 size_t n_cells)
{
	int r = 0;

	for (size_t i = 0; !r && i < n_cells; i++)
		r = strcmp(a->cells[i].text, b->cells[i].text);
	return r;
}

static int by_cells(const void *a, const void *b, void *ctx)
{
	return compare_cells(*(struct perfhists_row *const *)a, *(struct perfhists_row *const *)b,
			     ((const struct order *)ctx)->n_cells);
}

/* The rows of a table by their texts, in a list that the caller frees. */
static struct perfhists_row **sorted_rows(const struct perfhists *h, struct order *o, size_t *ret_n)
{
	struct perfhists_row *const *rows;
	struct perfhists_row **list;

	*ret_n = 0;
	rows = h ? perfhists_rows(h, ret_n) : NULL;
	list = calloc(*ret_n + 1, sizeof(*list));
	if (list && *ret_n) {
		memcpy(list, rows, *ret_n * sizeof(*list));
		qsort_r(list, *ret_n, sizeof(*list), by_cells, o);
	}
	return list;
}

static double share(const struct perfhists_row *row, const struct perfhists *h)
{
	uint64_t all = h ? perfhists_period(h) : 0;

	return row && all ? 100.0 * (double)row->self / (double)all : 0;
}

static int by_value(const void *pa, const void *pb, void *ctx)
{
	const struct perfcompare_pair *a = pa, *b = pb;
	const struct order *o = ctx;
	const struct perfhists_row *x = a->before ? a->before : a->after;
	const struct perfhists_row *y = b->before ? b->before : b->after;
	double va = a->value, vb = b->value;
	int r = COMPARE(!a->after, !b->after);

	if (o->by == PERFCOMPARE_DELTA_ABS) {
		va = fabs(va);
		vb = fabs(vb);
	}
	if (!r && a->after)
		r = COMPARE(vb, va);
	if (!r && a->before && b->before)
		r = COMPARE(b->before->self, a->before->self);
	for (size_t i = 0; !r && i < o->n_cells; i++)
		r = strcmp(x->cells[i].order, y->cells[i].order);
	return r;
}

static void add_pair(struct perfcompare *c, const struct perfhists_row *before,
		     const struct perfhists_row *after)
{
	c->pairs[c->n++] = (struct perfcompare_pair){.before = before, .after = after};
}

int perfcompare_init(struct perfcompare *c, const struct perfhists *before,
		     const struct perfhists *after, size_t n_cells, enum perfcompare_by by)
{
	struct order o = {n_cells, by};
	size_t n_old, n_new, i = 0, k = 0;
	SCOPED(scope_free) struct perfhists_row **old = sorted_rows(before, &o, &n_old);
	SCOPED(scope_free) struct perfhists_row **new = sorted_rows(after, &o, &n_new);

	*c = (struct perfcompare){0};
	c->pairs = calloc(n_old + n_new + 1, sizeof(*c->pairs));
	if (!c->pairs || !old || !new)
		return -ENOMEM;
	while (i < n_old || k < n_new) {
		int r = i == n_old ? 1 : k == n_new ? -1 : compare_cells(old[i], new[k], n_cells);

		if (r < 0)
			add_pair(c, old[i++], NULL);
		else if (r > 0)
			add_pair(c, NULL, new[k++]);
		else
			add_pair(c, old[i++], new[k++]);
	}
	for (i = 0; i < c->n; i++) {
		struct perfcompare_pair *p = &c->pairs[i];

		if (by != PERFCOMPARE_RATIO)
			p->value = share(p->after, after) - share(p->before, before);
		else if (p->before && p->after && p->before->self)
			p->value = (double)p->after->self / (double)p->before->self;
		else if (p->after) /* behind all ratios, the heaviest first */
			p->value = -1 / (1 + (double)p->after->self);
	}
	if (c->n)
		qsort_r(c->pairs, c->n, sizeof(*c->pairs), by_value, &o);
	return 0;
}

void perfcompare_release(struct perfcompare *c)
{
	free(c->pairs);
	*c = (struct perfcompare){0};
}
