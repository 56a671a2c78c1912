// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * switching.c - two coroutines, each of which leaves a function while the other is in it; see calls.py.
 */
#include <stdio.h>
#include <ucontext.h>

static ucontext_t main_context, contexts[2];
static char stacks[2][65536];

__attribute__((noinline)) int visit(int id)
{
	swapcontext(&contexts[id], &main_context);
	return id + 1;
}

static void run(int id)
{
	printf("%d\n", visit(id));
}

int main(void)
{
	for (int i = 0; i < 2; i++) {
		getcontext(&contexts[i]);
		contexts[i].uc_stack.ss_sp = stacks[i];
		contexts[i].uc_stack.ss_size = sizeof(stacks[i]);
		contexts[i].uc_link = &main_context;
		makecontext(&contexts[i], (void (*)(void))run, 1, i);
	}
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < 2; i++)
			swapcontext(&main_context, &contexts[i]);
	return 0;
}
