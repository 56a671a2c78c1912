// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * calltree.c - a forest of callers, and a hash table that finds a node's caller by name.
 *
 *	root of task 7 ─┬─ sched_switch* 12 ─┬─ schedule 9 ─ …
 *	                │                    └─ preempt_schedule 3 ─ …
 *	                └─ vfs_read 4 ─ …
 *
 * Counting a chain is one look-up of (node, name) for each function in it. A new node becomes the
 * first in the list of callers, so the latest comes first. Sorting is stable and keeps that order
 * among equal nodes, as in trace-cmd hist.
 *
 * Memory: a node takes 88 bytes and up to 64 of the map; NODES_MAX_BYTES hold 570 000 nodes.
 */
#include "analyse/calltree.h"
#include "base/array.h"
#include "base/hash.h"

#include <string.h>

#define NODES_MAX_BYTES (48u << 20)

void calltree_init(struct calltree *t, bool by_task)
{
	memset(t, 0, sizeof(*t));
	t->by_task = by_task;
	t->seed = hash_seed();
	arena_init(&t->arena, NODES_MAX_BYTES);
}

void calltree_release(struct calltree *t)
{
	map_release(&t->tasks);
	map_release(&t->nodes);
	arena_release(&t->arena);
}

/* Finds or adds the node of a function below parent. Returns NULL if out of memory. */
static struct call_node *child_of(struct calltree *t, struct call_node *parent,
				  struct call_frame frame, bool *ret_made)
{
	uint64_t hash =
		hash_step(t->seed, hash_step(t->seed, 0, (uintptr_t)parent), (uintptr_t)frame.name);
	void **slot = map_take(&t->nodes, hash, ARRAY_NO_MAX);
	struct call_node *node;

	if (!slot)
		return NULL;
	*ret_made = false;
	for (node = *slot; node; node = node->same_hash)
		if (node->parent == parent && node->frame.name == frame.name)
			return node;
	node = arena_alloc(&t->arena, sizeof(*node));
	if (!node)
		return NULL;
	*ret_made = true;
	node->parent = parent;
	node->same_hash = *slot;
	*slot = node;
	node->frame = frame;
	node->next = parent->callers;
	parent->callers = node;
	parent->n_callers++;
	node->made_next = t->made;
	t->made = node;
	return node;
}

struct call_task *calltree_task(struct calltree *t, int pid)
{
	void **slot = map_take(&t->tasks, (uint32_t)pid, ARRAY_NO_MAX);

	if (slot && !*slot) {
		struct call_task *task = arena_alloc(&t->arena, sizeof(*task));

		if (!task)
			return NULL;
		task->pid = pid;
		*slot = task;
	}
	return slot ? *slot : NULL;
}

static struct call_node *root_of(struct calltree *t, int pid)
{
	struct call_task *task = t->by_task ? calltree_task(t, pid) : NULL;

	return task ? &task->root : t->by_task ? NULL : &t->root;
}

void calltree_add(struct calltree *t, int pid, const struct call_frame *frames, size_t n,
		  bool is_event)
{
	struct call_node *node = root_of(t, pid);

	t->total++;
	if (!node) {
		t->n_cut++;
		return;
	}
	node->count++;
	for (size_t i = n; i-- > 0;) {
		bool made, top = i + 1 == n;

		node = child_of(t, node, frames[i], &made);
		if (!node) {
			t->n_cut++;
			return;
		}
		if (made && top) {
			node->is_top = true;
			node->is_event = is_event;
			node->pid = pid;
		}
		node->count++;
	}
}

/* --- sorting ---------------------------------------------------------------------------------- */

/* Merges two lists sorted by count; among equal nodes, those of `a` come first. */
static struct call_node *merge(struct call_node *a, struct call_node *b)
{
	struct call_node *list, **end = &list;

	while (a && b) {
		struct call_node **from = b->count > a->count ? &b : &a;

		*end = *from;
		end = &(*end)->next;
		*from = *end;
	}
	*end = a ? a : b;
	return list;
}

/* Sorts by count, the largest first. The sort is stable. */
static struct call_node *sort(struct call_node *list)
{
	struct call_node *runs[64] = {0}, *sorted = NULL;

	while (list) {
		struct call_node *run = list;
		size_t i = 0;

		list = list->next;
		run->next = NULL;
		for (; runs[i]; i++) {
			run = merge(runs[i], run);
			runs[i] = NULL;
		}
		runs[i] = run;
	}
	for (size_t i = 0; i < ARRAY_LEN(runs); i++)
		sorted = merge(runs[i], sorted);
	return sorted;
}

/* Puts all top nodes into one list, the latest first: `made` has that order. */
static void collect_tops(struct calltree *t)
{
	struct call_node **end = &t->tops;

	for (struct call_node *n = t->made; n; n = n->made_next)
		if (n->is_top) {
			*end = n;
			end = &n->next;
		}
	*end = NULL;
}

void calltree_finish(struct calltree *t)
{
	collect_tops(t);
	t->tops = sort(t->tops);
	for (struct call_node *n = t->made; n; n = n->made_next)
		n->callers = sort(n->callers);
}
