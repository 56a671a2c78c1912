// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rowstext.c - writes the rows of a query.
 *
 *	name          n    max(dur)       numbers to the right, texts to the left
 *	------------  ---  --------
 *	sleep-234     12     104711       NULL is an empty place
 *
 * CSV: a header, then values, in quotes where needed; NULL is empty, a text that is empty is "".
 * JSON: {"name":"sleep","n":12}, numbers as numbers, NULL and infinities as null. Bytes of a blob
 * are hexadecimal in all forms.
 */
#include "present/query/rowstext.h"

#include "base/json/json.h"
#include "base/scope.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define OUT_BYTES	(64u << 10)
#define OUT_MAX_BYTES	(256u << 20)
#define WIDTH_MAX	100 /* of a column; longer values shift their line */
#define AHEAD_MAX_BYTES (8u << 20)

void rowstext_init(struct rowstext *rt, enum rowstext_form form,
		   int (*write)(void *ctx, const char *s, size_t len), void *ctx)
{
	*rt = (struct rowstext){.form = form, .write = write, .ctx = ctx};
	textbuf_init(&rt->out, OUT_MAX_BYTES);
	textbuf_init(&rt->ahead, OUT_MAX_BYTES);
}

static void free_columns(struct rowstext *rt)
{
	for (size_t i = 0; rt->names && i < rt->n_columns; i++)
		free(rt->names[i]);
	free(rt->names);
	free(rt->widths);
	free(rt->are_numbers);
	rt->names = NULL;
	rt->widths = NULL;
	rt->are_numbers = NULL;
	rt->n_columns = 0;
}

void rowstext_release(struct rowstext *rt)
{
	free_columns(rt);
	textbuf_release(&rt->out);
	textbuf_release(&rt->ahead);
}

static int flush(struct rowstext *rt, size_t above)
{
	size_t len = textbuf_len(&rt->out);
	int r;

	if (rt->out.overflow)
		return -EFBIG;
	if (len <= above)
		return 0;
	r = rt->write(rt->ctx, rt->out.start, len);
	textbuf_clear(&rt->out);
	return r;
}

/* --- values ----------------------------------------------------------------------------------- */

static void add_blob(struct textbuf *tb, const struct query_cell *c)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < c->len; i++) {
		textbuf_add_char(tb, digits[(uint8_t)c->text[i] >> 4]);
		textbuf_add_char(tb, digits[(uint8_t)c->text[i] & 15]);
	}
}

static void add_plain(struct textbuf *tb, const struct query_cell *c)
{
	if (c->kind == CELL_INTEGER)
		textbuf_add_signed(tb, c->integer);
	else if (c->kind == CELL_BLOB)
		add_blob(tb, c);
	else if (c->kind != CELL_NULL && c->text)
		textbuf_add(tb, c->text, c->len);
}

static void add_json(struct textbuf *tb, const struct query_cell *c)
{
	if (c->kind == CELL_NULL || (c->kind == CELL_REAL && !isfinite(c->real))) {
		textbuf_add_str(tb, "null");
	} else if (c->kind == CELL_TEXT) {
		json_add_string(tb, c->text, c->len);
	} else if (c->kind == CELL_BLOB) {
		textbuf_add_char(tb, '"');
		add_blob(tb, c);
		textbuf_add_char(tb, '"');
	} else {
		add_plain(tb, c);
	}
}

static void add_csv_text(struct textbuf *tb, const char *s, size_t len)
{
	bool quote = !len || memchr(s, '"', len) || memchr(s, ',', len) || memchr(s, '\n', len) ||
		     memchr(s, '\r', len);

	if (quote)
		textbuf_add_csv(tb, s, len);
	else
		textbuf_add(tb, s, len);
}

/* --- rows ------------------------------------------------------------------------------------- */

static void add_json_row(struct rowstext *rt, const struct query_cell *cells)
{
	struct textbuf *tb = &rt->out;

	for (size_t i = 0; i < rt->n_columns; i++) {
		textbuf_add_char(tb, i ? ',' : '{');
		json_add_string(tb, rt->names[i], strlen(rt->names[i]));
		textbuf_add_char(tb, ':');
		add_json(tb, &cells[i]);
	}
	textbuf_add(tb, "}\n", 2);
}

static void add_csv_row(struct rowstext *rt, const struct query_cell *cells)
{
	struct textbuf *tb = &rt->out;

	for (size_t i = 0; i < rt->n_columns; i++) {
		if (i)
			textbuf_add_char(tb, ',');
		if (cells[i].kind == CELL_TEXT)
			add_csv_text(tb, cells[i].text, cells[i].len);
		else
			add_plain(tb, &cells[i]);
	}
	textbuf_add_char(tb, '\n');
}

/* The columns that a text takes on a terminal, if each character takes one. */
static size_t width_of(const char *s, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += ((uint8_t)s[i] & 0xc0) != 0x80;
	return n;
}

/* A value is one line of the table: line breaks and tabs become spaces. */
static void add_cell(struct rowstext *rt, size_t i, const char *s, size_t len, bool is_number)
{
	struct textbuf *tb = &rt->out;
	size_t width = width_of(s, len);
	size_t fill = width < rt->widths[i] ? rt->widths[i] - width : 0;
	bool is_last = i + 1 == rt->n_columns;

	if (i)
		textbuf_add(tb, "  ", 2);
	if (is_number)
		textbuf_add_fill(tb, ' ', fill);
	for (size_t k = 0; k < len; k++)
		textbuf_add_char(tb, s[k] == '\n' || s[k] == '\t' || s[k] == '\r' ? ' ' : s[k]);
	if (!is_number && !is_last)
		textbuf_add_fill(tb, ' ', fill);
}

static void end_line(struct textbuf *tb)
{
	while (textbuf_len(tb) && tb->pos[-1] == ' ')
		tb->pos--;
	textbuf_add_char(tb, '\n');
}

static void add_head(struct rowstext *rt)
{
	for (size_t i = 0; i < rt->n_columns; i++)
		add_cell(rt, i, rt->names[i], strlen(rt->names[i]), rt->are_numbers[i]);
	end_line(&rt->out);
	for (size_t i = 0; i < rt->n_columns; i++) {
		if (i)
			textbuf_add(&rt->out, "  ", 2);
		textbuf_add_fill(&rt->out, '-', rt->widths[i]);
	}
	textbuf_add_char(&rt->out, '\n');
}

/* Rows that wait: for each cell the kind, the length, the bytes. */
static void keep_row(struct rowstext *rt, const struct query_cell *cells)
{
	for (size_t i = 0; i < rt->n_columns; i++) {
		bool is_number = cells[i].kind == CELL_INTEGER || cells[i].kind == CELL_REAL;
		uint32_t len;
		size_t at, width;

		textbuf_add_char(&rt->ahead, (char)is_number);
		at = textbuf_len(&rt->ahead);
		textbuf_add(&rt->ahead, "\0\0\0\0", 4);
		add_plain(&rt->ahead, &cells[i]);
		if (rt->ahead.overflow)
			return;
		len = (uint32_t)(textbuf_len(&rt->ahead) - at - 4);
		memcpy(rt->ahead.start + at, &len, 4);
		width = width_of(rt->ahead.start + at + 4, len);
		width = width < WIDTH_MAX ? width : WIDTH_MAX;
		rt->widths[i] = width > rt->widths[i] ? width : rt->widths[i];
		if (cells[i].kind != CELL_NULL && !is_number)
			rt->are_numbers[i] = false;
	}
	rt->n_ahead++;
}

/* Writes the head and the rows that waited for it. */
static int write_ahead(struct rowstext *rt)
{
	const char *s = rt->ahead.start;

	if (rt->ahead.overflow)
		return -EFBIG;
	rt->is_measured = true;
	add_head(rt);
	for (size_t row = 0; row < rt->n_ahead; row++) {
		for (size_t i = 0; i < rt->n_columns; i++) {
			bool is_number = *s++;
			uint32_t len;

			memcpy(&len, s, 4);
			add_cell(rt, i, s + 4, len, is_number);
			s += 4 + len;
		}
		end_line(&rt->out);
		TRY(flush(rt, OUT_BYTES));
	}
	textbuf_clear(&rt->ahead);
	rt->n_ahead = 0;
	return 0;
}

static int add_table_row(struct rowstext *rt, const struct query_cell *cells)
{
	if (!rt->is_measured) {
		keep_row(rt, cells);
		if (rt->n_ahead < ROWSTEXT_AHEAD && textbuf_len(&rt->ahead) < AHEAD_MAX_BYTES &&
		    !rt->ahead.overflow)
			return 0;
		return write_ahead(rt);
	}
	for (size_t i = 0; i < rt->n_columns; i++) {
		TEXTBUF(text, OUT_MAX_BYTES);

		add_plain(&text, &cells[i]);
		add_cell(rt, i, text.start ? text.start : "", textbuf_len(&text),
			 cells[i].kind == CELL_INTEGER || cells[i].kind == CELL_REAL);
	}
	end_line(&rt->out);
	return 0;
}

/* --- the sink --------------------------------------------------------------------------------- */

static int begin(void *ctx, const char *const *names, size_t n)
{
	struct rowstext *rt = ctx;

	free_columns(rt);
	rt->names = calloc(n + 1, sizeof(*rt->names));
	rt->widths = calloc(n + 1, sizeof(*rt->widths));
	rt->are_numbers = calloc(n + 1, sizeof(*rt->are_numbers));
	if (!rt->names || !rt->widths || !rt->are_numbers)
		return -ENOMEM;
	for (; rt->n_columns < n; rt->n_columns++) {
		rt->names[rt->n_columns] = strdup(names[rt->n_columns]);
		if (!rt->names[rt->n_columns])
			return -ENOMEM;
		rt->widths[rt->n_columns] =
			width_of(names[rt->n_columns], strlen(names[rt->n_columns]));
		rt->are_numbers[rt->n_columns] = true;
	}
	rt->is_measured = false;
	if (rt->n_statements++ && rt->form != ROWSTEXT_JSON)
		textbuf_add_char(&rt->out, '\n');
	if (rt->form == ROWSTEXT_CSV) {
		for (size_t i = 0; i < n; i++) {
			if (i)
				textbuf_add_char(&rt->out, ',');
			add_csv_text(&rt->out, names[i], strlen(names[i]));
		}
		textbuf_add_char(&rt->out, '\n');
	}
	return 0;
}

static int add_row(void *ctx, const struct query_cell *cells, size_t n)
{
	struct rowstext *rt = ctx;
	int r = 0;

	rt->n_rows++;
	if (rt->form == ROWSTEXT_JSON)
		add_json_row(rt, cells);
	else if (rt->form == ROWSTEXT_CSV)
		add_csv_row(rt, cells);
	else
		r = add_table_row(rt, cells);
	return r < 0 ? r : flush(rt, OUT_BYTES);
}

static int end(void *ctx)
{
	struct rowstext *rt = ctx;
	int r = 0;

	if (rt->form == ROWSTEXT_TABLE && !rt->is_measured)
		r = write_ahead(rt);
	return r < 0 ? r : flush(rt, 0);
}

struct query_sink rowstext_sink(struct rowstext *rt)
{
	return (struct query_sink){.ctx = rt, .columns = begin, .row = add_row, .end = end};
}
