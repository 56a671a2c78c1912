// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * valueforms.c - from a type to the code that fetches a value of it, and to the form of its text.
 *
 *	int n            rdi          REG 5; PUT                     3
 *	char *name       rsi          REG 4; TEXT 64                 "name"
 *	struct point p   rdx, xmm0    REG 1; PUT; REG 17; PUT        {x=1, y=2.5}
 *	struct big b     the stack    SLOT +8; COPY 40               {a=1, b=[1, 2, 3]}
 *	std::string &s   rcx          REG 2; STRING 64               "text"
 *	int &i           r8           REG 8; COPY 4                  7
 *
 * A form is a copy of what is needed of a type, so the debug information can be closed. Structs
 * show up to VALUES_PARTS_MAX members and two levels.
 */
#include "base/arena.h"
#include "capture/user/values_int.h"
#include "runtime/snrt.h"
#include "symbols/types.h"

#include <string.h>

#define DEPTH_MAX 3u
#define REF_BYTES VALUES_COPY_BYTES

void code_add(struct code *c, struct snrt_fetch fetch)
{
	if (c->n == VALUES_CODE_MAX) {
		c->is_full = true;
		return;
	}
	c->list[c->n++] = fetch;
}

void code_add_where(struct code *c, const struct where *w)
{
	if (w->kind == WHERE_REGS)
		code_add(c, (struct snrt_fetch){.op = SNRT_FETCH_REG, .reg = w->regs[0]});
	else
		code_add(c, (struct snrt_fetch){.op = SNRT_FETCH_STACK, .offset = w->offset});
}

/*
 * --- forms -------------------------------------------------------------------------------------
 */

/*
 * clang only declares it, because libstdc++ has its code; libc++, in std::__1, has another layout.
 */
static bool is_declared_string(struct type t)
{
	struct type_facts f;

	type_get(t, &f);
	return !f.n_members && f.name && !strncmp(f.name, "basic_string<char,", 18) &&
	       !strstr(f.name, "__1");
}

bool type_is_std_string(struct type t)
{
	struct type_member m;
	struct type_facts f;

	if (is_declared_string(t))
		return true;
	if (type_find_member(t, "_M_dataplus", 11, &m) < 0 || m.bit_offset ||
	    type_find_member(t, "_M_local_buf", 12, &m) < 0)
		return false;
	type_get(m.type, &f);
	type_get(f.target, &f);
	return f.is_char && f.n_bytes == 1;
}

static bool is_plain_char(struct type t)
{
	struct type_facts f;

	type_get(t, &f);
	return f.kind == TYPE_INT && f.is_char && f.n_bytes == 1 && !strcmp(f.name, "char");
}

bool type_is_text(struct type t)
{
	struct type_facts f;

	type_get(t, &f);
	return f.kind == TYPE_POINTER && !f.is_reference && is_plain_char(f.target);
}

static void form_of_enum(struct arena *a, struct type t, unsigned n, struct form *ret)
{
	unsigned n_names = n < VALUES_ENUM_MAX ? n : VALUES_ENUM_MAX;
	struct form_name *names = arena_alloc_array(a, n_names, sizeof(*names));
	struct type_enumerator e;

	for (unsigned i = 0; names && i < n_names && type_enumerator(t, i, &e) >= 0; i++) {
		names[ret->n_names].name = arena_strndup(a, e.name, strlen(e.name));
		names[ret->n_names].value = e.value;
		ret->n_names += names[ret->n_names].name != NULL;
	}
	ret->names = names;
}

static void form_at(struct arena *a, struct type t, unsigned depth, struct form *ret);

static void form_of_struct(struct arena *a, struct type t, unsigned n, unsigned depth,
			   struct form *ret)
{
	unsigned n_parts = n < VALUES_PARTS_MAX ? n : VALUES_PARTS_MAX;
	struct form *parts = arena_alloc_array(a, n_parts, sizeof(*parts));
	struct type_member m;

	ret->is_cut = n > n_parts;
	for (unsigned i = 0; parts && i < n_parts && type_member(t, i, &m) >= 0; i++) {
		struct form *part = &parts[ret->n_parts];
		struct type_facts f;

		type_get(m.type, &f);
		form_at(a, m.type, depth + 1, part);
		part->offset = (uint32_t)(m.bit_offset / 8);
		if (m.n_bits) {
			uint32_t unit = f.n_bytes ? (uint32_t)f.n_bytes : 4;

			part->offset = part->offset / unit * unit;
			part->bit = (uint8_t)(m.bit_offset - part->offset * 8ull);
			part->n_bits = (uint8_t)m.n_bits;
		}
		part->name = *m.name ? arena_strndup(a, m.name, strlen(m.name)) : NULL;
		ret->n_parts++;
	}
	ret->parts = parts;
}

static void form_of_array(struct arena *a, const struct type_facts *f, unsigned depth,
			  struct form *ret)
{
	struct form *element = arena_alloc(a, sizeof(*element));
	struct type_facts e;

	type_get(f->target, &e);
	if (is_plain_char(f->target)) {
		ret->kind = FORM_CHARS;
		return;
	}
	if (!element || !e.n_bytes)
		return;
	form_at(a, f->target, depth + 1, element);
	ret->kind = FORM_ARRAY;
	ret->parts = element;
	ret->stride = (uint32_t)e.n_bytes;
	ret->n_elements =
		f->n_elements < VALUES_PARTS_MAX ? (uint32_t)f->n_elements : VALUES_PARTS_MAX;
	ret->is_cut = f->n_elements > ret->n_elements;
}

static enum form_kind form_of_int(const struct type_facts *f)
{
	if (f->is_bool)
		return FORM_BOOL;
	if (f->n_bytes > 8)
		return FORM_HEX;
	if (f->is_char && f->n_bytes == 1)
		return FORM_CHAR;
	return f->is_signed ? FORM_INT : FORM_UINT;
}

static void form_at(struct arena *a, struct type t, unsigned depth, struct form *ret)
{
	struct type_facts f, target;

	type_get(t, &f);
	*ret = (struct form){.kind = FORM_DOTS,
			     .n_bytes = f.n_bytes < UINT16_MAX ? (uint16_t)f.n_bytes : UINT16_MAX};
	if (depth > DEPTH_MAX)
		return;
	switch (f.kind) {
	case TYPE_INT:
		ret->kind = form_of_int(&f);
		break;
	case TYPE_ENUM:
		ret->kind = FORM_ENUM;
		form_of_enum(a, t, f.n_members, ret);
		break;
	case TYPE_FLOAT:
		ret->kind = FORM_FLOAT;
		break;
	case TYPE_POINTER:
		type_get(f.target, &target);
		ret->kind = target.kind == TYPE_FUNCTION ? FORM_FUNCTION : FORM_HEX;
		break;
	case TYPE_ARRAY:
		form_of_array(a, &f, depth, ret);
		break;
	case TYPE_STRUCT:
	case TYPE_UNION:
		ret->kind = FORM_STRUCT;
		form_of_struct(a, t, f.n_members, depth, ret);
		break;
	default:
		if (f.n_floats == 2) { /* a complex number: an array of two */
			struct form *element = arena_alloc(a, sizeof(*element));

			if (!element)
				return;
			*element = (struct form){.kind = FORM_FLOAT, .n_bytes = ret->n_bytes / 2};
			ret->kind = FORM_ARRAY;
			ret->parts = element;
			ret->stride = ret->n_bytes / 2;
			ret->n_elements = 2;
		}
	}
}

void form_of_type(struct arena *a, struct type t, struct form *ret)
{
	form_at(a, t, 0, ret);
}

/*
 * --- values ------------------------------------------------------------------------------------
 */

static void add_text(const struct builder *b, struct code *c, bool is_std, struct value *ret)
{
	code_add(c, (struct snrt_fetch){.op = is_std ? SNRT_FETCH_STRING : SNRT_FETCH_TEXT,
					.n_bytes = b->n_text_bytes});
	ret->carrier = CARRIER_TEXT;
}

/* The accumulator has the address. */
static void add_copy(struct builder *b, struct code *c, struct type t, struct value *ret)
{
	if (type_is_std_string(t)) {
		add_text(b, c, true, ret);
		return;
	}
	form_of_type(b->arena, t, &ret->form);
	ret->carrier = CARRIER_MEMORY;
	code_add(c, (struct snrt_fetch){.op = SNRT_FETCH_COPY,
					.n_bytes = ret->form.n_bytes < REF_BYTES ? ret->form.n_bytes
										 : REF_BYTES});
}

static void add_words(struct code *c, const struct where *w, struct value *ret)
{
	ret->carrier = CARRIER_WORDS;
	if (w->kind == WHERE_STACK) {
		ret->n_words = 1;
		code_add_where(c, w);
		code_add(c, (struct snrt_fetch){.op = SNRT_FETCH_PUT});
		return;
	}
	ret->n_words = (uint8_t)w->n_regs;
	for (unsigned i = 0; i < w->n_regs; i++) {
		code_add(c, (struct snrt_fetch){.op = SNRT_FETCH_REG, .reg = w->regs[i]});
		code_add(c, (struct snrt_fetch){.op = SNRT_FETCH_PUT});
	}
}

/* A struct, a long double, on the stack. */
static void add_from_stack(struct builder *b, struct code *c, struct type t, const struct where *w,
			   struct value *ret)
{
	code_add(c, (struct snrt_fetch){.op = SNRT_FETCH_SLOT, .offset = w->offset});
	add_copy(b, c, t, ret);
}

void value_of_type(struct builder *b, struct code *c, struct type t, const struct where *w,
		   struct value *ret)
{
	struct type_facts f;
	bool is_plain;

	type_get(t, &f);
	*ret = (struct value){.carrier = CARRIER_NONE};
	if (w->kind == WHERE_NOWHERE)
		return;
	if (w->kind == WHERE_X87) {
		form_of_type(b->arena, t, &ret->form);
		code_add(c, (struct snrt_fetch){.op = SNRT_FETCH_X87});
		ret->carrier = CARRIER_WORDS;
		ret->n_words = 2;
		return;
	}
	if (w->is_address || (f.kind == TYPE_POINTER && f.is_reference)) {
		struct type_facts target;

		code_add_where(c, w);
		if (!w->is_address)
			type_get(f.target, &target);
		if (!w->is_address && !target.n_bytes &&
		    !type_is_std_string(f.target)) { /* a class that is only declared */
			code_add(c, (struct snrt_fetch){.op = SNRT_FETCH_PUT});
			*ret = (struct value){CARRIER_WORDS, 1, {.kind = FORM_HEX, .n_bytes = 8}};
			return;
		}
		add_copy(b, c, w->is_address ? t : f.target, ret);
		return;
	}
	if (type_is_text(t) || (f.kind == TYPE_POINTER && type_is_std_string(f.target))) {
		code_add_where(c, w);
		add_text(b, c, !type_is_text(t), ret);
		return;
	}
	is_plain = f.kind == TYPE_INT || f.kind == TYPE_ENUM || f.kind == TYPE_POINTER ||
		   f.kind == TYPE_FLOAT;
	if (w->kind == WHERE_STACK && (!is_plain || f.n_bytes > 8)) {
		add_from_stack(b, c, t, w, ret);
		return;
	}
	form_of_type(b->arena, t, &ret->form);
	add_words(c, w, ret);
}

/*
 * --- formats of the user -----------------------------------------------------------------------
 */

static enum form_kind kind_of_format(char format)
{
	switch (format) {
	case 'd':
	case 'i':
		return FORM_INT;
	case 'u':
		return FORM_UINT;
	case 'x':
		return FORM_HEX;
	case 'o':
		return FORM_OCT;
	case 'c':
		return FORM_CHAR;
	case 'f':
		return FORM_FLOAT;
	case 'p':
		return FORM_FUNCTION;
	default:
		return FORM_AUTO;
	}
}

/* The type that e: and t: name; t without a world: unknown. */
static struct type named_type(const struct builder *b, const struct want *w)
{
	struct type t = {0};
	char text[256];
	size_t len = strlen(w->type_name);

	if (!b->types || len > sizeof(text) - 8)
		return t;
	memcpy(text, w->format == 'e' ? "enum   " : "struct ", 7);
	memcpy(text + 7, w->type_name, len + 1);
	if (types_parse(b->types, text, len + 7, &t) < 0)
		types_parse(b->types, w->type_name, len, &t);
	return t;
}

void value_of_want(struct builder *b, struct code *c, const struct want *w, struct type t,
		   const struct where *where, struct value *ret)
{
	struct type_facts f = {0};
	uint64_t n_bytes;

	if (w->type_name && named_type(b, w).world)
		t = named_type(b, w);
	if (t.world)
		type_get(t, &f);
	if (t.world && (!w->format || w->format == 't' || w->format == 'e') && !w->n_bits) {
		value_of_type(b, c, t, where, ret);
		return;
	}
	*ret = (struct value){.carrier = CARRIER_NONE};
	if (where->kind == WHERE_NOWHERE)
		return;
	if (w->format == 's' || w->format == 'S') {
		code_add_where(c, where);
		add_text(b, c, w->format == 'S', ret);
		return;
	}
	n_bytes = w->n_bits ? w->n_bits / 8 : f.n_bytes && f.n_bytes <= 8 ? f.n_bytes : 8;
	if (w->format == 'c' && !w->n_bits)
		n_bytes = 1;
	ret->form = (struct form){.kind = kind_of_format(w->format), .n_bytes = (uint16_t)n_bytes};
	if (where->kind == WHERE_X87) {
		code_add(c, (struct snrt_fetch){.op = SNRT_FETCH_X87});
		ret->carrier = CARRIER_WORDS;
		ret->n_words = 2;
	} else if (n_bytes > 8) {
		code_add(c, (struct snrt_fetch){.op = SNRT_FETCH_SLOT, .offset = where->offset});
		code_add(c, (struct snrt_fetch){.op = SNRT_FETCH_COPY, .n_bytes = 16});
		ret->carrier = CARRIER_MEMORY;
	} else {
		add_words(c, where, ret);
	}
}
