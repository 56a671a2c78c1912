// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * scope.c - where the parameters of a function are at its entry, from the calling convention.
 *
 * BTF has only the prototype. The rest follows from the calling convention of the processor, which
 * arch.c describes. Arguments are assigned from left to right:
 *
 *	a number, a pointer           the next register, or, if none is left, 8 bytes of the stack
 *	a struct of up to 16 bytes    one or two registers, if enough are left; else the stack
 *	a larger struct               the stack (x86-64), or its address like a pointer
 *	__int128                      two registers
 *	floating point                registers that probes cannot read
 *
 *	f(struct pair p, int a, …)    p: di and si   a: dx   …
 *	struct big g(int a)           di: address for the result   a: si
 *
 * This is exact for every function that compilers emit separately. Functions with another
 * convention (.isra, .constprop) are not in BTF: the tool that makes it skips them.
 */
#include "symbols/arch.h"
#include "symbols/btf/btf_int.h"

#include <errno.h>
#include <stdio.h>

#define WORD 8

/* The arguments assigned so far. */
struct passing {
	const struct arch *arch;
	unsigned n_regs; /* number of used registers */
	uint64_t stack;	 /* bytes of the stack used */
};

static const struct btf_scope *scope_of(const struct scope *s)
{
	return (const struct btf_scope *)s;
}

static const struct btf *btf_of(const struct btf_scope *s)
{
	return (const struct btf *)s->scope.types;
}

static bool is_compound(const struct type_facts *f)
{
	return f->kind == TYPE_STRUCT || f->kind == TYPE_UNION;
}

static void put_on_stack(struct passing *p, uint64_t n_bytes, unsigned align, struct place *ret)
{
	p->stack = (p->stack + align - 1) & ~(uint64_t)(align - 1);
	*ret = (struct place){.kind = PLACE_STACK,
			      .offset = (int64_t)(p->arch->entry_stack_skip + p->stack)};
	p->stack += (n_bytes + WORD - 1) & ~(uint64_t)(WORD - 1);
}

static unsigned next_register(struct passing *p)
{
	return p->arch->arg_regs[p->n_regs++];
}

static void put_word(struct passing *p, struct place *ret)
{
	if (p->n_regs < p->arch->n_arg_regs)
		*ret = (struct place){.kind = PLACE_REGISTER, .reg = next_register(p)};
	else
		put_on_stack(p, WORD, WORD, ret);
}

/* Assigns one or two words that stay together. */
static void put_small(struct passing *p, uint64_t n_bytes, unsigned align, struct place *ret)
{
	unsigned n = n_bytes > WORD ? 2 : 1, left = p->arch->n_arg_regs - p->n_regs;

	if (left < n && p->arch->struct_ends_regs)
		p->n_regs = p->arch->n_arg_regs;
	if (left < n && !(left && p->arch->struct_may_split)) {
		put_on_stack(p, n_bytes, align, ret);
		return;
	}
	*ret = (struct place){.kind = PLACE_REGISTER, .reg = next_register(p)};
	if (n == 2 && left >= 2) {
		ret->is_pair = true;
		ret->reg_high = next_register(p);
	} else if (n == 2) {
		p->stack += WORD; /* the other half has no register name */
	}
}

static void put_large(struct passing *p, uint64_t n_bytes, struct place *ret)
{
	if (!p->arch->big_struct_is_pointer) {
		put_on_stack(p, n_bytes, WORD, ret);
		return;
	}
	put_word(p, ret);
	if (ret->kind == PLACE_REGISTER) {
		ret->kind = PLACE_MEMORY;
	} else {
		ret->n_loads = 1;
		ret->loads[0] = ret->offset;
		ret->offset = 0;
	}
}

/*
 * Finds an unaligned member. On x86-64 a struct with such a member is passed in memory, however
 * small.
 */
static int find_odd_member(void *ctx, const struct type_member *m)
{
	struct type_facts f;

	type_get(m->type, &f);
	if (!m->n_bits && f.n_bytes && (f.kind == TYPE_INT || f.kind == TYPE_POINTER) &&
	    m->bit_offset % (8 * f.n_bytes))
		*(bool *)ctx = true;
	return 0;
}

static bool is_packed(struct type t)
{
	bool odd = false;

	type_each_member(t, find_odd_member, &odd);
	return odd;
}

static void put(struct passing *p, struct type t, struct variable *v)
{
	struct type_facts f;
	bool compound;

	type_get(t, &f);
	compound = is_compound(&f);
	if (f.kind == TYPE_FLOAT) {
		v->place = (struct place){.kind = PLACE_NOWHERE};
		snprintf(v->why, sizeof(v->why),
			 "it is passed in a floating point register, which probes cannot read");
	} else if (compound && !f.n_bytes) {
		v->place = (struct place){.kind = PLACE_NOWHERE};
		snprintf(v->why, sizeof(v->why), "it is empty");
	} else if (compound && (f.n_bytes > p->arch->max_reg_struct ||
				(!p->arch->big_struct_is_pointer && is_packed(t)))) {
		put_large(p, f.n_bytes, &v->place);
	} else if (compound || f.n_bytes > WORD) {
		put_small(p, f.n_bytes, compound ? WORD : 2 * WORD, &v->place);
	} else {
		put_word(p, &v->place);
	}
}

static void passing_init(struct passing *p, const struct btf_scope *s)
{
	struct type_facts f, result;

	*p = (struct passing){.arch = s->arch};
	type_get(s->prototype, &f);
	type_get(f.target, &result);
	if (f.kind == TYPE_FUNCTION && is_compound(&result) && s->arch->result_takes_arg &&
	    result.n_bytes > s->arch->max_reg_struct)
		next_register(p);
}

static int each_parameter(const struct btf_scope *s,
			  int (*visit)(void *ctx, const struct variable *v), void *ctx)
{
	struct type_facts f;
	struct type_member m;
	struct passing p;
	int r = 0;

	type_get(s->prototype, &f);
	passing_init(&p, s);
	for (unsigned i = 0; f.kind == TYPE_FUNCTION && i < f.n_members && r >= 0; i++) {
		struct variable v = {.is_parameter = true};

		if (type_member(s->prototype, i, &m) < 0)
			break;
		v.name = m.name;
		v.type = m.type;
		put(&p, m.type, &v);
		r = visit(ctx, &v);
	}
	return r;
}

static int btf_scope_each(const struct scope *s, bool only_parameters,
			  int (*visit)(void *ctx, const struct variable *v), void *ctx)
{
	return each_parameter(scope_of(s), visit, ctx);
}

struct search {
	const char *name;
	size_t len;
	struct variable *ret;
	bool found;
};

static int match(void *ctx, const struct variable *v)
{
	struct search *s = ctx;

	if (strncmp(v->name, s->name, s->len) || v->name[s->len])
		return 0;
	*s->ret = *v;
	s->found = true;
	return -EEXIST; /* ends the walk */
}

/* Returns true for a per-CPU variable, which has an offset instead of an address. */
static bool is_per_cpu(const struct btf *b, uint32_t var)
{
	static const char section[] = ".data..percpu";
	struct btf_type t;
	uint32_t id = btf_find(b, BTF_DATASEC, section, sizeof(section) - 1);

	btf_get(b, id, &t);
	for (uint32_t i = 0; id && i < t.vlen; i++)
		if (btf_word(&t, 3 * i) == var)
			return true;
	return false;
}

static int find_global(const struct btf_scope *s, const char *name, size_t len,
		       struct variable *ret)
{
	const struct btf *b = btf_of(s);
	uint32_t id = btf_find(b, BTF_VAR, name, len);
	struct btf_type t;

	if (!id)
		return -ENOENT;
	btf_get(b, id, &t);
	*ret = (struct variable){.name = btf_string(t.owner, t.name), .type = {&b->types, t.size}};
	if (is_per_cpu(b, id)) {
		snprintf(ret->why, sizeof(ret->why),
			 "each CPU has its own copy, which probes cannot find");
		return 0;
	}
	ret->place.kind = PLACE_ADDRESS;
	ret->place.symbol = ret->name;
	return 0;
}

static int btf_scope_find(const struct scope *s, const char *name, size_t len, struct variable *ret)
{
	struct search search = {name, len, ret};

	if (!len)
		return -ENOENT;
	each_parameter(scope_of(s), match, &search);
	return search.found ? 0 : find_global(scope_of(s), name, len, ret);
}

static int btf_scope_result(const struct scope *s, struct type *ret_type)
{
	struct type_facts f, result;

	type_get(scope_of(s)->prototype, &f);
	if (f.kind != TYPE_FUNCTION)
		return -ENODATA;
	type_get(f.target, &result);
	if (result.kind == TYPE_VOID)
		return -ENOENT;
	*ret_type = f.target;
	return 0;
}

static const struct scope_ops btf_scope_ops = {
	.find = btf_scope_find,
	.each = btf_scope_each,
	.result = btf_scope_result,
};

void btf_scope_init(struct btf_scope *s, const struct btf *b, struct type prototype,
		    const struct arch *arch, bool is_return)
{
	*s = (struct btf_scope){
		.scope = {&btf_scope_ops, &b->types, is_return},
		.prototype = prototype,
		.arch = arch,
	};
}
