// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * arch.c - the table of processors.
 *
 * The names are those of the kernel's regs_query_register_offset(): on x86-64 "di", not "rdi"; the
 * order is that of each processor's DWARF supplement. To add a processor, add a row.
 */
#include "symbols/arch.h"

#include "base/array.h"

#include <elf.h>
#include <string.h>
#include <sys/utsname.h>

static const char *const x86_64_regs[] = {
	"ax", "dx", "cx",  "bx",  "si",	 "di",	"bp",  "sp",
	"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
};
static const unsigned x86_64_args[] = {5, 4, 1, 2, 8, 9};

static const char *const aarch64_regs[] = {
	"x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",	 "x7",	"x8",  "x9",  "x10",
	"x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21",
	"x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "x30", "sp",
};
static const unsigned aarch64_args[] = {0, 1, 2, 3, 4, 5, 6, 7};

static const char *const riscv64_regs[] = {
	NULL, "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "s0", "s1", "a0",
	"a1", "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
	"s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
};
static const unsigned riscv64_args[] = {10, 11, 12, 13, 14, 15, 16, 17};

#define ROW_REGS(a) a##_regs, ARRAY_LEN(a##_regs), a##_args, ARRAY_LEN(a##_args)

static const struct arch rows[] = {
	{"x86_64", EM_X86_64, ROW_REGS(x86_64), .stack_reg = 7, .kept_regs = 0xf0c8,
	 .entry_stack_skip = 8, .max_reg_struct = 16, .result_takes_arg = true,
	 .keeps_result_address = true, .has_hooked_kprobes = true,
	 .float_results = FLOAT_RESULTS_BY_HALVES, .result_regs = {0, 1}},
	{"aarch64", EM_AARCH64, ROW_REGS(aarch64), .stack_reg = 31, .kept_regs = 0xbff80000,
	 .max_reg_struct = 16, .big_struct_is_pointer = true, .struct_ends_regs = true,
	 .float_results = FLOAT_RESULTS_ALIKE, .result_regs = {0, 1}},
	{"riscv64", EM_RISCV, ROW_REGS(riscv64), .stack_reg = 2, .kept_regs = 0x0ffc031c,
	 .max_reg_struct = 16, .big_struct_is_pointer = true, .struct_may_split = true,
	 .result_takes_arg = true, .float_results = FLOAT_RESULTS_BY_MEMBERS,
	 .result_regs = {10, 11}},
};

const struct arch *arch_by_name(const char *name)
{
	return ARRAY_FIND(rows, ARRAY_LEN(rows), i, !strcmp(rows[i].name, name));
}

const struct arch *arch_by_machine(unsigned elf_machine)
{
	return ARRAY_FIND(rows, ARRAY_LEN(rows), i, rows[i].elf_machine == elf_machine);
}

const struct arch *arch_of_this_kernel(void)
{
	struct utsname u;

	return uname(&u) ? NULL : arch_by_name(u.machine);
}

const char *arch_register(const struct arch *a, unsigned dwarf_number)
{
	return dwarf_number < a->n_regs ? a->regs[dwarf_number] : NULL;
}
