// SPDX-License-Identifier: GPL-2.0-or-later
// Coroutines: swapcontext() between stacks that lie in static memory, on the heap side by side, and in a mapping.
#include "check.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { N = 4, STACK = 65536 };

static ucontext_t home, contexts[N];
static char fixed[STACK];
static int sum;

APART int step(int who, int n)
{
	CALLED(step);
	if (!n)
		return 0;
	sum += who + 1;
	if (n % (who + 2) == 0)
		swapcontext(&contexts[who], &home);
	n = 1 + step(who, n - 1);
	BARRIER();
	return n;
}

APART void run(int who)
{
	CALLED(run);
	for (int i = 0; i < 20; i++)
		sum += step(who, 10);
	for (;;)
		swapcontext(&contexts[who], &home);
}

APART int between(int n)
{
	CALLED(between);
	if (n)
		n = 1 + between(n - 1);
	BARRIER();
	return n;
}

int main(int argc, char **argv)
{
	char *stacks[N] = {
		fixed, malloc(STACK), malloc(STACK),
		mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)};

	(void)argv;
	check_begin(argc);
	for (int i = 0; i < N; i++) {
		getcontext(&contexts[i]);
		contexts[i].uc_stack.ss_sp = stacks[i];
		contexts[i].uc_stack.ss_size = STACK;
		makecontext(&contexts[i], (void (*)(void))run, 1, i);
	}
	for (int round = 0; round < 150; round++)
		for (int i = 0; i < N; i++) {
			swapcontext(&home, &contexts[i]);
			sum += between(3);
		}
	printf("sum %d\n", sum);
	check_end();
	return 10;
}
