// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * graphtext.c - a call graph as text in the layout of uftrace, and as JSON.
 *
 *	# TOTAL TIME   FUNCTION
 *	    7.471 us : (1) main
 *	    0.671 us :  +-(1) atoi
 *	             :  |
 *	    0.871 us :  +-(1) fib
 *	    0.761 us :    (2) fib         the only callee is not indented
 *
 * A level takes three columns: " | " if a sibling follows further down, else blanks. No function
 * here is recursive, because the tree of a recursive program is deep.
 */
#include "present/calls/graphtext.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/escaper.h"
#include "base/json/jsonwriter.h"
#include "present/calls/duration.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LEVELS_MAX 400 /* deeper ones are not indented further */

static const struct field_row {
	const char *name, *head;
	unsigned width;
} field_rows[] = {
	[GRAPH_TOTAL] = {"total", "TOTAL TIME", 11}, [GRAPH_SELF] = {"self", " SELF TIME", 11},
	[GRAPH_AVG] = {"avg", " TOTAL AVG", 11},     [GRAPH_MIN] = {"min", " TOTAL MIN", 11},
	[GRAPH_MAX] = {"max", " TOTAL MAX", 11},     [GRAPH_ADDR] = {"addr", "   ADDRESS  ", 13},
};

/*
 * --- fields ------------------------------------------------------------------------------------
 */

int graph_fields_parse(const char *words, struct graph_view *v, struct errmsg *err)
{
	v->n_fields = 0;
	if (*words == '+') {
		v->fields[v->n_fields++] = GRAPH_TOTAL;
		words++;
	}
	while (*words) {
		size_t len = strcspn(words, ","), i = 0, k = 0;

		for (; i < ARRAY_LEN(field_rows); i++)
			if (strlen(field_rows[i].name) == len &&
			    !memcmp(field_rows[i].name, words, len))
				break;
		if (i == ARRAY_LEN(field_rows))
			return errmsg_set(err, -EINVAL,
					  "-f knows total, self, avg, min, max and addr, not "
					  "'%.*s'",
					  (int)len, words);
		while (k < v->n_fields && v->fields[k] != i)
			k++;
		if (k == v->n_fields)
			v->fields[v->n_fields++] = (enum graph_field)i;
		words += len + (words[len] == ',');
	}
	return 0;
}

static size_t fields_of(const struct graph_view *v, const enum graph_field **ret)
{
	static const enum graph_field usual[] = {GRAPH_TOTAL};

	*ret = v->n_fields ? v->fields : usual;
	return v->n_fields ? v->n_fields : 1;
}

static uint64_t number_of(const struct graph_node *n, enum graph_field field)
{
	switch (field) {
	case GRAPH_SELF:
		return n->self;
	case GRAPH_AVG:
		return n->n ? n->total / n->n : 0;
	case GRAPH_MIN:
		return n->min;
	case GRAPH_MAX:
		return n->max;
	default:
		return n->total;
	}
}

/* The columns in front of ":"; node NULL: empty ones. */
static void add_fields(const struct graph_view *v, const struct graph_node *node,
		       struct textbuf *tb)
{
	const enum graph_field *fields;
	size_t n = fields_of(v, &fields);
	char text[32];

	textbuf_add_str(tb, " ");
	for (size_t i = 0; i < n; i++) {
		unsigned width = field_rows[fields[i]].width;

		if (!node) {
			textbuf_add_fill(tb, ' ', width);
		} else if (fields[i] == GRAPH_ADDR) {
			textbuf_addf(tb, " %12" PRIx64, node->func ? node->func->addr : 0);
		} else {
			*duration_emit(text, number_of(node, fields[i]), v->in_time) = '\0';
			textbuf_addf(tb, " %s", text);
		}
	}
	textbuf_add_str(tb, " : ");
}

static void add_head(const struct graph_view *v, struct textbuf *tb)
{
	const enum graph_field *fields;
	size_t n = fields_of(v, &fields);

	textbuf_add_char(tb, '#');
	for (size_t i = 0; i < n; i++)
		textbuf_addf(tb, " %s", field_rows[fields[i]].head);
	textbuf_add_str(tb, "   FUNCTION\n");
}

static const char *program_of(const struct graph_view *v)
{
	const char *program = callgraph_program(v->graph);

	return program ? program : v->file;
}

static const char *name_of(const struct graph_view *v, const struct graph_node *node)
{
	return node->func ? node->func->name : program_of(v);
}

/*
 * --- text --------------------------------------------------------------------------------------
 */

/* Which levels have a line down, while the tree is drawn. */
struct drawing {
	uint8_t lines[LEVELS_MAX];
};

static void add_lines(const struct drawing *d, size_t n, struct textbuf *tb)
{
	for (size_t i = 0; i < n && i < LEVELS_MAX; i++)
		textbuf_add(tb, d->lines[i] ? " | " : "   ", 3);
}

static bool is_branch(const struct graph_node *node, const struct graph_node *top)
{
	return node != top && node->parent->n_children > 1;
}

static void add_node(const struct graph_view *v, struct drawing *d, const struct graph_node *node,
		     const struct graph_node *top, size_t levels, struct textbuf *tb)
{
	bool branches = is_branch(node, top);

	add_fields(v, node, tb);
	add_lines(d, branches ? levels - 1 : levels, tb);
	if (branches && levels <= LEVELS_MAX)
		textbuf_add_str(tb, " +-");
	if (v->colour && node->func && !node->func->is_user)
		textbuf_addf(tb, "(%" PRIu64 ") " ESCAPER_CYAN "%s" ESCAPER_OFF, node->n,
			     name_of(v, node));
	else
		textbuf_addf(tb, "(%" PRIu64 ") %s", node->n, name_of(v, node));
	if (v->sources && node->func && node->func->source)
		textbuf_addf(tb, " [%s]", node->func->source);
	textbuf_add_char(tb, '\n');
}

static void add_tree(const struct graph_view *v, const struct graph_node *top, struct textbuf *tb)
{
	struct drawing d = {{0}};
	const struct graph_node *before = NULL;
	size_t levels = 0;

	for (const struct graph_node *n = top; n; n = graph_next(n, top)) {
		bool branches = is_branch(n, top);

		/* up to a sibling of n, or down to n */
		for (; before && before != n->parent && before->parent != n->parent;
		     before = before->parent)
			levels -= is_branch(before, top);
		if (before && before == n->parent)
			levels += branches;
		if (branches && n->parent->child != n) {
			add_fields(v, NULL, tb);
			add_lines(&d, levels - 1, tb);
			if (levels <= LEVELS_MAX)
				textbuf_add_str(tb, " |");
			textbuf_add_char(tb, '\n');
		}
		if (branches && levels && levels <= LEVELS_MAX)
			d.lines[levels - 1] = n->next != NULL;
		add_node(v, &d, n, top, levels, tb);
		before = n;
	}
}

static void add_notes(const struct graph_view *v, struct textbuf *tb)
{
	const struct flow_counts *c = callgraph_counts(v->graph);

	if (c->n_gaps)
		textbuf_addf(tb, "events were lost in %" PRIu64 " place%s\n", c->n_gaps,
			     c->n_gaps == 1 ? "" : "s");
	if (c->n_clipped)
		textbuf_addf(tb,
			     "%" PRIu64 " call%s beyond the range; only the time inside "
			     "counts\n",
			     c->n_clipped, c->n_clipped == 1 ? " reaches" : "s reach");
	if (c->paused)
		textbuf_addf(tb,
			     "%.3f us of open calls are in no self time: the recording was "
			     "switched off meanwhile\n",
			     (double)c->paused / 1000);
	if (c->n_unknown)
		textbuf_addf(tb, "%" PRIu64 " return%s without a recorded call %s ignored\n",
			     c->n_unknown, c->n_unknown == 1 ? "" : "s",
			     c->n_unknown == 1 ? "is" : "are");
	if (callgraph_cut(v->graph))
		textbuf_addf(tb, "%" PRIu64 " call%s not shown: too many chains of calls\n",
			     callgraph_cut(v->graph),
			     callgraph_cut(v->graph) == 1 ? " is" : "s are");
}

void graphtext_fmt(const struct graph_view *v, struct textbuf *tb)
{
	const struct graph_node *root = callgraph_root(v->graph);

	if (!root->child) {
		textbuf_add_str(tb, callgraph_counts(v->graph)->n_events || v->is_chosen
					    ? "no call passes the filters\n"
					    : "no calls were traced; -u and -p function_graph "
					      "record them\n");
		return;
	}
	textbuf_addf(tb, "# Function Call Graph for '%s'\n", program_of(v));
	textbuf_add_str(tb, "========== FUNCTION CALL GRAPH ==========\n");
	add_head(v, tb);
	add_tree(v, root, tb);
	add_notes(v, tb);
}

/* The chain of callers of a node, the outermost first. */
static void add_chain(const struct graph_node *node, struct textbuf *tb)
{
	const struct graph_node **chain = calloc(node->depth, sizeof(struct graph_node *));

	for (const struct graph_node *n = node; chain && n->depth; n = n->parent)
		chain[n->depth - 1] = n;
	for (uint32_t i = 0; chain && i < node->depth; i++)
		textbuf_addf(tb, "   [%u] %s\n", i, chain[i]->func->name);
	free(chain);
}

void graphtext_fmt_focus(const struct graph_view *v, const char *pattern,
			 const struct graph_focus *f, struct textbuf *tb)
{
	char text[32];

	textbuf_addf(tb, "# Function Call Graph for '%s'\n", pattern);
	textbuf_add_str(tb, "=============== BACKTRACE ===============\n");
	for (size_t i = 0; i < f->n; i++) {
		*duration_emit(text, f->nodes[i]->total, v->in_time) = '\0';
		textbuf_addf(tb, " backtrace #%zu: hit %" PRIu64 ", time %s\n", i, f->nodes[i]->n,
			     text);
		add_chain(f->nodes[i], tb);
		textbuf_add_char(tb, '\n');
	}
	textbuf_add_str(tb, "========== FUNCTION CALL GRAPH ==========\n");
	add_head(v, tb);
	add_tree(v, f->callees, tb);
	add_notes(v, tb);
}

/*
 * --- JSON --------------------------------------------------------------------------------------
 */

static void json_add_node(struct jsonwriter *w, const struct graph_view *v,
			  const struct graph_node *node)
{
	jsonwriter_add_string(w, "function", name_of(v, node));
	if (node->func)
		jsonwriter_add_string(w, "module",
				      node->func->module    ? node->func->module
				      : node->func->is_user ? NULL
							    : "kernel");
	if (node->func && v->sources)
		jsonwriter_add_string(w, "source", node->func->source);
	jsonwriter_add_uint(w, "calls", node->n);
	jsonwriter_add_uint(w, "total", node->total);
	jsonwriter_add_uint(w, "self", node->self);
	if (node->func && node->n) {
		jsonwriter_add_uint(w, "min", node->min);
		jsonwriter_add_uint(w, "max", node->max);
	}
}

/* Nodes are numbered as they are written; `numbers` has those of the chain down to the node. */
static void json_add_tree(struct jsonwriter *w, const struct graph_view *v,
			  const struct graph_node *top, uint64_t *numbers)
{
	uint64_t number = 0;

	jsonwriter_open(w, "nodes", '[');
	for (const struct graph_node *n = top; n; n = graph_next(n, top)) {
		size_t level = n->depth - top->depth;

		jsonwriter_open(w, NULL, '{');
		jsonwriter_add_uint(w, "id", number);
		if (level)
			jsonwriter_add_uint(w, "caller", numbers[level - 1]);
		else
			jsonwriter_add_null(w, "caller");
		json_add_node(w, v, n);
		jsonwriter_close(w);
		numbers[level] = number++;
	}
	jsonwriter_close(w);
}

static void json_add_chains(struct jsonwriter *w, const struct graph_focus *f)
{
	jsonwriter_open(w, "backtraces", '[');
	for (size_t i = 0; i < f->n; i++) {
		const struct graph_node *node = f->nodes[i];

		jsonwriter_open(w, NULL, '{');
		jsonwriter_add_uint(w, "calls", node->n);
		jsonwriter_add_uint(w, "total", node->total);
		jsonwriter_open(w, "functions", '[');
		for (; node->func; node = node->parent)
			jsonwriter_add_string(w, NULL, node->func->name);
		jsonwriter_close(w);
		jsonwriter_close(w);
	}
	jsonwriter_close(w);
}

void graphtext_fmt_json(const struct graph_view *v, const struct graph_focus *f, struct textbuf *tb)
{
	const struct graph_node *top = f ? f->callees : callgraph_root(v->graph);
	const struct flow_counts *c = callgraph_counts(v->graph);
	uint32_t deepest = top->depth;
	struct jsonwriter w;
	uint64_t *numbers;

	for (const struct graph_node *n = top; n; n = graph_next(n, top))
		deepest = n->depth > deepest ? n->depth : deepest;
	numbers = calloc((size_t)deepest - top->depth + 1, sizeof(*numbers));
	if (!numbers) {
		tb->overflow = true;
		return;
	}
	jsonwriter_init(&w, tb);
	jsonwriter_open(&w, NULL, '{');
	jsonwriter_add_string(&w, "unit", v->in_time ? "ns" : NULL);
	if (f)
		json_add_chains(&w, f);
	json_add_tree(&w, v, top, numbers);
	jsonwriter_add_uint(&w, "unknown", c->n_unknown);
	if (c->n_clipped)
		jsonwriter_add_uint(&w, "clipped", c->n_clipped);
	jsonwriter_add_uint(&w, "gaps", c->n_gaps);
	jsonwriter_add_uint(&w, "cut", callgraph_cut(v->graph));
	jsonwriter_close(&w);
	textbuf_add_char(tb, '\n');
	free(numbers);
}
