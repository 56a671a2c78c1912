/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * instruction.h - the length of an instruction, what it may change, and whether it can be probed.
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

/* The number of bytes; 0 if the instruction is unknown here, or truncated. */
unsigned instruction_length(const struct arch *a, const uint8_t *bytes, size_t n);

/*
 * Where control goes: to the next one, perhaps elsewhere, certainly elsewhere (returns, too),
 * elsewhere and back.
 */
enum instruction_flow { FLOW_ON, FLOW_BRANCH, FLOW_JUMP, FLOW_CALL };

struct instruction_effect {
	unsigned n_bytes;
	uint32_t
		/*
		 * registers that it may change, a bit for each of DWARF's first 32; without those
		 * of a callee
		 */
		written;
	enum instruction_flow flow;
	bool is_padding; /* a nop, or a hint for the processor */
	bool has_target; /* it goes to `distance` bytes from its own beginning */
	int64_t distance;
	unsigned
		/* bytes stored at [store_reg] + store_offset; 0: none, or the place is unknown */
		stored_bytes;
	unsigned store_reg;
	int64_t store_offset;
};

/* False: unknown for this processor, or truncated. */
bool instruction_effect(const struct arch *a, const uint8_t *bytes, size_t n,
			struct instruction_effect *ret);

/* --- uprobe.c --- */

/* Why a probe in a program should not be put there, for the user; NULL: no reason known. */
const char *instruction_trouble(const struct arch *a, const uint8_t *bytes, size_t n);
/* It does nothing, and fills the space before aligned code. */
bool instruction_is_padding(const struct arch *a, const uint8_t *bytes, size_t n);

enum instruction_way {
	WAY_ON,	       /* to the next instruction, perhaps after a call */
	WAY_CONDITION, /* to the next one, or to `distance` from its beginning */
	WAY_JUMP,      /* only to `distance` */
	WAY_END,       /* back to the caller */
	WAY_UNKNOWN,   /* to the address in a register or memory, or unknown processor */
};

/* Where a complete instruction of n bytes leads. */
enum instruction_way instruction_way(const struct arch *a, const uint8_t *bytes, unsigned n,
				     int64_t *ret_distance);

#endif
