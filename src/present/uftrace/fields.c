// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fields.c - chooses and prints columns: "-f +elapsed", "-f none", "-f tid,duration".
 *
 * Each command has a table of the columns that it knows, and a list of those that it shows if -f is
 * not given. "+" keeps that list. Columns that were asked for stand in the order of the table.
 */
#include "present/uftrace/fields.h"

#include "base/textbuf.h"

#include <string.h>

static bool is_named(const struct uft_field *f, const char *word, size_t len)
{
	return (strlen(f->name) == len && !memcmp(f->name, word, len)) ||
	       (f->alias && strlen(f->alias) == len && !memcmp(f->alias, word, len));
}

static void take(struct uft_fields *f, const struct uft_field *field)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->list[i] == field)
			return;
	if (f->n < UFT_FIELDS_MAX)
		f->list[f->n++] = field;
}

static bool take_word(struct uft_fields *f, const char *word, size_t len,
		      const struct uft_field *table, size_t n_table)
{
	for (size_t i = 0; i < n_table; i++) {
		if (!is_named(&table[i], word, len))
			continue;
		take(f, &table[i]);
		return true;
	}
	return false;
}

static void refuse(struct uft_out *o, const char *word, size_t len, const struct uft_field *table,
		   size_t n_table)
{
	textbuf_addf(&o->tb, "uftrace: Unknown field name '%.*s'\n", (int)len, word);
	textbuf_add_str(&o->tb, "uftrace:   Possible fields are:");
	for (size_t i = 0; i < n_table; i++)
		textbuf_addf(&o->tb, " %s", table[i].name);
	textbuf_add_char(&o->tb, '\n');
}

bool uft_fields_init(struct uft_fields *f, const char *words, const struct uft_field *table,
		     size_t n_table, const char *const *defaults, struct uft_out *o)
{
	struct uft_fields wanted = {0};

	*f = (struct uft_fields){0};
	if (!words || *words == '+')
		for (; *defaults; defaults++)
			take_word(f, *defaults, strlen(*defaults), table, n_table);
	if (!words || !strcmp(words, "none"))
		return true;
	for (size_t i = 0; i < n_table && !strcmp(words, "all"); i++)
		take(f, &table[i]);
	if (!strcmp(words, "all"))
		return true;
	for (words += *words == '+'; *words;) {
		size_t len = strcspn(words, ",");

		if (!take_word(&wanted, words, len, table, n_table)) {
			refuse(o, words, len, table, n_table);
			return false;
		}
		words += len + (words[len] == ',');
	}
	/* added columns come in the order of the table, however they were given */
	for (size_t i = 0; i < n_table; i++)
		for (size_t k = 0; k < wanted.n; k++)
			if (wanted.list[k] == &table[i])
				take(f, &table[i]);
	return true;
}

void uft_fields_header(const struct uft_fields *f, struct uft_out *o, const char *prefix,
		       const char *title, int n_space)
{
	if (!f->n)
		return;
	for (size_t i = 0; i < f->n; i++)
		textbuf_addf(&o->tb, "%*s%s", n_space, i ? "" : prefix, f->list[i]->header);
	textbuf_addf(&o->tb, "   %s", title);
}

void uft_fields_header_right(const struct uft_fields *f, struct uft_out *o, const char *prefix,
			     const char *title, int n_space)
{
	if (!f->n)
		return;
	for (size_t i = 0; i < f->n; i++)
		textbuf_addf(&o->tb, "%*s%*s", n_space, i ? "" : prefix, f->list[i]->width,
			     f->list[i]->header);
	textbuf_addf(&o->tb, "%*s%s", n_space, " ", title);
}

bool uft_fields_add(const struct uft_fields *f, struct uft_out *o, void *row, int n_space)
{
	for (size_t i = 0; i < f->n; i++) {
		textbuf_add_fill(&o->tb, ' ', (size_t)n_space);
		f->list[i]->add(o, row);
	}
	return f->n;
}

bool uft_fields_add_blank(const struct uft_fields *f, struct uft_out *o, int n_space)
{
	for (size_t i = 0; i < f->n; i++)
		textbuf_add_fill(&o->tb, ' ', (size_t)f->list[i]->width + (size_t)n_space);
	return f->n;
}
