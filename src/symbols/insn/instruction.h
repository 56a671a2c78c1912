/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * instruction.h - finds the length of an instruction, what it may change, and whether it can be
 * probed.
 *
 * A breakpoint must be at the beginning of an instruction. The kernel checks this for its own code,
 * but not in a program, where a probe inside an instruction changes what the program does.
 */
#ifndef SONDE_SYMBOLS_INSN_INSTRUCTION_H
#define SONDE_SYMBOLS_INSN_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arch;

/* Returns the number of bytes, or 0 if the instruction is unknown or truncated. */
unsigned instruction_length(const struct arch *a, const uint8_t *bytes, size_t n);

/*
 * --- the parts of an x86-64 instruction ----------------------------------------------------------
 */

enum x86_branch {
	X86_PLAIN,     /* continues at the next instruction */
	X86_JUMP,      /* jumps to `distance` */
	X86_CONDITION, /* may jump to `distance` */
	/* like X86_CONDITION, for loop and jrcxz, which have only a short form, and xbegin */
	X86_LOOP,
	X86_CALL,	   /* calls `distance` */
	X86_JUMP_INDIRECT, /* jumps to the address in a register or in memory */
	X86_CALL_INDIRECT,
	X86_RETURN, /* also iret and sysret */
	X86_TRAP,   /* ud2, hlt and int3: control does not continue after it */
};

/*
 * The parts of an instruction. Offsets are from the first byte; 0 means that there is no such part.
 */
struct x86_parts {
	uint8_t n_bytes;
	uint8_t opcode_at; /* after prefixes and REX, or where VEX or EVEX begins; may be 0 */
	uint8_t modrm_at;
	uint8_t rip_at; /* place of 4 bytes: the operand's distance from the next instruction */
	/* place and size of a direct branch's distance, from the next instruction */
	uint8_t distance_at, distance_bytes;
	enum x86_branch branch;
	bool is_vector;				     /* VEX or EVEX */
	bool has_operand_prefix, has_address_prefix; /* 66 and 67 */
};

/* Returns false if the instruction is unknown or truncated. */
bool x86_parts(const uint8_t *bytes, size_t n, struct x86_parts *ret);
/* Returns a direct branch's target, if the instruction is at `address`. */
uint64_t x86_target(const uint8_t *bytes, const struct x86_parts *parts, uint64_t address);
/* Returns true if the instruction has no effect, whatever the operands: nop in all its lengths. */
bool x86_is_nop(const uint8_t *bytes, const struct x86_parts *parts);

/*
 * Where control goes: to the next instruction; perhaps elsewhere; certainly elsewhere (also
 * returns); elsewhere and back.
 */
enum instruction_flow { FLOW_ON, FLOW_BRANCH, FLOW_JUMP, FLOW_CALL };

struct instruction_effect {
	unsigned n_bytes;
	uint32_t
		/*
		 * registers that the instruction may change, a bit for each of DWARF's first 32;
		 * without those that a called function changes
		 */
		written;
	enum instruction_flow flow;
	bool is_padding; /* a nop, or a hint for the processor */
	/* control goes to `distance` bytes from the beginning of the instruction */
	bool has_target;
	int64_t distance;
	unsigned
		/* bytes stored at [store_reg] + store_offset; 0: none, or the place is unknown */
		stored_bytes;
	unsigned store_reg;
	int64_t store_offset;
};

/* Returns false if the processor or the instruction is unknown, or the bytes are truncated. */
bool instruction_effect(const struct arch *a, const uint8_t *bytes, size_t n,
			struct instruction_effect *ret);

/* --- uprobe.c --- */

/*
 * Returns why a probe in a program should not be put there, as a text for the user, or NULL if no
 * reason is known.
 */
const char *instruction_trouble(const struct arch *a, const uint8_t *bytes, size_t n);
/* Returns true if the instruction has no effect, and fills the space before aligned code. */
bool instruction_is_padding(const struct arch *a, const uint8_t *bytes, size_t n);

enum instruction_way {
	WAY_ON, /* continues at the next instruction, perhaps after a call */
	/* continues at the next instruction, or at `distance` from its own beginning */
	WAY_CONDITION,
	WAY_JUMP,    /* continues only at `distance` */
	WAY_END,     /* returns to the caller */
	WAY_UNKNOWN, /* the address is in a register or memory, or the processor is unknown */
};

/* Returns where control goes after a complete instruction of n bytes. */
enum instruction_way instruction_way(const struct arch *a, const uint8_t *bytes, unsigned n,
				     int64_t *ret_distance);

#endif
