// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * string.c - arguments of a %s conversion.
 *
 * For numbers the conversion decides how they look, but for %s the argument decides: text in the
 * record, names of flags or values, arrays in hex, masks of CPUs. Width and precision apply to each
 * text as in printf; for flags, to each name.
 */
#include "base/textbuf.h"
#include "decode/print/print_int.h"
#include "format/bytes.h"
#include "symbols/printkfmt.h"

#include <string.h>

/* Returns, for a probe, the array of which an element is shown by a name. */
static const struct field *named_array(const struct printer *p, const struct arg *a)
{
	const struct field *array = element_array(a->flags.value);

	return array && p->ev && event_is_probe(p->ev) ? array : NULL;
}

/*
 * Returns the bits of a named value. An element of an array is sign-extended, but the names are
 * not.
 */
static uint64_t name_mask(const struct printer *p, const struct arg *a)
{
	const struct field *array = named_array(p, a);

	return array && array->element_size < 8 ? (UINT64_C(1) << (8 * array->element_size)) - 1
						: UINT64_MAX;
}

static void print_flags(struct printer *p, const struct conversion *c, const struct arg *a)
{
	int64_t v = arg_eval(p, a->flags.value) & name_mask(p, a);
	bool any = false;

	if (!v && named_array(p, a)) /* print 0, because {F_A,,F_B} would have a hole */
		return textbuf_add_char(p->out, '0');

	for (size_t i = 0; i < a->flags.n_names; i++) {
		const struct flag_name *n = &a->flags.names[i];

		if (!v && n->value < 0) {
			emit_string(p->out, c, n->text, n->len);
			break;
		}
		if (n->value <= 0 || (v & n->value) != n->value)
			continue;
		if (any && a->flags.delim)
			textbuf_add_str(p->out, a->flags.delim);
		emit_string(p->out, c, n->text, n->len);
		any = true;
		v &= ~n->value;
	}
	if (!v)
		return;
	if (any && a->flags.delim)
		textbuf_add_str(p->out, a->flags.delim);
	textbuf_add(p->out, "0x", 2);
	textbuf_add_hex(p->out, v);
}

static void print_symbolic(struct printer *p, const struct conversion *c, const struct arg *a)
{
	uint64_t mask = name_mask(p, a);
	int64_t v = arg_eval(p, a->flags.value);

	for (size_t i = 0; i < a->flags.n_names; i++) {
		if (!(((uint64_t)a->flags.names[i].value ^ (uint64_t)v) & mask)) {
			emit_string(p->out, c, a->flags.names[i].text, a->flags.names[i].len);
			return;
		}
	}
	if (named_array(p, a)) /* a probe shows {RED,-3,BLUE} */
		return textbuf_add_signed(p->out, v);
	textbuf_add(p->out, "0x", 2);
	textbuf_add_hex(p->out, v);
}

/* Returns the bytes of an array argument, up to the end of the record, or an empty piece. */
static struct piece array_bytes(struct printer *p, const struct arg *a)
{
	uint32_t offset, len;

	while (a->kind == ARG_CAST)
		a = a->cast.item;
	if (a->kind == ARG_DYNAMIC_ARRAY)
		dynamic_place(p, a->field.field, &offset, &len);
	else if (a->kind == ARG_FIELD && a->field.field)
		offset = a->field.field->offset;
	else
		return PIECE_EMPTY;
	return offset > p->size ? PIECE_EMPTY : (struct piece){p->data + offset, p->size - offset};
}

static void print_hex(struct printer *p, const struct arg *a)
{
	struct piece bytes = array_bytes(p, a->array.array);
	uint32_t n = arg_eval(p, a->array.count);

	if (n > bytes.len)
		n = bytes.len;
	for (uint32_t i = 0; i < n; i++) {
		if (i && a->kind == ARG_HEX)
			textbuf_add_char(p->out, ' ');
		textbuf_add(p->out, number_hex_pairs + bytes.data[i] * 2, 2);
	}
}

static void print_int_array(struct printer *p, const struct arg *a)
{
	struct piece bytes = array_bytes(p, a->array.array);
	uint32_t n = arg_eval(p, a->array.count);
	int size = arg_eval(p, a->array.element_size);
	bool known = size == 1 || size == 2 || size == 4 || size == 8;
	uint32_t step = known ? size : 1, pos = 0;

	if (!known && n && bytes.len) {
		textbuf_addf(p->out, "BAD SIZE:%d 0x%x", size, bytes.data[pos++]);
		n--;
	}
	for (uint32_t i = 0; i < n && bytes.len - pos >= step; i++, pos += step) {
		if (pos)
			textbuf_add_char(p->out, ' ');
		textbuf_add_dec(p->out, bytes_get(bytes.data + pos, step, p->swap));
	}
}

/* Prints "00000000,0000000f": the highest byte first, a comma every 32 bits. */
static void print_bitmask(struct printer *p, const struct conversion *c, struct piece bytes)
{
	char text[4096], *s = text;
	size_t n = bytes.len < sizeof(text) / 3 ? bytes.len : sizeof(text) / 3;

	for (size_t i = n; i-- > 0;) {
		size_t index = p->formats->big_endian ? n - 1 - i : i;

		memcpy(s, number_hex_pairs + bytes.data[index] * 2, 2);
		s += 2;
		if (i && !(i & 3))
			*s++ = ',';
	}
	emit_string(p->out, c, text, s - text);
}

/* Prints "0-3,8": the numbers of the set bits. */
static void print_cpumask(struct printer *p, const struct conversion *c, struct piece bytes)
{
	char text[32768], *s = text;
	size_t n_bits = bytes.len * 8, bit = 0;

	while (bit < n_bits && s < text + sizeof(text) - 64) {
		size_t first, index = bit / 8;

		if (p->formats->big_endian)
			index = bytes.len - 1 - index;
		if (!(bytes.data[index] >> (bit & 7) & 1)) {
			bit++;
			continue;
		}
		for (first = bit; bit < n_bits; bit++) {
			index = p->formats->big_endian ? bytes.len - 1 - bit / 8 : bit / 8;
			if (!(bytes.data[index] >> (bit & 7) & 1))
				break;
		}
		if (s != text)
			*s++ = ',';
		s = number_emit_dec(s, first);
		if (bit - first > 1) {
			*s++ = '-';
			s = number_emit_dec(s, bit - 1);
		}
	}
	emit_string(p->out, c, text, s - text);
}

static void print_field_text(struct printer *p, const struct conversion *c, const struct field *f)
{
	uint32_t len;
	const char *text;

	if (!f || f->offset > p->size)
		return;
	/* a field that is not an array may be the address of a string that the kernel listed */
	if (!(f->flags & FIELD_ARRAY) && f->size == p->formats->long_size) {
		uint64_t addr = f->size <= p->size - f->offset
					? bytes_get(p->data + f->offset, f->size, p->swap)
					: 0;
		const char *fmt = printkfmts_find(&p->formats->printk, addr);

		if (fmt)
			textbuf_add_str(p->out, fmt);
		else
			textbuf_add_hex(p->out, addr);
		return;
	}
	len = f->size && f->size <= p->size - f->offset ? f->size : p->size - f->offset;
	text = (const char *)p->data + f->offset;
	emit_string(p->out, c, text, strnlen(text, len));
}

static void print_dynamic_text(struct printer *p, const struct conversion *c, const struct field *f)
{
	uint32_t offset, len;

	if (!f)
		return;
	dynamic_place(p, f, &offset, &len);
	if (!len && f->flags & FIELD_FAULTS)
		emit_string(p->out, c, "(fault)", 7);
	if (!len)
		return;
	/* print up to the NUL, which may be beyond the stated length, but not outside the record */
	emit_string(p->out, c, (const char *)p->data + offset,
		    strnlen((const char *)p->data + offset, p->size - offset));
}

static struct piece mask_bytes(struct printer *p, const struct field *f)
{
	uint32_t offset = 0, len = 0;

	if (f)
		dynamic_place(p, f, &offset, &len);
	return (struct piece){p->data + offset, len};
}

/*
 * Prints names of flags and values from a cache. Their lists have up to fifty rows, and the same
 * few values repeat, so each printer caches the last texts by argument and value.
 */
void print_names_memo(struct printer *p, const struct arg *a)
{
	static const struct conversion bare = {.letter = 's', .width = -1, .precision = -1};
	uint64_t v = arg_eval(p, a->flags.value);
	struct print_memo *m =
		&p->memo[((v ^ (uintptr_t)a >> 4) * 0x9e3779b97f4a7c15u) >> (64 - PRINT_MEMO_BITS)];
	size_t start, len;

	if (m->arg == a && m->value == v) {
		textbuf_add(p->out, m->text, m->len);
		return;
	}
	start = textbuf_len(p->out);
	if (a->kind == ARG_FLAGS)
		print_flags(p, &bare, a);
	else
		print_symbolic(p, &bare, a);
	len = textbuf_len(p->out) - start;
	if (len > sizeof(m->text) || p->out->overflow)
		return;
	*m = (struct print_memo){.arg = a, .value = v, .len = len};
	memcpy(m->text, p->out->start + start, len);
}

void print_string_arg(struct printer *p, const struct conversion *c, const struct arg *a)
{
	switch (a->kind) {
	case ARG_ATOM:
	case ARG_BSTRING:
		emit_string(p->out, c, a->atom.text, a->atom.len);
		return;
	case ARG_FIELD:
		print_field_text(p, c, a->field.field);
		return;
	case ARG_FLAGS:
	case ARG_SYMBOL:
		if (c->width < 0 && c->precision < 0)
			print_names_memo(p, a);
		else if (a->kind == ARG_FLAGS)
			print_flags(p, c, a);
		else
			print_symbolic(p, c, a);
		return;
	case ARG_HEX:
	case ARG_HEX_STR:
		print_hex(p, a);
		return;
	case ARG_INT_ARRAY:
		print_int_array(p, a);
		return;
	case ARG_STRING:
		print_dynamic_text(p, c, a->field.field);
		return;
	case ARG_BITMASK:
		if (a->field.field)
			print_bitmask(p, c, mask_bytes(p, a->field.field));
		return;
	case ARG_CPUMASK:
		if (a->field.field)
			print_cpumask(p, c, mask_bytes(p, a->field.field));
		return;
	case ARG_OP:
		if (a->op.op[0] == '?' && a->op.right && a->op.right->kind == ARG_OP)
			print_string_arg(p, c,
					 arg_eval(p, a->op.left) ? a->op.right->op.left
								 : a->op.right->op.right);
		return;
	case ARG_FUNC:
		function_call(p, a);
		return;
	default:
		return;
	}
}
