// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * jsonwriter.c - the keys, commas and brackets of JSON.
 *
 * The writer knows only whether a comma is needed and which bracket closes the current level;
 * values go directly into the textbuf. Only our own code opens levels, so too many levels are a
 * bug. The brackets are wrong then, but nothing is written out of bounds.
 */
#include "base/json/jsonwriter.h"

#include "base/json/json.h"

#include <math.h>

void jsonwriter_init(struct jsonwriter *w, struct textbuf *tb)
{
	*w = (struct jsonwriter){.tb = tb};
}

static void add_key(struct jsonwriter *w, const char *key)
{
	if (w->comma)
		textbuf_add_char(w->tb, ',');
	w->comma = true;
	if (!key)
		return;
	textbuf_add_char(w->tb, '"');
	textbuf_add_str(w->tb, key);
	textbuf_add(w->tb, "\":", 2);
}

void jsonwriter_open(struct jsonwriter *w, const char *key, char kind)
{
	add_key(w, key);
	textbuf_add_char(w->tb, kind);
	if (w->depth < JSONWRITER_DEPTH_MAX)
		w->closing[w->depth] = kind == '{' ? '}' : ']';
	w->depth++;
	w->comma = false;
}

void jsonwriter_close(struct jsonwriter *w)
{
	w->depth--;
	textbuf_add_char(w->tb, w->depth < JSONWRITER_DEPTH_MAX ? w->closing[w->depth] : '}');
	w->comma = true;
}

void jsonwriter_add_text(struct jsonwriter *w, const char *key, const char *s, size_t len)
{
	add_key(w, key);
	json_add_string(w->tb, s, len);
}

void jsonwriter_add_string(struct jsonwriter *w, const char *key, const char *s)
{
	if (s)
		jsonwriter_add_text(w, key, s, strlen(s));
	else
		jsonwriter_add_null(w, key);
}

void jsonwriter_add_uint(struct jsonwriter *w, const char *key, uint64_t v)
{
	add_key(w, key);
	textbuf_add_dec(w->tb, v);
}

void jsonwriter_add_int(struct jsonwriter *w, const char *key, int64_t v)
{
	add_key(w, key);
	textbuf_add_signed(w->tb, v);
}

void jsonwriter_add_hex(struct jsonwriter *w, const char *key, uint64_t v)
{
	add_key(w, key);
	json_add_hex(w->tb, v);
}

void jsonwriter_add_bool(struct jsonwriter *w, const char *key, bool v)
{
	add_key(w, key);
	textbuf_add_str(w->tb, v ? "true" : "false");
}

void jsonwriter_add_real(struct jsonwriter *w, const char *key, double v, int digits)
{
	add_key(w, key);
	if (isfinite(v))
		textbuf_addf(w->tb, "%.*f", digits, v);
	else
		textbuf_add_str(w->tb, "null");
}

void jsonwriter_add_digits(struct jsonwriter *w, const char *key, const char *digits, size_t len)
{
	add_key(w, key);
	textbuf_add(w->tb, digits, len);
}

void jsonwriter_add_null(struct jsonwriter *w, const char *key)
{
	add_key(w, key);
	textbuf_add_str(w->tb, "null");
}

void jsonwriter_add_strings(struct jsonwriter *w, const char *key, const char *const *list,
			    size_t n)
{
	jsonwriter_open(w, key, '[');
	for (size_t i = 0; i < n; i++)
		jsonwriter_add_string(w, NULL, list[i]);
	jsonwriter_close(w);
}
