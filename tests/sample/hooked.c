// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hooked.c - functions with hooks on the stack: main, outer, inner, spin, and a recursion; then the same in a child.
 * frequent() is called so often that samples fall into hooks.
 */
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))
#define KEEP	 __asm__ volatile("" ::: "memory") /* no tail calls */

volatile uint64_t sink;

NOINLINE void spin(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sink += i;
}

NOINLINE void inner(unsigned n)
{
	spin(n);
	KEEP;
}

NOINLINE void outer(unsigned n)
{
	inner(n);
	KEEP;
}

NOINLINE void again(unsigned depth)
{
	if (depth)
		again(depth - 1);
	else
		spin(20000000);
	KEEP;
}

NOINLINE void frequent(unsigned n)
{
	sink += n;
	KEEP;
}

NOINLINE void often(void)
{
	for (unsigned i = 0; i < 2000000; i++)
		frequent(i);
}

int main(void)
{
	pid_t child = fork();

	if (!child) {
		outer(20000000);
		_exit(0);
	}
	outer(20000000);
	again(3);
	often();
	waitpid(child, NULL, 0);
	return 0;
}
