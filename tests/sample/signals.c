// SPDX-License-Identifier: GPL-2.0-or-later
/* signals.c - handlers of signals: on the same stack, on a stack of their own, inside of each other. */
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>

volatile uint64_t sink;

__attribute__((noinline)) static void burn(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sink += i;
}

static void inner(int sig)
{
	burn(30000 + (unsigned)sig);
}

static void outer(int sig)
{
	burn(10000 + (unsigned)sig);
	raise(SIGUSR2);
	sink++;
}

static void own_stack(int sig)
{
	burn(30000 + (unsigned)sig);
}

int main(int argc, char **argv)
{
	stack_t stack = {.ss_size = 64 << 10};
	struct sigaction on_own = {.sa_handler = own_stack, .sa_flags = SA_ONSTACK};
	int n = argc > 1 ? atoi(argv[1]) : 100;

	stack.ss_sp = malloc(stack.ss_size);
	sigaltstack(&stack, NULL);
	signal(SIGUSR1, outer);
	signal(SIGUSR2, inner);
	sigaction(SIGHUP, &on_own, NULL);
	for (int i = 0; i < n; i++) {
		raise(SIGUSR1);
		raise(SIGHUP);
		burn(5000);
	}
	return 0;
}
