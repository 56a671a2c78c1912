// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * histtable.c - prints one line for each entry of a histogram.
 *
 *	sched:sched_switch  hist:keys=prev_comm,prev_state:vals=hitcount:sort=hitcount:size=2048
 *	                    [active]
 *
 *	prev_comm    prev_state  hitcount
 *	kcompactd0            1         2  #
 *	swapper/0             0        84  ########################################
 *
 *	2 entries, 86 hits
 *
 * Numbers are right-aligned, texts left-aligned. A bar shows the value by which the kernel sorted,
 * otherwise hitcount; the longest has BAR_MAX marks and any value above 0 has at least one. A
 * stack, and the values that onmax() saved, are printed below the line.
 */
#include "present/result/histtable.h"

#include "base/arena.h"
#include "base/errmsg.h"
#include "base/json/jsonwriter.h"

#include <errno.h>
#include <inttypes.h>

#define BAR_MAX		 40
#define WIDTH_MAX	 80
#define PARSED_MAX_BYTES (128u << 20)

struct column {
	const char *name;
	bool is_number;
	bool is_below; /* the value has several lines, printed below the row */
	size_t width;
};

/* Returns the number of characters of a UTF-8 text. Each invalid byte counts as one. */
static size_t text_width(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += (*s & 0xc0) != 0x80;
	return n;
}

static bool is_number(const char *s)
{
	return *s && strspn(s, "-0123456789.") == strlen(s);
}

static void measure(struct column *c, const char *name, const char *cell, bool is_first)
{
	size_t width = text_width(cell);

	if (is_first)
		*c = (struct column){name, true, false, text_width(name)};
	c->is_number &= is_number(cell);
	c->is_below |= strchr(cell, '\n') != NULL;
	if (width > c->width)
		c->width = width < WIDTH_MAX ? width : WIDTH_MAX;
}

static size_t measure_all(const struct kernelhist *h, struct column *columns)
{
	for (size_t i = 0; i < h->n_rows; i++) {
		for (size_t k = 0; k < h->n_keys; k++)
			measure(&columns[k], h->keys[k], h->rows[i].keys[k], i == 0);
		for (size_t v = 0; v < h->n_values; v++)
			measure(&columns[h->n_keys + v], h->values[v], h->rows[i].values[v],
				i == 0);
	}
	return h->n_keys + h->n_values;
}

/*
 * Adds a text without control characters: names of tasks may contain any bytes, and a terminal must
 * not interpret them.
 */
static void add_clean(struct textbuf *tb, const char *s)
{
	for (; *s; s++)
		textbuf_add_char(tb, (unsigned char)*s < ' ' || *s == 0x7f ? '?' : *s);
}

static void add_cell(struct textbuf *tb, const struct column *c, const char *text, bool last)
{
	size_t width = text_width(text), fill = width < c->width ? c->width - width : 0;

	if (c->is_number)
		textbuf_add_fill(tb, ' ', fill);
	add_clean(tb, text);
	if (!c->is_number && !last)
		textbuf_add_fill(tb, ' ', fill);
	if (!last)
		textbuf_add_str(tb, "  ");
}

static void add_head(struct textbuf *tb, const struct column *columns, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!columns[i].is_below)
			add_cell(tb, &columns[i], columns[i].name, i + 1 == n);
	textbuf_add_char(tb, '\n');
}

static void add_lines_below(struct textbuf *tb, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "\n");

		textbuf_add_str(tb, "    ");
		textbuf_add(tb, text, len);
		textbuf_add_char(tb, '\n');
		text += len + !!text[len];
	}
}

static void add_row(struct textbuf *tb, const struct kernelhist *h,
		    const struct kernelhist_row *row, const struct column *columns, uint64_t most)
{
	uint64_t n = row->numbers[h->main_value];
	size_t bar = most ? (size_t)((double)n / most * BAR_MAX) : 0;

	for (size_t k = 0; k < h->n_keys; k++)
		if (!columns[k].is_below)
			add_cell(tb, &columns[k], row->keys[k], false);
	for (size_t v = 0; v < h->n_values; v++)
		add_cell(tb, &columns[h->n_keys + v], row->values[v], false);
	textbuf_add_fill(tb, '#', bar ? bar : n > 0);
	textbuf_add_char(tb, '\n');
	for (size_t k = 0; k < h->n_keys; k++)
		if (columns[k].is_below)
			add_lines_below(tb, row->keys[k]);
	if (row->notes)
		add_lines_below(tb, row->notes);
}

void histtable_fmt(const char *event, const struct kernelhist *h, struct textbuf *tb)
{
	struct column columns[2 * KERNELHIST_COLUMNS_MAX];
	size_t n = measure_all(h, columns);
	uint64_t most = 0;

	textbuf_addf(tb, "%s  %s", event, h->trigger);
	if (*h->state)
		textbuf_addf(tb, " [%s]", h->state);
	textbuf_add_str(tb, "\n\n");
	for (size_t i = 0; i < h->n_rows; i++)
		if (h->rows[i].numbers[h->main_value] > most)
			most = h->rows[i].numbers[h->main_value];
	if (h->n_rows)
		add_head(tb, columns, n);
	for (size_t i = 0; i < h->n_rows; i++)
		add_row(tb, h, &h->rows[i], columns, most);
	textbuf_addf(tb, "%s%" PRIu64 " entries, %" PRIu64 " hits", h->n_rows ? "\n" : "",
		     h->n_entries, h->n_hits);
	if (h->n_dropped)
		textbuf_addf(tb, ", %" PRIu64 " dropped: the table is full, use a larger :size=",
			     h->n_dropped);
	textbuf_add_char(tb, '\n');
}

void histtable_fmt_json(const char *event, const struct kernelhist *h, struct textbuf *tb)
{
	struct jsonwriter w;

	jsonwriter_init(&w, tb);
	jsonwriter_open(&w, NULL, '{');
	jsonwriter_add_string(&w, "event", event);
	jsonwriter_add_string(&w, "trigger", h->trigger);
	jsonwriter_add_string(&w, "state", h->state);
	jsonwriter_add_strings(&w, "keys", h->keys, h->n_keys);
	jsonwriter_add_strings(&w, "values", h->values, h->n_values);
	jsonwriter_open(&w, "rows", '[');
	for (size_t i = 0; i < h->n_rows; i++) {
		const struct kernelhist_row *row = &h->rows[i];

		jsonwriter_open(&w, NULL, '{');
		jsonwriter_add_strings(&w, "keys", row->keys, h->n_keys);
		jsonwriter_open(&w, "values", '[');
		for (size_t v = 0; v < h->n_values; v++)
			jsonwriter_add_uint(&w, NULL, row->numbers[v]);
		jsonwriter_close(&w);
		if (row->notes)
			jsonwriter_add_string(&w, "notes", row->notes);
		jsonwriter_close(&w);
	}
	jsonwriter_close(&w);
	jsonwriter_add_uint(&w, "hits", h->n_hits);
	jsonwriter_add_uint(&w, "entries", h->n_entries);
	jsonwriter_add_uint(&w, "dropped", h->n_dropped);
	jsonwriter_close(&w);
	textbuf_add_char(tb, '\n');
}

int histtable_fmt_all(const char *event, const char *text, bool json, struct textbuf *out,
		      struct errmsg *err)
{
	struct kernelhist *h = NULL;
	struct arena arena;
	int r;

	arena_init(&arena, PARSED_MAX_BYTES);
	r = kernelhist_parse(text, strlen(text), &arena, &h);
	if (r >= 0 && !h)
		r = errmsg_set(err, -ENOENT,
			       "%s has no hist trigger; set one with, say, sonde start -e %s -R "
			       "'hist:keys=common_pid'",
			       event, event);
	for (bool first = true; r >= 0 && h; h = h->next, first = false) {
		if (json) {
			histtable_fmt_json(event, h, out);
			continue;
		}
		if (!first)
			textbuf_add_char(out, '\n');
		histtable_fmt(event, h, out);
	}
	arena_release(&arena);
	return r;
}
