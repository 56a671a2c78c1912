/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * graph.h - who calls whom, as uftrace graph counts: one tree for each session.
 *
 * With a function, the tree is what it calls, and the ways that led to it are listed. Everything
 * lives until uft_graphs_release(). One owner.
 */
#ifndef SONDE_ANALYSE_UFTRACE_GRAPH_H
#define SONDE_ANALYSE_UFTRACE_GRAPH_H

#include "analyse/uftrace/walk.h"
#include "base/arena.h"
#include "symbols/uftrace/module.h"

struct uft_node {
	const char *name;
	uint64_t addr, time_ns, inner_ns;
	int n_calls, n_children;
	int number; /* in the order in which they were found; 0: a root */
	const struct uft_dbg *place;
	struct uft_node *parent, *first, *last, *next;
};

/* A way to the function: the addresses of the calls, the outermost first. */
struct uft_way {
	uint64_t *addrs, time_ns;
	int n, n_hits;
	struct uft_way *next; /* the one that was found before */
};

struct uft_graph {
	const struct uft_session *session;
	const char *title;
	struct uft_node root;
	struct uft_way *ways;
	struct uft_forked *forks; /* whose children have not come back yet */
};

struct uft_graphs {
	struct uft_graph *list; /* by session */
	size_t n;
	const char *function; /* NULL: all calls */
	bool srcline;
	uint64_t sample_ns; /* for a flame graph; 0: none */
	struct arena arena;
	struct uft_graph *single; /* all sessions in one tree */
	struct uft_place *places; /* where the tasks stand, by lane */
	int n_nodes;		  /* without roots */
};

/* function: NULL for everything. one_tree: all sessions share a tree. 0 or -ENOMEM. */
int uft_graphs_init(struct uft_graphs *g, struct uft_walk *w, const char *function, bool one_tree);
void uft_graphs_release(struct uft_graphs *g);
/* Counts a whole walk. -EINVAL: times go backwards. */
int uft_graphs_count(struct uft_graphs *g, struct uft_walk *w);

#endif
