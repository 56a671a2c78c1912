/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* compare.h - the rows of two tables of samples side by side, as perf diff has them. */
#ifndef SONDE_ANALYSE_PERFHISTS_COMPARE_H
#define SONDE_ANALYSE_PERFHISTS_COMPARE_H

#include "analyse/perfhists/hists.h"

enum perfcompare_by { PERFCOMPARE_DELTA_ABS, PERFCOMPARE_DELTA, PERFCOMPARE_RATIO };

/* A row of the first table, of the second, or of both: those with the same texts of all cells. */
struct perfcompare_pair {
	const struct perfhists_row *before, *after; /* NULL: not there */
	double value;				    /* what rows are sorted by */
};

struct perfcompare {
	struct perfcompare_pair *pairs;
	size_t n;
};

/* after may be NULL. 0 or -ENOMEM. */
int perfcompare_init(struct perfcompare *c, const struct perfhists *before,
		     const struct perfhists *after, size_t n_cells, enum perfcompare_by by);
void perfcompare_release(struct perfcompare *c);

#endif
