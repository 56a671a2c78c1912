/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sampletree.h - the stacks of samples as one tree, for graph, flame, folded stacks and others.
 */
#ifndef SONDE_ANALYSE_SAMPLES_SAMPLETREE_H
#define SONDE_ANALYSE_SAMPLES_SAMPLETREE_H

#include "analyse/calls/callgraph.h"

struct callfilter;
struct stacknames;
struct sampleset;

struct sampletree_config {
	const struct sampleset *set;
	struct stacknames *names;
	const struct callfilter *filter; /* NULL: all */
	bool by_task;			 /* the outermost frame is the name of the task */
	bool upside_down;    /* the root's children are the functions that were sampled */
	const char *program; /* name of the root; NULL: "all" */
};

/*
 * Makes the tree, after callgraph_end(). The names must stay valid. NULL: no memory. n is the
 * number of samples, total and self are weights.
 */
struct callgraph *sampletree_new(const struct sampletree_config *config);

/*
 * Applies a filter to a chain of functions, outermost first, in place. Returns the length of the
 * rest; -1: the sample does not count.
 */
int sampletree_filter(const struct callfilter *filter, const struct flow_func **chain, size_t n);

#endif
