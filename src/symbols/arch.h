/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arch.h - what differs between processors, for probes: names of registers and calling conventions, as
 * rows of a table.
 */
#ifndef SONDE_SYMBOLS_ARCH_H
#define SONDE_SYMBOLS_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* When parts of a small struct that is a result are in registers for floating point numbers; see probe/fetch/result.c. */
enum float_results { FLOAT_RESULTS_BY_HALVES, FLOAT_RESULTS_ALIKE, FLOAT_RESULTS_BY_MEMBERS };

struct arch {
	const char *name;	 /* as uname(2) says: "x86_64", "aarch64", "riscv64" */
	unsigned elf_machine;	 /* EM_X86_64 … */
	const char *const *regs; /* by DWARF number: what the kernel's probes call it, without % */
	unsigned n_regs;
	const unsigned *arg_regs; /* DWARF numbers of the registers that integers are passed in */
	unsigned n_arg_regs;
	unsigned stack_reg;
	uint32_t kept_regs; /* a bit for each that a function leaves to its caller as it was */
	unsigned
		entry_stack_skip; /* bytes on the stack before the first stack argument, at entry */
	unsigned max_reg_struct;  /* a struct of up to so many bytes is passed in registers */
	bool big_struct_is_pointer; /* a larger one by its address; else it is copied to the stack */
	bool struct_may_split;	    /* one that meets the last register goes on on the stack */
	bool struct_ends_regs; /* one that does not fit leaves no register to those behind it */
	bool result_takes_arg; /* the address of a large result is passed as the first argument */
	bool keeps_result_address; /* … and is in the first result register in the end */
	bool has_hooked_kprobes; /* at entries they take the function tracer's hook, no breakpoint */
	enum float_results float_results;
	unsigned result_regs[2];
};

/* NULL if there is no row for it. */
const struct arch *arch_by_name(const char *name);
const struct arch *arch_by_machine(unsigned elf_machine);
const struct arch *arch_of_this_kernel(void);
/* NULL if the kernel has no name for it (floating point). */
const char *arch_register(const struct arch *a, unsigned dwarf_number);

#endif
