/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * graphtext.h - a call graph as text in the layout of uftrace, as JSON, as folded stacks, for
 * Graphviz and for Mermaid.
 */
#ifndef SONDE_PRESENT_CALLS_GRAPHTEXT_H
#define SONDE_PRESENT_CALLS_GRAPHTEXT_H

#include "analyse/calls/callgraph.h"
#include "base/textbuf.h"

enum graph_field {
	GRAPH_TOTAL,
	GRAPH_SELF,
	GRAPH_AVG,
	GRAPH_MIN,
	GRAPH_MAX,
	GRAPH_ADDR,
	GRAPH_N_FIELDS,
};

struct graph_view {
	struct callgraph *graph; /* after callgraph_end() */
	const char *file;	 /* stands for the program if its name is unknown */
	bool in_time, colour;
	bool is_chosen;				 /* only some tasks or a range */
	bool sources;				 /* show where functions begin in their source */
	enum graph_field fields[GRAPH_N_FIELDS]; /* none: total */
	size_t n_fields;
};

/* Words with commas between; "+WORD" adds to total. -EINVAL with a message. */
int graph_fields_parse(const char *words, struct graph_view *v, struct errmsg *err);

void graphtext_fmt(const struct graph_view *v, struct textbuf *tb);
/* Of one function: the ways to it, and what it calls. pattern: as it was asked for. */
void graphtext_fmt_focus(const struct graph_view *v, const char *pattern,
			 const struct graph_focus *f, struct textbuf *tb);
/* A list of nodes, each with the number of its caller. */
void graphtext_fmt_json(const struct graph_view *v, const struct graph_focus *f,
			struct textbuf *tb);

/* "main;parse;next_token 1800": self times. Functions of the kernel end with _[k]. */
void graphtext_fmt_folded(const struct graph_view *v, struct textbuf *tb);
/* A function is a node, all calls between two functions are an edge. 0 or -ENOMEM. */
int graphtext_fmt_graphviz(const struct graph_view *v, struct textbuf *tb);
int graphtext_fmt_mermaid(const struct graph_view *v, struct textbuf *tb);

#endif
