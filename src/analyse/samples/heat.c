// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * heat.c - counts samples in cells, and keeps the stacks of each cell.
 *
 * The first sample begins the first column, so that a short recording has no empty column. An entry
 * is a stack in a cell: samples of the same stack in the same 20 ms are one, which is what makes a
 * page of a million samples small enough for a browser. Two ceilings keep it so.
 */
#include "analyse/samples/heat.h"

#include "analyse/samples/stacknames.h"
#include "analyse/samples/sampleset.h"
#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "symbols/tasks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct flow_func *task_func(struct stacknames *names, const struct task *task)
{
	return stacknames_find_text(names, task ? task->comm : "(unknown)");
}

/* The stack of a row as one number. */
static uint32_t take_stack(struct heat *h, const struct sampleset_row *row,
			   struct stacknames *names, bool by_task)
{
	const struct flow_func *chain[SAMPLESET_STACK_MAX + 1];
	size_t n;
	const struct flow_func *const *funcs = stacknames_chain(names, row->stack, &n);

	if (n > SAMPLESET_STACK_MAX)
		n = SAMPLESET_STACK_MAX;
	if (n)
		memcpy(chain + by_task, funcs, n * sizeof(*funcs));
	if (by_task)
		chain[0] = task_func(names, row->task);
	return stacktrie_add(&h->stacks, chain, n + by_task);
}

ARRAY_ORDER(by_cell, struct heat_entry, COMPARE(x->cell, y->cell) ?: COMPARE(x->stack, y->stack))

/* Entries of the same cell and stack become one. */
static void merge(struct heat *h)
{
	size_t n = 0;

	if (h->n_entries)
		qsort(h->entries, h->n_entries, sizeof(*h->entries), by_cell);
	for (size_t i = 0; i < h->n_entries; i++) {
		const struct heat_entry *e = &h->entries[i];

		if (n && h->entries[n - 1].cell == e->cell && h->entries[n - 1].stack == e->stack) {
			h->entries[n - 1].n += e->n;
			h->entries[n - 1].weight += e->weight;
		} else {
			h->entries[n++] = *e;
		}
	}
	h->n_entries = n;
}

static int find_range(struct heat *h, const struct sampleset_row *rows, size_t n,
		      struct errmsg *err)
{
	uint64_t last = 0, columns;

	h->first = UINT64_MAX;
	for (size_t i = 0; i < n; i++) {
		h->first = rows[i].ts < h->first ? rows[i].ts : h->first;
		last = rows[i].ts > last ? rows[i].ts : last;
	}
	if (!n)
		return errmsg_set(err, -ENODATA, "there are no samples for a heat map");
	columns = (last - h->first) / ((uint64_t)HEAT_STEP_NS * HEAT_ROWS) + 1;
	if (columns > HEAT_COLUMNS_MAX)
		return errmsg_set(err, -EFBIG,
				  "a heat map has at most %u seconds, and these are %llu; choose a "
				  "range with --from and --to",
				  HEAT_COLUMNS_MAX, (unsigned long long)columns);
	h->n_columns = (uint32_t)columns;
	return 0;
}

static int fill(struct heat *h, const struct sampleset_row *rows, size_t n,
		struct stacknames *names, bool by_task, struct errmsg *err)
{
	h->cells = calloc((size_t)h->n_columns * HEAT_ROWS, sizeof(*h->cells));
	h->entries = calloc(n, sizeof(*h->entries));
	if (!h->cells || !h->entries)
		return errmsg_set_errno(err, -ENOMEM, "cannot make the heat map");
	for (size_t i = 0; i < n; i++) {
		struct heat_entry *e = &h->entries[h->n_entries++];

		*e = (struct heat_entry){.cell = (uint32_t)((rows[i].ts - h->first) / HEAT_STEP_NS),
					 .stack = take_stack(h, &rows[i], names, by_task),
					 .n = rows[i].n,
					 .weight = rows[i].weight};
		h->cells[e->cell] += e->n;
		if (h->cells[e->cell] > h->max)
			h->max = h->cells[e->cell];
	}
	merge(h);
	if (h->n_entries > HEAT_ENTRIES_MAX)
		return errmsg_set(err, -EFBIG,
				  "a heat map has at most %u different stacks in its cells, and "
				  "these are %zu; choose a range with --from and --to",
				  HEAT_ENTRIES_MAX, h->n_entries);
	return 0;
}

int heat_init(struct heat *h, const struct sampleset *set, struct stacknames *names, bool by_task,
	      struct errmsg *err)
{
	const struct sampleset_row *rows;
	size_t n;

	*h = (struct heat){0};
	rows = sampleset_rows(set, &n);
	TRY(find_range(h, rows, n, err));
	return fill(h, rows, n, names, by_task, err);
}

void heat_release(struct heat *h)
{
	stacktrie_release(&h->stacks);
	free(h->cells);
	free(h->entries);
	*h = (struct heat){0};
}
