// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * event.c - parses the text of a format file into fields and print arguments.
 *
 *	name: sched_switch
 *	ID: 316
 *	format:
 *		field:unsigned short common_type;	offset:0;	size:2;	signed:0;
 *		…                                                       (common fields, then a blank
 *	                                                                line)
 *		field:char prev_comm[16];	offset:8;	size:16;	signed:0;
 *		…
 *
 *	print fmt: "prev_comm=%s prev_pid=%d …", REC->prev_comm, REC->prev_pid, …
 *
 * A field's declaration keeps C's words as its type; words in the type decide the kind of field
 * (char, u8, s8: text if it is an array; long; __data_loc, __rel_loc), not C's grammar. An event
 * whose fields or print format cannot be parsed is kept with `failed` set: its records are then
 * shown field by field.
 */
#include "base/array.h"
#include "decode/formats/event_int.h"
#include "decode/formats/formats.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS_MAX 4096
#define PLACE_MAX  (1u << 28) /* limit of an offset or size; no record is this long */

int event_fail(struct event_parser *p, const char *fmt, ...)
{
	char text[200];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (!p->ev->why_failed)
		p->ev->why_failed = arena_strndup(p->arena, text, strlen(text));
	return -1;
}

const char *event_token_text(struct event_parser *p, const struct token *t)
{
	char *s = arena_strndup(p->arena, t->s, t->len);

	return s ? s : "";
}

static const char *append_token(struct event_parser *p, const char *text, const struct token *t)
{
	size_t len = strlen(text);
	char *s = arena_alloc(p->arena, len + t->len + 1);

	if (!s)
		return text;
	memcpy(s, text, len);
	memcpy(s + len, t->s, t->len);
	return s;
}

static const struct field *find_named(const struct field *f, size_t n, const char *name)
{
	return ARRAY_FIND(f, n, i, !strcmp(f[i].name, name));
}

const struct field *event_find_common(const struct event *ev, const char *name)
{
	return find_named(ev->common, ev->n_common, name);
}

const struct field *event_find_field(const struct event *ev, const char *name)
{
	return find_named(ev->fields, ev->n_fields, name);
}

const struct field *event_find_any(const struct event *ev, const char *name)
{
	const struct field *f = event_find_common(ev, name);

	return f ? f : event_find_field(ev, name);
}

const struct arg *event_find_value_names(const struct event *ev, const struct field *f)
{
	for (const struct arg *a = ev->args; a; a = a->next)
		if (a->kind == ARG_SYMBOL && a->flags.value && a->flags.value->kind == ARG_FIELD &&
		    !strcmp(a->flags.value->field.name, f->name))
			return a;
	return NULL;
}

static bool expect(struct event_parser *p, enum token_kind kind, const char *s)
{
	struct token t = lexer_next(&p->lx);

	if (t.kind == kind && token_is(&t, s))
		return true;
	event_fail(p, "expected '%s' but found '%.*s'", s, (int)(t.len < 40 ? t.len : 40), t.s);
	return false;
}

static bool expect_number(struct event_parser *p, const char *name, uint32_t *ret)
{
	struct token t;

	if (!expect(p, TOKEN_ITEM, name) || !expect(p, TOKEN_OP, ":"))
		return false;
	t = lexer_next(&p->lx);
	if (t.kind != TOKEN_ITEM)
		return event_fail(p, "'%s' has no number", name) == 0;
	*ret = strtoul(event_token_text(p, &t), NULL, 0);
	return expect(p, TOKEN_OP, ";");
}

/* The words of a declaration while they are read. */
struct declaration {
	char type[512];
	struct token last; /* the word that may be the name */
	bool has_type;
	uint32_t flags, n_elements, dynamic_size;
	struct token stop; /* the token after the words */
};

static void type_append(struct declaration *d, const char *delim, const char *s, size_t len)
{
	size_t used = strlen(d->type);

	snprintf(d->type + used, sizeof(d->type) - used, "%s%.*s", used ? delim : "", (int)len, s);
	d->has_type = true;
}

/* Reads __attribute__((user)) and similar, which is part of the type; the name follows. */
static void read_attribute(struct event_parser *p, struct declaration *d)
{
	const char *delim = " ";
	int depth = 1;
	struct token t;

	type_append(d, " ", d->last.s, d->last.len);
	type_append(d, "", "(", 1);
	while ((t = lexer_next(&p->lx)).kind != TOKEN_NONE) {
		if (t.kind == TOKEN_DELIM) {
			depth += t.s[0] == '(' ? 1 : t.s[0] == ')' ? -1 : 0;
			if (!depth)
				break;
			type_append(d, "", t.s, t.len);
			delim = "";
		} else {
			type_append(d, delim, t.s, t.len);
			delim = " ";
		}
		d->last = t;
	}
}

static bool read_words(struct event_parser *p, struct declaration *d)
{
	for (;;) {
		struct token t = lexer_next(&p->lx);

		if (t.kind == TOKEN_ITEM || (t.kind == TOKEN_OP && token_is(&t, "*")) ||
		    (p->ev->is_ftrace && t.kind == TOKEN_OP && token_is(&t, "."))) {
			if (token_is(&t, "*"))
				d->flags |= FIELD_POINTER;
			type_append(d, " ", d->last.s, d->last.len);
			d->last = t;
			continue;
		}
		if (t.kind == TOKEN_DELIM && t.s[0] == '(' && token_is(&d->last, "__attribute__")) {
			read_attribute(p, d);
			continue;
		}
		d->stop = t;
		return d->has_type || event_fail(p, "a field without a type") == 0;
	}
}

static uint32_t type_size(const struct token *t)
{
	static const struct {
		const char *name;
		uint32_t size;
	} sizes[] = {{"u8", 1},	 {"u16", 2}, {"u32", 4}, {"u64", 8}, {"s8", 1},
		     {"s16", 2}, {"s32", 4}, {"s64", 8}, {"char", 1}};

	for (size_t i = 0; i < ARRAY_LEN(sizes); i++)
		if (token_is(t, sizes[i].name))
			return sizes[i].size;
	return 0;
}

/* Reads "[16]" after the name, or "char[] name" (dynamic arrays). */
static bool read_brackets(struct event_parser *p, struct declaration *d)
{
	char inside[256] = "[";
	enum token_kind last = TOKEN_OP;
	struct token t = lexer_next(&p->lx);

	d->flags |= FIELD_ARRAY;
	d->n_elements = t.kind == TOKEN_ITEM ? strtoul(event_token_text(p, &t), NULL, 0) : 0;
	while (!token_is(&t, "]")) {
		size_t used = strlen(inside);

		if (t.kind == TOKEN_NONE)
			return event_fail(p, "'[' without ']'") == 0;
		snprintf(inside + used, sizeof(inside) - used, "%s%.*s",
			 last == TOKEN_ITEM && t.kind == TOKEN_ITEM ? " " : "", (int)t.len, t.s);
		last = t.kind;
		d->n_elements = strtoul(event_token_text(p, &t), NULL, 0);
		t = lexer_next(&p->lx);
	}
	strncat(inside, "]", sizeof(inside) - strlen(inside) - 1);
	t = lexer_next(&p->lx);
	if (t.kind == TOKEN_ITEM) {
		type_append(d, " ", d->last.s, d->last.len);
		d->dynamic_size = type_size(&d->last);
		d->last = t;
		t = lexer_next(&p->lx);
	}
	type_append(d, "", inside, strlen(inside));
	d->stop = t;
	return true;
}

/*
 * Returns the flags of a type that only recorders of probes write (probe/format.c). The kernel has
 * none of these names.
 */
static uint32_t meaning_of(const struct field *f)
{
	static const struct {
		const char *type;
		uint32_t size, flag;
	} rows[] = {{"double", 8, FIELD_REAL},	   {"float", 4, FIELD_REAL},
		    {"be16", 2, FIELD_BIG_ENDIAN}, {"be32", 4, FIELD_BIG_ENDIAN},
		    {"be64", 8, FIELD_BIG_ENDIAN}, {"word", 8, FIELD_WORD}};

	bool is_array = f->flags & FIELD_ARRAY; /* only for floating point numbers: "float[2]" */
	uint32_t size = is_array && f->n_elements ? f->size / f->n_elements : f->size;
	size_t len = strcspn(f->type, "[");

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (size == rows[i].size && strlen(rows[i].type) == len &&
		    !strncmp(f->type, rows[i].type, len) &&
		    (!is_array || rows[i].flag == FIELD_REAL))
			return rows[i].flag;
	return 0;
}

/*
 * Returns the bits of a signed bit field, such as "s5" of 4 bytes, which the kernel reads as an
 * unsigned number.
 */
static uint8_t signed_bits_of(const struct field *f)
{
	char *end;
	unsigned long n;

	if (f->type[0] != 's' || f->type[1] < '1' || f->type[1] > '9' || f->flags & FIELD_ARRAY)
		return 0;
	n = strtoul(f->type + 1, &end, 10);
	return *end || f->size > 8 || n >= 8 * f->size ? 0 : n;
}

/*
 * Derives the number of elements of "s16 a[]" of 6 bytes: newer kernels (6.18) omit the number for
 * a probe's array.
 */
static void count_elements(struct field *f)
{
	struct token word = {.kind = TOKEN_ITEM, .s = f->type, .len = strcspn(f->type, "[")};
	uint32_t size = type_size(&word);

	if (!size || f->size % size)
		return;
	f->element_size = size;
	f->n_elements = f->size / size;
}

static void field_classify(const struct event_parser *p, struct field *f, uint32_t dynamic_size)
{
	if (!strncmp(f->type, "maybe ", 6) && !(f->flags & FIELD_ARRAY)) {
		f->type += 6;
		f->flags |= FIELD_GAPS;
	}
	f->flags |= meaning_of(f);
	f->n_signed_bits = signed_bits_of(f);
	if (f->n_signed_bits)
		f->flags |= FIELD_SIGNED;
	if ((f->flags & FIELD_ARRAY) &&
	    (strstr(f->type, "char") || strstr(f->type, "u8") || strstr(f->type, "s8")))
		f->flags |= FIELD_STRING;
	if (!strncmp(f->type, "__data_loc", 10))
		f->flags |= FIELD_DYNAMIC;
	if (!strncmp(f->type, "__rel_loc", 9))
		f->flags |= FIELD_DYNAMIC | FIELD_RELATIVE;
	if (strstr(f->type, "long"))
		f->flags |= FIELD_LONG;
	/* in old kernels dynamic arrays had no length, and text was a 16-bit offset */
	if ((f->flags & FIELD_DYNAMIC) && f->size == 2)
		f->flags |= FIELD_STRING | FIELD_ARRAY;
	if (!(f->flags & (FIELD_ARRAY | FIELD_DYNAMIC)))
		f->element_size = f->size;
	else if (f->n_elements && !(f->flags & FIELD_DYNAMIC))
		f->element_size = f->size / f->n_elements;
	else if (f->flags & FIELD_DYNAMIC)
		f->element_size = dynamic_size;
	else if (f->flags & FIELD_STRING)
		f->element_size = 1;
	else if (f->flags & FIELD_LONG)
		f->element_size = formats_long_size(p->ev->formats);
	else
		count_elements(f);
}

/* Reads everything after the word "field" of one line. */
static bool read_field(struct event_parser *p, struct field *f)
{
	struct declaration d = {0};
	struct token t = lexer_next(&p->lx);

	if (p->ev->is_ftrace && t.kind == TOKEN_ITEM && token_is(&t, "special"))
		t = lexer_next(&p->lx);
	if (t.kind != TOKEN_OP || !token_is(&t, ":"))
		return event_fail(p, "expected ':' after 'field'") == 0;
	d.last = lexer_next(&p->lx);
	if (d.last.kind != TOKEN_ITEM)
		return event_fail(p, "a field without a type") == 0;
	if (!read_words(p, &d))
		return false;
	if (d.stop.kind == TOKEN_OP && token_is(&d.stop, "[") && !read_brackets(p, &d))
		return false;
	if (d.stop.kind != TOKEN_OP || !token_is(&d.stop, ";"))
		return event_fail(p, "expected ';' after a field's name") == 0;
	f->name = event_token_text(p, &d.last);
	f->type = arena_strndup(p->arena, d.type, strlen(d.type));
	f->flags = d.flags;
	f->n_elements = d.n_elements;
	if (!f->type || !expect_number(p, "offset", &f->offset) ||
	    !expect_number(p, "size", &f->size))
		return false;
	/* so that the sum of both fits into 32 bits */
	if (f->offset > PLACE_MAX)
		f->offset = PLACE_MAX;
	if (f->size > PLACE_MAX)
		f->size = PLACE_MAX;
	t = lexer_next(&p->lx);
	if (t.kind != TOKEN_NEWLINE) {
		struct token v;

		if (t.kind != TOKEN_ITEM || !token_is(&t, "signed") || !expect(p, TOKEN_OP, ":"))
			return event_fail(p, "expected 'signed' in a field") == 0;
		v = lexer_next(&p->lx);
		if (v.kind != TOKEN_ITEM || !expect(p, TOKEN_OP, ";") ||
		    lexer_next(&p->lx).kind != TOKEN_NEWLINE)
			return event_fail(p, "a field's line does not end") == 0;
		if (strtoul(event_token_text(p, &v), NULL, 0))
			f->flags |= FIELD_SIGNED;
	}
	field_classify(p, f, d.dynamic_size);
	return true;
}

/*
 * Reads fields up to an empty line. *ret_n counts the fields that were read, even when one fails.
 */
static bool read_fields(struct event_parser *p, struct field **ret, size_t *ret_n)
{
	size_t cap = 0, n_texts = 0;

	for (;;) {
		struct token t = lexer_next(&p->lx);

		if (t.kind == TOKEN_NEWLINE)
			return true;
		if (t.kind != TOKEN_ITEM || !token_is(&t, "field"))
			return event_fail(p, "expected 'field' but found '%.*s'",
					  (int)(t.len < 40 ? t.len : 40), t.s) == 0;
		if (!ARENA_ONE_MORE(p->arena, *ret, *ret_n, cap, FIELDS_MAX))
			return event_fail(p, "too many fields") == 0;
		if (!read_field(p, &(*ret)[*ret_n]))
			return false;
		(*ret)[*ret_n].text_index = n_texts;
		n_texts += !!((*ret)[*ret_n].flags & FIELD_STRING);
		++*ret_n;
	}
}

bool event_is_probe(const struct event *ev)
{
	return ev->n_fields && (!strcmp(ev->fields[0].name, "__probe_ip") ||
				!strcmp(ev->fields[0].name, "__probe_func"));
}

/* Returns the flags that only fields of probes have. */
static uint32_t flags_in_probe(const struct field *f)
{
	if ((f->flags & (FIELD_STRING | FIELD_DYNAMIC)) == (FIELD_STRING | FIELD_DYNAMIC))
		return FIELD_FAULTS;
	return !strcmp(f->type, "s8") || !strcmp(f->type, "s16") ? FIELD_SHORT : 0;
}

static bool read_all_fields(struct event_parser *p)
{
	struct token t = lexer_next_item(&p->lx);

	if (t.kind != TOKEN_ITEM || !token_is(&t, "format") || !expect(p, TOKEN_OP, ":") ||
	    lexer_next(&p->lx).kind != TOKEN_NEWLINE)
		return event_fail(p, "expected 'format:'") == 0;
	if (!read_fields(p, &p->ev->common, &p->ev->n_common) ||
	    !read_fields(p, &p->ev->fields, &p->ev->n_fields))
		return false;
	for (size_t i = 0; event_is_probe(p->ev) && i < p->ev->n_fields; i++)
		p->ev->fields[i].flags |= flags_in_probe(&p->ev->fields[i]);
	return true;
}

/* Makes arguments from the fields, in order, because old ftrace formats had no arguments. */
static struct arg *args_from_fields(struct event_parser *p)
{
	struct arg *list = NULL, **link = &list;

	for (size_t i = 0; i < p->ev->n_fields; i++) {
		struct arg *a = arena_alloc(p->arena, sizeof(*a));

		if (!a)
			break;
		a->kind = ARG_FIELD;
		a->field.name = p->ev->fields[i].name;
		a->field.field = &p->ev->fields[i];
		*link = a;
		link = &a->next;
	}
	return list;
}

/* Reads "print fmt:" and what follows. Returns false if the print format cannot be used. */
static bool read_print(struct event_parser *p)
{
	struct token t = lexer_next_item(&p->lx), next;
	int n = 0;

	if (t.kind != TOKEN_ITEM || !token_is(&t, "print") || !expect(p, TOKEN_ITEM, "fmt") ||
	    !expect(p, TOKEN_OP, ":"))
		return event_fail(p, "expected 'print fmt:'") == 0;
	t = lexer_next(&p->lx);
	if (t.kind != TOKEN_DQUOTE)
		return event_fail(p, "the print format does not begin with a string") == 0;
	p->ev->print_format = event_token_text(p, &t);
	/* the lexer joins strings, but not strings that replace a macro */
	while ((next = lexer_next_item(&p->lx)).kind == TOKEN_DQUOTE)
		p->ev->print_format = append_token(p, p->ev->print_format, &next);
	if (next.kind == TOKEN_DELIM && token_is(&next, ",")) {
		n = event_parse_args(p, &p->ev->args);
		if (n < 0)
			return false;
	} else if (next.kind != TOKEN_NONE) {
		return event_fail(p, "expected ',' after the format string") == 0;
	}
	if (!n && p->ev->is_ftrace)
		p->ev->args = args_from_fields(p);
	if (!p->ev->is_bprint) {
		bool failed = false;

		p->ev->segments =
			printfmt_split(p->ev, p->ev->print_format, p->ev->args, p->arena, &failed);
		if (failed)
			return event_fail(p, "the format string and its arguments do not match") ==
			       0;
	}
	return true;
}

bool event_parse_head(struct piece text, struct piece *ret_name, int *ret_id)
{
	const char *p = (const char *)text.data, *end = p + text.len, *nl;
	char number[24];
	size_t n = 0;

	if (text.len < 12 || memcmp(p, "name:", 5))
		return false;
	p += 5;
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	ret_name->data = (const uint8_t *)p;
	while (p < end && (isalnum((unsigned char)*p) || *p == '_'))
		p++;
	ret_name->len = p - (const char *)ret_name->data;
	nl = p < end ? memchr(p, '\n', end - p) : NULL;
	if (!ret_name->len || !nl || end - nl < 5 || memcmp(nl + 1, "ID:", 3))
		return false;
	p = nl + 4;
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	while (p < end && n < sizeof(number) - 1 && isalnum((unsigned char)*p))
		number[n++] = *p++;
	number[n] = 0;
	*ret_id = strtoul(number, NULL, 0);
	return n && *ret_id >= 0;
}

bool event_parse(struct event *ev, struct arena *arena)
{
	struct event_parser p = {.ev = ev, .arena = arena};
	struct token t;

	ev->parsed = true;
	p.lx = (struct lexer){(const char *)ev->text.data,
			      (const char *)ev->text.data + ev->text.len, arena};
	do /* event_parse_head() has already read name and ID */
		t = lexer_next(&p.lx);
	while (t.kind != TOKEN_NEWLINE && t.kind != TOKEN_NONE);
	do
		t = lexer_next(&p.lx);
	while (t.kind != TOKEN_NEWLINE && t.kind != TOKEN_NONE);
	ev->failed = !read_all_fields(&p) || !read_print(&p);
	return true;
}
