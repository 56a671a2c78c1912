// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * passed.c - parameters that are somewhere else at the entry than the debug information says of later; see passed.py.
 * Each function prints its name and the values that it got.
 */
#include <stdio.h>

struct large {
	long a[4];
};

/* clang leaves out the first two, and passes the others in their registers. */
__attribute__((noinline)) static int moved_up(void *unused, int also, volatile int k, int n)
{
	printf("moved_up k=%d n=%d\n", k, n);
	return k + n;
}

/* Always called with 7: clang makes that a part of the function. */
__attribute__((noinline)) static int always(int *p, volatile int k, int n)
{
	printf("always k=%d n=%d\n", k, n);
	return *p + k;
}

/* On the stack, which the first instructions move. */
__attribute__((noinline)) int eight(int *a, int *b, int *c, int *d, int *e, int *f, int *g, int n)
{
	printf("eight g=%7$d n=%8$d\n", *a, *b, *c, *d, *e, *f, *g, n);
	return *a;
}

/* Where the result goes to is passed before the parameters. */
__attribute__((noinline)) struct large larger(volatile int k, int n)
{
	struct large l = {{k, n, 3, 4}};

	printf("larger k=%d n=%d\n", k, n);
	return l;
}

int main(int argc, char **argv)
{
	int x[7] = {1, 2, 3, 4, 5, 6, 7}, sum = 0;

	for (int i = 0; i < 3; i++) {
		sum += moved_up(argv, 5, 100 + i, argc);
		sum += always(&i, 7, argc + i);
		sum += eight(x, x + 1, x + 2, x + 3, x + 4, x + 5, x + 6, 80 + i);
		sum += larger(10 * i, 20 * i).a[1];
	}
	return sum == 0;
}
