// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * insnlen.c - prints how long instructions are, for the suite, which compares with a disassembler.
 *
 *	input: a line of hex bytes for each; output: a number for each
 */
#include "symbols/arch.h"
#include "symbols/instruction.h"

#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	const struct arch *arch = arch_of_this_kernel();
	char line[256];

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
		printf("%u\n", instruction_length(arch, bytes, sizeof(bytes)));
	}
	return 0;
}
