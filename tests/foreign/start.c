// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * start.c - calls everything in shapes.c once, and ends. It has no debug information.
 */
#include "shapes.h"

void _start(void);

void use(void *p)
{
	asm volatile("" : : "r"(p) : "memory");
}

static void leave(void)
{
#ifdef __aarch64__
	register long status asm("x0") = 0;
	register long number asm("x8") = 93;

	asm volatile("svc 0" : : "r"(status), "r"(number));
#else
	register long status asm("a0") = 0;
	register long number asm("a7") = 93;

	asm volatile("ecall" : : "r"(status), "r"(number));
#endif
	__builtin_unreachable();
}

void _start(void)
{
	struct box box = {"a box", 41, {42, 43}};
	struct pair pair = {1001, 1002};
	struct wide wide = {2001, 2002, 2003};
	struct mixed mixed = {2.5, 3001};

	sink = add_ints(-11, 12000000000, -13, -14, 215);
	sink = many(101, -102, 103, -104, 105, -106, 107, -108, 109, -110, -111);
	sink = by_pointer(&box, "Text");
	sink = small_struct(-21, pair, -22);
	sink = large_struct(-23, wide, -24);
	sink = split_struct(31, 32, 33, 34, 35, 36, 37, pair, 38);
	sink = (long)with_double(1.5, 51, 0.25f);
	mixed = mixed_struct(mixed, 61);
	pair = give_pair(71);
	wide = give_wide(81);
	sink = large_frame(91, "Large");
	sink = moving_frame(92, "Moving");
	sink = counted(3, 5L, 6L, 7L);
	sink = twice_as_wide(111, 112, 113);
	sink = depth(3, 10);
	sink = loop(3);
	pair.first = 1001;
	wide.a = 2001;
	sink = only_large(wide);
	sink = taken(121, 122, pair);
	finish(131);
	leave();
}
