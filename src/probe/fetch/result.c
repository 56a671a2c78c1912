// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * result.c - finds where a function returns its result ($retval).
 *
 *	a number, a pointer             the first register
 *	a large struct                  in memory; the first register has the address, if the ABI
 *	                                says so
 *	a class with a copy constructor the same, however small
 *	a small struct                  in one or two registers, each 8 bytes:
 *
 *	x86-64    8 bytes that contain only floating point numbers are in a register that probes
 *	          cannot read, and do not count: {double d; long l} has l in %ax. A struct with an
 *	          unaligned member is returned in memory.
 *	aarch64   up to four floating point numbers of one size: none can be read. Others by their
 *	          position.
 *	riscv64   one or two floating point numbers, or one and an integer: as on x86-64, but member
 *	          by member.
 */
#include "base/array.h"
#include "base/errmsg.h"
#include "probe/fetch/fetch_int.h"
#include "symbols/arch.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define LEAVES_MAX 64
#define DEPTH_MAX  8

struct leaf {
	uint64_t offset, n_bytes;
	bool is_float, is_bits;
};

/* The numbers in a struct. */
struct leaves {
	struct leaf list[LEAVES_MAX];
	unsigned n;
	bool has_union, too_many;
};

static void collect(struct leaves *l, struct type t, uint64_t offset, bool is_bits, unsigned depth);

static void collect_members(struct leaves *l, struct type t, uint64_t offset, unsigned n,
			    unsigned depth)
{
	struct type_member m;

	for (unsigned i = 0; i < n && !l->too_many; i++)
		if (type_member(t, i, &m) >= 0)
			collect(l, m.type, offset + m.bit_offset / 8, m.n_bits, depth + 1);
}

static void collect(struct leaves *l, struct type t, uint64_t offset, bool is_bits, unsigned depth)
{
	struct type_facts f, element;

	type_get(t, &f);
	if (depth > DEPTH_MAX || l->n == LEAVES_MAX) {
		l->too_many = true;
	} else if (f.kind == TYPE_STRUCT || f.kind == TYPE_UNION) {
		l->has_union |= f.kind == TYPE_UNION;
		collect_members(l, t, offset, f.n_members, depth);
	} else if (f.kind == TYPE_ARRAY) {
		type_get(f.target, &element);
		for (uint64_t i = 0; i < f.n_elements && !l->too_many; i++)
			collect(l, f.target, offset + i * element.n_bytes, false, depth + 1);
	} else if (f.n_floats == 2 && l->n + 2 <= LEAVES_MAX) { /* complex: like a struct of two */
		l->list[l->n++] = (struct leaf){offset, f.n_bytes / 2, true, false};
		l->list[l->n++] = (struct leaf){offset + f.n_bytes / 2, f.n_bytes / 2, true, false};
	} else {
		l->list[l->n++] = (struct leaf){offset, f.n_bytes,
						f.kind == TYPE_FLOAT || f.n_floats, is_bits};
	}
}

static bool is_aligned(const struct leaves *l)
{
	return !ARRAY_ANY(l->n, i,
			  !l->list[i].is_bits && l->list[i].n_bytes &&
				  l->list[i].offset %
					  (l->list[i].n_bytes > 8 ? 8 : l->list[i].n_bytes));
}

static unsigned count_floats(const struct leaves *l)
{
	unsigned n = 0;

	for (unsigned i = 0; i < l->n; i++)
		n += l->list[i].is_float;
	return n;
}

/* Returns true for up to four numbers of one size, and nothing else. */
static bool is_vector_like(const struct leaves *l)
{
	for (unsigned i = 0; i < l->n; i++)
		if (!l->list[i].is_float || l->list[i].n_bytes != l->list[0].n_bytes)
			return false;
	return l->n && l->n <= 4;
}

/* Returns true if these 8 bytes are in a register for floating point numbers. */
static bool is_float_half(const struct leaves *l, unsigned half)
{
	bool is = false;

	for (unsigned i = 0; i < l->n; i++) {
		const struct leaf *leaf = &l->list[i];

		if (leaf->offset >= 8 * (half + 1) || leaf->offset + leaf->n_bytes <= 8 * half)
			continue;
		if (!leaf->is_float)
			return false;
		is = true;
	}
	return is;
}

static void use_half(const struct fetch_place *p, bool is_float, unsigned *n_used, char *out,
		     size_t size)
{
	if (is_float)
		snprintf(out, size, "%s", VALUE_NO_REGISTER);
	else
		snprintf(out, size, "%%%s",
			 arch_register(p->arch, p->arch->result_regs[(*n_used)++]));
}

static void use_registers(const struct fetch_place *p, const struct leaves *l, uint64_t n_bytes,
			  struct value *v)
{
	unsigned n_floats = count_floats(l), n_used = 0;
	bool low = false, high = false;

	switch (p->arch->float_results) {
	case FLOAT_RESULTS_BY_HALVES:
		low = is_float_half(l, 0);
		high = is_float_half(l, 1);
		break;
	case FLOAT_RESULTS_ALIKE:
		low = high = is_vector_like(l);
		break;
	case FLOAT_RESULTS_BY_MEMBERS:
		if (!l->has_union && l->n <= 2 && n_floats) {
			low = is_float_half(l, 0);
			high = is_float_half(l, 1);
		}
		break;
	}
	v->kind = VALUE_PARTS;
	use_half(p, low, &n_used, v->expr, sizeof(v->expr));
	if (!low)
		snprintf(v->expr, sizeof(v->expr), "$retval");
	if (n_bytes > 8)
		use_half(p, high, &n_used, v->high, sizeof(v->high));
}

static int use_struct(const struct fetch_place *p, const struct expression *e,
		      const struct type_facts *f, struct value *v, struct errmsg *err)
{
	struct leaves l = {0};
	bool by_address = type_is_by_address(v->type);
	bool is_large = f->n_bytes > p->arch->max_reg_struct || by_address;

	collect(&l, v->type, 0, false, 0);
	if (p->arch->float_results == FLOAT_RESULTS_ALIKE && !by_address && is_vector_like(&l))
		is_large = false;
	if (p->arch->float_results == FLOAT_RESULTS_BY_HALVES && !is_aligned(&l))
		is_large = true;
	if (!is_large) {
		use_registers(p, &l, f->n_bytes, v);
		return 0;
	}
	if (!p->arch->keeps_result_address)
		return FETCH_REFUSE(p, err, e->span, -EOPNOTSUPP,
				    "%s returns a struct in memory, and on %s no register has "
				    "its address then; probe a line after the call",
				    p->function, p->arch->name);
	v->kind = VALUE_MEMORY; /* the register has the address of the struct */
	return 0;
}

int fetch_start_result(const struct fetch_place *p, const struct expression *e, struct value *v,
		       struct errmsg *err)
{
	struct type_facts f;
	struct type t = {0};
	int r = p->scope ? p->scope->ops->result(p->scope, &t) : -ENODATA;

	snprintf(v->expr, sizeof(v->expr), "$retval");
	/* with this code, a pattern skips the function */
	if (r == -ENOENT)
		return FETCH_REFUSE(p, err, e->span, -ENOENT,
				    "%s returns nothing (void); omit $retval", p->function);
	if (r < 0)
		return 0;
	v->type = t;
	type_get(t, &f);
	if (f.kind == TYPE_FLOAT || f.n_floats)
		return FETCH_REFUSE(p, err, e->span, -ENOENT,
				    "%s returns a floating point number, in a register that "
				    "probes cannot read; probe a line after the call that "
				    "keeps it in memory",
				    p->function);
	return f.kind == TYPE_STRUCT || f.kind == TYPE_UNION ? use_struct(p, e, &f, v, err) : 0;
}
