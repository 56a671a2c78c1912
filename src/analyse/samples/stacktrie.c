// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * stacktrie.c - finds each node by (parent, function).
 *
 * A number of 32 bits for the parent and one for the function make the key of the node, so two
 * stacks that begin alike share the nodes of their beginning. Nodes are numbered as they are added:
 * a parent has a smaller number than its children.
 */
#include "analyse/samples/stacktrie.h"

#include "base/array.h"

#include <stdlib.h>

#define NODES_MAX (16u << 20)

/* The index + 1 of a function; 0: no memory. */
static uint32_t take_func(struct stacktrie *t, const struct flow_func *func)
{
	void **slot = map_take(&t->by_func, (uintptr_t)func, NODES_MAX);

	if (!slot || !ARRAY_ROOM(t->funcs, t->cap_funcs, t->n_funcs + 1, NODES_MAX))
		return 0;
	if (!*slot) {
		t->funcs[t->n_funcs++] = func;
		*slot = (void *)(uintptr_t)t->n_funcs;
	}
	return (uint32_t)(uintptr_t)*slot;
}

static uint32_t take_node(struct stacktrie *t, uint32_t parent, const struct flow_func *func)
{
	uint32_t f = take_func(t, func);
	void **slot = f ? map_take(&t->by_node, (uint64_t)parent << 32 | f, NODES_MAX) : NULL;

	if (!slot || !ARRAY_ROOM(t->nodes, t->cap_nodes, t->n_nodes + 1, NODES_MAX))
		return 0;
	if (!*slot) {
		t->nodes[t->n_nodes++] = (struct stacktrie_node){parent, f - 1};
		*slot = (void *)(uintptr_t)t->n_nodes;
	}
	return (uint32_t)(uintptr_t)*slot;
}

uint32_t stacktrie_add(struct stacktrie *t, const struct flow_func *const *chain, size_t n)
{
	uint32_t stack = 0;

	for (size_t i = 0; i < n; i++) {
		stack = take_node(t, stack, chain[i]);
		if (!stack)
			break;
	}
	return stack;
}

void stacktrie_release(struct stacktrie *t)
{
	map_release(&t->by_func);
	map_release(&t->by_node);
	free(t->funcs);
	free(t->nodes);
	*t = (struct stacktrie){0};
}
