// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * library.c - a shared library to probe.
 */
#include <stdio.h>

int library_calls;

static inline int clamp(int value, int limit)
{
	int cut = value > limit ? limit : value;

	printf("clamp value=%d cut=%d\n", value, cut); /* P: value cut */
	return cut;
}

int library_scale(int value, int by);

int library_scale(int value, int by)
{
	library_calls++;
	printf("library_scale value=%d by=%d\n", value, by);
	return clamp(value * by, 10);
}
