// SPDX-License-Identifier: GPL-2.0-or-later
// Signal handlers on a stack of their own, a backtrace, and a function that is chosen when the program is loaded.
#include "check.h"

#include <execinfo.h>
#include <stdlib.h>

static int n_handled;

APART int handle_deep(int n)
{
	CALLED(handle_deep);
	if (n)
		n = 1 + handle_deep(n - 1);
	BARRIER();
	return n;
}

APART void handle(int signal)
{
	CALLED(handle);
	n_handled += handle_deep(signal % 3 + 1) > 0;
}

APART int frames(int n)
{
	void *buffer[64];

	CALLED(frames);
	if (!n)
		return backtrace(buffer, 64);
	n = frames(n - 1);
	BARRIER();
	return n;
}

APART int chosen_one(int n)
{
	CALLED(chosen_one);
	return n * 2;
}

static int (*choose(void))(int)
{
	return chosen_one;
}

int chosen(int n) __attribute__((ifunc("choose")));

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
	stack_t stack = {.ss_size = 65536, .ss_sp = malloc(65536)};
	int sum = 0;

	(void)argv;
	check_begin(argc);
	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	for (int i = 0; i < 1000; i++) {
		raise(SIGUSR1);
		sum += chosen(i);
	}
	printf("handled %d, frames %d, sum %d\n", n_handled, frames(10), sum);
	check_end();
	return 14;
}
