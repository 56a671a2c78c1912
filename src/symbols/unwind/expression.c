// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * expression.c - computes expressions of DWARF in call frame information.
 *
 * Compilers write few kinds: the stack pointer of a signal frame, and the PLT, where the CFA
 * depends on how far the instruction pointer is inside of its 16 bytes:
 *
 *	breg7(rsp)+8 breg16(rip)+0 lit15 and lit11 ge lit3 shl plus
 *
 * Branches are carried out, too, with a limit of steps. Operations that need more than a copy of
 * the stack (object addresses, pieces, calls) fail.
 */
#include "format/bytes.h"
#include "symbols/unwind/cfi_int.h"
#include "symbols/unwind/unwind.h"

#include <dwarf.h>
#include <errno.h>

#define DEPTH_MAX 32
#define STEPS_MAX 1000

struct machine {
	uint64_t stack[DEPTH_MAX];
	unsigned n;
	bool is_bad;
	const struct unwind_frame *f;
	const struct unwind_memory *m;
};

static void push(struct machine *x, uint64_t v)
{
	if (x->n < DEPTH_MAX)
		x->stack[x->n++] = v;
	else
		x->is_bad = true;
}

static uint64_t pop(struct machine *x)
{
	if (x->n)
		return x->stack[--x->n];
	x->is_bad = true;
	return 0;
}

static void push_reg(struct machine *x, uint64_t reg, int64_t offset)
{
	if (reg >= CFI_REGS_MAX || !(x->f->known & UINT64_C(1) << reg))
		x->is_bad = true;
	else
		push(x, x->f->regs[reg] + (uint64_t)offset);
}

static void load(struct machine *x, uint64_t n_bytes)
{
	uint64_t at = pop(x) - x->m->start, v = 0;

	if (n_bytes > 8 || at > x->m->bytes.len || x->m->bytes.len - at < n_bytes) {
		x->is_bad = true;
		return;
	}
	memcpy(&v, x->m->bytes.data + at, n_bytes);
	push(x, v);
}

static void push_copy(struct machine *x, unsigned depth)
{
	if (depth < x->n)
		push(x, x->stack[x->n - 1 - depth]);
	else
		x->is_bad = true;
}

static void rotate(struct machine *x)
{
	uint64_t a = pop(x), b = pop(x), c = pop(x);

	push(x, a);
	push(x, c);
	push(x, b);
}

/* Constants. Returns false if the operation is none. */
static bool do_constant(struct machine *x, struct cfi_reader *r, uint8_t op)
{
	switch (op) {
	case DW_OP_addr:
	case DW_OP_const8u:
	case DW_OP_const8s:
		push(x, cfi_read(r, 8));
		return true;
	case DW_OP_const1u:
		push(x, cfi_read(r, 1));
		return true;
	case DW_OP_const1s:
		push(x, (uint64_t)(int64_t)(int8_t)cfi_read(r, 1));
		return true;
	case DW_OP_const2u:
		push(x, cfi_read(r, 2));
		return true;
	case DW_OP_const2s:
		push(x, (uint64_t)(int64_t)(int16_t)cfi_read(r, 2));
		return true;
	case DW_OP_const4u:
		push(x, cfi_read(r, 4));
		return true;
	case DW_OP_const4s:
		push(x, (uint64_t)(int64_t)(int32_t)cfi_read(r, 4));
		return true;
	case DW_OP_constu:
		push(x, cfi_read_uleb(r));
		return true;
	case DW_OP_consts:
		push(x, (uint64_t)cfi_read_sleb(r));
		return true;
	default:
		return false;
	}
}

/* Operations on two values. Returns false if the operation is none. */
static bool compute_two(uint8_t op, uint64_t a, uint64_t b, uint64_t *ret)
{
	int64_t sa = (int64_t)a, sb = (int64_t)b;

	switch (op) {
	case DW_OP_plus:
		*ret = a + b;
		return true;
	case DW_OP_minus:
		*ret = a - b;
		return true;
	case DW_OP_mul:
		*ret = a * b;
		return true;
	case DW_OP_and:
		*ret = a & b;
		return true;
	case DW_OP_or:
		*ret = a | b;
		return true;
	case DW_OP_xor:
		*ret = a ^ b;
		return true;
	case DW_OP_shl:
		*ret = b < 64 ? a << b : 0;
		return true;
	case DW_OP_shr:
		*ret = b < 64 ? a >> b : 0;
		return true;
	case DW_OP_shra:
		*ret = (uint64_t)(sa >> (b < 64 ? b : 63));
		return true;
	case DW_OP_div:
		*ret = sb && sb != -1 ? (uint64_t)(sa / sb) : 0 - a;
		return true;
	case DW_OP_mod:
		*ret = b ? a % b : 0;
		return true;
	case DW_OP_eq:
		*ret = a == b;
		return true;
	case DW_OP_ne:
		*ret = a != b;
		return true;
	case DW_OP_ge:
		*ret = sa >= sb;
		return true;
	case DW_OP_gt:
		*ret = sa > sb;
		return true;
	case DW_OP_le:
		*ret = sa <= sb;
		return true;
	case DW_OP_lt:
		*ret = sa < sb;
		return true;
	default:
		return false;
	}
}

static void do_branch(struct machine *x, struct cfi_reader *r, uint8_t op, const uint8_t *start)
{
	int16_t by = (int16_t)cfi_read(r, 2);

	if (op == DW_OP_bra && !pop(x))
		return;
	if (by < start - r->at || by > r->end - r->at)
		x->is_bad = true;
	else
		r->at += by;
}

static void do_other(struct machine *x, struct cfi_reader *r, uint8_t op, const uint8_t *start)
{
	uint64_t a, b;

	switch (op) {
	case DW_OP_deref:
		load(x, 8);
		break;
	case DW_OP_deref_size:
		load(x, cfi_read(r, 1));
		break;
	case DW_OP_bregx:
		a = cfi_read_uleb(r);
		push_reg(x, a, cfi_read_sleb(r));
		break;
	case DW_OP_plus_uconst:
		push(x, pop(x) + cfi_read_uleb(r));
		break;
	case DW_OP_neg:
		push(x, 0 - pop(x));
		break;
	case DW_OP_not:
		push(x, ~pop(x));
		break;
	case DW_OP_dup:
		push_copy(x, 0);
		break;
	case DW_OP_over:
		push_copy(x, 1);
		break;
	case DW_OP_pick:
		push_copy(x, (unsigned)cfi_read(r, 1));
		break;
	case DW_OP_drop:
		pop(x);
		break;
	case DW_OP_swap:
		a = pop(x);
		b = pop(x);
		push(x, a);
		push(x, b);
		break;
	case DW_OP_rot:
		rotate(x);
		break;
	case DW_OP_skip:
	case DW_OP_bra:
		do_branch(x, r, op, start);
		break;
	case DW_OP_nop:
		break;
	default:
		x->is_bad = true;
	}
}

static void do_op(struct machine *x, struct cfi_reader *r, const uint8_t *start)
{
	uint8_t op = (uint8_t)cfi_read(r, 1);
	uint64_t v;

	if (op >= DW_OP_lit0 && op <= DW_OP_lit31) {
		push(x, op - DW_OP_lit0);
	} else if (op >= DW_OP_breg0 && op <= DW_OP_breg31) {
		push_reg(x, op - DW_OP_breg0, cfi_read_sleb(r));
	} else if (do_constant(x, r, op)) {
		return;
	} else if (x->n >= 2 && compute_two(op, x->stack[x->n - 2], x->stack[x->n - 1], &v)) {
		x->n -= 2;
		push(x, v);
	} else {
		do_other(x, r, op, start);
	}
}

int unwind_compute(struct piece code, const struct unwind_frame *f, const struct unwind_memory *m,
		   bool has_first, uint64_t first, uint64_t *ret)
{
	struct machine x = {.f = f, .m = m};
	struct cfi_reader r = {code.data, code.len ? code.data + code.len : code.data, false};
	unsigned n_steps = 0;

	if (has_first)
		push(&x, first);
	while (r.at < r.end && !r.is_bad && !x.is_bad && n_steps++ < STEPS_MAX)
		do_op(&x, &r, code.data);
	if (r.is_bad || x.is_bad || !x.n || r.at < r.end)
		return -EBADMSG;
	*ret = x.stack[x.n - 1];
	return 0;
}
