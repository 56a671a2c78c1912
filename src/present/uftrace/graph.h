/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * graph.h - `uftrace graph`, and the forms of `uftrace dump` that are trees.
 */
#ifndef SONDE_PRESENT_UFTRACE_GRAPH_H
#define SONDE_PRESENT_UFTRACE_GRAPH_H

#include "analyse/uftrace/graph.h"
#include "present/uftrace/out.h"
#include "symbols/uftrace/session.h"

enum uft_graph_result { UFT_GRAPH_EMPTY, UFT_GRAPH_PRINTED, UFT_GRAPH_BAD_FIELD };

/* The last session first. */
enum uft_graph_result uft_graphs_print(const struct uft_graphs *g, const char *fields,
				       struct uft_out *o);
/* --task: the tree below a task, of tasks that took min_ns. False: a field is unknown. */
bool uft_task_graph_print(struct uft_task *first, uint64_t min_ns, const char *fields,
			  struct uft_out *o);
/* --flame-graph: folded stacks. sample_ns 0: calls are counted. */
void uft_graphs_print_folded(const struct uft_graphs *g, uint64_t sample_ns, struct uft_out *o);
/* --mermaid: a page with the tree; title: of the program. */
void uft_graphs_print_mermaid(const struct uft_graphs *g, const char *title, struct uft_out *o);
/* --graphviz */
void uft_graphs_print_dot(const struct uft_graphs *g, const char *title, const char *version,
			  const char *command, struct uft_out *o);

#endif
