// SPDX-License-Identifier: GPL-2.0-or-later
/* A function of another source file, for calls.c. */
int other_file(int n);
int other_helper(int n);
int leaf(int n);

__attribute__((noinline)) int other_helper(int n)
{
	int s = leaf(n);

	__asm__ volatile("" : "+r"(s));
	return s;
}

int other_file(int n)
{
	int s = other_helper(n);

	__asm__ volatile("" : "+r"(s));
	return s;
}
