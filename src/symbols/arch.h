/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * arch.h - the differences between processors that matter to probes: names of registers and calling
 * conventions, as rows of a table.
 */
#ifndef SONDE_SYMBOLS_ARCH_H
#define SONDE_SYMBOLS_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Rules for small struct results in floating point registers; see probe/fetch/result.c. */
enum float_results { FLOAT_RESULTS_BY_HALVES, FLOAT_RESULTS_ALIKE, FLOAT_RESULTS_BY_MEMBERS };

struct arch {
	const char *name;	 /* as in uname(2): "x86_64", "aarch64", "riscv64" */
	unsigned elf_machine;	 /* EM_X86_64 … */
	const char *const *regs; /* names in the kernel's probes, without %, by DWARF number */
	unsigned n_regs;
	const unsigned *arg_regs; /* DWARF numbers of the registers for integer arguments */
	unsigned n_arg_regs;
	unsigned stack_reg;
	uint32_t kept_regs; /* a bit for each callee-saved register */
	unsigned
		/* bytes on the stack before the first stack argument, at the entry */
		entry_stack_skip;
	unsigned max_reg_struct; /* a struct of up to this many bytes is passed in registers */
	/* larger structs are passed by address; else they are copied to the stack */
	bool big_struct_is_pointer;
	/* a struct that does not fit into the last register continues on the stack */
	bool struct_may_split;
	/* after a struct that does not fit, no register is used for later arguments */
	bool struct_ends_regs;
	bool result_takes_arg; /* the address of a large result is passed as the first argument */
	/* the address of a large result is in the first result register at the return */
	bool keeps_result_address;
	/* kprobes at entries use the function tracer's hook, not a breakpoint */
	bool has_hooked_kprobes;
	enum float_results float_results;
	unsigned result_regs[2];
};

/* Returns NULL if the table has no row of that name. */
const struct arch *arch_by_name(const char *name);
const struct arch *arch_by_machine(unsigned elf_machine);
const struct arch *arch_of_this_kernel(void);
/* Returns NULL if the kernel has no name for the register (floating point). */
const char *arch_register(const struct arch *a, unsigned dwarf_number);

#endif
