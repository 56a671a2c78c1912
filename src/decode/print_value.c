// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * print_value.c - single values as the line of a report shows them: floating point numbers, words, arrays.
 *
 *	field:double x;     "x=%#Lx", REC->x                        1.5       the type's name says what the bits mean
 *	field:word arg1;    "arg1=%Lu", REC->arg1                   16, 0x7ffd…   a pointer is larger than most numbers
 *	field:s32 a[4];     "a={%d,%d,%d,%d}", REC->a[0], …         {10,-20,30,40}
 *	field:u8 mac[6];    "%s", __print_hex(REC->mac, 6)          02:42:…   whatever the print format makes of it
 *
 * An array is found in the print format by its field: all conversions from the first to the last that show it, and the
 * text between them.
 */
#include "decode/print_int.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double real_of(const struct field *f, uint64_t bits)
{
	uint32_t low = bits;
	double d;
	float single;

	if (f->size == 4) {
		memcpy(&single, &low, sizeof(single));
		return single;
	}
	memcpy(&d, &bits, sizeof(d));
	return d;
}

void real_fmt(const struct field *f, uint64_t bits, struct textbuf *tb)
{
	double d = real_of(f, bits);
	int few = f->size == 4 ? 6 : 15;
	char text[40];

	if (isnan(d)) {
		textbuf_add_str(tb, "nan");
		return;
	}
	for (int digits = few; digits <= few + 3; digits++) {
		double same;

		snprintf(text, sizeof(text), "%.*g", digits, d);
		same = strtod(text, NULL);
		if (f->size == 4 ? (float)same == (float)d : same == d)
			break;
	}
	textbuf_add_str(tb, text);
}

void word_fmt(uint64_t v, struct textbuf *tb)
{
	if (v <= UINT32_MAX) {
		textbuf_add_dec(tb, v);
		return;
	}
	textbuf_add(tb, "0x", 2);
	textbuf_add_hex(tb, v);
}

static const struct field *array_of(const struct arg *a)
{
	while (a && a->kind == ARG_CAST)
		a = a->cast.item;
	if (a && a->kind == ARG_OP && a->op.op[0] == '[')
		return array_of(a->op.left);
	if (a && (a->kind == ARG_HEX || a->kind == ARG_HEX_STR || a->kind == ARG_INT_ARRAY))
		return array_of(a->array.array);
	return a && (a->kind == ARG_FIELD || a->kind == ARG_DYNAMIC_ARRAY) ? a->field.field : NULL;
}

/* Shows elements of it; a text is no array here. */
static bool shows(const struct segment *s, const struct field *f)
{
	const struct arg *a = s->arg;

	while (a && a->kind == ARG_CAST)
		a = a->cast.item;
	return s->kind != SEGMENT_TEXT && a && a->kind != ARG_FIELD && array_of(a) == f;
}

bool event_shows_array(const struct event *ev, const struct field *f)
{
	for (const struct segment *s = ev->failed ? NULL : ev->segments; s; s = s->next)
		if (shows(s, f))
			return true;
	return false;
}

bool printer_print_array(struct printer *p, const struct field *f)
{
	const struct segment *first = NULL, *last = NULL, *before = NULL;
	bool is_braced;

	for (const struct segment *s = p->ev->failed ? NULL : p->ev->segments; s; s = s->next) {
		if (shows(s, f)) {
			first = first ? first : s;
			last = s;
		} else if (!first) {
			before = s;
		}
	}
	if (!first)
		return false;
	is_braced = before && before->kind == SEGMENT_TEXT && before->len &&
		    before->text[before->len - 1] == '{';
	if (is_braced)
		textbuf_add_char(p->out, '{');
	for (const struct segment *s = first; s; s = s == last ? NULL : s->next)
		print_segment(p, s);
	if (is_braced)
		textbuf_add_char(p->out, '}');
	return true;
}
