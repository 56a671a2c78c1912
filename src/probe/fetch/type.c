// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * type.c - decides how the bytes of an argument are recorded and shown.
 *
 *  numbers               u8 … s64, by size and sign          bool, enum   the same, shown by name
 *  pointers              x64; to a function: symbol
 *  char *                string: one more read               char [N]     string, in place
 *  bit fields            bWIDTH@FIRST/CONTAINER
 *  arrays                TYPE[N], up to 64 elements
 *  a struct of one member that fills it (atomic_t, kuid_t)   that member
 *  std::string           its text (of libstdc++)
 *  any other struct      refused; the message lists its members
 *
 * A type that the user wrote after ':' has priority. "string", "ustring" and arrays are read from
 * memory: if the value is in a register, they are read from the address in the register. "u", "s"
 * and "x" alone take the size from the type.
 *
 * The name of the element's type decides whether it is a string: "char" always, "unsigned char" and
 * "signed char" only without a typedef, because u8 and uint8_t are numbers to their authors.
 */
#include "base/array.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "probe/fetch/fetch_int.h"
#include "symbols/types.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ELEMENTS 64 /* limit of the kernel */
#define MAX_UNWRAPS  8
#define MAX_TYPEDEFS 32

struct emission {
	const struct fetch_place *place;
	struct value *v;
	struct span span;
	struct fetch *ret;
	struct errmsg *err;
	struct type_facts facts; /* facts about v->type */
	struct type asked;	 /* v->type before structs of one member were unwrapped */
};

/*
 * --- what kind of thing it is --------------------------------------------------------------------
 */

static bool has_typedef(struct type t)
{
	struct type next;
	const char *name;

	for (unsigned i = 0; i < MAX_TYPEDEFS && type_peel(t, &name, &next); i++) {
		if (*name && strcmp(name, "const") && strcmp(name, "volatile") &&
		    strcmp(name, "restrict"))
			return true;
		t = next;
	}
	return false;
}

static bool is_text(struct type t)
{
	struct type_facts f;

	type_get(t, &f);
	return f.kind == TYPE_INT && f.is_char && f.n_bytes == 1 &&
	       (!strcmp(f.name, "char") || !has_typedef(t));
}

/* Decides whether an enum is shown as flags: its enumerators are single bits. */
static enum probe_show show_of_enum(struct type t, const struct type_facts *f)
{
	unsigned n_bits = 0;
	bool above_two = false;

	for (unsigned i = 0; i < f->n_members; i++) {
		struct type_enumerator e;

		if (type_enumerator(t, i, &e) < 0 || !e.value)
			continue;
		if (e.value < 0 || (e.value & (e.value - 1)))
			return PROBE_SHOW_ENUM;
		above_two |= e.value > 2;
		n_bits++;
	}
	return n_bits > 1 && above_two ? PROBE_SHOW_FLAGS : PROBE_SHOW_ENUM;
}

/*
 * --- writing -------------------------------------------------------------------------------------
 */

static int write_out(struct emission *e, const char *type)
{
	char text[EXPR_MAX_BYTES + 100], what[EXPR_MAX_BYTES + 32];

	if (e->v->is_at_user && e->v->kind == VALUE_MEMORY)
		e->v->is_user = true;
	value_fmt(e->v, what, sizeof(what));
	if (e->v->kind == VALUE_PLAIN && e->v->addend && !e->v->is_gone)
		return FETCH_REFUSE(e->place, e->err, e->span, -EOPNOTSUPP,
				    "this is an address (%s%+lld), but a probe can read "
				    "memory, not calculate; name what to read there, or record "
				    "the base pointer",
				    e->v->expr, (long long)e->v->addend);
	snprintf(text, sizeof(text), "%s%s%s", what, type ? ":" : "", type ? type : "");
	if (e->v->is_gone)
		snprintf(text, sizeof(text), "%s%s%s",
			 type && strstr(type, "string") ? "\\\"?\"" : FETCH_GONE, type ? ":" : "",
			 type ? type : "");
	if (strlen(text) > FETCH_MAX_BYTES)
		return FETCH_REFUSE(
			e->place, e->err, e->span, -E2BIG,
			"this needs %zu bytes in the kernel's form (%s), but the limit is %d; "
			"record a pointer on the way, and the rest with a second probe",
			strlen(text), text, FETCH_MAX_BYTES);
	memcpy(e->ret->text, text, strlen(text) + 1);
	e->ret->type = e->v->type;
	return 0;
}

/* Makes v the memory from which strings and arrays are read. */
static void point(struct emission *e, bool is_behind)
{
	bool is_user = e->v->is_user || (is_behind && e->facts.is_user);

	if (is_behind)
		value_load(e->v);
	if (e->v->kind == VALUE_PLAIN)
		e->v->kind = VALUE_MEMORY;
	e->v->is_user = is_user && !e->place->is_program && e->place->kernel->user_strings;
}

/* Writes a string. ustring reads the program's memory anyway, so it needs no "+u". */
static int write_string(struct emission *e, bool is_behind, const char *type)
{
	char user_type[32];

	point(e, is_behind);
	if ((e->v->is_user || e->v->is_at_user) && e->v->kind == VALUE_MEMORY && type[0] == 's') {
		snprintf(user_type, sizeof(user_type), "u%s", type);
		type = user_type;
	}
	e->v->is_user = e->v->is_at_user = false;
	return write_out(e, type);
}

/*
 * --- by the type itself --------------------------------------------------------------------------
 */

static void fmt_number(const struct emission *e, const struct type_facts *f, char *out, size_t size)
{
	char letter = f->kind == TYPE_POINTER || f->kind == TYPE_FLOAT ? 'x'
		      : f->is_signed				       ? 's'
		      : e->place->kernel->plain_types		       ? 'x'
								       : 'u';
	uint64_t n = f->n_bytes;

	snprintf(out, size, "%c%u", letter, n == 1 ? 8 : n == 2 ? 16 : n == 4 ? 32 : 64);
}

/*
 * Writes a member of a struct in registers. The upper bits of a register are read as a bit field.
 */
static int write_part(struct emission *e, const char *type, unsigned n_bits)
{
	struct value *v = e->v;
	char field[32];

	if (v->bit >= 64) {
		snprintf(v->expr, sizeof(v->expr), "%s", *v->high ? v->high : "%?");
		v->bit -= 64;
	}
	v->kind = VALUE_PLAIN;
	if (!strcmp(v->expr, VALUE_NO_REGISTER))
		return FETCH_REFUSE(
			e->place, e->err, e->span, -EOPNOTSUPP,
			"this part of the result is in a floating point register, which probes "
			"cannot read; probe a line after the call that keeps it in memory");
	if (!v->bit && !v->n_bits)
		return write_out(e, type);
	if (v->bit + n_bits > 64 || !e->place->kernel->bitfields)
		return FETCH_REFUSE(e->place, e->err, e->span, -EOPNOTSUPP,
				    "these bits are in the middle of a register, where this "
				    "kernel's probes cannot read them; probe a line where the "
				    "struct is in memory");
	snprintf(field, sizeof(field), "b%u@%u/64", n_bits, v->bit);
	if (e->facts.kind == TYPE_INT && e->facts.is_signed)
		e->ret->show = PROBE_SHOW_SIGNED;
	return write_out(e, field);
}

/* Returns true for whole bytes, which are an ordinary number, whose sign the kernel knows. */
static bool is_whole_number(const struct emission *e)
{
	const struct value *v = e->v;

	return v->kind == VALUE_MEMORY && !(v->bit % 8) && !e->place->kernel->plain_types &&
	       (v->n_bits == 8 || v->n_bits == 16 || v->n_bits == 32 || v->n_bits == 64) &&
	       e->facts.is_signed && !e->facts.is_bool;
}

static int write_whole_number(struct emission *e)
{
	char type[16];

	e->v->addend += e->v->bit / 8;
	snprintf(type, sizeof(type), "s%u", e->v->n_bits);
	if (e->ret->show == PROBE_SHOW_SIGNED)
		e->ret->show = PROBE_SHOW_AS_IS;
	return write_out(e, type);
}

/*
 * Writes a bit field. The container is the member's type if the bits are in one unit of it, or the
 * next larger type that holds all bits.
 */
static int write_bitfield(struct emission *e)
{
	struct value *v = e->v;
	unsigned size = e->facts.n_bytes ? 8 * e->facts.n_bytes : 32, first;
	char field[32];

	if (!e->place->kernel->bitfields)
		return FETCH_REFUSE(e->place, e->err, e->span, -EOPNOTSUPP,
				    "this is a bit field, which this kernel's probes do not "
				    "support; record the number that contains it: "
				    "+N(POINTER):u32");
	if (v->kind == VALUE_PARTS)
		return write_part(e, NULL, v->n_bits);
	if (is_whole_number(e))
		return write_whole_number(e);
	for (;; size *= 2) {
		int64_t byte = v->addend & ~(int64_t)(size / 8 - 1);

		first = 8 * (v->addend - byte) + v->bit;
		if (first + v->n_bits <= size) {
			v->addend = byte;
			break;
		}
		if (size >= 64) { /* packed, across two words: start at the member's own byte */
			first = v->bit;
			break;
		}
	}
	snprintf(field, sizeof(field), "b%u@%u/%u", v->n_bits, first, size);
	return write_out(e, field);
}

/*
 * Returns true for std::string of libstdc++. Its first member, _M_dataplus._M_p, points to the
 * text. clang may only declare the class around that pointer; the buffer for short strings also
 * shows what kind of text it is.
 */
bool fetch_is_cpp_string(struct type t)
{
	struct type_member m;
	struct type_facts f;

	if (type_find_member(t, "_M_dataplus", 11, &m) < 0 || m.bit_offset ||
	    type_find_member(t, "_M_local_buf", 12, &m) < 0)
		return false;
	type_get(m.type, &f);
	return f.kind == TYPE_ARRAY && is_text(f.target);
}

/* Adds a note about a class by reference, which looks like the object itself. */
static void note_reference(struct emission *e)
{
	const char *text = e->place->definition->text + e->span.at;
	char parts[150];

	fetch_fmt_parts(e->facts.target, text, (int)e->span.len, parts, sizeof(parts));
	snprintf(e->ret->note, sizeof(e->ret->note),
		 "%.*s is a reference, so its address is recorded; to read what is there, %s",
		 (int)(e->span.len < 40 ? e->span.len : 40), text, parts);
}

static bool is_of_code(const struct type_facts *f)
{
	struct type_facts target;

	if (f->kind != TYPE_POINTER)
		return false;
	type_get(f->target, &target);
	return target.kind == TYPE_FUNCTION;
}

static int write_pointer(struct emission *e)
{
	const struct probe_kernel *k = e->place->kernel;
	struct type_facts target;

	type_get(e->facts.target, &target);
	if (e->facts.is_reference && ((target.kind != TYPE_STRUCT && target.kind != TYPE_UNION) ||
				      fetch_is_cpp_string(e->facts.target))) {
		value_load(e->v);
		e->v->kind = VALUE_MEMORY;
		e->v->type = e->facts.target;
		return fetch_finish(e->place, e->v, NULL, e->span, e->span, e->ret, e->err);
	}
	if (is_text(e->facts.target) && e->v->kind != VALUE_PARTS && !k->plain_types)
		return write_string(e, true, "string");
	if (is_of_code(&e->facts) && !k->plain_types) {
		/* the kernel knows the type */
		bool is_known = k->symbol_type && !e->place->is_program;

		e->ret->show = is_known ? PROBE_SHOW_AS_IS : PROBE_SHOW_FUNCTION;
		return e->v->kind == VALUE_PARTS ? write_part(e, "x64", 64)
						 : write_out(e, is_known ? "symbol" : "x64");
	}
	if (e->facts.is_reference && !k->plain_types)
		note_reference(e);
	return e->v->kind == VALUE_PARTS ? write_part(e, "x64", 64) : write_out(e, "x64");
}

/* Treats all dimensions of an array as one. */
static struct type flatten(struct type t, uint64_t *ret_n)
{
	struct type_facts f;
	uint64_t n = 1;

	for (type_get(t, &f); f.kind == TYPE_ARRAY; type_get(t, &f)) {
		if (__builtin_mul_overflow(n, f.n_elements, &n))
			n = 0;
		t = f.target;
	}
	*ret_n = n;
	return t;
}

/* Adds a note about unsigned char, which is text in some programs and bytes in others. */
static void note_bytes(struct emission *e)
{
	const char *text = e->place->definition->text + e->span.at;
	struct type_facts element;
	uint64_t n;

	type_get(flatten(e->v->type, &n), &element);
	if (!strcmp(element.name, "char") || !n || n > MAX_ELEMENTS || !e->place->kernel->arrays)
		return;
	snprintf(e->ret->note, sizeof(e->ret->note),
		 "%.*s is recorded as text, to its first NUL; if it is not text, %.*s:u8[%llu] "
		 "records all of it as numbers",
		 (int)(e->span.len < 60 ? e->span.len : 60), text,
		 (int)(e->span.len < 60 ? e->span.len : 60), text, (unsigned long long)n);
}

static int write_array(struct emission *e)
{
	struct type_facts element;
	char type[32], number[8];
	struct type t;
	uint64_t n;

	if (is_text(e->facts.target)) {
		note_bytes(e);
		return write_string(e, false, "string");
	}
	t = flatten(e->v->type, &n);
	type_get(t, &element);
	if (element.kind == TYPE_FLOAT && element.n_bytes > 8)
		return FETCH_REFUSE(e->place, e->err, e->span, -EINVAL,
				    "this is an array of numbers that are longer than a probe "
				    "can record; name an element, of which 8 bytes are "
				    "recorded: %.*s[0]",
				    (int)e->span.len, e->place->definition->text + e->span.at);
	if (element.kind != TYPE_INT && element.kind != TYPE_ENUM && element.kind != TYPE_POINTER &&
	    element.kind != TYPE_FLOAT)
		return FETCH_REFUSE(e->place, e->err, e->span, -EINVAL,
				    "this is an array of structs; name an element and a member: "
				    "%.*s[0].MEMBER",
				    (int)e->span.len, e->place->definition->text + e->span.at);
	if (!n || !e->place->kernel->arrays || e->v->kind == VALUE_PARTS)
		return FETCH_REFUSE(e->place, e->err, e->span, -EINVAL,
				    "this is an array%s; name an element: %.*s[0]",
				    n ? ", which this kernel's probes do not support"
				      : " of unknown length",
				    (int)e->span.len, e->place->definition->text + e->span.at);
	if (n > MAX_ELEMENTS)
		snprintf(e->ret->note, sizeof(e->ret->note),
			 "only the first %d of the %llu elements of %.*s are recorded",
			 MAX_ELEMENTS, (unsigned long long)n, (int)e->span.len,
			 e->place->definition->text + e->span.at);
	if (element.kind == TYPE_ENUM)
		e->ret->show = show_of_enum(t, &element);
	else if (element.is_bool)
		e->ret->show = PROBE_SHOW_BOOL;
	else if (element.kind == TYPE_FLOAT)
		e->ret->show = PROBE_SHOW_FLOAT;
	else if (is_of_code(&element))
		e->ret->show = PROBE_SHOW_FUNCTION;
	if (element.kind == TYPE_POINTER && is_text(element.target) &&
	    !e->place->kernel->plain_types)
		snprintf(number, sizeof(number), "string");
	else
		fmt_number(e, &element, number, sizeof(number));
	snprintf(type, sizeof(type), "%s[%u]", number,
		 (unsigned)(n > MAX_ELEMENTS ? MAX_ELEMENTS : n));
	return write_out(e, type);
}

static int refuse_struct(struct emission *e)
{
	char parts[500];
	SCOPED(textbuf_release) struct textbuf tb = {.max_bytes = 200};

	type_fmt(e->asked, &tb);
	textbuf_add(&tb, "", 1);
	fetch_fmt_parts(e->asked, e->place->definition->text + e->span.at, (int)e->span.len, parts,
			sizeof(parts));
	return FETCH_REFUSE(e->place, e->err, e->span, -EINVAL, "%s is not a single value; %s",
			    tb.start ? tb.start : "a struct", parts);
}

/* Unwraps a struct around one number: atomic_t, kuid_t, refcount_t. */
static bool unwrap(struct emission *e)
{
	struct type_member m;
	struct type_facts f;

	if (e->facts.kind != TYPE_STRUCT || e->facts.n_members != 1 ||
	    type_member(e->v->type, 0, &m) < 0 || m.bit_offset || m.n_bits)
		return false;
	type_get(m.type, &f);
	if (f.n_bytes != e->facts.n_bytes || !f.n_bytes)
		return false;
	e->v->type = m.type;
	e->facts = f;
	return true;
}

/* Recognizes network byte order by the type names in the kernel's sources. */
static bool is_big_endian(struct type t)
{
	static const char *const names[] = {"__be16", "__be32", "__be64"};
	const char *name;

	while (type_peel(t, &name, &t))
		for (size_t i = 0; i < ARRAY_LEN(names); i++)
			if (!strcmp(name, names[i]))
				return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
	return false;
}

/* Adds a note if the recorded value is not what one would expect. */
static void note_number(struct emission *e)
{
	const char *text = e->place->definition->text + e->span.at;
	const char *why = NULL;

	if (e->facts.kind == TYPE_FLOAT && e->ret->show != PROBE_SHOW_FLOAT)
		why = e->facts.n_bytes > 8
			      ? "a floating point number: its first 8 bytes are recorded "
				"unchanged"
			      : "a floating point number: its bytes are recorded unchanged";
	else if (e->facts.n_bytes > 8)
		why = "longer than the 8 bytes that a probe records: the upper ones are missing";
	if (why)
		snprintf(e->ret->note, sizeof(e->ret->note), "%.*s is %s", (int)e->span.len, text,
			 why);
}

static int write_number(struct emission *e)
{
	bool is_whole = e->v->kind != VALUE_PARTS && !e->place->kernel->plain_types;
	char type[16];

	fmt_number(e, &e->facts, type, sizeof(type));
	if (e->facts.kind == TYPE_ENUM)
		e->ret->show = show_of_enum(e->v->type, &e->facts);
	else if (e->facts.is_bool)
		e->ret->show = PROBE_SHOW_BOOL;
	else if (e->facts.kind == TYPE_FLOAT && !e->place->kernel->plain_types &&
		 (e->facts.n_bytes == 4 || e->facts.n_bytes == 8))
		e->ret->show = PROBE_SHOW_FLOAT;
	else if (is_whole && is_big_endian(e->v->type))
		e->ret->show = PROBE_SHOW_BIG_ENDIAN;
	note_number(e);
	if (e->v->kind == VALUE_PARTS)
		return write_part(e, type, 8 * e->facts.n_bytes);
	return write_out(e, type);
}

static int write_by_type(struct emission *e)
{
	for (unsigned i = 0; i < MAX_UNWRAPS && unwrap(e); i++)
		;
	if (e->v->n_bits) {
		if (e->facts.kind == TYPE_ENUM)
			e->ret->show = show_of_enum(e->v->type, &e->facts);
		else if (e->facts.is_bool)
			e->ret->show = PROBE_SHOW_BOOL;
		else if (e->facts.is_signed)
			e->ret->show = PROBE_SHOW_SIGNED;
		return write_bitfield(e);
	}
	switch (e->facts.kind) {
	case TYPE_INT:
	case TYPE_ENUM:
	case TYPE_FLOAT:
		return write_number(e);
	case TYPE_POINTER:
		return write_pointer(e);
	case TYPE_ARRAY:
		return write_array(e);
	case TYPE_STRUCT:
	case TYPE_UNION:
		if (e->v->kind == VALUE_MEMORY && fetch_is_cpp_string(e->v->type))
			return write_string(e, true, "string");
		return refuse_struct(e);
	case TYPE_FUNCTION: /* the value is the address of the function's code */
	case TYPE_VOID:
	case TYPE_UNKNOWN:
		break;
	}
	if (e->v->kind == VALUE_PARTS)
		return write_part(e, "x64", 64);
	if (!strcmp(e->v->plain_type, "u64") && !e->place->kernel->plain_types)
		e->ret->show = PROBE_SHOW_WORD;
	if (*e->v->plain_type)
		return write_out(e, e->v->plain_type);
	return write_out(e, e->v->kind == VALUE_READY ? NULL : "x64");
}

/*
 * --- by what the person wrote --------------------------------------------------------------------
 */

/* Writes perf's short types, whose size comes from the type. */
static int write_letter(struct emission *e, const char *letter)
{
	char type[16], by_size[8];

	fmt_number(e, &e->facts, by_size, sizeof(by_size));
	snprintf(type, sizeof(type), "%s%s", letter, e->facts.n_bytes ? by_size + 1 : "64");
	return e->v->kind == VALUE_PARTS ? write_part(e, type, 8 * e->facts.n_bytes)
					 : write_out(e, type);
}

/* Returns true if the value is a pointer to the text, instead of the text itself. */
static bool is_behind(const struct emission *e)
{
	return e->v->type.world && (e->facts.kind == TYPE_POINTER ||
				    (e->facts.kind == TYPE_INT && e->facts.n_bytes == 8));
}

/* Returns true if the value is neither a text nor the address of one. */
static bool has_no_text(const struct type_facts *f)
{
	struct type_facts target = {0};

	if (f->kind == TYPE_POINTER && f->target.world)
		type_get(f->target, &target);
	return target.kind == TYPE_FUNCTION || (f->kind == TYPE_INT && f->n_bytes < 8) ||
	       f->kind == TYPE_FLOAT || f->kind == TYPE_ENUM || f->kind == TYPE_STRUCT ||
	       f->kind == TYPE_UNION;
}

/*
 * Adds a note about a type that is too wide: u64 of an int also shows its neighbours, which may be
 * intended.
 */
static void note_width(struct emission *e, const char *type)
{
	unsigned want = strchr("usx", type[0]) ? (unsigned)atoi(type + 1) / 8 : 0;

	if (!e->v->type.world || !e->facts.n_bytes || want <= e->facts.n_bytes ||
	    strchr(type, '[') || e->v->kind != VALUE_MEMORY ||
	    (e->facts.kind != TYPE_INT && e->facts.kind != TYPE_ENUM))
		return;
	snprintf(e->ret->note, sizeof(e->ret->note),
		 "%.*s has %llu bytes, so %s also shows what follows it; without a type it has "
		 "its own size",
		 (int)e->span.len, e->place->definition->text + e->span.at,
		 (unsigned long long)e->facts.n_bytes, type);
}

/*
 * Returns true for types that old kernels accept in programs and show as numbers, and newer ones
 * refuse.
 */
static bool is_symbol(const char *type)
{
	return !strncmp(type, "symbol", 6) || !strncmp(type, "symstr", 6);
}

/*
 * Writes x:u8[4]. Reads the memory in place; for a pointer the memory to which it points; for a
 * number in a register the memory at that address.
 */
static int write_list(struct emission *e, const char *type, struct span type_span)
{
	const char *source = e->place->definition->text + e->span.at;
	int len = (int)(type_span.at > e->span.at ? type_span.at - e->span.at - 1 : e->span.len);
	bool is_short = e->facts.kind == TYPE_INT && e->facts.n_bytes < 8;

	if (e->v->kind == VALUE_PLAIN && e->v->type.world &&
	    (is_short || e->facts.kind == TYPE_ENUM || e->facts.kind == TYPE_FLOAT))
		return FETCH_REFUSE(e->place, e->err, type_span, -EINVAL,
				    "%.*s is a number, not an address, so there is nothing to "
				    "list; omit ':%s'",
				    len, source, type);
	if (e->v->type.world && e->facts.kind == TYPE_INT && e->facts.n_bytes == 8)
		snprintf(e->ret->note, sizeof(e->ret->note),
			 "%.*s is a number and is used as an address: %s shows the memory there",
			 len, source, type);
	point(e, is_behind(e));
	return write_out(e, type);
}

static int write_as(struct emission *e, const char *type, struct span type_span)
{
	const struct probe_kernel *k = e->place->kernel;
	bool is_string = !strncmp(type, "string", 6) || !strncmp(type, "ustring", 7);

	if (e->v->n_bits &&
	    type[0] != 'b') /* the bits are those of the member, independent of its name */
		return write_bitfield(e);
	if (!strcmp(type, "u") || !strcmp(type, "s") || !strcmp(type, "x"))
		return write_letter(e, type);
	if (strchr(type, '[') && !k->arrays)
		return FETCH_REFUSE(e->place, e->err, type_span, -EOPNOTSUPP,
				    "this kernel's probes do not support arrays (4.20 does); "
				    "name an element: x[0]");
	if (type[0] == 'b' && !k->bitfields)
		return FETCH_REFUSE(e->place, e->err, type_span, -EOPNOTSUPP,
				    "this kernel's probes do not support bit fields; record "
				    "the whole number");
	if (is_symbol(type) && e->place->is_program && !k->plain_types)
		return FETCH_REFUSE(e->place, e->err, type_span, -EINVAL,
				    "the kernel knows only its own symbols, not those of a "
				    "program; omit ':%s': pointers to functions are shown by "
				    "name anyway",
				    type);
	if (e->v->kind == VALUE_READY)
		return write_out(e, type);
	if (is_string && e->v->type.world && has_no_text(&e->facts))
		return FETCH_REFUSE(e->place, e->err, type_span, -EINVAL,
				    "this is not text and does not point to text; omit ':%s'",
				    type);
	if (is_string)
		return write_string(e, is_behind(e),
				    type[0] == 'u' && !k->user_strings ? type + 1 : type);
	if (strchr(type, '['))
		return write_list(e, type, type_span);
	if (e->v->kind == VALUE_PARTS)
		return write_part(e, type, e->facts.n_bytes ? 8 * e->facts.n_bytes : 64);
	note_width(e, type);
	return write_out(e, type);
}

int fetch_finish(const struct fetch_place *p, struct value *v, const char *type, struct span span,
		 struct span type_span, struct fetch *ret, struct errmsg *err)
{
	struct emission e = {
		.place = p, .v = v, .span = span, .ret = ret, .err = err, .asked = v->type};
	int r;

	*ret = (struct fetch){.show = PROBE_SHOW_AS_IS};
	type_get(v->type, &e.facts);
	/* elsewhere the kernel knows that $comm is text */
	if (!type && p->is_event && v->kind == VALUE_READY && !strcmp(v->expr, "$comm"))
		type = "string";
	r = type ? write_as(&e, type, type_span) : write_by_type(&e);
	if (v->is_gone) {
		if (r < 0) { /* report first that the variable does not exist */
			*err = (struct errmsg){0};
			snprintf(ret->text, sizeof(ret->text), FETCH_GONE ":x64");
			r = 0;
		}
		ret->is_gone = true;
		snprintf(ret->why, sizeof(ret->why), "%s cannot be read here: %s", v->gone_name,
			 v->why);
		ret->why_helps = v->why_helps;
	}
	if (v->copied && !*ret->note)
		snprintf(ret->note, sizeof(ret->note),
			 "%.40s is read in the library; a program that uses it may have a "
			 "copy, which then has the valid value (copy relocation): "
			 "PROGRAM:FUNCTION(%.40s) reads that",
			 v->copied, v->copied);
	return r;
}
