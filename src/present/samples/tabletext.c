// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tabletext.c - prints one row for each function or other value of the keys.
 *
 *	12345 samples of cpu-clock, 12.345 s
 *
 *	   self   total   samples  function       file
 *	 49.98%  49.98%      6170  spin_half      three
 *	  0.00% 100.00%         0  main           three
 *
 * self: the function itself was running; total: it, or something that it had called. Tables without
 * a key of code have one share.
 */
#include "present/samples/tabletext.h"

#include "analyse/calls/callflow.h"
#include "analyse/samples/stacknames.h"
#include "base/escaper.h"
#include "base/json/jsonwriter.h"
#include "present/calls/duration.h"
#include "symbols/tasks.h"

#include <inttypes.h>
#include <stdio.h>

#define COLUMN_MAX 60 /* wider values move what follows */

static bool has_code(const struct sampletable_config *c)
{
	return sampletable_has_key(c, SAMPLEKEY_FUNCTION) ||
	       sampletable_has_key(c, SAMPLEKEY_FILE) || sampletable_has_key(c, SAMPLEKEY_LINE);
}

static double share(const struct tabletext_view *v, uint64_t weight)
{
	return v->table->weight ? 100.0 * (double)weight / (double)v->table->weight : 0;
}

/* The value of a key as text, in buf or elsewhere. */
static const char *value_of(enum sampletable_key key, const struct sampletable_row *r, char *buf,
			    size_t size)
{
	switch (key) {
	case SAMPLEKEY_FUNCTION:
		if (!r->func)
			return "(no stack)";
		if (!r->func->is_inlined)
			return r->func->name;
		snprintf(buf, size, "%s (inlined)", r->func->name);
		return buf;
	case SAMPLEKEY_FILE:
		return r->func ? stacknames_file(r->func) : "";
	case SAMPLEKEY_LINE:
		return r->func && r->func->source ? r->func->source : "?";
	case SAMPLEKEY_TASK:
		snprintf(buf, size, "%s-%d", r->task ? r->task->comm : "?",
			 r->task ? r->task->pid : -1);
		return buf;
	case SAMPLEKEY_COMM:
		return r->task ? r->task->comm : "?";
	case SAMPLEKEY_PROCESS:
		snprintf(buf, size, "%d", r->tgid);
		return buf;
	default:
		snprintf(buf, size, "%d", r->cpu);
		return buf;
	}
}

static size_t n_shown(const struct tabletext_view *v)
{
	return v->n_rows && v->n_rows < v->table->n_rows ? v->n_rows : v->table->n_rows;
}

/* How many columns a text takes: bytes that begin a character. */
static size_t columns_of(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

static size_t width_of(const struct tabletext_view *v, enum sampletable_key key)
{
	size_t width = columns_of(sampletable_key_name(key));

	for (size_t i = 0; i < n_shown(v); i++) {
		char buf[512];
		size_t n = columns_of(value_of(key, &v->table->rows[i], buf, sizeof(buf)));

		width = n > width ? n : width;
	}
	return width < COLUMN_MAX ? width : COLUMN_MAX;
}

static void add_head(const struct tabletext_view *v, struct textbuf *tb)
{
	char text[32], *end;

	textbuf_addf(tb, "%" PRIu64 " sample%s of %s", v->table->n, v->table->n == 1 ? "" : "s",
		     v->event);
	if (v->in_time || v->table->weight != v->table->n) {
		end = duration_emit(text, v->table->weight, v->in_time);
		textbuf_add_str(tb, ", ");
		/* a column has two blanks before a unit of one letter */
		for (const char *p = duration_start(text, end); p < end; p++)
			if (*p != ' ' || p[1] != ' ')
				textbuf_add_char(tb, *p);
		textbuf_add_str(tb, v->in_time ? "" : " in all");
	}
	textbuf_add_str(tb, "\n\n");
}

static void add_value(const struct tabletext_view *v, const char *text, size_t width, bool is_last,
		      struct textbuf *tb)
{
	size_t n = columns_of(text);

	textbuf_add_str(tb, "  ");
	textbuf_add_str(tb, text);
	if (!is_last && n < width)
		textbuf_add_fill(tb, ' ', width - n);
}

static void add_row(const struct tabletext_view *v, const struct sampletable_row *r,
		    const size_t *widths, struct textbuf *tb)
{
	const struct sampletable_config *c = v->config;
	bool is_kernel = v->colour && r->func && !r->func->is_user;

	textbuf_addf(tb, "%6.2f%%", share(v, r->self));
	if (has_code(c))
		textbuf_addf(tb, " %6.2f%%", share(v, r->total));
	textbuf_addf(tb, " %9" PRIu64, r->n_self);
	if (is_kernel)
		textbuf_add_str(tb, ESCAPER_CYAN);
	for (size_t i = 0; i < c->n_keys; i++) {
		char buf[512];

		add_value(v, value_of(c->keys[i], r, buf, sizeof(buf)), widths[i],
			  i + 1 == c->n_keys, tb);
	}
	if (is_kernel)
		textbuf_add_str(tb, ESCAPER_OFF);
	textbuf_add_char(tb, '\n');
}

void tabletext_fmt(const struct tabletext_view *v, struct textbuf *tb)
{
	const struct sampletable_config *c = v->config;
	size_t widths[SAMPLETABLE_KEYS_MAX];

	add_head(v, tb);
	textbuf_add_str(tb, has_code(c) ? "   self   total   samples" : "  share   samples");
	for (size_t i = 0; i < c->n_keys; i++) {
		widths[i] = width_of(v, c->keys[i]);
		add_value(v, sampletable_key_name(c->keys[i]), widths[i], i + 1 == c->n_keys, tb);
	}
	textbuf_add_char(tb, '\n');
	for (size_t i = 0; i < n_shown(v); i++)
		add_row(v, &v->table->rows[i], widths, tb);
	if (n_shown(v) < v->table->n_rows)
		textbuf_addf(tb, "… and %zu more rows\n", v->table->n_rows - n_shown(v));
	if (v->table->n_left_out)
		textbuf_addf(tb, "… and %zu rows below %g %%\n", v->table->n_left_out,
			     c->min_percent);
}

/*
 * --- other forms -------------------------------------------------------------------------------
 */

static void add_csv(const char *text, struct textbuf *tb)
{
	textbuf_add_char(tb, '"');
	for (; *text; text++) {
		if (*text == '"')
			textbuf_add_char(tb, '"');
		textbuf_add_char(tb, *text);
	}
	textbuf_add_char(tb, '"');
}

void tabletext_fmt_csv(const struct tabletext_view *v, struct textbuf *tb)
{
	const struct sampletable_config *c = v->config;

	textbuf_add_str(tb, "event,samples,weight,total_samples,total_weight");
	for (size_t i = 0; i < c->n_keys; i++)
		textbuf_addf(tb, ",%s", sampletable_key_name(c->keys[i]));
	textbuf_add_char(tb, '\n');
	for (size_t i = 0; i < v->table->n_rows; i++) {
		const struct sampletable_row *r = &v->table->rows[i];

		add_csv(v->event, tb);
		textbuf_addf(tb, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, r->n_self,
			     r->self, r->n_total, r->total);
		for (size_t k = 0; k < c->n_keys; k++) {
			char buf[512];

			textbuf_add_char(tb, ',');
			add_csv(value_of(c->keys[k], r, buf, sizeof(buf)), tb);
		}
		textbuf_add_char(tb, '\n');
	}
}

static void add_json_key(struct jsonwriter *w, enum sampletable_key key,
			 const struct sampletable_row *r)
{
	switch (key) {
	case SAMPLEKEY_FUNCTION:
		jsonwriter_add_string(w, "function", r->func ? r->func->name : NULL);
		if (r->func && r->func->is_inlined)
			jsonwriter_add_bool(w, "inlined", true);
		break;
	case SAMPLEKEY_FILE:
		jsonwriter_add_string(w, "file", r->func ? stacknames_file(r->func) : NULL);
		break;
	case SAMPLEKEY_LINE:
		jsonwriter_add_string(w, "line", r->func ? r->func->source : NULL);
		break;
	case SAMPLEKEY_TASK:
		jsonwriter_add_string(w, "comm", r->task ? r->task->comm : NULL);
		jsonwriter_add_int(w, "tid", r->task ? r->task->pid : -1);
		break;
	case SAMPLEKEY_COMM:
		jsonwriter_add_string(w, "comm", r->task ? r->task->comm : NULL);
		break;
	case SAMPLEKEY_PROCESS:
		jsonwriter_add_int(w, "process", r->tgid);
		break;
	default:
		jsonwriter_add_int(w, "cpu", r->cpu);
	}
}

void tabletext_add_json(const struct tabletext_view *v, struct jsonwriter *w)
{
	const struct sampletable *t = v->table;

	jsonwriter_open(w, NULL, '{');
	jsonwriter_add_string(w, "event", v->event);
	jsonwriter_add_string(w, "unit", v->in_time ? "ns" : NULL);
	jsonwriter_add_uint(w, "samples", t->n);
	jsonwriter_add_uint(w, "weight", t->weight);
	jsonwriter_open(w, "rows", '[');
	for (size_t i = 0; i < t->n_rows; i++) {
		const struct sampletable_row *r = &t->rows[i];

		jsonwriter_open(w, NULL, '{');
		for (size_t k = 0; k < v->config->n_keys; k++)
			add_json_key(w, v->config->keys[k], r);
		jsonwriter_add_uint(w, "samples", r->n_self);
		jsonwriter_add_uint(w, "self", r->self);
		jsonwriter_add_uint(w, "total_samples", r->n_total);
		jsonwriter_add_uint(w, "total", r->total);
		jsonwriter_close(w);
	}
	jsonwriter_close(w);
	jsonwriter_add_uint(w, "left_out", t->n_left_out);
	jsonwriter_add_uint(w, "cut", t->n_cut);
	jsonwriter_close(w);
}
