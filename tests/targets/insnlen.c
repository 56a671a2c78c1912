// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * insnlen.c - prints how long instructions are, for the suite, which compares with a disassembler; or, if there is an
 * argument, why no probe can stand there, which it compares with the kernel.
 *
 *	input: a line of hex bytes for each; output: a number for each, or a line that is empty if one can
 */
#include "symbols/arch.h"
#include "symbols/insn/instruction.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	const struct arch *arch = arch_of_this_kernel();
	char line[256];

	(void)argv;
	while (arch && fgets(line, sizeof(line), stdin)) {
		uint8_t bytes[32] = {0};
		size_t n = 0;
		char *p = line, *end;

		for (; n < 16; p = end) {
			bytes[n] = strtoul(p, &end, 16);
			if (end == p)
				break;
			n++;
		}
		/* what comes behind must not matter */
		if (argc > 1) {
			const char *why = instruction_trouble(arch, bytes, sizeof(bytes));

			puts(why ? why : "");
		} else {
			printf("%u\n", instruction_length(arch, bytes, sizeof(bytes)));
		}
	}
	return 0;
}
