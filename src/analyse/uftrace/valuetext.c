// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * valuetext.c - arguments and return values as uftrace prints them.
 *
 * A number without a known type (d) is decimal if it is small, else hexadecimal; 32-bit negative
 * numbers are recognised. A pointer to a function is shown by its name. The recorder truncates
 * long strings, and writes "..." at their end.
 */
#include "analyse/uftrace/valuetext.h"

#include "base/textbuf.h"
#include "symbols/uftrace/argspec.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TEXT_BYTES 1024 /* uftrace's limit for all values of a call */

/* A text of limited length. */
struct short_text {
	char text[TEXT_BYTES];
	size_t n;
};

static void __attribute__((format(printf, 2, 3))) addf(struct short_text *p, const char *fmt, ...)
{
	size_t room = sizeof(p->text) - p->n;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(p->text + p->n, room, fmt, ap);
	va_end(ap);
	p->n += n < 0 ? 0 : (size_t)n < room ? (size_t)n : room - 1;
}

struct one {
	const struct uft_value_style *style;
	struct uft_walk *walk;
	struct uft_lane *lane;
	const struct uft_arg *arg;
	const uint8_t *data;
	size_t n_bytes; /* what is left */
	bool json;
};

static const char *on(const struct one *v, char code)
{
	return v->style ? v->style->on(v->style->ctx, code) : "";
}

static const char *off(const struct one *v)
{
	return v->style ? v->style->off(v->style->ctx) : "";
}

static void add_char_json(struct short_text *p, unsigned char c)
{
	if (c == '\n')
		addf(p, "\\\\n");
	else if (c == '\t')
		addf(p, "\\\\t");
	else if (c == '\\')
		addf(p, "\\\\\\\\");
	else if (c == '"')
		addf(p, "\\\"");
	else if (c >= 32 && c < 127)
		addf(p, "%c", c);
	else
		addf(p, "\\\\x%02hhx", c);
}

static void add_char(struct short_text *p, char c)
{
	if (!c)
		addf(p, "\\0");
	else if (c == '\b')
		addf(p, "\\b");
	else if (c == '\n')
		addf(p, "\\n");
	else
		addf(p, "%c", c);
}

static bool has_high_bytes(const char *s, size_t len)
{
	for (size_t i = 0; i + 1 < len; i++)
		if (s[i] & 0x80)
			return true;
	return false;
}

/* Returns how many bytes the string takes in the record. */
static size_t add_string(struct short_text *p, const struct one *v)
{
	const char *s = (const char *)v->data + 2;
	uint16_t n;
	size_t len;

	memcpy(&n, v->data, 2);
	len = strnlen(s, n);
	if (n == 4 && !memcmp(s, "\377\377\377\377", 4)) {
		addf(p, "NULL");
	} else if (v->json) {
		addf(p, "\\\"");
		for (size_t i = 0; i < len; i++)
			add_char_json(p, (unsigned char)s[i]);
		addf(p, "\\\"");
	} else {
		addf(p, "%s\"", on(v, 'M'));
		if (has_high_bytes(s, len))
			addf(p, "%.*s", (int)len, s);
		else
			for (size_t i = 0; i < len; i++)
				add_char(p, s[i]);
		addf(p, "\"%s", off(v));
	}
	if (v->arg->format == UFT_ARG_STD_STRING)
		addf(p, "s");
	return 2u + n;
}

static size_t add_character(struct short_text *p, const struct one *v)
{
	char c = (char)v->data[0];

	if (v->json) {
		addf(p, "'");
		add_char_json(p, (unsigned char)c);
		addf(p, "'");
	} else {
		addf(p, "%s'", on(v, 'M'));
		add_char(p, c);
		addf(p, "'%s", off(v));
	}
	return 1;
}

static void add_float(struct short_text *p, const struct one *v)
{
	long double ld = 0;
	double d;
	float f;

	switch (v->arg->size) {
	case 4:
		memcpy(&f, v->data, 4);
		addf(p, "%#f", (double)f);
		break;
	case 8:
		memcpy(&d, v->data, 8);
		addf(p, "%#f", d);
		break;
	case 10:
		memcpy(&ld, v->data, 10);
		addf(p, "%#Lf", ld);
		break;
	}
}

static uint64_t get_number(const struct one *v)
{
	uint64_t n = 0;

	memcpy(&n, v->data, v->arg->size < 8 ? v->arg->size : 8);
	return n;
}

static void add_pointer(struct short_text *p, const struct one *v)
{
	uint64_t n = get_number(v);
	const struct uft_session *s =
		uft_session_find(v->walk->c.names, v->lane->task, v->lane->rec.time_ns);
	const struct uft_sym *sym = s ? uft_sym_find(s, v->lane->rec.time_ns, n) : NULL;

	if (sym)
		addf(p, "%s%s%s%s", on(v, 'C'), v->style && v->style->html ? "&amp;" : "&",
		     sym->name, off(v));
	else if (n)
		addf(p, "0x%llx", (unsigned long long)n);
	else
		addf(p, "0");
}

static void add_enum(struct short_text *p, const struct one *v)
{
	const struct uft_session *s =
		uft_session_find(v->walk->c.names, v->lane->task, v->lane->rec.time_ns);
	const struct uft_map *m = s ? uft_map_find(s, v->lane->rec.addr) : NULL;
	const char *name = v->arg->type_name ? v->arg->type_name : "";
	int64_t n = (int32_t)get_number(v);
	char text[TEXT_BYTES];

	if ((m && m->module && uft_enum_text(m->module->enums, name, n, text, sizeof(text))) ||
	    uft_enum_text(v->walk->c.names->enums, name, n, text, sizeof(text))) {
		addf(p, "%s", on(v, 'B'));
		for (const char *t = text; *t; t++) {
			if (*t == '|' && v->style && v->style->colour)
				addf(p, "%s%s|%s%s", off(v), on(v, 'b'), off(v), on(v, 'B'));
			else
				addf(p, "%c", *t);
		}
		addf(p, "%s", off(v));
	} else {
		addf(p, "%s0x%x%s", on(v, 'B'), (unsigned)n, off(v));
	}
}

static void add_struct(struct short_text *p, const struct one *v)
{
	if (v->arg->type_name && strcmp(v->arg->type_name, "<lambda"))
		addf(p, "%s%s%s", on(v, 'C'), v->arg->type_name, off(v));
	addf(p, v->arg->size ? "{...}" : "{}");
}

static int64_t sign_extend(uint64_t n, uint32_t size)
{
	unsigned shift = size < 8 ? 64 - 8 * size : 0;

	return (int64_t)(n << shift) >> shift;
}

/* A number whose type is not known. */
static void add_auto(struct short_text *p, const struct one *v)
{
	uint64_t n = get_number(v);
	int64_t i = (int64_t)n;

	if (n > 0xffff0000u && n <= 0xffffffffu)
		addf(p, "%d", (int)(uint32_t)n);
	else if (i > 100000 || i < -100000)
		addf(p, "%#llx", (unsigned long long)n);
	else
		addf(p, "%lld", (long long)sign_extend(n, v->arg->size));
}

static void add_number(struct short_text *p, const struct one *v)
{
	uint64_t n = get_number(v);

	switch (v->arg->format) {
	case UFT_ARG_AUTO:
		add_auto(p, v);
		break;
	case UFT_ARG_SIGNED:
		addf(p, "%lld", (long long)sign_extend(n, v->arg->size));
		break;
	case UFT_ARG_HEX:
		addf(p, "%#llx", (unsigned long long)n);
		break;
	case UFT_ARG_OCTAL:
		addf(p, "%#llo", (unsigned long long)n);
		break;
	default:
		addf(p, n > 100000 ? "%#llx" : "%llu", (unsigned long long)n);
		break;
	}
}

/* One value. Returns how many bytes it takes in the record. */
static size_t add_one(struct short_text *p, const struct one *v)
{
	switch (v->arg->format) {
	case UFT_ARG_STRING:
	case UFT_ARG_STD_STRING:
		return add_string(p, v);
	case UFT_ARG_CHAR:
		return add_character(p, v);
	case UFT_ARG_FLOAT:
		add_float(p, v);
		break;
	case UFT_ARG_POINTER:
		add_pointer(p, v);
		break;
	case UFT_ARG_ENUM:
		add_enum(p, v);
		break;
	case UFT_ARG_STRUCT:
		add_struct(p, v);
		break;
	default:
		add_number(p, v);
		break;
	}
	return v->arg->size;
}

void uft_values_fmt(const struct uft_value_style *style, struct uft_walk *w, struct uft_lane *l,
		    const struct uft_values *values, unsigned form, struct textbuf *tb)
{
	struct one v = {style, w, l, NULL, values->data, values->n_bytes, form & UFT_VALUES_JSON};
	bool is_retval = form & UFT_VALUES_RETVAL;
	struct short_text p = {.n = 0};
	int n = 0;

	if (!(form & UFT_VALUES_MORE)) {
		textbuf_add_str(tb, form & UFT_VALUES_PAREN		       ? "()"
				    : is_retval && form & UFT_VALUES_SEMICOLON ? ";"
									       : "");
		return;
	}
	addf(&p, form & UFT_VALUES_PAREN ? "(" : form & UFT_VALUES_ASSIGN ? " = " : "%s", "");
	for (v.arg = values->list; v.arg; v.arg = v.arg->next) {
		size_t used;

		if (is_retval != (v.arg->number == UFT_ARG_RETVAL))
			continue;
		if (n++)
			addf(&p, ", ");
		used = (add_one(&p, &v) + 3) & ~(size_t)3;
		v.data += used;
		v.n_bytes -= used < v.n_bytes ? used : v.n_bytes;
		if (p.n >= TEXT_BYTES - 3 || is_retval)
			break;
	}
	textbuf_add(tb, p.text, p.n);
	if (form & UFT_VALUES_PAREN)
		textbuf_add_char(tb, ')');
	else if (form & UFT_VALUES_SEMICOLON)
		textbuf_add_char(tb, ';');
}

/*
 * --- for scripts -------------------------------------------------------------------------------
 *
 * uftrace hands whole numbers to scripts by their size alone: those of 8 bytes have no sign.
 */

static void add_quoted(struct textbuf *tb, const char *before, const char *s, size_t len,
		       const char *after)
{
	textbuf_addf(tb, "\"%s", before);
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c == '"' || c == '\\')
			textbuf_add_char(tb, '\\');
		if (c < 32 || c == 127)
			textbuf_addf(tb, "\\x%02x", c);
		else
			textbuf_add_char(tb, (char)c);
	}
	textbuf_addf(tb, "%s\"", after);
}

static size_t literal_string(struct textbuf *tb, const struct one *v)
{
	const char *s = (const char *)v->data + 2;
	uint16_t n;

	memcpy(&n, v->data, 2);
	if (n == 4 && !memcmp(s, "\377\377\377\377", 4))
		add_quoted(tb, "", "NULL", 4, "");
	else
		add_quoted(tb, "", s, strnlen(s, n), "");
	return 2u + n;
}

static void literal_float(struct textbuf *tb, const struct one *v)
{
	long double ld = 0;
	double d = 0;
	float f;

	if (v->arg->size == 4) {
		memcpy(&f, v->data, 4);
		d = (double)f;
	} else if (v->arg->size == 8) {
		memcpy(&d, v->data, 8);
	} else if (v->arg->size == 10) {
		memcpy(&ld, v->data, 10);
		d = (double)ld;
	}
	textbuf_addf(tb, isfinite(d) ? "%.17e" : "%f", d);
}

static size_t literal(struct textbuf *tb, const struct one *v)
{
	const char *type = v->arg->type_name ? v->arg->type_name : "";

	switch (v->arg->format) {
	case UFT_ARG_STRING:
	case UFT_ARG_STD_STRING:
		return literal_string(tb, v);
	case UFT_ARG_CHAR:
		add_quoted(tb, "", (const char *)v->data, 1, "");
		return 1;
	case UFT_ARG_STRUCT:
		add_quoted(tb, "struct: ", type, strlen(type), "{}");
		break;
	case UFT_ARG_FLOAT:
		literal_float(tb, v);
		break;
	default:
		if (v->arg->size < 8)
			textbuf_addf(tb, "%lld",
				     (long long)sign_extend(get_number(v), v->arg->size));
		else
			textbuf_addf(tb, "%llu", (unsigned long long)get_number(v));
		break;
	}
	return v->arg->size;
}

size_t uft_values_literals(struct uft_lane *l, bool is_retval, struct textbuf *tb)
{
	struct one v = {.lane = l, .data = l->values.data, .n_bytes = l->values.n_bytes};
	size_t n = 0;

	for (v.arg = l->values.list; v.arg; v.arg = v.arg->next) {
		size_t used;

		if (is_retval != (v.arg->number == UFT_ARG_RETVAL))
			continue;
		if (n++)
			textbuf_add_str(tb, ", ");
		used = (literal(tb, &v) + 3) & ~(size_t)3;
		v.data += used;
		v.n_bytes -= used < v.n_bytes ? used : v.n_bytes;
		if (is_retval)
			break;
	}
	return n;
}
