// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * effect.c - finds which registers an instruction may change, and where control goes.
 *
 * Compilers describe some variables by a register for the whole function, although the first
 * instructions set the register, the last ones restore it, or it is reused in between. Only the
 * code shows which registers are valid. This is not a disassembler: a result may contain a register
 * that is not changed (then the variable is refused), but it always contains all changed ones.
 * Registers have DWARF's numbers, which on both processors are those in the instructions. Only
 * plain stores with a register and a constant are reported, so some stores may be missing.
 *
 *	aarch64   bits 28-25 are the group; the written register is in bits 4-0 (Rd, Rt), for pairs
 *	          also in 14-10, and in 9-5 if a load or store changes its base. Number 31 is sp in
 *	          some instructions and no register in others.
 *	riscv64   bits 1-0 mark 16-bit instructions; of 32 bits, bits 6-0 are the group and 11-7 the
 *	          written register.
 *
 * x86-64 has no row: its compilers describe frames in the call frame table, which includes the ends
 * of functions.
 */
#include "symbols/arch.h"
#include "symbols/insn/instruction.h"

#include <elf.h>
#include <string.h>

#define ALL_REGS UINT32_MAX

static uint32_t field(uint32_t word, unsigned low, unsigned n_bits)
{
	return word >> low & ((1u << n_bits) - 1);
}

static int64_t sign_extend(uint32_t value, unsigned n_bits)
{
	return (int64_t)((uint64_t)value << (64 - n_bits)) >> (64 - n_bits);
}

static uint32_t reg_bit(uint32_t number)
{
	return 1u << number;
}

static void go_to(struct instruction_effect *e, enum instruction_flow flow, int64_t distance)
{
	e->flow = flow;
	e->has_target = true;
	e->distance = distance;
}

static void store_to(struct instruction_effect *e, unsigned n_bytes, unsigned reg, int64_t offset)
{
	e->stored_bytes = n_bytes;
	e->store_reg = reg;
	e->store_offset = offset;
}

/*
 * --- aarch64 -------------------------------------------------------------------------------------
 */

#define A64_SP 31

/* Returns the bit of Rd, where 31 means no register. */
static uint32_t a64_written(uint32_t number)
{
	return number == A64_SP ? 0 : reg_bit(number);
}

static void a64_branch(uint32_t w, struct instruction_effect *e)
{
	e->is_padding = (w & 0xfffff01f) == 0xd503201f; /* hints: nop, bti, paciasp */
	if (field(w, 26, 5) == 0x05)			/* b, bl */
		go_to(e, w >> 31 ? FLOW_CALL : FLOW_JUMP, sign_extend(field(w, 0, 26), 26) * 4);
	else if (field(w, 24, 8) == 0x54 || field(w, 25, 6) == 0x1a) /* b.cond, cbz, cbnz */
		go_to(e, FLOW_BRANCH, sign_extend(field(w, 5, 19), 19) * 4);
	else if (field(w, 25, 6) == 0x1b) /* tbz, tbnz */
		go_to(e, FLOW_BRANCH, sign_extend(field(w, 5, 14), 14) * 4);
	else if (field(w, 25, 7) == 0x6b) /* br, ret, …; bit 21: blr, blraa */
		e->flow = field(w, 21, 1) ? FLOW_CALL : FLOW_JUMP;
	else if (field(w, 24, 8) == 0xd4) /* svc writes its result */
		e->written = reg_bit(0);
	/* system instructions: mrs; hints that sign the return address */
	else if (field(w, 22, 10) == 0x354)
		e->written = a64_written(field(w, 0, 5)) | reg_bit(30) | reg_bit(17);
	else
		e->written = ALL_REGS;
}

static void a64_memory(uint32_t w, struct instruction_effect *e)
{
	uint32_t kind = field(w, 27, 3), base = reg_bit(field(w, 5, 5)), to = 0;
	bool is_vector = field(w, 26, 1);

	switch (kind) {
	case 3: /* load of a literal; or, with bit 24, stores of tags and similar */
		to = field(w, 24, 1) ? base | a64_written(field(w, 0, 5))
				     : a64_written(field(w, 0, 5));
		break;
	case 5: /* pairs of registers; bit 23: the base changes */
		if (field(w, 22, 1))
			to = a64_written(field(w, 0, 5)) | a64_written(field(w, 10, 5));
		e->written = field(w, 23, 1) ? base : 0;
		break;
	case 7: /* one register; bits 11-10 odd: the base changes; bit 21: atomic operations */
		if (field(w, 22, 2) || (!field(w, 24, 1) && field(w, 21, 1) && !field(w, 10, 2)))
			to = a64_written(field(w, 0, 5));
		if (!field(w, 24, 1) && field(w, 10, 1))
			e->written = base;
		break;
	default: /* exclusive loads and stores, compare and swap; vectors whose base changes */
		to = a64_written(field(w, 0, 5)) | a64_written(field(w, 10, 5)) |
		     a64_written(field(w, 16, 5));
		e->written = is_vector ? base : 0;
	}
	if (!is_vector)
		e->written |= to;
}

/* Describes str and stur, and stp that does not change its base. */
static void a64_store(uint32_t w, struct instruction_effect *e)
{
	unsigned size = field(w, 30, 2), base = field(w, 5, 5);
	bool is_vector = field(w, 26, 1);

	if (field(w, 27, 3) == 7 && !field(w, 22, 2)) {
		if (field(w, 24, 2) == 1)
			store_to(e, 1 << size, base, (int64_t)field(w, 10, 12) << size);
		else if (!field(w, 24, 2) && !field(w, 21, 1) && !field(w, 10, 2))
			store_to(e, 1 << size, base, sign_extend(field(w, 12, 9), 9));
	}
	if (field(w, 27, 3) == 5 && field(w, 22, 4) == 4) {
		unsigned n_bytes = is_vector ? 4 << size : size == 2 ? 8 : 4;

		store_to(e, 2 * n_bytes, base, sign_extend(field(w, 15, 7), 7) * n_bytes);
	}
}

static void a64_effect(uint32_t w, struct instruction_effect *e)
{
	switch (field(w, 25, 4)) {
	case 0x8:
	/* operations with an immediate; add, sub and logical ones that set no flags can write sp */
	case 0x9:
		e->written = a64_written(field(w, 0, 5));
		if (field(w, 0, 5) == A64_SP && ((field(w, 23, 6) == 0x22 && !field(w, 29, 1)) ||
						 (field(w, 23, 6) == 0x24 && field(w, 29, 2) != 3)))
			e->written = reg_bit(A64_SP);
		return;
	case 0xa:
	case 0xb:
		a64_branch(w, e);
		return;
	case 0x4:
	case 0x6:
	case 0xc:
	case 0xe:
		a64_memory(w, e);
		a64_store(w, e);
		return;
	case 0x5:
	case 0xd: /* operations with registers; add and sub that extend one can write sp */
		e->written = a64_written(field(w, 0, 5));
		if (field(w, 0, 5) == A64_SP && field(w, 21, 8) == 0x59 && !field(w, 29, 1))
			e->written = reg_bit(A64_SP);
		return;
	case 0x7:
	case 0xf: /* floating point; some write an integer register */
		e->written = a64_written(field(w, 0, 5));
		return;
	}
	e->written = ALL_REGS;
}

/*
 * --- riscv64 -------------------------------------------------------------------------------------
 */

#define RV_ZERO	     1u /* register 0 is always 0 */
#define RV_NOP	     0x13
#define RV_SHORT_NOP 0x1

/* An immediate whose bits are scattered. Each group of bits is moved to its place. */
struct scattered {
	uint8_t from, n_bits, to;
};

static int64_t gather(uint32_t w, const struct scattered *rows, size_t n, unsigned n_bits)
{
	uint32_t value = 0;

	for (size_t i = 0; i < n; i++)
		value |= field(w, rows[i].from, rows[i].n_bits) << rows[i].to;
	return sign_extend(value, n_bits);
}

static const struct scattered rv_branch[] = {{8, 4, 1}, {25, 6, 5}, {7, 1, 11}, {31, 1, 12}};
static const struct scattered rv_jal[] = {{21, 10, 1}, {20, 1, 11}, {12, 8, 12}, {31, 1, 20}};
static const struct scattered rv_short_jump[] = {{3, 3, 1}, {11, 1, 4}, {2, 1, 5},  {7, 1, 6},
						 {6, 1, 7}, {9, 2, 8},	{8, 1, 10}, {12, 1, 11}};
static const struct scattered rv_short_branch[] = {
	{3, 2, 1}, {10, 2, 3}, {2, 1, 5}, {5, 2, 6}, {12, 1, 8}};

#define GATHER(w, rows, n_bits) gather(w, rows, sizeof(rows) / sizeof(*(rows)), n_bits)

static const struct scattered rv_store[] = {{7, 5, 0}, {25, 7, 5}};
static const struct scattered rv_short_by_sp[] = {{10, 3, 3}, {7, 3, 6}};
static const struct scattered rv_short_half_by_sp[] = {{9, 4, 2}, {7, 2, 6}};
static const struct scattered rv_short_store[] = {{10, 3, 3}, {5, 2, 6}};
static const struct scattered rv_short_half_store[] = {{6, 1, 2}, {10, 3, 3}, {5, 1, 6}};

#define RV_SP	   2
#define NOT_SIGNED 20 /* number of bits: more than these immediates have */

/*
 * Describes the last three instructions of quarter 0 (base and number) and of quarter 2 (number):
 * fsd, sw, sd.
 */
static void rv_short_save(uint32_t w, struct instruction_effect *e)
{
	bool is_half = field(w, 13, 3) == 6;
	unsigned base = 8 + field(w, 7, 3), n_bytes = is_half ? 4 : 8;

	if (field(w, 0, 2) == 1 || field(w, 13, 3) < 5)
		return;
	if (field(w, 0, 2) == 2)
		store_to(e, n_bytes, RV_SP,
			 is_half ? GATHER(w, rv_short_half_by_sp, NOT_SIGNED)
				 : GATHER(w, rv_short_by_sp, NOT_SIGNED));
	else
		store_to(e, n_bytes, base,
			 is_half ? GATHER(w, rv_short_half_store, NOT_SIGNED)
				 : GATHER(w, rv_short_store, NOT_SIGNED));
}

static void rv_effect(uint32_t w, struct instruction_effect *e)
{
	uint32_t to = field(w, 7, 5);

	switch (field(w, 0, 7)) {
	case 0x63:
		go_to(e, FLOW_BRANCH, GATHER(w, rv_branch, 13));
		return;
	case 0x6f:
		go_to(e, to ? FLOW_CALL : FLOW_JUMP, GATHER(w, rv_jal, 21));
		break;
	case 0x67:
		e->flow = to ? FLOW_CALL : FLOW_JUMP;
		break;
	case 0x73: /* ecall writes its result */
		e->written = reg_bit(10);
		break;
	case 0x03: /* loads, numbers, floating point */
	case 0x13:
	case 0x17:
	case 0x1b:
	case 0x2f:
	case 0x33:
	case 0x37:
	case 0x3b:
	case 0x53:
		break;
	case 0x23:
	case 0x27:
		store_to(e, 1 << field(w, 12, 2), field(w, 15, 5), GATHER(w, rv_store, 12));
		return;
	case 0x07:
	case 0x0f:
	case 0x43:
	case 0x47:
	case 0x4b:
	case 0x4f:
		return;
	default:
		e->written = ALL_REGS;
	}
	e->written = (e->written | reg_bit(to)) & ~RV_ZERO;
}

/*
 * The register that a 16-bit instruction writes: bits 11-7, or bits 4-2 or 9-7 as one of the
 * registers from 8 on.
 */
static const char rv_short_writes[3][8] = {
	{'l', '.', 'l', 'l', 'l', '.', '.', '.'},
	{'d', 'd', 'd', 'd', 'h', 'j', 'b', 'b'},
	{'d', '.', 'd', 'd', 'r', '.', '.', '.'},
};

static void rv_short_effect(uint32_t w, struct instruction_effect *e)
{
	uint32_t to = field(w, 7, 5);

	rv_short_save(w, e);
	switch (rv_short_writes[field(w, 0, 2)][field(w, 13, 3)]) {
	case 'l':
		e->written = reg_bit(8 + field(w, 2, 3));
		break;
	case 'h':
		e->written = reg_bit(8 + field(w, 7, 3));
		break;
	case 'j':
		go_to(e, FLOW_JUMP, GATHER(w, rv_short_jump, 12));
		break;
	case 'b':
		go_to(e, FLOW_BRANCH, GATHER(w, rv_short_branch, 9));
		break;
	case 'r': /* jr, jalr; else mv and add */
		if (field(w, 2, 5))
			e->written = reg_bit(to);
		else if (to)
			e->flow = field(w, 12, 1) ? FLOW_CALL : FLOW_JUMP;
		break;
	case 'd':
		e->written = reg_bit(to);
		break;
	}
	e->written &= ~RV_ZERO;
}

bool instruction_effect(const struct arch *a, const uint8_t *bytes, size_t n,
			struct instruction_effect *ret)
{
	unsigned length = instruction_length(a, bytes, n);
	uint32_t w = 0;

	if (!length || (a->elf_machine != EM_AARCH64 && a->elf_machine != EM_RISCV))
		return false;
	*ret = (struct instruction_effect){.n_bytes = length};
	for (unsigned i = 0; i < length; i++)
		w |= (uint32_t)bytes[i] << 8 * i; /* code is little endian, even if data is not */
	if (a->elf_machine == EM_AARCH64)
		a64_effect(w, ret);
	else if (length == 4)
		rv_effect(w, ret);
	else
		rv_short_effect(w, ret);
	if (a->elf_machine == EM_RISCV)
		ret->is_padding = w == RV_NOP || w == RV_SHORT_NOP;
	return true;
}
