/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * place.h - the place of a variable at an instruction, and the variables of a scope.
 *
 * Registers have the DWARF numbers of the architecture; symbols/arch.h has their names in the
 * kernel's probes.
 */
#ifndef SONDE_SYMBOLS_PLACE_H
#define SONDE_SYMBOLS_PLACE_H

#include "symbols/types.h"

enum place_kind {
	PLACE_NOWHERE,	/* optimised away here; why has the reason */
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
	const char *symbol; /* name of a global in the kernel, for @SYMBOL; else NULL */
	/*
	 * PLACE_MEMORY, PLACE_STACK: the number of loads through pointers before the last load at
	 * offset. Each has its own offset. A DWARF expression with dereferences, or a struct that
	 * is passed by address, needs such loads.
	 */
	unsigned n_loads;
	int64_t loads[4];
};

struct variable {
	const char *name; /* "": a parameter without a name */
	struct type type;
	struct place place;
	bool is_parameter;
	/*
	 * the variable belongs to the program, not to a function; members of a class have priority
	 */
	bool is_global;
	/* PLACE_NOWHERE: the reason as a clause, "it lives only at lines 12 to 15" */
	char why[160];
	bool why_helps; /* why names a place where the variable can be read */
};

/* The variables visible at one instruction. One thread at a time. */
struct scope;

struct scope_ops {
	/*
	 * Finds the innermost variable of that name, then a global. Returns -ENOENT if there is
	 * none.
	 */
	int (*find)(const struct scope *s, const char *name, size_t len, struct variable *ret);
	/*
	 * Visits every local variable (innermost first), or only the parameters in order, until
	 * visit returns a negative value. A parameter without a name has the name "".
	 */
	int (*each)(const struct scope *s, bool only_parameters,
		    int (*visit)(void *ctx, const struct variable *v), void *ctx);
	/* Gets the type of the function's result. Returns -ENOENT for void, -ENODATA if unknown. */
	int (*result)(const struct scope *s, struct type *ret_type);
};

struct scope {
	const struct scope_ops *ops;
	const struct types *types; /* for casts; NULL: no types are known */
	/* at the return of the function: parameters are no longer in their places */
	bool is_return;
};

#endif
