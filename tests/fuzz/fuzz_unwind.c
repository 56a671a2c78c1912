// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_unwind.c - call frame information, and walks over stacks with it.
 *
 *	input:  is it .debug_frame (1 byte)  length of the section (2 bytes)  the section  a stack
 *
 * Registers and the stack pointer come from the stack's bytes. Every walk must end: the stack pointer
 * grows with each frame, except for signal frames, which are counted.
 */
#include "symbols/unwind/unwind.h"

#include <stdlib.h>

#define ADDRESS	   0x1000
#define FRAMES_MAX 10000

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n);

static void walk(const struct cfi *c, struct piece stack)
{
	struct unwind_frame f = {.known = ~UINT64_C(0), .is_exact = true};
	struct unwind_memory m = {0x7000, stack};
	int r = 1;

	for (unsigned i = 0; i < CFI_REGS_MAX && i < stack.len; i++)
		f.regs[i] = m.start + stack.data[i] * 8u;
	f.regs[UNWIND_SP] = m.start;
	f.regs[UNWIND_IP] = ADDRESS + (stack.len ? stack.data[0] : 0);
	for (unsigned i = 0; r > 0 && i < FRAMES_MAX; i++) {
		struct cfi_row row;

		r = cfi_find_row(c, unwind_ip(&f) - !f.is_exact, &row);
		if (r < 0)
			r = unwind_step_fp(&f, &m);
		else
			r = unwind_step(&f, &m, c, &row);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n)
{
	size_t len = n < 3 ? 0 : (size_t)input[1] | (size_t)input[2] << 8;
	struct cfi *c;

	if (n < 3)
		return 0;
	if (len > n - 3)
		len = n - 3;
	c = cfi_open_bytes((struct piece){input + 3, len}, ADDRESS, input[0] & 1);
	if (!c)
		return 0;
	for (uint64_t address = 0; address < 0x3000; address += 7) {
		uint64_t begin, end;
		struct cfi_row row;

		if (cfi_find_range(c, address, &begin, &end) >= 0 &&
		    (address < begin || address >= end))
			abort();
		cfi_find_row(c, address, &row);
	}
	walk(c, (struct piece){input + 3 + len, n - 3 - len});
	cfi_close(c);
	return 0;
}
