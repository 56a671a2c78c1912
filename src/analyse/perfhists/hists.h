/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * hists.h - rows of perf report: samples by any columns, with the call chains that lead there.
 *
 *	perfhists_new ─▶ perfhists_add … ─▶ perfhists_sort ─▶ rows ─▶ perfhists_free
 *
 * sampletable.h counts functions of a trace. perf's rows differ in what makes them one: the name
 * that a thread had at the time of the sample, code without a function by its address, functions of
 * the same name at two addresses. So a row is found by numbers that the caller chooses for its
 * cells. One owner.
 */
#ifndef SONDE_ANALYSE_PERFHISTS_HISTS_H
#define SONDE_ANALYSE_PERFHISTS_HISTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PERFHISTS_CELLS_MAX 8

/* A value of a column. Cells with the same id are the same; the texts must stay valid. */
struct perfhists_cell {
	uint64_t id;
	const char *text, *order; /* as it is shown; by what rows of the same weight are sorted */
};

/* A frame of a chain. */
struct perfhists_frame {
	uint64_t id, address; /* address: order of frames with the same weight */
	const char *name;
};

/* A node of the tree of chains, below a row. */
struct perfhists_node {
	struct perfhists_frame frame;
	uint64_t hits;	/* of chains that end here */
	uint64_t cumul; /* with all below */
	struct perfhists_node *children, *next;
	size_t n_children;
};

struct perfhists_row {
	struct perfhists_cell cells[PERFHISTS_CELLS_MAX];
	uint64_t self, total; /* periods */
	uint64_t n;	      /* samples */
	const void *user;     /* of the first sample */
	struct perfhists_node chains;
	size_t max_depth;
	struct perfhists_row *same_hash;
	uint32_t number; /* order of appearance */
	bool is_hidden;
};

struct perfhists;

struct perfhists_config {
	size_t n_cells;
	bool by_total; /* sort by total: children are shown */
	bool by_depth; /* rows of the same weight and thread: the one with the longer chain first */
	bool caller_first;   /* chains begin with the outermost frame */
	uint32_t descending; /* bits of cells */
};

/* NULL: no memory. */
struct perfhists *perfhists_new(const struct perfhists_config *config);
void perfhists_free(struct perfhists *h);

struct perfhists_sample {
	const struct perfhists_cell *cells;
	const struct perfhists_frame *chain; /* in the order of the tree */
	size_t n_chain;
	uint64_t period;
	bool is_self;	/* else the row is a caller */
	bool is_hidden; /* a row that begins with this sample is not shown */
	const void *user;
};
/* Returns the row; NULL: no memory. A sample that is no row counts with perfhists_add_total(). */
struct perfhists_row *perfhists_add(struct perfhists *h, const struct perfhists_sample *s);
void perfhists_add_total(struct perfhists *h, uint64_t period);

/*
 * Puts rows and chains into order. Chains with less than min_part of all are dropped; is_relative:
 * of what their parent's children have together.
 */
void perfhists_sort(struct perfhists *h, double min_part, bool is_relative);
struct perfhists_row *const *perfhists_rows(const struct perfhists *h, size_t *ret_n);
const struct perfhists_config *perfhists_config(const struct perfhists *h);
/* Of all samples, also those that are no row. */
uint64_t perfhists_period(const struct perfhists *h);
uint64_t perfhists_n(const struct perfhists *h);

#endif
