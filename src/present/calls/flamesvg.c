// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * flamesvg.c - a call graph as a flame graph.
 *
 *	            ┌──────────┐┌───┐
 *	            │next_token││ … │           callees stand on their callers, sorted by name
 *	┌───────────┴──────────┴┴───┴──┐┌────┐
 *	│parse                         ││work│  width: the time in the function and what it calls
 *	┌──────────────────────────────────────┐
 *	│program                               │
 *	└──────────────────────────────────────┘
 *
 * Colours: functions of programs are warm, those of the kernel blue; the name selects the shade. In
 * a difference, red functions took longer in the other trace, blue ones less, white ones the same.
 * The larger the changed share of the time, the stronger the colour.
 *
 * The script only zooms and searches: it moves the existing rectangles. The drawing is complete
 * without it. Boxes narrower than BOX_MIN_PIXELS and calls deeper than LEVELS_MAX are not drawn; a
 * line reports their number. Names come from files, so they are escaped.
 */
#include "present/calls/flamesvg.h"

#include "base/hash.h"
#include "present/calls/duration.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define BOX_MIN_PIXELS 0.1
#define BOX_HEIGHT     16
#define SIDE	       10  /* free at the left and at the right */
#define TOP	       44  /* title and search */
#define BOTTOM	       30  /* what the pointer is on */
#define CHAR_PIXELS    7.2 /* of the font */
#define LEVELS_MAX     1000

struct layout {
	const struct flamesvg_view *v;
	double scale; /* pixels per unit of time */
	double *left; /* by level: where the next child begins */
	double *right;
	uint32_t n_levels;
	uint64_t n_narrow, n_deep;
};

static uint64_t width_of(const struct layout *l, const struct graph_node *n)
{
	return l->v->is_diff ? n->other_total : n->total;
}

/* --- text ------------------------------------------------------------------------------------- */

static void add_escaped(const char *text, size_t len, struct textbuf *tb)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c == '<')
			textbuf_add_str(tb, "&lt;");
		else if (c == '>')
			textbuf_add_str(tb, "&gt;");
		else if (c == '&')
			textbuf_add_str(tb, "&amp;");
		else if (c == '"')
			textbuf_add_str(tb, "&quot;");
		else
			textbuf_add_char(tb, (char)(c < ' ' || c == 127 ? '?' : c));
	}
}

static void add_time(const struct layout *l, uint64_t ns, struct textbuf *tb)
{
	char text[32], *end = duration_emit(text, ns, l->v->in_time);
	const char *start = duration_start(text, end);

	textbuf_add(tb, start, (size_t)(end - start));
}

static const char *name_of(const struct layout *l, const struct graph_node *n)
{
	const char *program = callgraph_program(l->v->graph);

	return n->func ? n->func->name : program ? program : "all";
}

static void add_change(const struct layout *l, const struct graph_node *n, struct textbuf *tb)
{
	bool more = n->other_total >= n->total;

	textbuf_add_str(tb, ", before ");
	add_time(l, n->total, tb);
	textbuf_add_str(tb, more ? ", +" : ", -");
	add_time(l, more ? n->other_total - n->total : n->total - n->other_total, tb);
}

/* What the pointer shows. */
static void add_title(const struct layout *l, const struct graph_node *n, struct textbuf *tb)
{
	const struct graph_node *root = callgraph_root(l->v->graph);
	uint64_t all = width_of(l, root);
	const char *name = name_of(l, n);

	textbuf_add_str(tb, "<title>");
	add_escaped(name, strlen(name), tb);
	if (n->func && n->func->module) {
		textbuf_add_str(tb, " [");
		add_escaped(n->func->module, strlen(n->func->module), tb);
		textbuf_add_char(tb, ']');
	} else if (n->func && !n->func->is_user) {
		textbuf_add_str(tb, " [kernel]");
	}
	if (n->func && n->func->is_inlined)
		textbuf_add_str(tb, " (inlined)");
	textbuf_add_str(tb, ": ");
	add_time(l, width_of(l, n), tb);
	textbuf_addf(tb, ", %.2f%%", all ? 100.0 * (double)width_of(l, n) / (double)all : 0.0);
	if (n->func)
		textbuf_addf(tb, ", %" PRIu64 " %s%s", l->v->is_diff ? n->other_n : n->n,
			     callgraph_is_bare(l->v->graph) ? "sample" : "call",
			     (l->v->is_diff ? n->other_n : n->n) == 1 ? "" : "s");
	if (l->v->is_diff)
		add_change(l, n, tb);
	textbuf_add_str(tb, "</title>");
}

/* --- colours ---------------------------------------------------------------------------------- */

static void add_colour(const struct layout *l, const struct graph_node *n, struct textbuf *tb)
{
	const char *name = name_of(l, n);
	unsigned shade = (unsigned)hash_text(HASH_ODD, name, strlen(name), 64);

	if (!n->func) {
		textbuf_add_str(tb, "#d8d8d8");
	} else if (l->v->is_diff) {
		bool more = n->other_total >= n->total;
		double larger = (double)(more ? n->other_total : n->total);
		double change = larger - (double)(more ? n->total : n->other_total);
		unsigned fade = larger > 0 ? (unsigned)(180 * change / larger) : 0;

		if (more)
			textbuf_addf(tb, "#ff%02x%02x", 245 - fade, 245 - fade);
		else
			textbuf_addf(tb, "#%02x%02xff", 245 - fade, 245 - fade);
	} else if (n->func->is_user) {
		textbuf_addf(tb, "#%02x%02x%02x", 255 - shade / 4, 130 + shade, 60 + shade / 2);
	} else {
		textbuf_addf(tb, "#%02x%02x%02x", 100 + shade, 160 + shade, 255 - shade / 2);
	}
}

/* --- boxes ------------------------------------------------------------------------------------ */

static void add_box(const struct layout *l, const struct graph_node *n, uint32_t level, double x,
		    double width, struct textbuf *tb)
{
	unsigned y = TOP + (l->n_levels - 1 - level) * BOX_HEIGHT;
	const char *name = name_of(l, n);
	size_t len = strlen(name), room = width > 6 ? (size_t)((width - 6) / CHAR_PIXELS) : 0;

	textbuf_add_str(tb, "<g>");
	add_title(l, n, tb);
	textbuf_addf(tb, "<rect x=\"%.1f\" y=\"%u\" width=\"%.1f\" height=\"%u\" fill=\"", x, y,
		     width, BOX_HEIGHT - 1);
	add_colour(l, n, tb);
	textbuf_addf(tb, "\"/><text x=\"%.1f\" y=\"%u\">", x + 3, y + 12);
	if (room >= 3 && len <= room) {
		add_escaped(name, len, tb);
	} else if (room >= 3) {
		while (room > 2 && ((unsigned char)name[room - 2] & 0xc0) == 0x80)
			room--; /* not in the middle of a character */
		add_escaped(name, room - 2, tb);
		textbuf_add_str(tb, "..");
	}
	textbuf_add_str(tb, "</text></g>\n");
}

/* Places a node; false: neither it nor what it calls is drawn. */
static bool place(struct layout *l, const struct graph_node *n, struct textbuf *tb)
{
	uint32_t level = n->depth;
	double width = (double)width_of(l, n) * l->scale;
	double x = level ? l->left[level - 1] : SIDE;
	double end = level ? l->right[level - 1] : SIDE + width;

	/* calls that overlap their caller's end (lost events) are cut */
	if (x + width > end)
		width = end - x;
	if (width < BOX_MIN_PIXELS) {
		l->n_narrow++;
		return false;
	}
	if (level >= l->n_levels) {
		l->n_deep++;
		return false;
	}
	if (level)
		l->left[level - 1] = x + width;
	l->left[level] = x;
	l->right[level] = x + width;
	add_box(l, n, level, x, width, tb);
	return true;
}

static void add_boxes(struct layout *l, struct textbuf *tb)
{
	const struct graph_node *root = callgraph_root(l->v->graph), *n = root;

	textbuf_add_str(tb, "<g id=\"frames\">\n");
	while (n)
		n = place(l, n, tb) ? graph_next(n, root) : graph_skip(n, root);
	textbuf_add_str(tb, "</g>\n");
}

/* --- the whole -------------------------------------------------------------------------------- */

/* How many levels are wide enough to be drawn. */
static void measure(struct layout *l)
{
	const struct graph_node *root = callgraph_root(l->v->graph), *n = root;

	while (n) {
		if ((double)width_of(l, n) * l->scale < BOX_MIN_PIXELS) {
			n = graph_skip(n, root);
			continue;
		}
		if (n->depth + 1 > l->n_levels && n->depth < LEVELS_MAX)
			l->n_levels = n->depth + 1;
		n = graph_next(n, root);
	}
}

static void add_head(const struct layout *l, unsigned height, struct textbuf *tb)
{
	unsigned width = l->v->width;

	textbuf_addf(tb,
		     "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		     "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" "
		     "viewBox=\"0 0 %u %u\">\n"
		     "<style>text{font:12px monospace;fill:#111}"
		     "#frames rect{stroke:#fafafa;stroke-width:.5}#frames g:hover "
		     "rect{stroke:#000}#frames g{cursor:pointer}"
		     "#frames text{pointer-events:none}.tool{cursor:pointer;fill:#555}"
		     ".hide{display:none}.faded{opacity:.5}.found rect{fill:#e600e6}</style>\n"
		     "<rect width=\"100%%\" height=\"100%%\" fill=\"#fafafa\"/>\n",
		     width, height, width, height);
	textbuf_addf(tb, "<text x=\"%u\" y=\"24\" style=\"font-size:15px\" text-anchor=\"middle\">",
		     width / 2);
	add_escaped(l->v->title, strlen(l->v->title), tb);
	textbuf_addf(tb,
		     "</text>\n<text id=\"reset\" class=\"tool hide\" x=\"%u\" y=\"24\">reset "
		     "zoom</text>\n<text id=\"search\" class=\"tool\" x=\"%u\" y=\"24\" "
		     "text-anchor=\"end\">search</text>\n",
		     SIDE, width - SIDE);
	textbuf_addf(tb,
		     "<text id=\"details\" x=\"%u\" y=\"%u\"> </text>\n"
		     "<text id=\"matched\" x=\"%u\" y=\"%u\" text-anchor=\"end\"> </text>\n",
		     SIDE, height - 10, width - SIDE, height - 10);
}

void flamesvg_fmt(const struct flamesvg_view *v, struct textbuf *tb)
{
	const struct graph_node *root = callgraph_root(v->graph);
	struct layout l = {.v = v};
	uint64_t all = width_of(&l, root);

	l.scale = all ? (v->width - 2.0 * SIDE) / (double)all : 0;
	measure(&l);
	if (!l.n_levels)
		l.n_levels = 1;
	l.left = calloc(l.n_levels, sizeof(*l.left));
	l.right = calloc(l.n_levels, sizeof(*l.right));
	if (!l.left || !l.right) {
		tb->overflow = true;
	} else {
		add_head(&l, TOP + l.n_levels * BOX_HEIGHT + BOTTOM, tb);
		add_boxes(&l, tb);
		if (l.n_narrow || l.n_deep)
			textbuf_addf(tb,
				     "<text x=\"%u\" y=\"39\" class=\"tool\">%" PRIu64
				     " boxes are too narrow to be drawn, %" PRIu64
				     " too deep</text>\n",
				     SIDE, l.n_narrow, l.n_deep);
		textbuf_add_str(tb, "<script><![CDATA[\n");
		textbuf_add(tb, v->script, v->script_len);
		textbuf_add_str(tb, "]]></script>\n</svg>\n");
	}
	free(l.left);
	free(l.right);
}
