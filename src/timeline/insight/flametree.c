// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * flametree.c - a tree of frames with weights, the data of a flame graph.
 *
 * Nodes are numbers in one array; a map finds the child of a node with a given key. The weight of a
 * listed frame includes all frames below it. Frames without any weight, and those deeper than
 * FLAME_DEPTH_MAX, are not listed.
 */
#include "timeline/insight/insight_int.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>

int flametree_init(struct flametree *t)
{
	*t = (struct flametree){.n = 1}; /* the root */
	return ARRAY_ROOM(t->nodes, t->cap, 1, FLAME_NODES_MAX) ? 0 : -ENOMEM;
}

void flametree_release(struct flametree *t)
{
	free(t->nodes);
	map_release(&t->children);
	*t = (struct flametree){0};
}

uint32_t flametree_child(struct flametree *t, uint32_t parent, uint32_t key)
{
	void **slot;
	uint32_t n;

	if (parent == UINT32_MAX)
		return UINT32_MAX;
	slot = map_take(&t->children, (uint64_t)parent << 32 | key, FLAME_NODES_MAX);
	if (slot && *slot)
		return (uintptr_t)*slot;
	if (!slot || !ARRAY_ROOM(t->nodes, t->cap, t->n + 1, FLAME_NODES_MAX))
		return UINT32_MAX;
	n = t->n++;
	*slot = (void *)(uintptr_t)n;
	t->nodes[n] = (struct flame_node){
		.key = key, .parent = parent, .next = t->nodes[parent].first_child};
	t->nodes[parent].first_child = n;
	return n;
}

void flametree_add(struct flametree *t, uint32_t node, uint64_t weight)
{
	if (node == UINT32_MAX)
		t->n_dropped += weight;
	else
		t->nodes[node].self += weight;
}

struct listing {
	const struct flametree *t;
	struct labels *labels;
	uint64_t *weights; /* weights including all frames below */
	struct flame_frame *frames;
	uint32_t n;
	bool failed;
};

struct ranked {
	uint64_t weight;
	uint32_t node;
};

ARRAY_ORDER(compare_ranked, struct ranked,
	    COMPARE(y->weight, x->weight) ?: COMPARE(x->node, y->node))

static uint32_t list_node(struct listing *l, uint32_t node, unsigned depth);

static void list_children(struct listing *l, uint32_t node, uint32_t frame, unsigned depth)
{
	const struct flame_node *nodes = l->t->nodes;
	struct ranked *list;
	uint32_t *link = &l->frames[frame].first_child;
	size_t n = 0;

	for (uint32_t c = nodes[node].first_child; c; c = nodes[c].next)
		n += l->weights[c] > 0;
	list = malloc(n * sizeof(*list) + 1);
	if (!list) {
		l->failed = true;
		return;
	}
	n = 0;
	for (uint32_t c = nodes[node].first_child; c; c = nodes[c].next)
		if (l->weights[c])
			list[n++] = (struct ranked){l->weights[c], c};
	qsort(list, n, sizeof(*list), compare_ranked);
	for (size_t i = 0; i < n && !l->failed; i++) {
		uint32_t child = list_node(l, list[i].node, depth + 1);

		*link = child;
		link = &l->frames[child].next;
	}
	free(list);
}

static uint32_t list_node(struct listing *l, uint32_t node, unsigned depth)
{
	const struct flame_node *n = &l->t->nodes[node];
	uint32_t at = l->n++;
	struct flame_frame *f = &l->frames[at];

	f->kind = n->key >> 24;
	f->value = n->key & 0xffffff;
	if (f->kind == FRAME_NAME && node)
		f->name = labels_find(l->labels, f->value);
	f->weight = l->weights[node];
	f->is_leaf = !n->first_child || depth >= FLAME_DEPTH_MAX;
	if (!f->is_leaf)
		list_children(l, node, at, depth);
	return at;
}

int flametree_list(const struct flametree *t, struct labels *labels, struct flame_frame **ret,
		   size_t *ret_n)
{
	struct listing l = {.t = t, .labels = labels};

	l.weights = calloc(t->n, sizeof(*l.weights));
	l.frames = calloc(t->n, sizeof(*l.frames));
	l.failed = !l.weights || !l.frames;
	/* children come after their parents */
	for (uint32_t i = t->n; i-- > 0 && !l.failed;) {
		l.weights[i] += t->nodes[i].self;
		if (i)
			l.weights[t->nodes[i].parent] += l.weights[i];
	}
	if (!l.failed)
		list_node(&l, 0, 0);
	free(l.weights);
	if (l.failed) {
		free(l.frames);
		return -ENOMEM;
	}
	*ret = l.frames;
	*ret_n = l.n;
	return 0;
}
