// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * flametree.c - a tree of frames with weights, the data of a flame graph.
 *
 * Nodes are numbers in one array; the child of a node with a given label is found by hashing both. The value
 * of a node as it is written is its own weight and that of all below it.
 */
#include "timeline/insight/insight_int.h"

#include "base/hash.h"

#include <errno.h>
#include <stdlib.h>

int flametree_init(struct flametree *t)
{
	*t = (struct flametree){.seed = hash_seed(), .n = 1, .cap = 256, .n_slots = 1024};
	t->nodes = calloc(t->cap, sizeof(*t->nodes));
	t->slots = calloc(t->n_slots, sizeof(*t->slots));
	if (t->nodes && t->slots)
		return 0;
	flametree_release(t);
	return -ENOMEM;
}

void flametree_release(struct flametree *t)
{
	free(t->nodes);
	free(t->slots);
	*t = (struct flametree){0};
}

static size_t place_of(const struct flametree *t, uint32_t parent, uint32_t label)
{
	return hash_number(t->seed, ((uint64_t)parent << 32 | label) * 0x9e3779b97f4a7c15u,
			   t->n_slots);
}

static int grow(struct flametree *t)
{
	struct flame_node *nodes = realloc(t->nodes, (size_t)t->cap * 2 * sizeof(*nodes));
	uint32_t *slots;

	if (!nodes)
		return -ENOMEM;
	t->nodes = nodes;
	slots = calloc((size_t)t->n_slots * 2, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	free(t->slots);
	t->slots = slots;
	t->n_slots *= 2;
	t->cap *= 2;
	for (uint32_t i = 1; i < t->n; i++) {
		size_t at = place_of(t, nodes[i].parent, nodes[i].label);

		while (slots[at])
			at = (at + 1) & (t->n_slots - 1);
		slots[at] = i;
	}
	return 0;
}

uint32_t flametree_child(struct flametree *t, uint32_t parent, uint32_t label)
{
	size_t at;
	uint32_t n;

	if (parent == UINT32_MAX)
		return UINT32_MAX;
	for (at = place_of(t, parent, label); t->slots[at]; at = (at + 1) & (t->n_slots - 1)) {
		n = t->slots[at];
		if (t->nodes[n].parent == parent && t->nodes[n].label == label)
			return n;
	}
	if (t->n == FLAME_NODES_MAX)
		return UINT32_MAX;
	if (t->n == t->cap)
		return grow(t) < 0 ? UINT32_MAX : flametree_child(t, parent, label);
	n = t->n++;
	t->nodes[n] = (struct flame_node){
		.label = label, .parent = parent, .next = t->nodes[parent].first_child};
	t->nodes[parent].first_child = n;
	t->slots[at] = n;
	return n;
}

void flametree_add(struct flametree *t, uint32_t node, uint64_t weight)
{
	if (node == UINT32_MAX)
		t->n_dropped += weight;
	else
		t->nodes[node].self += weight;
}

struct emitting {
	struct flametree *t;
	struct labels *labels;
	struct jsonwriter *w;
	uint64_t *values; /* with all below */
	bool failed;
};

struct ranked {
	uint64_t value;
	uint32_t node;
};

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->value != y->value)
		return x->value > y->value ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

static void emit_node(struct emitting *e, uint32_t node, unsigned depth);

static void emit_children(struct emitting *e, uint32_t node, unsigned depth)
{
	struct ranked *list;
	size_t n = 0;

	for (uint32_t c = e->t->nodes[node].first_child; c; c = e->t->nodes[c].next)
		n += e->values[c] > 0;
	list = malloc(n * sizeof(*list) + 1);
	if (!list) {
		e->failed = true;
		return;
	}
	n = 0;
	for (uint32_t c = e->t->nodes[node].first_child; c; c = e->t->nodes[c].next)
		if (e->values[c])
			list[n++] = (struct ranked){e->values[c], c};
	qsort(list, n, sizeof(*list), compare_ranked);
	jsonwriter_open(e->w, "children", '[');
	for (size_t i = 0; i < n && !e->failed; i++)
		emit_node(e, list[i].node, depth + 1);
	jsonwriter_close(e->w);
	free(list);
}

static void emit_node(struct emitting *e, uint32_t node, unsigned depth)
{
	const struct flame_node *n = &e->t->nodes[node];

	jsonwriter_open(e->w, node ? NULL : "root", '{');
	jsonwriter_add_string(e->w, "name", node ? labels_find(e->labels, n->label) : "all");
	jsonwriter_add_uint(e->w, "value", e->values[node]);
	if (n->first_child && depth < FLAME_DEPTH_MAX)
		emit_children(e, node, depth);
	jsonwriter_close(e->w);
}

int flametree_emit(struct flametree *t, struct labels *labels, struct jsonwriter *w)
{
	struct emitting e = {t, labels, w, calloc(t->n, sizeof(uint64_t)), false};

	if (!e.values)
		return -ENOMEM;
	/* children come after their parents */
	for (uint32_t i = t->n; i-- > 0;) {
		e.values[i] += t->nodes[i].self;
		if (i)
			e.values[t->nodes[i].parent] += e.values[i];
	}
	emit_node(&e, 0, 0);
	free(e.values);
	return e.failed ? -ENOMEM : 0;
}
