// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * values.c - arguments and return values in a uftrace.data directory.
 *
 * A trace has texts, a directory has bytes, whose meaning the forms of the function give:
 *
 *	3, "name", &work        arg1,arg2/s,arg3/p
 *
 *	number   its size       text   length (2 bytes), bytes
 *	struct   zeros: readers show only that it was there
 *
 * Each value is padded to 4 bytes, all of a record to 8. Where readers find the forms:
 *
 *	info        argspec, retspec: FUNC@arg1,…   for functions that the user named
 *	NAME.dbg    A: @arg1,…   R: @retval         for all functions (-a), beside sources.c's,
 *	                                            except
 *	info        argauto, retauto                stubs, which have no debug information
 */
#include "base/hash.h"
#include "base/textbuf.h"
#include "decode/callevent.h"
#include "format/bytes.h"
#include "rewrite/uftrace/uftwriter_int.h"
#include "symbols/uftrace/argspec.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FUNCS_MAX     (1u << 22)
#define TEXT_MAX_LEN  97 /* uftrace's: a longer one is cut, with three dots at its end */
#define TEXT_CUT_LEN  95
#define VALUE_MAX_LEN 4096

/*
 * --- forms -------------------------------------------------------------------------------------
 */

static struct uft_arg *parse_forms(struct uftwriter *w, const char *spec)
{
	char *copy = arena_strndup(&w->arena, spec, strlen(spec)), *word;
	struct uft_arg *list = NULL, arg;

	while ((word = copy ? strsep(&copy, ",") : NULL))
		if (uft_arg_parse(word, &w->arena, &arg))
			uft_arg_add(&list, &w->arena, &arg);
	return list;
}

int uftwriter_add_forms(struct uftwriter *w, struct uft_symbol *s, const char *line)
{
	unsigned long long func;
	int at = 0;
	struct uft_forms *forms;
	void **slot;
	const char *spec;

	if (sscanf(line + 1, "%llx %n", &func, &at) < 1 || !at)
		return 0;
	spec = arena_strndup(&w->arena, line + 1 + at, strlen(line + 1 + at));
	slot = map_take(&w->forms, func, FUNCS_MAX);
	if (!slot || !spec)
		return -ENOMEM;
	if (!*slot)
		*slot = arena_alloc(&w->arena, sizeof(*forms));
	forms = *slot;
	if (!forms)
		return -ENOMEM;
	if (line[0] == 'A') {
		forms->args = parse_forms(w, spec);
		s->arg_spec = spec;
	} else {
		forms->ret = parse_forms(w, spec);
		s->ret_spec = spec;
	}
	w->has_values = true;
	return 0;
}

/*
 * --- one value ---------------------------------------------------------------------------------
 */

struct text {
	char bytes[VALUE_MAX_LEN];
	size_t n;
	bool has_more;
};

static size_t unescape(const char *p, size_t n, char *out)
{
	static const char letters[] = "abtnvfr"; /* of 7 … 13 */
	const char *letter = n > 1 && p[1] ? strchr(letters, p[1]) : NULL;
	char digits[3] = {0};

	*out = p[0];
	if (p[0] != '\\' || n < 2)
		return 1;
	*out = letter ? (char)(7 + (letter - letters)) : p[1] == '0' ? 0 : p[1];
	if (p[1] != 'x' || n < 4)
		return 2;
	memcpy(digits, p + 2, 2);
	*out = (char)strtoul(digits, NULL, 16);
	return 4;
}

/* "na\"me", 'c'; something else as it is: NULL, <0x10>. */
static void read_text(struct piece value, struct text *ret)
{
	const char *p = (const char *)value.data;
	size_t n = value.len, at = 0;
	char quote = n && (*p == '"' || *p == '\'') ? *p : 0;

	ret->n = 0;
	for (at = quote != 0; at < n && ret->n < sizeof(ret->bytes);) {
		if (quote && p[at] == quote)
			break;
		at += quote ? unescape(p + at, n - at, &ret->bytes[ret->n]) : 1;
		if (!quote)
			ret->bytes[ret->n] = p[at - 1];
		ret->n++;
	}
	ret->has_more = quote && at + 1 < n;
}

static void put_text(struct textbuf *tb, struct piece value)
{
	struct text t;
	uint16_t n;

	read_text(value, &t);
	if (t.has_more || t.n > TEXT_MAX_LEN) {
		t.n = t.n < TEXT_CUT_LEN ? t.n : TEXT_CUT_LEN;
		memcpy(t.bytes + t.n, "...", 3);
		t.n += 3;
	}
	n = (uint16_t)t.n;
	textbuf_add(tb, (const char *)&n, sizeof(n));
	textbuf_add(tb, t.bytes, t.n);
}

static void put_float(struct textbuf *tb, const char *text, uint32_t size)
{
	long double wide = strtold(text, NULL);
	double number = (double)wide;
	float small = (float)wide;
	char bytes[16] = {0};

	if (size == 4)
		memcpy(bytes, &small, 4);
	else if (size == 8)
		memcpy(bytes, &number, 8);
	else
		memcpy(bytes, &wide, 10);
	textbuf_add(tb, bytes, size < sizeof(bytes) ? size : sizeof(bytes));
}

static void build_by_name(struct uftwriter *w)
{
	w->has_by_name = true;
	for (size_t i = 0; i < w->n_modules; i++)
		for (size_t k = 0; k < w->modules[i].n_symbols; k++) {
			const struct uft_symbol *s = &w->modules[i].symbols[k];
			void **slot = map_take(
				&w->by_name, hash_of_text(1, s->name, strlen(s->name)), FUNCS_MAX);

			if (slot && !*slot)
				*slot = (void *)(uintptr_t)(s->address + w->modules[i].base -
							    w->modules[i].low);
		}
}

/* &work: where the function is in the made-up process. */
static uint64_t read_address(struct uftwriter *w, const char *text)
{
	if (text[0] != '&')
		return strtoull(text, NULL, 0);
	if (!w->has_by_name)
		build_by_name(w);
	return (uintptr_t)map_find(&w->by_name, hash_of_text(1, text + 1, strlen(text + 1)));
}

static void put_value(struct uftwriter *w, const struct uft_arg *arg, struct piece value,
		      struct textbuf *tb)
{
	static const char zeros[8];
	char text[256];
	struct text t;
	uint64_t number;

	snprintf(text, sizeof(text), "%.*s", (int)value.len, (const char *)value.data);
	switch (arg->format) {
	case UFT_ARG_STRING:
	case UFT_ARG_STD_STRING:
		put_text(tb, value);
		return;
	case UFT_ARG_FLOAT:
		put_float(tb, text, arg->size);
		return;
	case UFT_ARG_STRUCT:
		for (uint32_t left = arg->size; left; left -= left < 8 ? left : 8)
			textbuf_add(tb, zeros, left < 8 ? left : 8);
		return;
	case UFT_ARG_CHAR:
		read_text(value, &t);
		textbuf_add(tb, t.n ? t.bytes : zeros, 1);
		return;
	default:
		number = read_address(w, text);
		textbuf_add(tb, (const char *)&number, arg->size < 8 ? arg->size : 8);
	}
}

static void pad(struct textbuf *tb, size_t start, size_t to)
{
	while ((textbuf_len(tb) - start) % to)
		textbuf_add_char(tb, 0);
}

/* A function whose arguments are all structs has no values in the trace. */
static bool needs_values(const struct uft_arg *list)
{
	while (list && list->format == UFT_ARG_STRUCT)
		list = list->next;
	return list;
}

size_t uftwriter_put_values(struct uftwriter *w, const struct uftwriter_call *c, bool is_return,
			    struct textbuf *tb)
{
	const struct uft_forms *forms = map_find(&w->forms, c->func);
	const struct uft_arg *list = !forms ? NULL : is_return ? forms->ret : forms->args;
	struct piece rest = {(const uint8_t *)c->values, c->values ? strlen(c->values) : 0}, value;
	size_t start = textbuf_len(tb);

	if (!c->values && needs_values(list))
		return 0;
	for (; list; list = list->next) {
		if (is_return)
			value = rest;
		else if (!call_values_next(&rest, &value))
			value = (struct piece){(const uint8_t *)"", 0};
		put_value(w, list, value, tb);
		pad(tb, start, 4);
	}
	pad(tb, start, 8);
	return textbuf_len(tb) - start;
}

/*
 * --- where readers find the forms --------------------------------------------------------------
 */

/* Symbols of the chosen kind, "NAME@SPEC;…". */
static void add_specs(const struct uftwriter *w, const char *key, bool is_return, bool only_stubs,
		      struct textbuf *tb)
{
	textbuf_addf(tb, "%s:", key);
	for (size_t i = 0; i < w->n_modules; i++)
		for (size_t k = 0; k < w->modules[i].n_symbols; k++) {
			const struct uft_symbol *s = &w->modules[i].symbols[k];
			const char *spec = is_return ? s->ret_spec : s->arg_spec;

			if (spec && (!only_stubs || s->type == 'P'))
				textbuf_addf(tb, "%s@%s;", s->name, spec);
		}
	textbuf_add_char(tb, '\n');
}

static void add_enums(const struct uftwriter *w, struct textbuf *tb)
{
	textbuf_add_str(tb, "enumauto:");
	for (size_t i = 0; i < w->n_modules; i++)
		for (const struct uft_line *l = w->modules[i].enums; l; l = l->next)
			textbuf_addf(tb, "%s;", l->text);
	textbuf_add_char(tb, '\n');
}

void uftwriter_fmt_specs(const struct uftwriter *w, bool is_automatic, struct textbuf *tb)
{
	textbuf_addf(tb, "argspec:lines=%d\n", is_automatic ? 4 : 3);
	add_specs(w, is_automatic ? "argauto" : "argspec", false, is_automatic, tb);
	add_specs(w, is_automatic ? "retauto" : "retspec", true, is_automatic, tb);
	add_enums(w, tb);
	if (is_automatic)
		textbuf_add_str(tb, "auto-args:1\n");
}

static void add_debug(const struct uft_module *m, const struct uft_symbol *s,
		      const struct uft_source *source, bool with_values, struct textbuf *tb)
{
	bool has_values = with_values && (s->arg_spec || s->ret_spec);

	if ((!has_values && !source) || s->type == 'P')
		return;
	textbuf_addf(tb, "F: %llx %s\n", (unsigned long long)(s->address - m->low), s->name);
	if (source)
		textbuf_addf(tb, "L: %u %s\n", source->line, source->path);
	if (has_values && s->arg_spec)
		textbuf_addf(tb, "A: @%s\n", s->arg_spec);
	if (has_values && s->ret_spec)
		textbuf_addf(tb, "R: @%s\n", s->ret_spec);
}

void uftwriter_fmt_debug(const struct uftwriter *w, const struct uft_module *m, bool with_values,
			 struct textbuf *tb)
{
	textbuf_addf(tb, "# path name: %s\n", m->path);
	if (m->build_id[0])
		textbuf_addf(tb, "# build-id: %s\n", m->build_id);
	for (const struct uft_line *l = m->enums; l; l = l->next)
		textbuf_addf(tb, "E: %s\n", l->text);
	for (size_t i = 0; i < m->n_symbols; i++) {
		const struct uft_symbol *s = &m->symbols[i];

		add_debug(m, s, uftwriter_find_source(w, m, s), with_values, tb);
	}
}
