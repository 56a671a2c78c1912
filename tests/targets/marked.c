// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * marked.c - a program with marks of its author, as sys/sdt.h makes them, one of them with a semaphore.
 *
 * Prints "hit n=… twice=…" for each mark it passes, and "counted n=…" while the semaphore is raised.
 */
#include <stdio.h>

#define TEXT_OF(x) #x
#define TEXT(x)	   TEXT_OF(x)

/* The nop, and a note that says where it is, how it is called and where its arguments are. */
#define MARK_AS(provider, name, semaphore, types, one, two)                                   \
	__asm__ volatile(                                                                     \
		"990: nop\n"                                                                  \
		".pushsection .note.stapsdt,\"?\",\"note\"\n"                                 \
		".balign 4\n"                                                                 \
		".4byte 992f-991f, 994f-993f, 3\n"                                            \
		"991: .asciz \"stapsdt\"\n"                                                   \
		"992: .balign 4\n"                                                            \
		"993: .8byte 990b\n"                                                          \
		".8byte _.stapsdt.base\n"                                                     \
		".8byte " TEXT(                                                               \
			semaphore) "\n"                                                       \
				   ".asciz \"" provider "\"\n"                                \
				   ".asciz \"" name "\"\n"                                    \
				   ".asciz \"" types "\"\n"                                   \
				   "994: .balign 4\n"                                         \
				   ".popsection\n"                                            \
				   ".ifndef _.stapsdt.base\n"                                 \
				   ".pushsection "                                            \
				   ".stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n" \
				   ".weak _.stapsdt.base\n"                                   \
				   ".hidden _.stapsdt.base\n"                                 \
				   "_.stapsdt.base: .space 1\n"                               \
				   ".size _.stapsdt.base, 1\n"                                \
				   ".popsection\n"                                            \
				   ".endif\n"                                                 \
		:                                                                             \
		: "nor"(one), "nor"(two))
#define MARK(provider, name, semaphore, one, two) \
	MARK_AS(provider, name, semaphore, "-4@%0 8@%1", one, two)

__attribute__((section(".probes"), used)) volatile unsigned short counted_semaphore;

int main(void)
{
	for (int n = 1; n <= 3; n++) {
		long twice = n * 2;

		printf("hit n=%d twice=%ld\n", n, twice);
		MARK("shapes", "hit", 0, n, twice);
		if (counted_semaphore)
			printf("counted n=%d\n", n);
		MARK("shapes", "counted", counted_semaphore, n, twice);
		/* one name, and an int here, a long there */
		MARK_AS("shapes", "sizes", 0, "-4@%0 -8@%1", -n, -twice);
		MARK_AS("shapes", "sizes", 0, "-8@%0 -8@%1", -1000000000000L - n, -twice);
	}
	return 0;
}
