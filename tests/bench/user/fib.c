// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fib.c - nothing but calls: prints how many, and the CPU time that one took, in ns.
 *
 *	fib N
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static long n_calls;

__attribute__((noinline)) int fib(int n);
int fib(int n)
{
	n_calls++;
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static double cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

int main(int argc, char **argv)
{
	double start = cpu_ns();
	int result = fib(argc > 1 ? atoi(argv[1]) : 30);

	printf("%ld %.3f %d\n", n_calls, (cpu_ns() - start) / (double)n_calls, result);
	return 0;
}
