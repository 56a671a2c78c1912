/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * place.h - where a variable is at some instruction, and what a scope knows of its variables.
 *
 * Registers have the numbers that DWARF gives them on the architecture at hand; probe/arch.h has the
 * names the kernel's probes take.
 */
#ifndef SONDE_SYMBOLS_PLACE_H
#define SONDE_SYMBOLS_PLACE_H

#include "symbols/types.h"

enum place_kind {
	PLACE_NOWHERE,	/* optimised away here; why says more */
	PLACE_REGISTER, /* the value is in reg */
	PLACE_MEMORY,	/* the value is at [reg] + offset */
	PLACE_STACK, /* the value is at the stack pointer + offset, as it is at a function's entry */
	PLACE_ADDRESS,	/* the value is at a fixed address: a global */
	PLACE_CONSTANT, /* the value is offset itself */
	PLACE_RESULT,	/* what the function returns */
	PLACE_FIELD,	/* a field of an event that exists: symbol is its name */
};

struct place {
	enum place_kind kind;
	unsigned reg;
	bool is_pair; /* PLACE_REGISTER, PLACE_RESULT: the bytes from the 9th on are in reg_high */
	unsigned reg_high;
	int64_t offset;
	uint64_t address;
	const char *symbol; /* of a global in the kernel: its name, for @SYMBOL; else NULL */
	/*
	 * PLACE_MEMORY, PLACE_STACK: a value that is read through pointers on its way (a DWARF expression
	 * with dereferences, a struct that is passed by its address): so many loads, each at its own
	 * offset, before the last one at offset.
	 */
	unsigned n_loads;
	int64_t loads[4];
};

struct variable {
	const char *name;
	struct type type;
	struct place place;
	bool is_parameter;
	bool is_global; /* of the program, not of a function: members of a class come before it */
	char why[160];	/* PLACE_NOWHERE: a clause: "it lives only at lines 12 to 15" */
	bool why_helps; /* … and it says where to look instead */
};

/* The variables that can be seen at one instruction. One thread at a time. */
struct scope;

struct scope_ops {
	/* The innermost variable of that name, then globals; -ENOENT. */
	int (*find)(const struct scope *s, const char *name, size_t len, struct variable *ret);
	/* Every local one (innermost first), or only the parameters in order; until visit is negative. */
	int (*each)(const struct scope *s, bool only_parameters,
		    int (*visit)(void *ctx, const struct variable *v), void *ctx);
	/* What the function returns; -ENOENT for void, -ENODATA if it is not known. */
	int (*result)(const struct scope *s, struct type *ret_type);
};

struct scope {
	const struct scope_ops *ops;
	const struct types *types; /* for casts; NULL: no types are known */
	bool is_return; /* at the return of the function: parameters are gone from their places */
};

#endif
