/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * calltree.h - counts call chains in trees that start at the innermost function.
 *
 *	calltree_init ─▶ calltree_add … ─▶ calltree_finish ─▶ tops ─▶ calltree_release
 *
 * A top node is a function or event that was counted; below it are its callers, and below these
 * their callers. The pointer to the name identifies a function; it must stay valid. Only one thread
 * may use it at a time.
 */
#ifndef SONDE_ANALYSE_CALLTREE_H
#define SONDE_ANALYSE_CALLTREE_H

#include "base/arena.h"
#include "base/map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct call_frame {
	const char *name; /* not terminated; the same function has the same pointer */
	uint32_t len;
};

struct call_node {
	struct call_frame frame;
	uint64_t count;
	struct call_node *callers;   /* first in the list of callers */
	struct call_node *next;	     /* next caller of the same function, or next top */
	struct call_node *made_next; /* next in the list of all nodes, the latest first */
	struct call_node *parent, *same_hash;
	uint32_t n_callers;
	int pid;	       /* task of a top node */
	bool is_top, is_event; /* is_event: a top node that is an event, not a function */
};

struct call_task {
	int pid;
	struct call_node root; /* its children are tops */
	void *aside;	       /* data of the tree's owner */
};

struct calltree {
	bool by_task; /* separate tops for each task */
	uint64_t seed;
	struct arena arena;	/* nodes and tasks */
	struct map tasks;	/* struct call_task by pid */
	struct call_node root;	/* root of all tops, unless by_task */
	struct map nodes;	/* struct call_node by the hash of its parent and its name */
	struct call_node *made; /* list of all nodes, the latest first */
	struct call_node *tops; /* valid after calltree_finish() */
	uint64_t total;		/* number of counted chains */
	uint64_t n_cut;		/* number of chains truncated for lack of memory */
};

void calltree_init(struct calltree *t, bool by_task);
void calltree_release(struct calltree *t);

/* Returns NULL if out of memory. */
struct call_task *calltree_task(struct calltree *t, int pid);
/* Counts a chain. frames has the outermost first. If n is 0, only the total grows. */
void calltree_add(struct calltree *t, int pid, const struct call_frame *frames, size_t n,
		  bool is_event);
/* Sorts tops and callers by count, the largest first. Of equal ones the latest comes first. */
void calltree_finish(struct calltree *t);

#endif
