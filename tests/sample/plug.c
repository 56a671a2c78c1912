// SPDX-License-Identifier: GPL-2.0-or-later
/* plug.c - a library that is loaded late. */
#include <stdint.h>

void in_plug(unsigned n)
{
	volatile uint64_t s = 0;

	for (unsigned i = 0; i < n; i++)
		s += i;
}
