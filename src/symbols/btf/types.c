// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * types.c - implements types.h for BTF.
 *
 * The words of each kind (see btf.c for the first three of every type):
 *
 *	int      one word: bits 24-27 encoding (1 signed, 2 char, 4 bool), 16-23 offset, 0-7 bits
 *	array    element, index, length
 *	struct   for each member name, type, offset in bits; with the flag the offset has 24 bits
 *	         and the upper 8 are the width of a bit field; without it the member's int shows a
 *	         bit field
 *	enum     for each name, value (enum64: name, low, high); the flag: signed
 *	fwd      the flag: union
 *	proto    for each parameter name, type; the last one with neither: "..."
 *	typedef, qualifiers, tags: the third word is the type that they refer to
 *
 * A struct that is only declared (fwd) stands for the struct of that name, if there is one: the
 * kernel has declarations that pahole could not connect to their definitions.
 */
#include "base/array.h"
#include "symbols/btf/btf_int.h"

#include <errno.h>

/* maximum of typedefs and qualifiers in a row, and of dimensions of an array */
#define MAX_CHAIN  32
#define INT_SIGNED 1
#define INT_CHAR   2
#define INT_BOOL   4

static const struct btf *btf_of(const struct types *world)
{
	return (const struct btf *)world;
}

/* Returns true for names and qualifiers, which do not change the layout. */
static bool is_wrapper(enum btf_kind kind)
{
	return kind == BTF_TYPEDEF || kind == BTF_VOLATILE || kind == BTF_CONST ||
	       kind == BTF_RESTRICT || kind == BTF_TYPE_TAG;
}

/* Replaces a declaration by its definition. */
static uint64_t find_declared(const struct btf *b, const struct btf_type *t)
{
	const char *name = btf_string(t->owner, t->name);

	return btf_find(b, t->flag ? BTF_UNION : BTF_STRUCT, name, strlen(name));
}

/* Finds the type below all names. *ret_alias is the innermost name, or "". */
static uint64_t strip(const struct btf *b, uint64_t id, struct btf_type *ret,
		      const char **ret_alias)
{
	uint64_t declared;

	*ret_alias = "";
	btf_get(b, id, ret);
	for (unsigned i = 0; is_wrapper(ret->kind); i++) {
		if (i == MAX_CHAIN) {
			*ret = (struct btf_type){.owner = b, .kind = BTF_FWD};
			return 0;
		}
		if (ret->kind == BTF_TYPEDEF)
			*ret_alias = btf_string(ret->owner, ret->name);
		id = ret->size;
		btf_get(b, id, ret);
	}
	if (ret->kind == BTF_FWD && (declared = find_declared(b, ret))) {
		id = declared;
		btf_get(b, id, ret);
	}
	return id;
}

static void get_int(const struct btf_type *t, struct type_facts *f)
{
	uint32_t encoding = btf_word(t, 0) >> 24 & 15;

	f->kind = TYPE_INT;
	f->is_signed = encoding & INT_SIGNED;
	f->is_bool = encoding & INT_BOOL || !strcmp(f->name, "_Bool");
	f->is_char = t->size == 1 && !f->is_bool &&
		     (encoding & INT_CHAR || !strcmp(f->name, "char") ||
		      !strcmp(f->name, "unsigned char") || !strcmp(f->name, "signed char"));
}

/* Recognizes pointer ─▶ tag "user" ─▶ const ─▶ char. */
static bool is_user_pointer(const struct btf *b, uint64_t target)
{
	struct btf_type t;

	btf_get(b, target, &t);
	for (unsigned i = 0; i < MAX_CHAIN && is_wrapper(t.kind) && t.kind != BTF_TYPEDEF; i++) {
		if (t.kind == BTF_TYPE_TAG && !strcmp(btf_string(t.owner, t.name), "user"))
			return true;
		btf_get(b, t.size, &t);
	}
	return false;
}

static uint64_t count_bytes(const struct btf *b, uint64_t id)
{
	uint64_t n = 1, size = 0;
	struct btf_type t;
	const char *alias;

	strip(b, id, &t, &alias);
	for (unsigned i = 0; t.kind == BTF_ARRAY; i++) {
		if (i == MAX_CHAIN || __builtin_mul_overflow(n, btf_word(&t, 2), &n))
			return 0;
		strip(b, btf_word(&t, 0), &t, &alias);
	}
	if (t.kind == BTF_PTR)
		size = b->types.pointer_bytes;
	else if (t.kind == BTF_INT || t.kind == BTF_STRUCT || t.kind == BTF_UNION ||
		 t.kind == BTF_ENUM || t.kind == BTF_ENUM64 || t.kind == BTF_FLOAT)
		size = t.size;
	return __builtin_mul_overflow(n, size, &n) ? 0 : n;
}

/* Counts the parameters without "...", which has neither name nor type. */
static unsigned count_parameters(const struct btf_type *t)
{
	unsigned last = t->vlen - 1;

	return t->vlen && !btf_word(t, 2 * last) && !btf_word(t, 2 * last + 1) ? last : t->vlen;
}

static void btf_get_facts(const struct types *world, uint64_t id, struct type_facts *f)
{
	static const enum type_kind kinds[BTF_N_KINDS] = {
		[BTF_PTR] = TYPE_POINTER,   [BTF_ARRAY] = TYPE_ARRAY,
		[BTF_STRUCT] = TYPE_STRUCT, [BTF_UNION] = TYPE_UNION,
		[BTF_ENUM] = TYPE_ENUM,	    [BTF_ENUM64] = TYPE_ENUM,
		[BTF_FWD] = TYPE_UNKNOWN,   [BTF_FUNC_PROTO] = TYPE_FUNCTION,
		[BTF_FLOAT] = TYPE_FLOAT,   [BTF_FUNC] = TYPE_UNKNOWN,
		[BTF_VAR] = TYPE_UNKNOWN,   [BTF_DATASEC] = TYPE_UNKNOWN,
	};
	const struct btf *b = btf_of(world);
	struct btf_type t;
	const char *alias;

	id = strip(b, id, &t, &alias);
	*f = (struct type_facts){.kind = kinds[t.kind], .n_bytes = count_bytes(b, id)};
	f->name = btf_string(t.owner, t.name);
	if (!*f->name)
		f->name = alias;
	if (t.kind == BTF_INT) {
		get_int(&t, f);
	} else if (t.kind == BTF_PTR) {
		f->target = (struct type){world, t.size};
		f->is_user = is_user_pointer(b, t.size);
	} else if (t.kind == BTF_ARRAY) {
		f->target = (struct type){world, btf_word(&t, 0)};
		f->n_elements = btf_word(&t, 2);
	} else if (t.kind == BTF_FUNC_PROTO) {
		f->target = (struct type){world, t.size};
		f->n_members = count_parameters(&t);
	} else if (f->kind == TYPE_STRUCT || f->kind == TYPE_UNION || f->kind == TYPE_ENUM) {
		f->n_members = t.vlen;
		f->is_signed = f->kind == TYPE_ENUM && t.flag;
	}
}

/* Reads a bit field of an old file: a member whose int has fewer bits than its bytes hold. */
static void read_old_bitfield(const struct btf *b, struct type_member *m)
{
	struct btf_type t;
	const char *alias;
	uint32_t word;

	strip(b, m->type.id, &t, &alias);
	if (t.kind != BTF_INT)
		return;
	word = btf_word(&t, 0);
	if ((word & 255) && (word & 255) < 8 * t.size) {
		m->n_bits = word & 255;
		m->bit_offset += word >> 16 & 255;
	}
}

static int btf_member(const struct types *world, uint64_t id, unsigned i, struct type_member *ret)
{
	const struct btf *b = btf_of(world);
	struct btf_type t;
	const char *alias;
	uint32_t offset;

	strip(b, id, &t, &alias);
	if (t.kind == BTF_FUNC_PROTO && i < t.vlen) {
		*ret = (struct type_member){btf_string(t.owner, btf_word(&t, 2 * i)),
					    {world, btf_word(&t, 2 * i + 1)}};
		return 0;
	}
	if ((t.kind != BTF_STRUCT && t.kind != BTF_UNION) || i >= t.vlen)
		return -ENOENT;
	offset = btf_word(&t, 3 * i + 2);
	*ret = (struct type_member){btf_string(t.owner, btf_word(&t, 3 * i)),
				    {world, btf_word(&t, 3 * i + 1)}};
	ret->bit_offset = t.flag ? offset & 0xffffff : offset;
	ret->n_bits = t.flag ? offset >> 24 : 0;
	if (!t.flag)
		read_old_bitfield(b, ret);
	return 0;
}

static int btf_enumerator(const struct types *world, uint64_t id, unsigned i,
			  struct type_enumerator *ret)
{
	struct btf_type t;
	const char *alias;

	strip(btf_of(world), id, &t, &alias);
	if (i >= t.vlen)
		return -ENOENT;
	if (t.kind == BTF_ENUM) {
		uint32_t v = btf_word(&t, 2 * i + 1);

		*ret = (struct type_enumerator){btf_string(t.owner, btf_word(&t, 2 * i)),
						t.flag ? (int64_t)(int32_t)v : (int64_t)v};
		return 0;
	}
	if (t.kind != BTF_ENUM64)
		return -ENOENT;
	*ret = (struct type_enumerator){
		btf_string(t.owner, btf_word(&t, 3 * i)),
		(int64_t)((uint64_t)btf_word(&t, 3 * i + 2) << 32 | btf_word(&t, 3 * i + 1))};
	return 0;
}

static bool btf_peel(const struct types *world, uint64_t id, const char **ret_name,
		     uint64_t *ret_id)
{
	struct btf_type t;

	btf_get(btf_of(world), id, &t);
	if (!is_wrapper(t.kind))
		return false;
	*ret_name = t.kind == BTF_TYPEDEF    ? btf_string(t.owner, t.name)
		    : t.kind == BTF_CONST    ? "const"
		    : t.kind == BTF_VOLATILE ? "volatile"
		    : t.kind == BTF_RESTRICT ? "restrict"
					     : "";
	*ret_id = t.size;
	return true;
}

static const struct {
	enum type_kind kind;
	enum btf_kind btf_kind;
} rows[] = {
	{TYPE_STRUCT, BTF_STRUCT},   {TYPE_UNION, BTF_UNION}, {TYPE_ENUM, BTF_ENUM},
	{TYPE_ENUM, BTF_ENUM64},     {TYPE_INT, BTF_INT},     {TYPE_FLOAT, BTF_FLOAT},
	{TYPE_UNKNOWN, BTF_TYPEDEF},
};

static void btf_each_name(const struct types *world, enum type_kind kind,
			  void (*visit)(void *ctx, const char *name), void *ctx)
{
	const struct btf *b = btf_of(world);

	for (uint32_t id = 1; id < b->end_id; id++) {
		struct btf_type t;

		btf_get(b, id, &t);
		for (size_t i = 0; i < ARRAY_LEN(rows); i++)
			if (rows[i].kind == kind && rows[i].btf_kind == t.kind && t.name)
				visit(ctx, btf_string(t.owner, t.name));
	}
}

static int btf_find_type(const struct types *world, enum type_kind kind, const char *name,
			 size_t len, struct type *ret_type)
{
	uint32_t id = 0;

	for (size_t i = 0; i < ARRAY_LEN(rows) && !id; i++)
		if (rows[i].kind == kind)
			id = btf_find(btf_of(world), rows[i].btf_kind, name, len);
	if (!id)
		return -ENOENT;
	*ret_type = (struct type){world, id};
	return 0;
}

const struct types_ops btf_types_ops = {
	.get = btf_get_facts,
	.member = btf_member,
	.enumerator = btf_enumerator,
	.peel = btf_peel,
	.find = btf_find_type,
	.each_name = btf_each_name,
};
