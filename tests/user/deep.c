// SPDX-License-Identifier: GPL-2.0-or-later
// Recursion 100 000 deep, and jumps from the end of one function to another.
#include "check.h"

APART int deep(int n)
{
	CALLED(deep);
	if (n)
		n = 1 + deep(n - 1);
	BARRIER();
	return n;
}

APART int odd(int n);
APART int even(int n)
{
	CALLED(even);
	return n ? odd(n - 1) : 1;
}

APART int odd(int n)
{
	CALLED(odd);
	return n ? even(n - 1) : 0;
}

int main(int argc, char **argv)
{
	int n_even = 0;

	(void)argv;
	check_begin(argc);
	for (int i = 0; i < 200; i++)
		n_even += even(i);
	printf("deep %d, even %d\n", deep(100000), n_even);
	check_end();
	return 13;
}
