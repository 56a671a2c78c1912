// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * graph.c - prints trees of calls as uftrace graph does.
 *
 *	# TOTAL TIME   FUNCTION
 *	   20.766 ms : (1) main
 *	    0.721 us :  +-(1) atoi
 *	             :  |
 *	    1.141 us :  +-(1) a
 *	    1.041 us :    (1) b
 *
 * A node with several children opens a column of lines; a node with one child does not.
 */
#include "present/uftrace/graph.h"

#include "base/array.h"
#include "format/uftrace.h"
#include "present/uftrace/fields.h"
#include "symbols/uftrace/module.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define DEPTH_MAX 4096

static void add_total(struct uft_out *o, void *row)
{
	uft_out_time(o, ((const struct uft_node *)row)->time_ns);
}

static void add_self(struct uft_out *o, void *row)
{
	const struct uft_node *n = row;

	uft_out_time(o, n->time_ns - n->inner_ns);
}

static void add_addr(struct uft_out *o, void *row)
{
	textbuf_addf(&o->tb, "%12" PRIx64, ((const struct uft_node *)row)->addr);
}

static const struct uft_field table[] = {
	{"total-time", "total", "TOTAL TIME", 10, add_total},
	{"self-time", "self", " SELF TIME", 10, add_self},
	{"address", "addr", "   ADDRESS  ", 12, add_addr},
};

struct drawing {
	struct uft_out *o;
	struct uft_fields fields;
	const struct uft_graph *graph;
	bool is_full;
	bool mask[DEPTH_MAX]; /* columns with a line */
};

static void add_lines(struct drawing *d, int indent, bool is_branch)
{
	int last = -1;

	for (int i = 0; i < indent; i++)
		if (is_branch && d->mask[i])
			last = i;
	for (int i = 0; i < indent; i++) {
		if (!is_branch || i < last)
			textbuf_add_str(&d->o->tb, d->mask[i] ? " | " : "   ");
		else
			textbuf_add_str(&d->o->tb, i == last ? " +-" : "---");
	}
}

static void add_node_text(struct drawing *d, struct uft_node *n)
{
	const char *name = n->addr == UFT_EVENT_SCHED_IN ? "linux:schedule" : n->name;
	bool is_root = d->is_full && n == &d->graph->root;

	textbuf_addf(&d->o->tb, "(%d) %s", is_root ? 1 : n->n_calls, name);
	if (n->place && !is_root)
		uft_out_colour(d->o, 'g', " [%s:%d]", n->place->file, n->place->line);
	textbuf_add_char(&d->o->tb, '\n');
}

static void draw(struct drawing *d, struct uft_node *n, int indent, bool is_branch)
{
	int outer = indent;

	if (indent >= DEPTH_MAX - 1)
		return;
	if (uft_fields_add(&d->fields, d->o, n, 2))
		textbuf_add_str(&d->o->tb, " : ");
	add_lines(d, indent, is_branch);
	add_node_text(d, n);
	uft_out_flush(d->o, false);
	if (n->n_children > 1)
		d->mask[indent++] = true;
	if (n->parent && n->parent->n_children > 1 && outer > 0 && n->parent->last == n)
		d->mask[outer - 1] = false;
	for (struct uft_node *c = n->first; c; c = c->next) {
		draw(d, c, indent, n->n_children > 1);
		if (!c->next)
			continue;
		if (uft_fields_add_blank(&d->fields, d->o, 2))
			textbuf_add_str(&d->o->tb, " : ");
		add_lines(d, indent, false);
		textbuf_add_char(&d->o->tb, '\n');
	}
	d->mask[outer] = false;
}

static void print_ways(const struct uft_graph *g, struct uft_out *o)
{
	int i = 0;

	textbuf_add_str(&o->tb, "=============== BACKTRACE ===============\n");
	for (const struct uft_way *w = g->ways; w; w = w->next) {
		textbuf_addf(&o->tb, " backtrace #%d: hit %d, time ", i++, w->n_hits);
		uft_out_time(o, w->time_ns);
		textbuf_add_char(&o->tb, '\n');
		for (int k = 0; k < w->n; k++) {
			const struct uft_sym *s = uft_sym_find(g->session, UINT64_MAX, w->addrs[k]);

			textbuf_addf(&o->tb, "   [%d] ", k);
			if (s)
				textbuf_add_str(&o->tb, s->name);
			else
				textbuf_addf(&o->tb, "<%" PRIx64 ">", w->addrs[k]);
			textbuf_addf(&o->tb, " (%#" PRIx64 ")\n", w->addrs[k]);
		}
		textbuf_add_char(&o->tb, '\n');
	}
}

static enum uft_graph_result print_one(const struct uft_graphs *g, struct uft_graph *x,
				       const char *fields, struct uft_out *o)
{
	static const char *const defaults[] = {"total", NULL};
	struct drawing d = {.o = o, .graph = x, .is_full = !g->function};

	if (!x->ways && !x->root.time_ns && !x->root.n_children)
		return UFT_GRAPH_EMPTY;
	textbuf_addf(&o->tb, "# Function Call Graph for '%s' (session: %.16s)\n", x->title,
		     x->session->sid);
	if (g->function && x->ways)
		print_ways(x, o);
	if (!uft_fields_init(&d.fields, fields, table, ARRAY_LEN(table), defaults, o))
		return UFT_GRAPH_BAD_FIELD;
	if (!x->root.time_ns && !x->root.n_children)
		return UFT_GRAPH_PRINTED;
	textbuf_add_str(&o->tb, "========== FUNCTION CALL GRAPH ==========\n");
	uft_fields_header(&d.fields, o, "# ", "FUNCTION", 2);
	if (d.fields.n) {
		if (g->srcline)
			uft_out_colour(o, 'g', " %s", "[SOURCE]");
		textbuf_add_char(&o->tb, '\n');
	}
	draw(&d, &x->root, 0, x->root.n_children > 1);
	textbuf_add_char(&o->tb, '\n');
	return UFT_GRAPH_PRINTED;
}

enum uft_graph_result uft_graphs_print(const struct uft_graphs *g, const char *fields,
				       struct uft_out *o)
{
	enum uft_graph_result result = UFT_GRAPH_EMPTY;

	for (size_t i = g->n; i-- > 0 && result != UFT_GRAPH_BAD_FIELD;) {
		enum uft_graph_result one = print_one(g, &g->list[i], fields, o);

		result = one > result ? one : result;
	}
	return result;
}

/* The names from the root to a node, joined with ';'. */
static void add_stack(struct uft_out *o, const struct uft_node *n)
{
	if (n->parent && n->parent->parent) {
		add_stack(o, n->parent);
		textbuf_add_char(&o->tb, ';');
	}
	textbuf_add_str(&o->tb, n->name);
}

static void add_folded(struct uft_out *o, const struct uft_node *n, uint64_t sample_ns)
{
	uint64_t count = (uint64_t)n->n_calls;

	if (count && sample_ns)
		count = (n->time_ns - n->inner_ns) / sample_ns;
	if (count && n->parent) {
		add_stack(o, n);
		textbuf_addf(&o->tb, " %" PRIu64 "\n", count);
		uft_out_flush(o, false);
	}
	for (const struct uft_node *c = n->first; c; c = c->next)
		add_folded(o, c, sample_ns);
}

void uft_graphs_print_folded(const struct uft_graphs *g, uint64_t sample_ns, struct uft_out *o)
{
	if (g->single)
		add_folded(o, &g->single->root, sample_ns);
}

static void add_edges(struct uft_out *o, const struct uft_node *n)
{
	for (const struct uft_node *c = n->first; c; c = c->next) {
		textbuf_addf(&o->tb, "    \"%s\" -> \"%s\" [xlabel = \"%d\"]\n", n->name, c->name,
			     c->n_calls);
		uft_out_flush(o, false);
		add_edges(o, c);
	}
}

void uft_graphs_print_dot(const struct uft_graphs *g, const char *title, const char *version,
			  const char *command, struct uft_out *o)
{
	textbuf_addf(&o->tb, "# version\":\"uftrace %s\"\n", version);
	if (command)
		textbuf_addf(&o->tb, "# command_line \"%s\"\n", command);
	textbuf_addf(&o->tb, "\ndigraph \"%s\" { \n", title);
	if (g->single)
		add_edges(o, &g->single->root);
	textbuf_add_str(&o->tb, "}\n");
}

/*
 * The page needs the library Mermaid, which it loads from a server, as uftrace's page does. It has
 * no buttons that hide parts of the graph.
 */
static const char page_begin[] = "<!DOCTYPE html>\n"
				 "<html>\n"
				 "<head><meta charset=\"utf-8\"><title>Function Call Graph for ";
static const char page_graph[] = "</h2>\n<div class=\"mermaid\">\nflowchart TB\n";
static const char page_end[] =
	"</div>\n"
	"<script src=\"https://cdn.jsdelivr.net/npm/mermaid/dist/mermaid.min.js\"></script>\n"
	"<script>mermaid.initialize({maxTextSize: 99999999, securityLevel: \"strict\"});</script>\n"
	"</body>\n"
	"</html>\n";

/* In a page, and between quotes of Mermaid. */
static void add_name(struct uft_out *o, const char *name)
{
	for (; *name; name++)
		if (*name == '<')
			textbuf_add_str(&o->tb, "&lt;");
		else if (*name == '>')
			textbuf_add_str(&o->tb, "&gt;");
		else if (*name == '&')
			textbuf_add_str(&o->tb, "&amp;");
		else
			textbuf_add_char(&o->tb, *name == '"' ? '\'' : *name);
}

static void add_box(struct uft_out *o, const struct uft_node *n, int depth)
{
	textbuf_addf(&o->tb, "%d_%d[\"", depth, n->number);
	add_name(o, n->name);
	textbuf_add_str(&o->tb, "\"]");
}

static void add_arrows(struct uft_out *o, const struct uft_node *n, int depth)
{
	for (const struct uft_node *c = n->first; c; c = c->next) {
		textbuf_add_str(&o->tb, "  ");
		add_box(o, n, depth);
		textbuf_addf(&o->tb, " -->|%d| ", c->n_calls);
		add_box(o, c, depth + 1);
		textbuf_add_str(&o->tb, ";\n");
		uft_out_flush(o, false);
		add_arrows(o, c, depth + 1);
	}
}

void uft_graphs_print_mermaid(const struct uft_graphs *g, const char *title, struct uft_out *o)
{
	textbuf_add_str(&o->tb, page_begin);
	add_name(o, title);
	textbuf_add_str(&o->tb, "</title></head>\n<body>\n<h2>Function Call Graph for ");
	add_name(o, title);
	textbuf_add_str(&o->tb, page_graph);
	if (g->single)
		add_arrows(o, &g->single->root, 0);
	textbuf_add_str(&o->tb, page_end);
}
