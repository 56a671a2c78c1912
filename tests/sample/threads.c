// SPDX-License-Identifier: GPL-2.0-or-later
/* threads.c - stacks that begin in a thread. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

__attribute__((noinline)) static uint64_t burn(unsigned n)
{
	volatile uint64_t s = 0;

	for (unsigned i = 0; i < n; i++)
		s += i;
	return s;
}

__attribute__((noinline)) static uint64_t nested(unsigned depth, unsigned n)
{
	return depth ? nested(depth - 1, n) + 1 : burn(n);
}

static void *work(void *arg)
{
	uint64_t s = 0;

	for (long i = 0; i < (long)arg; i++)
		s += nested(3, 20000);
	return (void *)(s & 1);
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 100;
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, work, (void *)n);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
