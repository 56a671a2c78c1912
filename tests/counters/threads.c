// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * threads.c - a process whose stacks are known: three threads that sleep in inner(), which is inlined
 * into middle(), called by outer(). It prints "ready", and then "slept N" each time all were woken.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int pipes[2];
static volatile int depth;

static inline __attribute__((always_inline)) void inner(void)
{
	char byte;

	if (read(pipes[0], &byte, 1) < 0)
		depth = -1; /* an interrupted call: the test looks for it */
}

static __attribute__((noinline)) void middle(void)
{
	inner();
	depth++;
}

static __attribute__((noinline)) void *outer(void *arg)
{
	middle();
	depth++;
	return arg;
}

int main(void)
{
	pthread_t threads[3];

	if (pipe(pipes) < 0)
		return 1;
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, outer, NULL);
	puts("ready");
	fflush(stdout);
	getchar();
	if (write(pipes[1], "abc", 3) != 3)
		return 1;
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	printf("depth %d\n", depth);
	return 0;
}
