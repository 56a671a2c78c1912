// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bars.c - parts of tables of counts: bars, and the values of keys as cells.
 *
 *	bar      ########        in proportion to the largest; a count above 0 has at least one '#'
 *	CSV      "a ""b"", c"    in quotes if it contains a comma or a quote
 *	JSON     12 or "bash"    a number if possible, otherwise (and for nan) text
 *	names    by.count        if a key has the name of one of the table's own columns
 *
 * keys.c makes the text of a value.
 */
#include "present/result/bars.h"

#include "base/json/jsonwriter.h"
#include "decode/formats/event.h"

#include <math.h>
#include <stdio.h>

void bar_fmt(uint64_t n, uint64_t most, size_t width, struct textbuf *tb)
{
	size_t len = most ? (size_t)((double)n / (double)most * (double)width) : 0;

	textbuf_add_fill(tb, '#', len ? len : n > 0);
}

/* Writes a value with its line breaks, which the output format can represent. */
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

static bool is_real(const struct key_slot *slot, uint64_t value)
{
	return slot->kind == KEY_NUMBER && (slot->field->flags & FIELD_REAL) &&
	       !field_is_gone(slot->field, value) && isfinite(real_of(slot->field, value));
}

void json_add_key(struct keyreader *kr, const struct key_slot *slot, uint64_t value,
		  const char *name, struct jsonwriter *w)
{
	struct textbuf text;

	if (key_is_nameless(slot, value))
		return jsonwriter_add_int(w, name, (int64_t)value);
	textbuf_init(&text, KEY_TEXT_MAX_LEN * 2);
	if (is_real(slot, value)) {
		real_fmt(slot->field, value, &text);
		jsonwriter_add_digits(w, name, text.start ? text.start : "0", textbuf_len(&text));
	} else {
		fmt_exact(kr, slot, value, &text);
		jsonwriter_add_text(w, name, text.start ? text.start : "", textbuf_len(&text));
	}
	textbuf_release(&text);
}

const char *key_column(const char *const *words, size_t i, const char *const *own, size_t n_own,
		       char name[KEY_COLUMN_MAX])
{
	bool is_own = false;
	unsigned n_before = 0;

	for (size_t k = 0; k < n_own; k++)
		is_own |= !strcmp(words[i], own[k]);
	for (size_t k = 0; k < i; k++)
		n_before += !strcmp(words[i], words[k]);
	if (n_before)
		snprintf(name, KEY_COLUMN_MAX, "%s%s.%u", is_own ? "by." : "", words[i],
			 n_before + 1);
	else
		snprintf(name, KEY_COLUMN_MAX, "%s%s", is_own ? "by." : "", words[i]);
	return name;
}
