/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * callgraph.h - who calls whom, merged: one node for each function below each chain of callers.
 *
 *  callgraph_new ─▶ callgraph_add … ─▶ callgraph_end ─▶ root, callgraph_focus, edges
 *      ─▶ callgraph_free
 *
 *	root ─┬─ main (1) ─┬─ parse (2) ── next_token (4)
 *	      │            └─ read_all (1) ── vfs_read (1)
 *	      └─ work (1)
 *
 * Children stand in the order of their first call, or by name after callgraph_sort(). Only one
 * thread may use it at a time.
 */
#ifndef SONDE_ANALYSE_CALLS_CALLGRAPH_H
#define SONDE_ANALYSE_CALLS_CALLGRAPH_H

#include "analyse/calls/callflow.h"
#include "decode/record.h"

struct callgraph;
struct errmsg;
struct tasks;
struct walker;

struct graph_node {
	const struct flow_func *func; /* NULL: the root */
	struct graph_node *parent, *child, *last_child, *next;
	uint64_t n, total, self, min, max;	   /* ns, or units of the clock */
	uint64_t other_n, other_total, other_self; /* after callgraph_compare() */
	uint32_t depth;				   /* of the root 0 */
	uint32_t n_children;
	struct graph_node *recent; /* the child that was called last; of a joined part: its twin */
	uint64_t order;		   /* of the first call */
};

struct callgraph_config {
	const struct callfilter *filter; /* NULL: all */
	bool with_own;
	uint64_t from, to; /* as in callflow_config */
	const int *tids;   /* only these tasks; none: all */
	size_t n_tids;
};

/* config must stay valid. -ENOENT with a message: the trace has no events about calls. */
int callgraph_new(struct callgraph **ret, struct formats *f, const struct callgraph_config *config,
		  struct errmsg *err);
void callgraph_free(struct callgraph *g);

/* By event id: those that matter. */
const uint8_t *callgraph_events(const struct callgraph *g, size_t *ret_n);
void callgraph_add(struct callgraph *g, const struct record *rec);
/* For struct taskwalk_spec: callflow_run(). */
void callgraph_run(void *callgraph, struct walker *w, struct record *rec, uint64_t offset,
		   uint64_t before);
/*
 * Makes the graph of a part of a trace, to be joined; as callflow_make_part(). Not of some tasks:
 * -ENOTSUP.
 */
int callgraph_make_part(struct callgraph *g);
/* Adds a part, and empties it: as callflow_join(). */
int callgraph_join(struct callgraph *g, struct callgraph *part, struct tasks *tasks);
/* The trace has ended: open calls of programs count until here; nodes without any call vanish. */
void callgraph_end(struct callgraph *g);

/*
 * A graph of stacks, not of calls: n is a number of samples, total and self are weights.
 *
 *	callgraph_new_bare ─▶ callgraph_add_chain … ─▶ callgraph_end
 *
 * Functions belong to the caller and must stay valid. program: name of the root; NULL: "all". NULL:
 * no memory.
 */
struct callgraph *callgraph_new_bare(const char *program);
/* funcs: the outermost first. */
void callgraph_add_chain(struct callgraph *g, const struct flow_func *const *funcs, size_t n_funcs,
			 uint64_t n, uint64_t weight);
/* Is it a graph of stacks? */
bool callgraph_is_bare(const struct callgraph *g);

/* Its total is that of its children; its name is that of the program, or NULL. */
struct graph_node *callgraph_root(struct callgraph *g);
const char *callgraph_program(const struct callgraph *g);
const struct flow_counts *callgraph_counts(const struct callgraph *g);
/* Calls that are in no node: there is no room for more nodes. */
uint64_t callgraph_cut(const struct callgraph *g);

/* Sorts children by name, then file. */
void callgraph_sort(struct callgraph *g);

/* The next node of a walk, parents first; NULL: all below `top` were seen. */
struct graph_node *graph_next(const struct graph_node *node, const struct graph_node *top);
/* The same without what is below node. */
struct graph_node *graph_skip(const struct graph_node *node, const struct graph_node *top);

/*
 * Describes one function, or several that a glob matches: its outermost nodes, in the order of the
 * tree, and what it calls, merged below `callees`. -ENOENT: it was not called.
 */
struct graph_focus {
	struct graph_node **nodes;
	size_t n;
	struct graph_node *callees; /* of its own: n, total and self are sums */
};
int callgraph_focus(struct callgraph *g, const char *pattern, struct graph_focus *ret);
void graph_focus_release(struct graph_focus *f);

/* Notes in each node its numbers in another graph; adds nodes that only that has. Sorts both. */
int callgraph_compare(struct callgraph *g, struct callgraph *other);

/* Calls between two functions, whatever the chain. */
struct graph_edge {
	const struct flow_func *from, *to; /* from NULL: nothing known called it */
	uint64_t n, total;
};
/* In the order of the tree; the caller frees it. 0 or -ENOMEM. */
int callgraph_edges(struct callgraph *g, struct graph_edge **ret, size_t *ret_n);

#endif
