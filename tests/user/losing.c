// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * losing.c - threads that call faster than anyone can read: what is recorded and what is lost are
 * together all calls. Each thread nests its calls, so that returns are lost as well as calls.
 *
 *	losing THREADS ROUNDS
 *
 * Prints "calls NAME NUMBER": how often each function was called.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define DEPTH 12

static int n_rounds;

__attribute__((noinline)) int leaf(int n)
{
	__asm__ volatile("" : "+r"(n));
	return n * 12345 + 1;
}

/* It calls itself: a return that was lost must not be taken by the call outside. */
__attribute__((noinline)) int nest(int n, int depth)
{
	__asm__ volatile("" : "+r"(n));
	if (depth)
		n = nest(n, depth - 1) + leaf(n);
	__asm__ volatile("" : "+r"(n));
	return n + 1;
}

static void *run(void *arg)
{
	int n = 0;

	for (int i = 0; i < n_rounds; i++)
		n += nest(i, DEPTH);
	*(int *)arg = n;
	return NULL;
}

int main(int argc, char **argv)
{
	int n_threads = argc > 1 ? atoi(argv[1]) : 4;
	pthread_t threads[64];
	int results[64];

	n_rounds = argc > 2 ? atoi(argv[2]) : 100000;
	for (int i = 0; i < n_threads && i < 64; i++)
		pthread_create(&threads[i], NULL, run, &results[i]);
	for (int i = 0; i < n_threads && i < 64; i++)
		pthread_join(threads[i], NULL);
	printf("calls nest %d\ncalls leaf %d\n", n_threads * n_rounds * (DEPTH + 1),
	       n_threads * n_rounds * DEPTH);
	return 0;
}
