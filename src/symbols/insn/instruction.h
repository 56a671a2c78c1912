/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * instruction.h - how long an instruction is, what it may change, and whether a probe can stand on it.
 *
 * A breakpoint must stand at the beginning of one. The kernel looks for itself where it is its own code; in a
 * program it does not, and a probe inside of an instruction changes what the program does.
 */
#ifndef SONDE_SYMBOLS_INSN_INSTRUCTION_H
#define SONDE_SYMBOLS_INSN_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arch;

/* Its bytes; 0 if they are no instruction that is known here, or are cut off. */
unsigned instruction_length(const struct arch *a, const uint8_t *bytes, size_t n);

/* Where control goes: on, perhaps elsewhere, elsewhere for certain (returns, too), elsewhere and back. */
enum instruction_flow { FLOW_ON, FLOW_BRANCH, FLOW_JUMP, FLOW_CALL };

struct instruction_effect {
	unsigned n_bytes;
	uint32_t
		written; /* registers that it may change, a bit for each of DWARF's first 32; not those of a callee */
	enum instruction_flow flow;
	bool is_padding; /* a nop, or a mark for the processor */
	bool has_target; /* it goes to distance bytes from its own beginning */
	int64_t distance;
	unsigned
		stored_bytes; /* so many to [store_reg] + store_offset; 0: none, or it is not known where */
	unsigned store_reg;
	int64_t store_offset;
};

/* False: not known for this processor, or cut off. */
bool instruction_effect(const struct arch *a, const uint8_t *bytes, size_t n,
			struct instruction_effect *ret);

/* --- uprobe.c --- */

/* Why no probe in a program should stand there, for a person; NULL: nothing is known against it. */
const char *instruction_trouble(const struct arch *a, const uint8_t *bytes, size_t n);
/* Does nothing, and fills up the space before what is aligned. */
bool instruction_is_padding(const struct arch *a, const uint8_t *bytes, size_t n);

enum instruction_way {
	WAY_ON,	       /* to the next one, perhaps after a call */
	WAY_CONDITION, /* there, or to the distance from its beginning */
	WAY_JUMP,      /* to the distance only */
	WAY_END,       /* back to the caller */
	WAY_UNKNOWN,   /* to where a register or memory says, or another processor's */
};

/* Where an instruction of n bytes, all of it, leads. */
enum instruction_way instruction_way(const struct arch *a, const uint8_t *bytes, unsigned n,
				     int64_t *ret_distance);

#endif
