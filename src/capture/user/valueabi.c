// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * valueabi.c - where the arguments and the result of a function are: the calling convention of
 * x86-64 (System V).
 *
 *	integers, pointers          rdi rsi rdx rcx r8 r9, then the stack
 *	float, double               xmm0 … xmm7, then the stack
 *	long double                 the stack
 *	a struct of up to 16 bytes  each 8 bytes by itself: in an xmm register if all of it is
 *	                            floating point; all in registers or all on the stack
 *	a larger one                the stack
 *	a C++ class that needs its  its address, like a pointer
 *	copy constructor
 *
 * A large result takes the place of the first argument: the caller passes an address, and gets it
 * back in rax.
 *
 * A compiler may change the convention of functions that only their own file calls. The debug
 * information of optimised code names the registers at the entry. If they differ from the
 * convention, they are used; if a function does not follow the convention, only they are used.
 */
#include "capture/user/values_int.h"

#include "base/array.h"
#include "symbols/dwarf/debuginfo.h"

#include <string.h>

#define XMM0	   17 /* DWARF numbers */
#define N_XMM	   8u
#define LEAVES_MAX 32u
#define DEPTH_MAX  8u

static const uint8_t arg_regs[] = {5, 4, 1, 2, 8, 9}; /* rdi rsi rdx rcx r8 r9 */

/* What is used so far. */
struct passing {
	unsigned n_general, n_xmm;
	int32_t stack; /* from the entry's stack pointer on */
};

enum half { HALF_NONE, HALF_FLOAT, HALF_INT };

/* How a value is passed: in memory, or the kinds of its 8 bytes. */
struct passed {
	bool is_known, in_memory, by_address, is_x87;
	bool is_wide; /* aligned to 16 bytes in memory */
	unsigned n_halves;
	enum half halves[2];
	uint64_t n_bytes;
};

static void take_leaf(struct passed *p, uint64_t offset, uint64_t n_bytes, bool is_float)
{
	if (!n_bytes)
		return;
	if (n_bytes == 16) {
		p->is_wide = true;
		p->in_memory |= is_float; /* long double in a struct */
	}
	if (offset % (n_bytes > 8 ? 8 : n_bytes))
		p->in_memory = true;
	for (uint64_t at = offset; at < offset + n_bytes && at < 16; at += 8 - at % 8) {
		enum half kind = is_float ? HALF_FLOAT : HALF_INT;

		if (kind > p->halves[at / 8])
			p->halves[at / 8] = kind;
	}
}

static void take_type(struct passed *p, struct type t, uint64_t offset, unsigned depth,
		      unsigned *n_left)
{
	struct type_facts f, element;
	struct type_member m;

	type_get(t, &f);
	if (depth > DEPTH_MAX || !*n_left) {
		p->is_known = false;
		return;
	}
	--*n_left;
	switch (f.kind) {
	case TYPE_STRUCT:
	case TYPE_UNION:
		for (unsigned i = 0; i < f.n_members && p->is_known; i++)
			if (type_member(t, i, &m) >= 0 && m.n_bits)
				take_leaf(p, offset + m.bit_offset / 8, 1, false);
			else if (type_member(t, i, &m) >= 0)
				take_type(p, m.type, offset + m.bit_offset / 8, depth + 1, n_left);
		return;
	case TYPE_ARRAY:
		type_get(f.target, &element);
		for (uint64_t i = 0; i < f.n_elements && p->is_known; i++)
			take_type(p, f.target, offset + i * element.n_bytes, depth + 1, n_left);
		return;
	case TYPE_INT:
	case TYPE_ENUM:
	case TYPE_POINTER:
		take_leaf(p, offset, f.n_bytes, false);
		return;
	case TYPE_FLOAT:
		take_leaf(p, offset, f.n_bytes, true);
		return;
	default:
		if (f.n_floats == 2 && f.n_bytes <= 16) {
			take_leaf(p, offset, f.n_bytes / 2, true);
			take_leaf(p, offset + f.n_bytes / 2, f.n_bytes / 2, true);
			return;
		}
		p->is_known = false;
	}
}

static struct passed how_passed(struct type t)
{
	struct passed p = {.is_known = true};
	unsigned n_left = LEAVES_MAX;
	struct type_facts f;

	type_get(t, &f);
	p.n_bytes = f.n_bytes;
	p.by_address = type_is_by_address(t) || type_is_std_string(t);
	if (p.by_address)
		return p;
	if (f.kind == TYPE_FLOAT && f.n_bytes == 16) {
		/* _Float128 is in an xmm register, of which the hooks have only one half */
		p.is_known = strcmp(f.name, "_Float128") && strcmp(f.name, "__float128");
		p.in_memory = p.is_wide = p.is_x87 = true;
		return p;
	}
	if (f.n_floats == 2 && f.n_bytes == 32) {
		p.in_memory = p.is_wide = true;
		p.is_known = true;
		return p;
	}
	if (!f.n_bytes) {
		p.is_known = f.kind == TYPE_STRUCT; /* an empty struct of C */
		return p;
	}
	if (f.n_bytes > 16) {
		p.in_memory = true;
		take_type(&p, t, 0, 0, &n_left);
		p.is_known = f.kind == TYPE_STRUCT || f.kind == TYPE_UNION;
		return p;
	}
	take_type(&p, t, 0, 0, &n_left);
	p.n_halves = (unsigned)((f.n_bytes + 7) / 8);
	if (p.halves[0] == HALF_NONE && p.halves[1] == HALF_NONE)
		p.n_halves = 0; /* an empty class of C++ */
	return p;
}

/*
 * --- arguments ---------------------------------------------------------------------------------
 */

static struct where next_stack(struct passing *s, uint64_t n_bytes, bool is_wide)
{
	struct where w = {.kind = WHERE_STACK};

	/* at the entry the stack pointer is 8 below a multiple of 16 */
	if (is_wide && (s->stack - 8) % 16)
		s->stack += 8;
	w.offset = s->stack;
	s->stack += (int32_t)((n_bytes + 7) / 8 * 8);
	return w;
}

static struct where next_regs(struct passing *s, const struct passed *p)
{
	unsigned n_general = 0, n_xmm = 0;
	struct where w = {.kind = WHERE_REGS, .n_regs = p->n_halves};

	for (unsigned i = 0; i < p->n_halves; i++) {
		n_general += p->halves[i] != HALF_FLOAT;
		n_xmm += p->halves[i] == HALF_FLOAT;
	}
	if (s->n_general + n_general > ARRAY_LEN(arg_regs) || s->n_xmm + n_xmm > N_XMM)
		return next_stack(s, p->n_bytes, p->is_wide);
	for (unsigned i = 0; i < p->n_halves; i++)
		w.regs[i] = p->halves[i] == HALF_FLOAT ? (uint8_t)(XMM0 + s->n_xmm++)
						       : arg_regs[s->n_general++];
	return w;
}

static struct where next_argument(struct passing *s, const struct passed *p)
{
	static const struct passed pointer = {
		.is_known = true, .n_halves = 1, .halves = {HALF_INT}, .n_bytes = 8};
	struct where w;

	if (p->by_address) {
		w = next_regs(s, &pointer);
		w.is_address = true;
		return w;
	}
	if (p->in_memory)
		return next_stack(s, p->n_bytes, p->is_wide);
	return next_regs(s, p);
}

/*
 * --- results -----------------------------------------------------------------------------------
 */

static struct where where_result(const struct passed *p)
{
	static const uint8_t general[] = {0, 1}; /* rax rdx */
	unsigned n_general = 0, n_xmm = 0;
	struct where w = {.kind = WHERE_REGS, .n_regs = p->n_halves};

	if (!p->is_known)
		return (struct where){.kind = WHERE_NOWHERE};
	if (p->is_x87)
		return (struct where){.kind = WHERE_X87};
	if (p->by_address || p->in_memory)
		return (struct where){
			.kind = WHERE_REGS, .n_regs = 1, .regs = {0}, .is_address = true};
	for (unsigned i = 0; i < p->n_halves; i++)
		w.regs[i] = p->halves[i] == HALF_FLOAT ? (uint8_t)(XMM0 + n_xmm++)
						       : general[n_general++];
	return w;
}

/*
 * --- a signature -------------------------------------------------------------------------------
 */

struct reading {
	struct signature *s;
	struct passing passing;
	bool keeps_convention, is_lost; /* is_lost: a type before it is unknown */
};

/* What the debug information says of this copy of the function, if it is a register. */
static bool use_place(const struct variable *v, const struct passed *p, struct where *ret)
{
	if (v->place.kind != PLACE_REGISTER || v->place.reg > 15 || v->place.is_pair ||
	    p->n_halves > 1 || p->halves[0] == HALF_FLOAT)
		return false;
	ret->kind = WHERE_REGS;
	ret->n_regs = 1;
	ret->regs[0] = (uint8_t)v->place.reg;
	return true;
}

static int read_parameter(void *ctx, const struct variable *v)
{
	struct reading *r = ctx;
	struct signature *s = r->s;
	struct passed p = how_passed(v->type);
	struct parameter *param = &s->params[s->n_params];

	/*
	 * gcc lists it in the description that all copies of a destructor share; no copy takes it
	 */
	if (v->name && !strcmp(v->name, "__in_chrg"))
		return 0;
	if (s->n_params == VALUES_ARGS_MAX) {
		s->has_more = true;
		return -1;
	}
	*param = (struct parameter){.name = v->name, .type = v->type};
	r->is_lost |= !p.is_known;
	if (!r->is_lost)
		param->where = next_argument(&r->passing, &p);
	if (!r->keeps_convention)
		param->where = (struct where){.kind = WHERE_NOWHERE};
	if (p.is_known && !p.in_memory && !p.by_address)
		use_place(v, &p, &param->where);
	s->n_params++;
	return 0;
}

void signature_read(struct signature *s, const struct debuginfo_entry *entry)
{
	struct reading r = {
		.s = s, .passing = {.stack = 8}, .keeps_convention = entry->keeps_convention};
	struct passed result;

	*s = (struct signature){0};
	if (entry->scope->ops->result(entry->scope, &s->result) >= 0) {
		result = how_passed(s->result);
		s->has_result = true;
		s->result_where = where_result(&result);
		r.passing.n_general = (result.by_address || result.in_memory) && !result.is_x87;
		r.is_lost = !result.is_known;
	}
	entry->scope->ops->each(entry->scope, true, read_parameter, &r);
}
