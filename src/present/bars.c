// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bars.c - what tables of counts are made of: bars, and the values of keys as cells.
 *
 *	bar      ########        as long as its share of the largest; a count that is not 0 shows at least one '#'
 *	CSV      "a ""b"", c"    in quotes where a comma or a quote is in it
 *	JSON     12 or "bash"    a number where the value is one, else text
 *
 * Owns nothing; the text of a value is made by keys.c.
 */
#include "present/bars.h"

#include "base/jsonwriter.h"

void bar_fmt(uint64_t n, uint64_t most, size_t width, struct textbuf *tb)
{
	size_t len = most ? (size_t)((double)n / (double)most * (double)width) : 0;

	textbuf_add_fill(tb, '#', len ? len : n > 0);
}

/* Texts with their line ends: the form that is written has a way to tell them. */
static void fmt_exact(struct keyreader *kr, const struct key_slot *slot, uint64_t value,
		      struct textbuf *tb)
{
	const struct pooled_name *name = (const struct pooled_name *)(uintptr_t)value;

	if (key_is_text(slot) && name)
		textbuf_add(tb, name->text, name->len);
	else
		key_fmt(kr, slot, value, tb);
}

void csv_fmt_key(struct keyreader *kr, const struct key_slot *slot, uint64_t value,
		 struct textbuf *tb)
{
	struct textbuf text;
	bool quoted;

	textbuf_init(&text, KEY_TEXT_MAX_LEN * 2);
	fmt_exact(kr, slot, value, &text);
	textbuf_add(&text, "", 1);
	quoted = strpbrk(text.start ? text.start : "", ",\"\r\n") != NULL;
	if (quoted)
		textbuf_add_char(tb, '"');
	for (const char *p = text.start; p && *p; p++) {
		if (*p == '"')
			textbuf_add_char(tb, '"');
		textbuf_add_char(tb, *p);
	}
	if (quoted)
		textbuf_add_char(tb, '"');
	textbuf_release(&text);
}

void json_add_key(struct keyreader *kr, const struct key_slot *slot, uint64_t value,
		  const char *name, struct jsonwriter *w)
{
	struct textbuf text;

	if (key_is_nameless(slot, value))
		return jsonwriter_add_int(w, name, (int64_t)value);
	textbuf_init(&text, KEY_TEXT_MAX_LEN * 2);
	fmt_exact(kr, slot, value, &text);
	jsonwriter_add_text(w, name, text.start ? text.start : "", textbuf_len(&text));
	textbuf_release(&text);
}
