/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * heat.h - a heat map of samples: a column for each second, a row for each 20 ms of it.
 *
 * What happens at regular times makes lines and patterns, which sums hide. With the stacks of each
 * cell, any range can be drawn as a flame graph.
 */
#ifndef SONDE_ANALYSE_SAMPLES_HEAT_H
#define SONDE_ANALYSE_SAMPLES_HEAT_H

#include "analyse/samples/stacktrie.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct errmsg;
struct stacknames;
struct sampleset;

#define HEAT_ROWS	 50
#define HEAT_STEP_NS	 20000000u
#define HEAT_COLUMNS_MAX 3600u
#define HEAT_ENTRIES_MAX 2000000u

/* Samples of a stack in a cell. */
struct heat_entry {
	uint32_t cell; /* column * HEAT_ROWS + row; row 0: the first 20 ms */
	uint32_t stack;
	uint32_t n;
	uint64_t weight;
};

struct heat {
	uint64_t first; /* time where column 0 begins: that of the first sample */
	uint32_t n_columns, max;
	uint32_t *cells; /* samples of each */
	struct stacktrie stacks;
	struct heat_entry *entries; /* by cell */
	size_t n_entries;
};

/*
 * by_task: the outermost frame is the name of the task. -EFBIG with a message: the range is too
 * long, or has too many different stacks. The set needs SAMPLESET_TIME.
 */
int heat_init(struct heat *h, const struct sampleset *set, struct stacknames *names, bool by_task,
	      struct errmsg *err);
void heat_release(struct heat *h);

#endif
