// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * rawfields.c - prints every field as " name=value" (report -R, and events whose format is
 * unknown).
 *
 * A field that the print format shows by itself, at most under casts, is shown in the same way,
 * after "0x" if the text before the conversion ends with it. All others are shown by their type.
 * The print format is searched from the last match, wrapping around, as trace-cmd does; that
 * decides which of two conversions of one field is used, at compile time.
 *
 * A character array that contains something unprintable is shown as ARRAY[…], and from then on in
 * every later record of that event, even if it contains text. record->aux contains the affected
 * fields (sequence.c sets it), so that records can be printed in any order.
 */
#include "base/textbuf.h"
#include "decode/print/print_int.h"
#include "format/bytes.h"

#include <ctype.h>
#include <string.h>

static bool ends_with_0x(const struct segment *s)
{
	return s->len > 1 && !memcmp(s->text + s->len - 2, "0x", 2);
}

static const struct field *plain_field(const struct segment *s)
{
	const struct arg *a = s->arg;

	while (a && a->kind == ARG_CAST)
		a = a->cast.item;
	return a && a->kind == ARG_FIELD ? a->field.field : NULL;
}

/* Finds the conversion that shows f, searching from *from, and moves *from after it. */
static const struct segment *find_conversion(const struct event *ev, const struct field *f,
					     const struct segment **from, bool *ret_0x)
{
	const struct segment *s = *from ? *from : NULL, *start = s;

	*ret_0x = false;
	if (!s || ev->failed || f->flags & (FIELD_ARRAY | FIELD_STRING))
		return NULL;
	do {
		if (s->kind == SEGMENT_TEXT) {
			*ret_0x = ends_with_0x(s);
		} else if (plain_field(s) == f) {
			*from = s->next;
			return s;
		} else {
			*ret_0x = false;
		}
		s = s->next ? s->next : ev->segments;
	} while (s != start);
	return NULL;
}

void rawfields_compile(struct event *ev, struct arena *arena)
{
	const struct segment *from = ev->is_bprint ? NULL : ev->segments;
	struct print_op *op = arena_alloc_array(arena, ev->n_fields + 1, sizeof(*op));

	if (!op)
		return;
	ev->raw.ops = op;
	for (size_t i = 0; i < ev->n_fields; i++, op++) {
		size_t len = strlen(ev->fields[i].name);
		char *text = arena_alloc(arena, len + 3);
		const struct segment *s =
			find_conversion(ev, &ev->fields[i], &from, &op->prefix_0x);

		if (!text)
			return;
		text[0] = ' ';
		memcpy(text + 1, ev->fields[i].name, len);
		text[len + 1] = '=';
		op->text = text;
		op->text_len = len + 2;
		op->field = &ev->fields[i];
		/*
		 * the segment is compiled when it runs: -R is for close inspection, not for speed
		 */
		op->arg = s ? (const struct arg *)s : NULL;
		if (s && s->kind == SEGMENT_POINTER)
			formats_kallsyms(ev->formats);
		if (s) {
			args_resolve(ev->formats, s->arg, s->kind != SEGMENT_STRING);
			args_resolve(ev->formats, s->width_arg, true);
		}
		ev->raw.n_ops++;
	}
}

static bool is_printable(struct piece bytes)
{
	for (size_t i = 0; i < bytes.len && bytes.data[i]; i++)
		if (!isprint(bytes.data[i]) && !isspace(bytes.data[i]))
			return false;
	return true;
}

static void print_bytes(struct printer *p, struct piece bytes)
{
	textbuf_add(p->out, "ARRAY[", 6);
	for (size_t i = 0; i < bytes.len; i++) {
		if (i)
			textbuf_add(p->out, ", ", 2);
		textbuf_add(p->out, number_hex_pairs + bytes.data[i] * 2, 2);
	}
	textbuf_add_char(p->out, ']');
}

static void print_signed(struct printer *p, const struct field *f, uint64_t v)
{
	switch (f->size) {
	case 4:
		if (f->flags & FIELD_LONG)
			textbuf_addf(p->out, "0x%x", (int)v);
		else
			textbuf_add_signed(p->out, (int32_t)v);
		return;
	case 2:
		textbuf_addf(p->out, "%2d", (short)v);
		return;
	case 1:
		textbuf_add_signed(p->out, (int8_t)v);
		return;
	}
	textbuf_add_signed(p->out, v);
}

/*
 * Returns the bytes of an array. A fixed array of size 0 extends to the end of the record;
 * libtraceevent shows nothing of it.
 */
static struct piece array_bytes(struct printer *p, const struct field *f)
{
	struct piece bytes = printer_field_bytes(p, f);

	if (!(f->flags & FIELD_DYNAMIC) && !f->size)
		bytes.len = 0;
	return bytes;
}

/*
 * Prints one field's content in the raw style. not_text: the field's text was unprintable before.
 */
static void printer_print_field_raw(struct printer *p, const struct field *f, bool not_text)
{
	uint64_t v = 0;

	if (f->flags & FIELD_ARRAY) {
		struct piece bytes = array_bytes(p, f);

		if (f->flags & FIELD_FAULTS && !bytes.len) {
			textbuf_add_str(p->out, "(fault)");
			return;
		}
		if ((f->flags & FIELD_STRING) && !not_text && is_printable(bytes)) {
			const char *s = (const char *)bytes.data;

			/* print up to the NUL, which may be beyond the field's end */
			textbuf_add(p->out, s, strnlen(s, p->data + p->size - bytes.data));
			return;
		}
		print_bytes(p, bytes);
		return;
	}
	if (!printer_number(p, f, &v) && field_is_gone(f, v)) {
		textbuf_add_char(p->out, '?');
	} else if (f->flags & FIELD_POINTER) {
		textbuf_add(p->out, "0x", 2);
		textbuf_add_hex(p->out, v);
	} else if (f->flags & FIELD_SIGNED) {
		print_signed(p, f, v);
	} else if (f->flags & FIELD_LONG) {
		textbuf_add(p->out, "0x", 2);
		textbuf_add_hex(p->out, v);
	} else {
		textbuf_add_dec(p->out, v);
	}
}

void rawfields_print(struct printer *p, const struct record *rec)
{
	const struct print_op *op = p->ev->raw.ops, *end = op + p->ev->raw.n_ops;

	for (; op < end; op++) {
		const struct segment *s = (const struct segment *)op->arg;
		unsigned i = op->field->text_index;

		textbuf_add(p->out, op->text, op->text_len);
		if (s) {
			if (op->prefix_0x)
				textbuf_add(p->out, "0x", 2);
			print_segment(p, s);
		} else {
			printer_print_field_raw(p, op->field, rec && i < 32 && rec->aux >> i & 1);
		}
	}
}
