// SPDX-License-Identifier: GPL-2.0-or-later
// longjmp() over traced calls, also out of a signal handler.
#include "check.h"

#include <setjmp.h>
#include <unistd.h>

static jmp_buf place;
static sigjmp_buf handler_place;

APART void jumper(int n)
{
	CALLED(jumper);
	if (!n)
		longjmp(place, 1);
	jumper(n - 1);
	BARRIER();
}

APART void from_handler(int signal)
{
	CALLED(from_handler);
	siglongjmp(handler_place, signal);
}

APART int after(int n)
{
	CALLED(after);
	BARRIER();
	return n + 1;
}

APART int below(int n)
{
	CALLED(below);
	raise(SIGUSR1);
	return n;
}

int main(int argc, char **argv)
{
	volatile int n_jumps = 0, n_signals = 0, sum = 0;

	(void)argv;
	check_begin(argc);
	signal(SIGUSR1, from_handler);
	for (volatile int i = 0; i < 1000; i++) {
		if (!setjmp(place))
			jumper(i % 30);
		else
			n_jumps = n_jumps + 1;
		if (!sigsetjmp(handler_place, 1))
			below(i);
		else
			n_signals = n_signals + 1;
		sum = after(sum);
	}
	printf("jumps %d, signals %d, sum %d\n", n_jumps, n_signals, sum);
	check_end();
	return 8;
}
