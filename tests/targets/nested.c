// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nested.c - functions that call themselves, and one of which a copy is inlined into what it calls; see calls.py.
 */
#include <setjmp.h>
#include <time.h>
#include <unistd.h>

const char message[] = "stuvwx hello\n";
static volatile int seen;

__attribute__((noinline)) static void nap(long us)
{
	struct timespec t = {0, us * 1000};

	nanosleep(&t, NULL);
}

__attribute__((noinline)) int again(int depth)
{
	seen = depth;
	if (depth == 0) {
		nap(1000);
		again(1);
		nap(20000);
	}
	return depth + 10;
}

__attribute__((noinline)) static int inner(int n);

static inline int work(int n)
{
	seen = n;
	nap(10000);
	if (n > 0)
		seen = inner(n - 1);
	nap(10000);
	return n;
}

__attribute__((noinline)) static int inner(int n)
{
	return work(0) + n;
}

static jmp_buf back;

/* The inner call does not return. */
__attribute__((noinline)) int leap(int depth)
{
	seen = depth;
	if (depth)
		longjmp(back, 1);
	if (!setjmp(back))
		leap(1);
	nap(10000);
	return seen;
}

/* More deeply than the kernel follows returns. */
__attribute__((noinline)) int deep(int depth)
{
	int sum = depth ? deep(depth - 1) : 0;

	if (depth == 90)
		nap(20000);
	seen = sum;
	return sum + 1;
}

static int (*volatile by_pointer)(int) = work;

int main(void)
{
	for (int i = 0; i < 5; i++) {
		again(0);
		by_pointer(1);
		leap(0);
	}
	deep(90);
	return write(1, message, sizeof(message) - 1) < 0;
}
