// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * valuetext.c - what a program has fetched, as a text in C's manner.
 *
 *	words ──▶ 3, "na\"me", 'c', true, RED, {x=1, y=2.5}, [1, 2, 3, …], &main, NULL, <0x10>
 *
 * <0x10> is an address that could not be read, ? a value whose place is unknown, and "…"... a text
 * that is longer. The words come from the memory of the traced program: every length is checked,
 * and control characters are escaped.
 */
#include "capture/user/values_int.h"
#include "runtime/snrt.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AUTO_DECIMAL_MAX 100000 /* larger numbers of an unknown kind are probably addresses */

struct out {
	char *at, *end; /* one byte is kept for the NUL */
	const struct uservalues_names *names;
};

static void add(struct out *o, const char *text, size_t len)
{
	size_t room = (size_t)(o->end - o->at);

	if (len > room)
		len = room;
	memcpy(o->at, text, len);
	o->at += len;
}

static void add_str(struct out *o, const char *text)
{
	add(o, text, strlen(text));
}

__attribute__((format(printf, 2, 3))) static void addf(struct out *o, const char *format, ...)
{
	char text[128];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (n > 0)
		add(o, text, (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
}

/*
 * --- characters --------------------------------------------------------------------------------
 */

/* The length of a character of UTF-8 that can be shown; 0: it must be escaped. */
static size_t shown_len(const uint8_t *p, size_t n)
{
	size_t len = p[0] >= 0xf0 && p[0] < 0xf5   ? 4
		     : p[0] >= 0xe0 && p[0] < 0xf0 ? 3
		     : p[0] >= 0xc3 && p[0] < 0xe0 ? 2
						   : 0;

	if (p[0] >= ' ' && p[0] < 127)
		return 1;
	if (!len || len > n || (p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] >= 0xa0) ||
	    (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] >= 0x90))
		return 0;
	for (size_t i = 1; i < len; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	return len;
}

static void add_escaped(struct out *o, const uint8_t *p, size_t n, char quote)
{
	static const char letters[] = "abtnvfr"; /* of 7 … 13 */

	for (size_t i = 0; i < n;) {
		size_t len = shown_len(p + i, n - i);

		if (p[i] == (unsigned char)quote || p[i] == '\\')
			add(o, "\\", 1);
		if (len)
			add(o, (const char *)p + i, len);
		else if (p[i] >= 7 && p[i] <= 13)
			addf(o, "\\%c", letters[p[i] - 7]);
		else
			addf(o, "\\x%02x", p[i]);
		i += len ? len : 1;
	}
}

static void add_quoted(struct out *o, const uint8_t *p, size_t n, bool has_more)
{
	add(o, "\"", 1);
	add_escaped(o, p, n, '"');
	add_str(o, has_more ? "\"..." : "\"");
}

/*
 * --- numbers -----------------------------------------------------------------------------------
 */

static uint64_t read_number(const struct form *f, const uint8_t *p, size_t n)
{
	uint64_t v = 0;

	memcpy(&v, p, n < sizeof(v) ? n : sizeof(v));
	if (f->n_bits)
		v = f->n_bits < 64 ? v >> f->bit & ((1ull << f->n_bits) - 1) : v;
	return v;
}

static int64_t with_sign(uint64_t v, unsigned n_bits)
{
	return n_bits && n_bits < 64 ? (int64_t)(v << (64 - n_bits)) >> (64 - n_bits) : (int64_t)v;
}

/* The shortest decimal that is read as the same number. */
static void add_float(struct out *o, const uint8_t *p, size_t n)
{
	char text[64];
	long double wide;
	double number;
	float small;

	if (n == 4) {
		memcpy(&small, p, 4);
		for (int digits = 6; digits <= 9; digits++) {
			snprintf(text, sizeof(text), "%.*g", digits, (double)small);
			if (strtof(text, NULL) == small)
				break;
		}
	} else if (n == 8) {
		memcpy(&number, p, 8);
		for (int digits = 15; digits <= 17; digits++) {
			snprintf(text, sizeof(text), "%.*g", digits, number);
			if (strtod(text, NULL) == number)
				break;
		}
	} else if (n >= 10) {
		memset(&wide, 0, sizeof(wide));
		memcpy(&wide, p, 10);
		snprintf(text, sizeof(text), "%.18Lg", wide);
	} else {
		snprintf(text, sizeof(text), "?");
	}
	add_str(o, text);
}

/* By its name; or as several bits that have names; or as a number. */
static void add_enum(struct out *o, const struct form *f, int64_t v)
{
	uint64_t left = (uint64_t)v;
	bool is_first = true;

	for (size_t i = 0; i < f->n_names; i++)
		if (f->names[i].value == v) {
			add_str(o, f->names[i].name);
			return;
		}
	for (size_t i = 0; i < f->n_names; i++) {
		uint64_t bit = (uint64_t)f->names[i].value;

		if (!bit || bit & (bit - 1)) /* zero has a name of its own */
			left = bit ? UINT64_MAX : left;
		else
			left &= ~bit;
	}
	if (left || v <= 0) {
		addf(o, "%" PRId64, v);
		return;
	}
	for (size_t i = 0; i < f->n_names; i++) {
		uint64_t bit = (uint64_t)f->names[i].value;

		if (!bit || !((uint64_t)v & bit))
			continue;
		add_str(o, is_first ? "" : "|");
		add_str(o, f->names[i].name);
		is_first = false;
	}
}

static void add_function(struct out *o, uint64_t address)
{
	char name[256];

	if (address && o->names && o->names->find(o->names->ctx, address, name, sizeof(name))) {
		add(o, "&", 1);
		add_str(o, name);
	} else {
		addf(o, "%#" PRIx64, address);
	}
}

static void add_char(struct out *o, uint8_t c)
{
	add(o, "'", 1);
	if (c)
		add_escaped(o, &c, 1, '\'');
	else
		add_str(o, "\\0");
	add(o, "'", 1);
}

/*
 * --- forms -------------------------------------------------------------------------------------
 */

static void add_form(struct out *o, const struct form *f, const uint8_t *p, size_t n);

/* A part that lies behind what was recorded is not shown. */
static void add_part(struct out *o, const struct form *part, const uint8_t *p, size_t n,
		     uint32_t offset)
{
	if (offset + (part->n_bits ? (part->bit + part->n_bits + 7u) / 8 : part->n_bytes) > n)
		add_str(o, "?");
	else
		add_form(o, part, p + offset, n - offset);
}

static void add_struct(struct out *o, const struct form *f, const uint8_t *p, size_t n)
{
	add(o, "{", 1);
	for (uint16_t i = 0; i < f->n_parts; i++) {
		add_str(o, i ? ", " : "");
		if (f->parts[i].name) {
			add_str(o, f->parts[i].name);
			add(o, "=", 1);
		}
		add_part(o, &f->parts[i], p, n, f->parts[i].offset);
	}
	add_str(o, f->is_cut ? ", ...}" : "}");
}

static void add_array(struct out *o, const struct form *f, const uint8_t *p, size_t n)
{
	uint32_t i = 0;

	add(o, "[", 1);
	for (; i < f->n_elements && (i + 1ull) * f->stride <= n; i++) {
		add_str(o, i ? ", " : "");
		add_part(o, f->parts, p, n, i * f->stride);
	}
	add_str(o, f->is_cut || i < f->n_elements ? i ? ", ...]" : "...]" : "]");
}

static void add_scalar(struct out *o, const struct form *f, uint64_t v)
{
	unsigned n_bits = f->n_bits ? f->n_bits : f->n_bytes * 8u;
	int64_t s = with_sign(v, n_bits);

	switch (f->kind) {
	case FORM_INT:
		addf(o, "%" PRId64, s);
		break;
	case FORM_UINT:
		addf(o, "%" PRIu64, v);
		break;
	case FORM_OCT:
		addf(o, "%#" PRIo64, v);
		break;
	case FORM_BOOL:
		add_str(o, v == 1 ? "true" : v ? "true?" : "false");
		break;
	case FORM_ENUM:
		add_enum(o, f, s);
		break;
	case FORM_FUNCTION:
		add_function(o, v);
		break;
	case FORM_CHAR:
		add_char(o, (uint8_t)v);
		break;
	case FORM_AUTO:
		if (s >= -AUTO_DECIMAL_MAX && s <= AUTO_DECIMAL_MAX)
			addf(o, "%" PRId64, s);
		else
			addf(o, "%#" PRIx64, v);
		break;
	default:
		addf(o, v ? "%#" PRIx64 : "%" PRIu64, v);
	}
}

/* n: bytes that are there, at least those of the form, except of a struct or array. */
static void add_form(struct out *o, const struct form *f, const uint8_t *p, size_t n)
{
	size_t n_bytes = f->n_bytes < n ? f->n_bytes : n;
	uint64_t high;

	switch (f->kind) {
	case FORM_STRUCT:
		add_struct(o, f, p, n);
		return;
	case FORM_ARRAY:
		add_array(o, f, p, n);
		return;
	case FORM_CHARS:
		add_quoted(o, p, strnlen((const char *)p, n_bytes), false);
		return;
	case FORM_FLOAT:
		add_float(o, p, n_bytes);
		return;
	case FORM_DOTS:
		add_str(o, "...");
		return;
	default:
		if (n_bytes == 16) {
			memcpy(&high, p + 8, 8);
			if (high) {
				addf(o, "%#" PRIx64 "%016" PRIx64, high, read_number(f, p, 8));
				return;
			}
		}
		add_scalar(o, f, read_number(f, p, n_bytes));
	}
}

/*
 * --- values ------------------------------------------------------------------------------------
 */

/* The words that a value has; SIZE_MAX: it is not complete. */
static size_t words_of(const struct value *v, const uint64_t *words, size_t n)
{
	size_t need = v->carrier == CARRIER_NONE    ? 0
		      : v->carrier == CARRIER_WORDS ? v->n_words
		      : n			    ? 1 + ((words[0] & SNRT_GOT_LENGTH) + 7) / 8
						    : 1;

	return need <= n ? need : SIZE_MAX;
}

static void add_value(struct out *o, const struct value *v, const uint64_t *words)
{
	uint64_t got = words[0], address = 0;
	const uint8_t *bytes = (const uint8_t *)(words + 1);
	size_t len = got & SNRT_GOT_LENGTH;

	if (v->carrier == CARRIER_NONE) {
		add_str(o, "?");
	} else if (v->carrier == CARRIER_WORDS) {
		add_form(o, &v->form, (const uint8_t *)words, v->n_words * sizeof(*words));
	} else if (got & SNRT_GOT_NULL) {
		add_str(o, "NULL");
	} else if (got & SNRT_GOT_BAD) {
		memcpy(&address, bytes, len < sizeof(address) ? len : sizeof(address));
		addf(o, "<%#" PRIx64 ">", address);
	} else if (v->carrier == CARRIER_TEXT) {
		add_quoted(o, bytes, len, got & SNRT_GOT_MORE);
	} else {
		add_form(o, &v->form, bytes, len);
	}
}

size_t uservalues_fmt(const struct uservalues *v, bool is_ret, const uint64_t *words,
		      size_t n_bytes, const struct uservalues_names *names, char *out, size_t size)
{
	const struct value *list = is_ret ? &v->ret : v->args;
	size_t n_values = is_ret ? v->has_ret : v->n_args, n = n_bytes / sizeof(*words);
	struct out o = {.at = out, .end = out + size - 1, .names = names};

	for (size_t i = 0; i < n_values; i++) {
		size_t n_words = words_of(&list[i], words, n);

		add_str(&o, i ? ", " : "");
		if (n_words == SIZE_MAX) {
			add_str(&o, "...");
			break;
		}
		add_value(&o, &list[i], n_words ? words : (const uint64_t[]){0, 0});
		words += n_words;
		n -= n_words;
	}
	*o.at = 0;
	return (size_t)(o.at - out);
}
