// SPDX-License-Identifier: GPL-2.0-or-later
/* Longjmp out of nested calls, signal handlers, recursion, calls that never return. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
#include <stdlib.h>
static jmp_buf jb;
static volatile int hits;
static void deep2(int n)
{
	if (n == 0)
		longjmp(jb, 1);
	deep2(n - 1);
}
static void deep1(void)
{
	deep2(3);
}
static void onsig(int s)
{
	hits++;
}
static int fact(int n)
{
	return n < 2 ? 1 : n * fact(n - 1);
}
static void never(void)
{
	exit(fact(3));
}
int main()
{
	signal(SIGUSR1, onsig);
	raise(SIGUSR1);
	if (setjmp(jb) == 0)
		deep1();
	fact(6);
	kill(getpid(), SIGUSR1);
	never();
	return 0;
}
