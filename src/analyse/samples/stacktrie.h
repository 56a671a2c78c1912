/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stacktrie.h - stacks as numbers: a stack is a function upon another stack.
 *
 *	stack 1: main    2: main, work    3: main, work, leaf
 *	nodes   {0, main} {1, work} {2, leaf}
 *
 * For formats that keep stacks in this form. Numbers begin with 1; 0 is the empty stack. Only one
 * thread may use it at a time.
 */
#ifndef SONDE_ANALYSE_SAMPLES_STACKTRIE_H
#define SONDE_ANALYSE_SAMPLES_STACKTRIE_H

#include "base/map.h"

#include <stddef.h>
#include <stdint.h>

struct flow_func;

struct stacktrie_node {
	uint32_t parent; /* a stack; 0: none */
	uint32_t func;	 /* index in funcs */
};

struct stacktrie {
	struct stacktrie_node *nodes; /* stack 1 is the first */
	size_t n_nodes, cap_nodes;
	const struct flow_func **funcs;
	size_t n_funcs, cap_funcs;
	struct map by_func, by_node;
};

/* The number of the stack of these functions, the outermost first; 0: empty, or no memory. */
uint32_t stacktrie_add(struct stacktrie *t, const struct flow_func *const *chain, size_t n);
void stacktrie_release(struct stacktrie *t);

#endif
