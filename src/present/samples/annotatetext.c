// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * annotatetext.c - prints each instruction below its source line.
 *
 *	half in three: 1149 samples of cpu-clock, 49.02 % of all
 *
 *	  share   samples
 *	                       three.c:3   x ^= x << 13;
 *	 12.40%       142   1150:  shl    $0xd,%rax
 *
 * Shares are those of the function's own samples.
 */
#include "present/samples/annotatetext.h"

#include "analyse/calls/callflow.h"
#include "analyse/samples/annotation.h"
#include "analyse/samples/stacknames.h"
#include "base/escaper.h"
#include "base/json/jsonwriter.h"
#include "inputs/samples/codelines.h"

#include <inttypes.h>
#include <string.h>

#define HOT_SHARE 5.0 /* percent, in colour */

static double share(const struct annotate_view *v, uint64_t weight)
{
	return v->annotation->weight ? 100.0 * (double)weight / (double)v->annotation->weight : 0;
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static void add_head(const struct annotate_view *v, struct textbuf *tb)
{
	const struct annotation *a = v->annotation;

	textbuf_addf(tb, "%s in %s: %" PRIu64 " sample%s of %s, %.2f %% of all\n", a->func->name,
		     stacknames_file(a->func), a->n, a->n == 1 ? "" : "s", v->event,
		     v->weight_all ? 100.0 * (double)a->weight / (double)v->weight_all : 0.0);
	if (!v->code->has_code && v->code->why.text[0])
		textbuf_addf(tb, "%s\n", v->code->why.text);
	textbuf_add_str(tb, "\n  share   samples\n");
}

/* Text of source files without control characters; tabs as blanks. */
static void add_plain(const char *text, struct textbuf *tb)
{
	for (; *text; text++) {
		if (*text == '\t')
			textbuf_add_str(tb, "    ");
		else
			textbuf_add_char(tb,
					 (unsigned char)*text < ' ' || *text == 127 ? '?' : *text);
	}
}

static void add_line(const struct annotate_view *v, const struct codeline *l, struct textbuf *tb)
{
	textbuf_add_fill(tb, ' ', 19);
	if (v->colour)
		textbuf_add_str(tb, ESCAPER_CYAN);
	textbuf_addf(tb, "%s:%u", base_of(l->path), l->line);
	if (l->source) {
		textbuf_add_str(tb, "  ");
		add_plain(l->source, tb);
	}
	if (v->colour)
		textbuf_add_str(tb, ESCAPER_OFF);
	textbuf_add_char(tb, '\n');
}

static void add_instruction(const struct annotate_view *v, const struct codeline *l,
			    struct textbuf *tb)
{
	bool is_hot = v->colour && share(v, l->weight) >= HOT_SHARE;

	if (is_hot)
		textbuf_add_str(tb, "\033[31m");
	if (l->n)
		textbuf_addf(tb, "%6.2f%% %9" PRIu64 "  ", share(v, l->weight), l->n);
	else
		textbuf_add_fill(tb, ' ', 19);
	if (l->text)
		textbuf_addf(tb, "%8" PRIx64 ":  %s", l->address, l->text);
	else
		textbuf_addf(tb, "%8" PRIx64 "  +0x%" PRIx64, l->address,
			     l->address - v->code->start);
	if (is_hot)
		textbuf_add_str(tb, ESCAPER_OFF);
	textbuf_add_char(tb, '\n');
}

void annotatetext_fmt(const struct annotate_view *v, struct textbuf *tb)
{
	const char *path = NULL;
	unsigned line = 0;

	add_head(v, tb);
	for (size_t i = 0; i < v->code->n; i++) {
		const struct codeline *l = &v->code->list[i];

		if (v->only_hot && !l->n)
			continue;
		if (!v->no_sources && l->path && (l->path != path || l->line != line))
			add_line(v, l, tb);
		path = l->path;
		line = l->line;
		add_instruction(v, l, tb);
	}
}

void annotatetext_add_json(const struct annotate_view *v, struct jsonwriter *w)
{
	const struct annotation *a = v->annotation;

	jsonwriter_open(w, NULL, '{');
	jsonwriter_add_string(w, "function", a->func->name);
	jsonwriter_add_string(w, "file", stacknames_file(a->func));
	jsonwriter_add_string(w, "event", v->event);
	jsonwriter_add_string(w, "unit", v->in_time ? "ns" : NULL);
	jsonwriter_add_uint(w, "samples", a->n);
	jsonwriter_add_uint(w, "weight", a->weight);
	jsonwriter_add_uint(w, "weight_all", v->weight_all);
	jsonwriter_add_hex(w, "address", v->code->start);
	jsonwriter_add_string(w, "incomplete",
			      v->code->has_code || !v->code->why.text[0] ? NULL
									 : v->code->why.text);
	jsonwriter_open(w, "instructions", '[');
	for (size_t i = 0; i < v->code->n; i++) {
		const struct codeline *l = &v->code->list[i];

		if (v->only_hot && !l->n)
			continue;
		jsonwriter_open(w, NULL, '{');
		jsonwriter_add_hex(w, "address", l->address);
		jsonwriter_add_string(w, "text", l->text);
		jsonwriter_add_uint(w, "samples", l->n);
		jsonwriter_add_uint(w, "weight", l->weight);
		if (l->path && !v->no_sources) {
			jsonwriter_add_string(w, "path", l->path);
			jsonwriter_add_uint(w, "line", l->line);
			jsonwriter_add_string(w, "source", l->source);
		}
		jsonwriter_close(w);
	}
	jsonwriter_close(w);
	jsonwriter_close(w);
}
