// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * value.c - single values as a line of a report shows them: floating point numbers, words, arrays,
 * names.
 *
 *  field:double x;    "x=%#Lx", REC->x                        1.5       the type gives the meaning
 *  field:word arg1;   "arg1=%Lu", REC->arg1                   16, 0x7ffd…   large: a pointer
 *  field:s32 a[4];    "a={%d,%d,%d,%d}", REC->a[0], …         {10,-20,30,40}
 *  field:u32 c[2];    "c={%s,%s}", __print_symbolic(REC->c[0], …), …   {RED,BLUE}
 *  field:float f[2];  "f={%#Lx,%#Lx}", REC->f[0], …           {1.5,2}
 *  field:u8 mac[6];   "%s", __print_hex(REC->mac, 6)          02:42:…   as the format shows it
 *
 * An array is found in the print format by its field: all conversions from the first to the last
 * that show it, and the text between them. A number that the format shows by names is found in the
 * same way. It is printed from a temporary record that contains only this number:
 *
 *  "prev_state=%s%s ==>", (REC->prev_state & …) ? __print_flags(…) : "R",
 *          REC->prev_state & 256 ? "+" : ""                 S, R+
 *  "%d,%d", REC->dev >> 20, REC->dev & 1048575             8,0
 */
#include "base/textbuf.h"
#include "decode/print/print_int.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double real_of(const struct field *f, uint64_t bits)
{
	uint32_t low = bits;
	double d;
	float single;

	if (f->element_size == 4) {
		memcpy(&single, &low, sizeof(single));
		return single;
	}
	memcpy(&d, &bits, sizeof(d));
	return d;
}

void real_fmt(const struct field *f, uint64_t bits, struct textbuf *tb)
{
	double d = real_of(f, bits);
	int few = f->element_size == 4 ? 6 : 15;
	char text[40];

	if (isnan(d)) {
		textbuf_add_str(tb, "nan");
		return;
	}
	for (int digits = few; digits <= few + 3; digits++) {
		double same;

		snprintf(text, sizeof(text), "%.*g", digits, d);
		same = strtod(text, NULL);
		if (f->element_size == 4 ? (float)same == (float)d : same == d)
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

const struct field *element_array(const struct arg *a)
{
	const struct arg *left = a && a->kind == ARG_OP && a->op.op[0] == '[' ? a->op.left : NULL;

	return left && left->kind == ARG_FIELD ? left->field.field : NULL;
}

static const struct field *array_of(const struct arg *a)
{
	while (a && a->kind == ARG_CAST)
		a = a->cast.item;
	if (a && a->kind == ARG_OP && a->op.op[0] == '[')
		return array_of(a->op.left);
	if (a && (a->kind == ARG_SYMBOL || a->kind == ARG_FLAGS))
		return element_array(a->flags.value);
	if (a && (a->kind == ARG_HEX || a->kind == ARG_HEX_STR || a->kind == ARG_INT_ARRAY))
		return array_of(a->array.array);
	return a && (a->kind == ARG_FIELD || a->kind == ARG_DYNAMIC_ARRAY) ? a->field.field : NULL;
}

/* Returns true if the segment shows elements of the field. A text is not an array here. */
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

/*
 * --- numbers -------------------------------------------------------------------------------------
 */

#define RECORD_MAX_BYTES 1024 /* limit of the end of a field */

/*
 * Returns 1 if the argument depends only on this field, 0 if it depends on no field, and -1 if it
 * also depends on other fields or cannot be evaluated here.
 */
static int depends(const struct arg *a, const struct field *f)
{
	int left, right;

	if (!a)
		return 0;
	switch (a->kind) {
	case ARG_NULL:
	case ARG_ATOM:
		return 0;
	case ARG_FIELD:
		return a->field.field == f ? 1 : -1;
	case ARG_FLAGS:
	case ARG_SYMBOL:
		return depends(a->flags.value, f);
	case ARG_CAST:
		return depends(a->cast.item, f);
	case ARG_OP:
		left = depends(a->op.left, f);
		right = depends(a->op.right, f);
		return left < 0 || right < 0 ? -1 : left | right;
	default:
		return -1;
	}
}

static bool is_of(const struct segment *s, const struct field *f)
{
	return s->kind != SEGMENT_TEXT && !s->width_arg && depends(s->arg, f) == 1;
}

/*
 * Finds all adjacent segments that show the field, up to *ret_last. Returns NULL if there are none.
 */
static const struct segment *find_run(const struct event *ev, const struct field *f,
				      const struct segment **ret_last)
{
	const struct segment *first = ev->failed ? NULL : ev->segments;

	while (first && !is_of(first, f))
		first = first->next;
	*ret_last = first;
	for (const struct segment *s = first ? first->next : NULL; s; s = s->next) {
		if (is_of(s, f))
			*ret_last = s;
		else if (s->kind != SEGMENT_TEXT || s->len > 1)
			break;
	}
	return first;
}

enum number_shown event_shows_number(const struct event *ev, const struct field *f)
{
	const struct segment *last, *first = find_run(ev, f, &last);
	const char *p;

	if (!first || f->flags & (FIELD_BIG_ENDIAN | FIELD_REAL | FIELD_WORD) ||
	    f->offset + (uint64_t)f->size > RECORD_MAX_BYTES)
		return SHOWN_PLAIN;
	if (f->n_signed_bits) /* shown by name, or with the sign, which the number already has */
		return first->kind == SEGMENT_STRING ? SHOWN_NAMES : SHOWN_PLAIN;
	if (first != last || first->kind == SEGMENT_STRING)
		return SHOWN_NAMES;
	if (first->kind == SEGMENT_POINTER) {
		p = strchr(first->text, 'p');
		if (!p || !p[1] || !strchr("FfSs", p[1]))
			return SHOWN_PLAIN;
		return p[1] == 'F' || p[1] == 'S' ? SHOWN_SYMBOL : SHOWN_FUNCTION;
	}
	p = first->arg->kind == ARG_FIELD ? strpbrk(first->text, "xX") : NULL;
	return p ? SHOWN_HEX : SHOWN_PLAIN;
}

bool printer_print_number(struct printer *p, const struct event *ev, const struct field *f,
			  uint64_t v)
{
	const struct segment *last, *first = find_run(ev, f, &last);
	uint8_t data[RECORD_MAX_BYTES] = {0};
	struct record rec = {.event = ev, .data = data, .size = f->offset + f->size};

	if (!first || f->offset + (uint64_t)f->size > RECORD_MAX_BYTES)
		return false;
	v &= field_mask(f);
	for (unsigned i = 0; i < f->size; i++) {
		bool is_big = p->swap != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);

		data[f->offset + i] = v >> 8 * (is_big ? f->size - 1 - i : i);
	}
	printer_point_at(p, &rec);
	for (const struct segment *s = first; s; s = s == last ? NULL : s->next)
		print_segment(p, s);
	return true;
}
