// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * unwind.c - carries out the rules of a row (cfi.h).
 *
 * The CFA comes first: the stack pointer before the call. All other rules refer to it and to the
 * registers of the inner frame:
 *
 *  caller's sp = CFA   caller's ip = the column of the return address  others: by rule, or the same
 *
 * Stacks grow down, so the CFA of a caller is above that of the function it called; a frame that
 * breaks this is damaged, and ends the walk, so no walk is endless. A signal handler may have a
 * stack of its own: there the rule does not hold.
 */
#include "symbols/unwind/unwind.h"

#include "symbols/unwind/cfi_int.h"

#include <errno.h>
#include <string.h>

#define BIT(reg) (UINT64_C(1) << (reg))

static bool read_word(const struct unwind_memory *m, uint64_t address, unsigned n_bytes,
		      uint64_t *ret)
{
	uint64_t at = address - m->start;

	if (at > m->bytes.len || m->bytes.len - at < n_bytes)
		return false;
	*ret = 0;
	memcpy(ret, m->bytes.data + at, n_bytes);
	return true;
}

static bool get_reg(const struct unwind_frame *f, uint64_t reg, uint64_t *ret)
{
	if (reg >= CFI_REGS_MAX || !(f->known & BIT(reg)))
		return false;
	*ret = f->regs[reg];
	return true;
}

static int find_cfa(const struct unwind_frame *f, const struct unwind_memory *m,
		    const struct cfi *cfi, const struct cfi_row *row, uint64_t *ret)
{
	if (row->cfa_kind == CFI_VAL_EXPRESSION)
		return unwind_compute(cfi_expression(cfi, row, row->cfa_value), f, m, false, 0,
				      ret);
	if (row->cfa_kind != CFI_REGISTER || !get_reg(f, row->cfa_reg, ret))
		return -ENODATA;
	*ret += (uint64_t)(int64_t)row->cfa_value;
	return 0;
}

/* The value of a register in the caller. Returns false if it is unknown. */
static bool find_value(const struct unwind_frame *f, const struct unwind_memory *m,
		       const struct cfi *cfi, const struct cfi_row *row,
		       const struct cfi_rule *rule, uint64_t cfa, uint64_t *ret)
{
	switch (rule->kind) {
	case CFI_OFFSET:
		return read_word(m, cfa + (uint64_t)(int64_t)rule->value, 8, ret);
	case CFI_VAL_OFFSET:
		*ret = cfa + (uint64_t)(int64_t)rule->value;
		return true;
	case CFI_REGISTER:
		return get_reg(f, (uint64_t)rule->value, ret);
	case CFI_EXPRESSION:
		return !unwind_compute(cfi_expression(cfi, row, rule->value), f, m, true, cfa,
				       ret) &&
		       read_word(m, *ret, 8, ret);
	case CFI_VAL_EXPRESSION:
		return !unwind_compute(cfi_expression(cfi, row, rule->value), f, m, true, cfa, ret);
	default:
		return false;
	}
}

/* Pointer authentication signs return addresses in their upper bits. */
static uint64_t strip_signature(uint64_t address)
{
#if defined(__aarch64__)
	return address & ((UINT64_C(1) << 48) - 1);
#else
	return address;
#endif
}

static bool is_undefined(const struct cfi_row *row, unsigned reg)
{
	for (unsigned i = 0; i < row->n_rules; i++)
		if (row->rules[i].reg == reg)
			return row->rules[i].kind == CFI_UNDEFINED;
	return false;
}

int unwind_step(struct unwind_frame *f, const struct unwind_memory *m, const struct cfi *cfi,
		const struct cfi_row *row)
{
	struct unwind_frame up = *f;
	uint64_t cfa = 0, sp = 0;
	int r;

	if (is_undefined(row, row->ra_reg)) /* the first function of a thread has no caller */
		return 0;
	r = find_cfa(f, m, cfi, row, &cfa);
	if (r < 0)
		return r;
	for (unsigned i = 0; i < row->n_rules; i++) {
		unsigned reg = row->rules[i].reg;
		uint64_t value = 0;

		if (find_value(f, m, cfi, row, &row->rules[i], cfa, &value)) {
			up.regs[reg] = value;
			up.known |= BIT(reg);
		} else {
			up.known &= ~BIT(reg);
		}
	}
	if (!row->is_signal || !(up.known & BIT(UNWIND_SP)) ||
	    up.regs[UNWIND_SP] == f->regs[UNWIND_SP]) {
		up.regs[UNWIND_SP] = cfa;
		up.known |= BIT(UNWIND_SP);
	}
	if (!(up.known & BIT(row->ra_reg)))
		return -ENODATA;
	up.regs[UNWIND_IP] = up.regs[row->ra_reg];
	if (row->is_signed_ra)
		up.regs[UNWIND_IP] = strip_signature(up.regs[UNWIND_IP]);
	up.known |= BIT(UNWIND_IP);
	up.is_exact = row->is_signal;
	if (!up.regs[UNWIND_IP])
		return 0;
	get_reg(f, UNWIND_SP, &sp);
	if (!row->is_signal && (cfa < sp || (cfa == sp && up.regs[UNWIND_IP] == unwind_ip(f))))
		return -EBADMSG;
	*f = up;
	return 1;
}

int unwind_step_fp(struct unwind_frame *f, const struct unwind_memory *m)
{
	uint64_t fp = 0, sp = 0, next, ip;

	if (!get_reg(f, UNWIND_FP, &fp) || !get_reg(f, UNWIND_SP, &sp) || fp < sp || fp & 7 ||
	    !read_word(m, fp, 8, &next) || !read_word(m, fp + 8, 8, &ip))
		return -ENODATA;
	if (!ip)
		return 0;
	f->regs[UNWIND_SP] = fp + 16;
	f->regs[UNWIND_FP] = next;
	f->regs[UNWIND_IP] = ip;
	f->known = BIT(UNWIND_SP) | BIT(UNWIND_FP) | BIT(UNWIND_IP);
	f->is_exact = false;
	return 1;
}
