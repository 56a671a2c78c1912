// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * graphforms.c - a call graph for other programs: folded stacks (flamegraph.pl, speedscope,
 * inferno), Graphviz, Mermaid.
 *
 *	main;parse;next_token 1800          self time in ns
 *	"main" -> "parse" [label="2"]       calls between two functions, whatever the chain
 *
 * Names come from files, which may be hostile: quotes, semicolons and line ends in them are
 * replaced, so that a name cannot become anything else in the result.
 */
#include "analyse/calls/callgraph.h"
#include "base/textbuf.h"
#include "present/calls/duration.h"
#include "present/calls/graphtext.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A name without the characters that mean something in the form. */
static void add_plain(const char *name, const char *bad, struct textbuf *tb)
{
	for (; *name; name++)
		textbuf_add_char(tb, (unsigned char)*name < ' ' || *name == 127 ? '_'
				     : strchr(bad, *name)			? ':'
										: *name);
}

/* --- folded ----------------------------------------------------------------------------------- */

static void add_frame(const struct graph_node *node, struct textbuf *tb)
{
	add_plain(node->func->name, ";", tb);
	if (!node->func->is_user || node->func->is_inlined)
		textbuf_add_str(tb, node->func->is_user ? "_[i]" : "_[k]");
}

void graphtext_fmt_folded(const struct graph_view *v, struct textbuf *tb)
{
	const struct graph_node *root = callgraph_root(v->graph);
	struct textbuf chain; /* of the node: "main;parse" */
	size_t *ends;	      /* of the chain at each depth */
	uint32_t deepest = 0;

	for (const struct graph_node *n = root; n; n = graph_next(n, root))
		deepest = n->depth > deepest ? n->depth : deepest;
	ends = calloc((size_t)deepest + 1, sizeof(*ends));
	if (!ends) {
		tb->overflow = true;
		return;
	}
	textbuf_init(&chain, 64u << 20);
	for (const struct graph_node *n = root->child; n; n = graph_next(n, root)) {
		if (chain.start)
			chain.pos = chain.start + ends[n->depth - 1];
		if (n->depth > 1)
			textbuf_add_char(&chain, ';');
		add_frame(n, &chain);
		ends[n->depth] = textbuf_len(&chain);
		if (n->self) {
			textbuf_add(tb, chain.start, textbuf_len(&chain));
			textbuf_addf(tb, " %" PRIu64 "\n", n->self);
		}
	}
	tb->overflow |= chain.overflow;
	textbuf_release(&chain);
	free(ends);
}

/* --- edges ------------------------------------------------------------------------------------ */

static void add_duration(const struct graph_view *v, uint64_t ns, struct textbuf *tb)
{
	char text[32], *end = duration_emit(text, ns, v->in_time);
	const char *start = duration_start(text, end);

	textbuf_add(tb, start, (size_t)(end - start));
}

/* A node's id is its name; a program may have a function of its own name (fib). */
static void add_graphviz_node(const struct flow_func *func, const char *program, struct textbuf *tb)
{
	textbuf_add_str(tb, func ? "\"" : "\"[");
	add_plain(func ? func->name : program, "\"\\", tb);
	textbuf_add_str(tb, func ? "\"" : "]\"");
}

int graphtext_fmt_graphviz(const struct graph_view *v, struct textbuf *tb)
{
	const char *program = callgraph_program(v->graph);
	struct graph_edge *edges;
	size_t n;
	int r = callgraph_edges(v->graph, &edges, &n);

	if (r < 0)
		return r;
	textbuf_add_str(tb, "digraph \"");
	add_plain(program ? program : v->file, "\"\\", tb);
	textbuf_add_str(tb, "\" {\n\tnode [shape=box];\n");
	for (size_t i = 0; i < n; i++) {
		const struct graph_edge *e = &edges[i];

		textbuf_add_char(tb, '\t');
		add_graphviz_node(e->from, program ? program : v->file, tb);
		textbuf_add_str(tb, " -> ");
		add_graphviz_node(e->to, NULL, tb);
		textbuf_addf(tb, " [label=\"%" PRIu64 "\", tooltip=\"", e->n);
		add_duration(v, e->total, tb);
		textbuf_add_str(tb, "\"];\n");
		if (!e->to->is_user) {
			textbuf_add_char(tb, '\t');
			add_graphviz_node(e->to, NULL, tb);
			textbuf_add_str(tb, " [style=dashed];\n");
		}
	}
	textbuf_add_str(tb, "}\n");
	free(edges);
	return 0;
}

static void add_mermaid_node(const struct flow_func *func, const char *program, struct textbuf *tb)
{
	textbuf_addf(tb, "f%u[\"", func ? func->number + 1 : 0);
	/* its texts are HTML */
	add_plain(func ? func->name : program, "\"#<>&;", tb);
	textbuf_add_str(tb, "\"]");
}

int graphtext_fmt_mermaid(const struct graph_view *v, struct textbuf *tb)
{
	const char *program = callgraph_program(v->graph);
	struct graph_edge *edges;
	size_t n;
	int r = callgraph_edges(v->graph, &edges, &n);

	if (r < 0)
		return r;
	textbuf_add_str(tb, "flowchart TD\n");
	for (size_t i = 0; i < n; i++) {
		textbuf_add_str(tb, "\t");
		add_mermaid_node(edges[i].from, program ? program : v->file, tb);
		textbuf_addf(tb, " -->|%" PRIu64 "| ", edges[i].n);
		add_mermaid_node(edges[i].to, NULL, tb);
		textbuf_add_char(tb, '\n');
	}
	free(edges);
	return 0;
}
