// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * heatpage.c - a heat map as SVG or HTML.
 *
 *	980 ms │ ░ ▓ ░ ░ ░
 *	  …    │ ░ ░ ▓ ░ ░         a column is a second, a cell 20 ms; the more samples, the darker
 *	  0 ms │ ░ ░ ░ ▓ ░
 *	       └──────────── s
 *
 * The page has the cells, the functions, the stacks as (parent, function), and for each cell its
 * stacks with their weights, all as JSON; web/heatpage.js draws from it. Names come from files, so
 * "<" is written as \u003c: no name can end the script.
 */
#include "present/samples/heatpage.h"

#include "analyse/calls/callflow.h"
#include "analyse/samples/heat.h"
#include "base/json/jsonwriter.h"

#include <inttypes.h>
#include <string.h>

#define CELL_WIDTH  10
#define CELL_HEIGHT 6
#define LEFT	    60
#define TOP	    40
#define BOTTOM	    30

static void add_escaped(const char *text, struct textbuf *tb)
{
	for (; *text; text++) {
		if (*text == '<')
			textbuf_add_str(tb, "&lt;");
		else if (*text == '>')
			textbuf_add_str(tb, "&gt;");
		else if (*text == '&')
			textbuf_add_str(tb, "&amp;");
		else
			textbuf_add_char(tb, (unsigned char)*text < ' ' ? '?' : *text);
	}
}

/*
 * --- SVG ---------------------------------------------------------------------------------------
 */

static void add_cell(const struct heatpage_view *v, uint32_t cell, struct textbuf *tb)
{
	const struct heat *h = v->heat;
	uint32_t column = cell / HEAT_ROWS, row = cell % HEAT_ROWS, n = h->cells[cell];
	unsigned fade = h->max ? 235 - 235 * n / h->max : 235;
	double start = (double)h->first / 1e9;

	if (!n)
		return;
	textbuf_addf(tb,
		     "<rect x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" fill=\"#ff%02x%02x\">"
		     "<title>%.2f s: %" PRIu32 " samples</title></rect>\n",
		     LEFT + column * CELL_WIDTH, TOP + (HEAT_ROWS - 1 - row) * CELL_HEIGHT,
		     CELL_WIDTH - 1, CELL_HEIGHT - 1, fade, fade, start + column + row * 0.02, n);
}

void heatpage_fmt_svg(const struct heatpage_view *v, struct textbuf *tb)
{
	const struct heat *h = v->heat;
	unsigned width = LEFT + h->n_columns * CELL_WIDTH + 20;
	unsigned height = TOP + HEAT_ROWS * CELL_HEIGHT + BOTTOM;

	if (width < 400)
		width = 400;
	textbuf_addf(tb,
		     "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		     "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" "
		     "viewBox=\"0 0 %u %u\">\n<style>text{font:12px monospace;fill:#111}</style>\n"
		     "<rect width=\"100%%\" height=\"100%%\" fill=\"#fafafa\"/>\n"
		     "<text x=\"%u\" y=\"24\" style=\"font-size:15px\">",
		     width, height, width, height, LEFT);
	add_escaped(v->title, tb);
	textbuf_add_str(tb, "</text>\n");
	for (unsigned ms = 0; ms < 1000; ms += 200)
		textbuf_addf(tb, "<text x=\"%u\" y=\"%u\" text-anchor=\"end\">%u ms</text>\n",
			     LEFT - 6, TOP + (HEAT_ROWS - ms / 20) * CELL_HEIGHT, ms);
	for (uint32_t c = 0; c < h->n_columns; c += 10)
		textbuf_addf(tb, "<text x=\"%u\" y=\"%u\">%u s</text>\n", LEFT + c * CELL_WIDTH,
			     height - 10, c);
	for (uint32_t i = 0; i < h->n_columns * HEAT_ROWS; i++)
		add_cell(v, i, tb);
	textbuf_add_str(tb, "</svg>\n");
}

/*
 * --- HTML --------------------------------------------------------------------------------------
 */

static void add_stacks(const struct heat *h, struct jsonwriter *w)
{
	jsonwriter_open(w, "functions", '[');
	for (size_t i = 0; i < h->stacks.n_funcs; i++)
		jsonwriter_add_string(w, NULL, h->stacks.funcs[i]->name);
	jsonwriter_close(w);
	/* a letter for each: user, kernel, inlined, task */
	jsonwriter_open(w, "kinds", '[');
	for (size_t i = 0; i < h->stacks.n_funcs; i++) {
		const struct flow_func *f = h->stacks.funcs[i];

		jsonwriter_add_string(w, NULL,
				      f->is_name      ? "t"
				      : !f->is_user   ? "k"
				      : f->is_inlined ? "i"
						      : "u");
	}
	jsonwriter_close(w);
	jsonwriter_open(w, "stacks", '[');
	for (size_t i = 0; i < h->stacks.n_nodes; i++) {
		jsonwriter_add_uint(w, NULL, h->stacks.nodes[i].parent);
		jsonwriter_add_uint(w, NULL, h->stacks.nodes[i].func);
	}
	jsonwriter_close(w);
}

static void add_data(const struct heatpage_view *v, struct textbuf *tb)
{
	const struct heat *h = v->heat;
	struct jsonwriter w;

	jsonwriter_init(&w, tb);
	jsonwriter_open(&w, NULL, '{');
	jsonwriter_add_string(&w, "title", v->title);
	jsonwriter_add_string(&w, "event", v->event);
	jsonwriter_add_bool(&w, "inTime", v->in_time);
	jsonwriter_add_uint(&w, "rows", HEAT_ROWS);
	jsonwriter_add_uint(&w, "columns", h->n_columns);
	jsonwriter_add_real(&w, "start", (double)h->first / 1e9, 6);
	add_stacks(h, &w);
	/* cell, stack, samples, weight */
	jsonwriter_open(&w, "entries", '[');
	for (size_t i = 0; i < h->n_entries; i++) {
		jsonwriter_add_uint(&w, NULL, h->entries[i].cell);
		jsonwriter_add_uint(&w, NULL, h->entries[i].stack);
		jsonwriter_add_uint(&w, NULL, h->entries[i].n);
		jsonwriter_add_uint(&w, NULL, h->entries[i].weight);
	}
	jsonwriter_close(&w);
	jsonwriter_close(&w);
}

/* JSON inside of <script>: "<" only occurs in strings, where \u003c means the same. */
static void add_for_script(const struct textbuf *json, struct textbuf *tb)
{
	const char *p = json->start, *end = json->start + textbuf_len(json);

	while (p < end) {
		const char *bad = memchr(p, '<', (size_t)(end - p));
		size_t len = bad ? (size_t)(bad - p) : (size_t)(end - p);

		textbuf_add(tb, p, len);
		if (bad)
			textbuf_add_str(tb, "\\u003c");
		p += len + (bad != NULL);
	}
	tb->overflow |= json->overflow;
}

void heatpage_fmt_html(const struct heatpage_view *v, struct textbuf *tb)
{
	TEXTBUF(json, tb->max_bytes);

	add_data(v, &json);
	textbuf_add_str(tb, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
			    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
			    "'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'\">"
			    "<title>");
	add_escaped(v->title, tb);
	textbuf_add_str(tb, "</title></head><body>\n"
			    "<script type=\"application/json\" id=\"data\">");
	add_for_script(&json, tb);
	textbuf_add_str(tb, "</script>\n<script>\n");
	textbuf_add(tb, v->script, v->script_len);
	textbuf_add_str(tb, "</script>\n</body></html>\n");
}
