// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * calldiff.c - the functions of two traces, side by side.
 *
 * Both lists are sorted by name and file and merged. Of several functions with the same name and
 * file (static ones of the kernel) the first of one trace is compared with the first of the other.
 * A program that was renamed between the traces is still the same (modules.h).
 */
#include "analyse/calls/calldiff.h"

#include "analyse/calls/modules.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int compare_names(const struct calltimes_row *a, const struct calltimes_row *b,
			 const struct module_twins *twins)
{
	const char *m = module_in_base(twins, a->module), *n = module_in_base(twins, b->module);
	int r = strcmp(a->name, b->name);

	return r ? r : strcmp(m ? m : "", n ? n : "");
}

static int compare_rows(const void *a, const void *b, void *twins)
{
	const struct calltimes_row *x = *(const struct calltimes_row *const *)a,
				   *y = *(const struct calltimes_row *const *)b;
	int r = compare_names(x, y, twins);

	return r ? r : x->key.values[0] < y->key.values[0] ? -1 : 1;
}

static void add_modules(struct modules *m, const struct calltimes *c)
{
	size_t n;
	const struct calltimes_row *const *rows = calltimes_rows(c, &n);

	for (size_t i = 0; i < n; i++)
		if (rows[i]->is_user)
			modules_add(m, rows[i]->module);
}

static struct module_twins find_twins(const struct calltimes *base, const struct calltimes *other)
{
	struct modules here = {0}, there = {0};

	add_modules(&here, base);
	add_modules(&there, other);
	return modules_find_twins(&here, &there);
}

static const struct calltimes_row **sorted(const struct calltimes *c, struct module_twins *twins,
					   size_t *ret_n)
{
	const struct calltimes_row *const *rows = calltimes_rows(c, ret_n);
	const struct calltimes_row **copy = calloc(*ret_n + 1, sizeof(struct calltimes_row *));

	if (!copy)
		return NULL;
	memcpy(copy, rows, *ret_n * sizeof(struct calltimes_row *));
	qsort_r(copy, *ret_n, sizeof(struct calltimes_row *), compare_rows, twins);
	return copy;
}

const char *calldiff_name(const struct calldiff_row *row)
{
	return row->base ? row->base->name : row->other->name;
}

int64_t calldiff_number(const struct calldiff_row *row, enum calltimes_column column)
{
	uint64_t base = row->base ? calltimes_number(row->base, column) : 0;
	uint64_t other = row->other ? calltimes_number(row->other, column) : 0;

	return (int64_t)(other - base);
}

static int compare_diffs(const void *a, const void *b, void *ctx)
{
	enum calltimes_column sort = *(const enum calltimes_column *)ctx;
	struct module_twins none = {0};
	const struct calldiff_row *x = a, *y = b;

	if (sort < CALLTIMES_N_NUMBERS) {
		uint64_t m = (uint64_t)llabs(calldiff_number(x, sort));
		uint64_t n = (uint64_t)llabs(calldiff_number(y, sort));

		if (m != n)
			return m < n ? 1 : -1;
	}
	return compare_names(x->base ? x->base : x->other, y->base ? y->base : y->other, &none);
}

int calldiff_init(struct calldiff *d, const struct calltimes *base, const struct calltimes *other,
		  enum calltimes_column sort)
{
	struct module_twins twins = find_twins(base, other);
	size_t n_base, n_other, i = 0, k = 0;
	const struct calltimes_row **a = sorted(base, &twins, &n_base),
				   **b = sorted(other, &twins, &n_other);

	*d = (struct calldiff){.rows = calloc(n_base + n_other + 1, sizeof(*d->rows))};
	if (a && b && d->rows) {
		while (i < n_base || k < n_other) {
			int r = i == n_base    ? 1
				: k == n_other ? -1
					       : compare_names(a[i], b[k], &twins);
			struct calldiff_row *row = &d->rows[d->n++];

			row->base = r <= 0 ? a[i++] : NULL;
			row->other = r >= 0 ? b[k++] : NULL;
		}
		qsort_r(d->rows, d->n, sizeof(*d->rows), compare_diffs, &sort);
	}
	free(a);
	free(b);
	if (a && b && d->rows)
		return 0;
	calldiff_release(d);
	return -ENOMEM;
}

void calldiff_release(struct calldiff *d)
{
	free(d->rows);
	*d = (struct calldiff){0};
}
