// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * stored.c - finds the register that a function's first instructions store at a place of its frame.
 *
 *	1190  push %rbx                 the stack pointer: -8 relative to the entry
 *	1191  sub  $0x10,%rsp           -24
 *	1195  mov  %esi,%ebx            ebx is overwritten
 *	1197  mov  %edi,0xc(%rsp)       at -12: edi, which is unchanged
 *
 * A parameter that lives in memory is in a register at the entry. The calling convention gives the
 * register only if the function follows it: clang and rustc drop unused parameters of static
 * functions, later parameters move to earlier registers, and the debug information does not show
 * this.
 *
 * x86-64 only. The search ends without a result at any unusual instruction.
 */
#include "format/bytes.h"
#include "symbols/arch.h"
#include "symbols/dwarf/debuginfo_int.h"
#include "symbols/insn/instruction.h"

#include <elf.h>

#define PROLOGUE_BYTES 128

/* The numbers of registers in instructions. dwarf_numbers[] has those of DWARF. */
enum { RSP = 4, RBP = 5 };

static const uint8_t dwarf_numbers[16] = {0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15};

struct prologue {
	int64_t sp, bp; /* relative to the stack pointer at the entry */
	bool has_bp;
	uint32_t written; /* registers that were overwritten, one bit each */
};

/* A write of an instruction to memory. */
struct store {
	int64_t offset;
	unsigned n_bytes; /* 0: no relevant write */
	/* the stored register; -1: not a register that still has its value from the entry */
	int reg;
};

/* One instruction, decoded as far as needed for the usual ones. */
struct parts {
	unsigned opcode;  /* two-byte opcodes: 0x0f00 and the second byte */
	unsigned n_bytes; /* operand size */
	/* registers in the ModRM byte; base may be a second operand instead of an address */
	unsigned reg, base;
	bool has_memory; /* an operand is memory at base plus displacement */
	bool is_indexed; /* an index is added, too */
	int64_t displacement;
	const uint8_t *rest; /* the bytes after the operands: a constant */
	unsigned n_rest;
};

static int64_t take_number(const uint8_t *p, unsigned n_bytes)
{
	return n_bytes == 1 ? (int8_t)*p : (int32_t)bytes_get32(p, false);
}

/*
 * Decodes the ModRM byte and what follows from it. p[1] and later bytes exist: end is the end of
 * the instruction.
 */
static bool take_operands(struct parts *x, const uint8_t *p, const uint8_t *end, uint8_t rex)
{
	unsigned mode = *p >> 6, n_displacement = mode == 1 ? 1 : mode == 2 ? 4 : 0;

	x->reg = (*p >> 3 & 7) | (rex & 4 ? 8 : 0);
	x->base = (*p & 7) | (rex & 1 ? 8 : 0);
	x->has_memory = mode != 3;
	if (x->has_memory && (*p & 7) == 5 && !mode) { /* relative to the instruction pointer */
		x->is_indexed = true;
		n_displacement = 4;
	}
	if (x->has_memory && (*p++ & 7) == 4) {
		if (p >= end)
			return false;
		x->is_indexed = (*p >> 3 & 7) != 4 || rex & 2 || (!mode && (*p & 7) == 5);
		x->base = (*p & 7) | (rex & 1 ? 8 : 0);
		if (!mode && (*p & 7) == 5)
			n_displacement = 4;
		p++;
	} else if (!x->has_memory) {
		p++;
	}
	if (end - p < n_displacement)
		return false;
	if (n_displacement)
		x->displacement = take_number(p, n_displacement);
	x->rest = p + n_displacement;
	x->n_rest = end - x->rest;
	return true;
}

static bool has_operands(unsigned opcode)
{
	return opcode >= 0x0f00 || opcode < 0x40 || opcode == 0x63 ||
	       (opcode >= 0x80 && opcode <= 0x8d) || opcode == 0xc6 || opcode == 0xc7;
}

static bool take_apart(const uint8_t *p, unsigned n, struct parts *ret)
{
	const uint8_t *end = p + n;
	bool is_short = false;
	uint8_t rex = 0;

	*ret = (struct parts){.n_bytes = 4};
	for (; p < end && (*p == 0x66 || *p == 0xf3); p++)
		is_short = *p == 0x66;
	if (p < end && (*p & 0xf0) == 0x40)
		rex = *p++;
	if (p < end && *p == 0x0f && p + 1 < end) {
		ret->opcode = 0x0f00 | p[1];
		p++;
	} else if (p < end) {
		ret->opcode = *p;
	}
	if (p++ >= end)
		return false;
	if (rex & 8)
		ret->n_bytes = 8;
	else if (is_short)
		ret->n_bytes = 2;
	if (ret->opcode == 0x88 || ret->opcode == 0xc6)
		ret->n_bytes = 1;
	if (has_operands(ret->opcode))
		return p < end && take_operands(ret, p, end, rex);
	ret->base = (ret->opcode & 7) | (rex & 1 ? 8 : 0);
	return true;
}

/*
 * --- following the code ------------------------------------------------------------------------
 */

static bool set_register(struct prologue *w, unsigned reg)
{
	w->written |= 1u << reg;
	if (reg == RBP)
		w->has_bp = false;
	return reg != RSP;
}

/* Sets %rbp or %rsp to an offset from the other one. */
static bool set_frame(struct prologue *w, unsigned reg, int64_t value)
{
	set_register(w, reg);
	if (reg == RSP) {
		w->sp = value;
	} else {
		w->bp = value;
		w->has_bp = true;
	}
	return true;
}

static bool copy_register(struct prologue *w, const struct parts *x, unsigned to, unsigned from)
{
	if (from == RSP && to == RBP && x->n_bytes == 8)
		return set_frame(w, RBP, w->sp);
	return set_register(w, to);
}

/* Notes a store. Memory outside the frame does not belong to the parameter. */
static bool note_store(const struct prologue *w, const struct parts *x, int reg, struct store *ret)
{
	bool is_bp = x->base == RBP && w->has_bp;

	if (x->is_indexed || (x->base != RSP && !is_bp))
		return x->base != RSP;
	ret->offset = (is_bp ? w->bp : w->sp) + x->displacement;
	ret->n_bytes = x->n_bytes;
	ret->reg = reg >= 0 && !(w->written >> reg & 1) ? reg : -1;
	return true;
}

/* Follows add, or, …, sub, xor, cmp with a constant. */
static bool follow_constant(struct prologue *w, const struct parts *x)
{
	unsigned what = x->reg & 7, n = x->opcode == 0x83 ? 1 : 4;

	if (what == 7)
		return true;
	if (x->has_memory || (x->opcode != 0x83 && x->opcode != 0x81) || x->n_rest < n)
		return false;
	if (what == 5 && x->base == RSP && x->n_bytes == 8)
		return set_frame(w, RSP, w->sp - take_number(x->rest, n));
	return set_register(w, x->base);
}

static bool follow_address(struct prologue *w, const struct parts *x)
{
	if (!x->is_indexed && x->base == RSP && (x->reg == RSP || x->reg == RBP) && x->n_bytes == 8)
		return set_frame(w, x->reg, w->sp + x->displacement);
	return set_register(w, x->reg);
}

/* Follows one instruction. Returns false if the state after it is unknown. */
static bool follow(struct prologue *w, const struct parts *x, struct store *store)
{
	switch (x->opcode) {
	case 0x50 ... 0x57: /* push */
		w->sp -= 8;
		return true;
	case 0x80 ... 0x83:
		return follow_constant(w, x);
	case 0x88: /* mov to memory or a register */
	case 0x89:
		return x->has_memory ? note_store(w, x, x->reg, store)
				     : copy_register(w, x, x->base, x->reg);
	case 0x8b:
		return x->has_memory ? set_register(w, x->reg)
				     : copy_register(w, x, x->reg, x->base);
	case 0x8d:
		return follow_address(w, x);
	case 0xc6: /* mov of a constant */
	case 0xc7:
		return x->has_memory ? note_store(w, x, -1, store) : set_register(w, x->base);
	case 0xb8 ... 0xbf:
		return set_register(w, x->base);
	case 0x01: /* add, or, and, sub, xor */
	case 0x09:
	case 0x21:
	case 0x29:
	case 0x31:
		return !x->has_memory && set_register(w, x->base);
	case 0x03:
	case 0x0b:
	case 0x23:
	case 0x2b:
	case 0x33:
	case 0x63:   /* movsxd */
	case 0x0fb6: /* movzx, movsx */
	case 0x0fb7:
	case 0x0fbe:
	case 0x0fbf:
		return set_register(w, x->reg);
	case 0x38: /* cmp, test, nop, endbr64 */
	case 0x39:
	case 0x3a:
	case 0x3b:
	case 0x84:
	case 0x85:
	case 0x90:
	case 0x0f1e:
	case 0x0f1f:
	case 0x0f28: /* movaps and xorps of registers, from memory */
	case 0x0f57:
		return true;
	default:
		return false;
	}
}

int code_stored_register(struct debuginfo *d, uint64_t entry, int64_t offset, uint64_t n_bytes)
{
	struct piece code = code_at(d, entry);
	struct prologue w = {0};
	unsigned n;

	if (!d->arch || d->arch->elf_machine != EM_X86_64 || !n_bytes)
		return -1;
	for (size_t at = 0; at < PROLOGUE_BYTES && at < code.len; at += n) {
		struct store s = {.reg = -1};
		struct parts x;

		n = instruction_length(d->arch, code.data + at, code.len - at);
		if (!n || !take_apart(code.data + at, n, &x) || !follow(&w, &x, &s))
			return -1;
		if (s.n_bytes && s.offset < offset + (int64_t)n_bytes &&
		    offset < s.offset + s.n_bytes)
			return s.reg >= 0 && s.offset == offset && s.n_bytes >= n_bytes
				       ? dwarf_numbers[s.reg]
				       : -1;
	}
	return -1;
}
