/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * place.h - where a variable is at an instruction, and what a scope knows about its variables.
 *
 * Registers have the DWARF numbers of the architecture; symbols/arch.h has their names in the
 * kernel's probes.
 */
#ifndef SONDE_SYMBOLS_PLACE_H
#define SONDE_SYMBOLS_PLACE_H

#include "symbols/types.h"

enum place_kind {
	PLACE_NOWHERE,	/* optimised away here; why says more */
	PLACE_REGISTER, /* the value is in reg */
	PLACE_MEMORY,	/* the value is at [reg] + offset */
	/*
	 * the value is at the stack pointer + offset, with the stack pointer of the function's
	 * entry
	 */
	PLACE_STACK,
	PLACE_ADDRESS,	/* the value is at a fixed address: a global */
	PLACE_CONSTANT, /* the value is `offset` itself */
	PLACE_RESULT,	/* what the function returns */
	PLACE_FIELD,	/* a field of an existing event: symbol is its name */
};

struct place {
	enum place_kind kind;
	unsigned reg;
	bool is_pair; /* PLACE_REGISTER, PLACE_RESULT: the 9th and later bytes are in reg_high */
	unsigned reg_high;
	int64_t offset;
	uint64_t address;
	const char *symbol; /* of a global in the kernel: its name, for @SYMBOL; else NULL */
	/*
	 * PLACE_MEMORY, PLACE_STACK: the number of loads through pointers on the way to the value
	 * (a DWARF expression with dereferences, a struct that is passed by address), each at its
	 * own offset, before the last one at offset.
	 */
	unsigned n_loads;
	int64_t loads[4];
};

struct variable {
	const char *name;
	struct type type;
	struct place place;
	bool is_parameter;
	/* belongs to the program, not a function: members of a class have priority */
	bool is_global;
	char why[160];	/* PLACE_NOWHERE: a clause: "it lives only at lines 12 to 15" */
	bool why_helps; /* … and it says where to look instead */
};

/* The variables visible at one instruction. One thread at a time. */
struct scope;

struct scope_ops {
	/* The innermost variable of that name, then globals; -ENOENT. */
	int (*find)(const struct scope *s, const char *name, size_t len, struct variable *ret);
	/*
	 * Every local variable (innermost first), or only the parameters in order; until visit
	 * returns a negative value.
	 */
	int (*each)(const struct scope *s, bool only_parameters,
		    int (*visit)(void *ctx, const struct variable *v), void *ctx);
	/* The type of the function's result; -ENOENT for void, -ENODATA if unknown. */
	int (*result)(const struct scope *s, struct type *ret_type);
};

struct scope {
	const struct scope_ops *ops;
	const struct types *types; /* for casts; NULL: no types are known */
	/* at the return of the function: parameters are no longer in their places */
	bool is_return;
};

#endif
