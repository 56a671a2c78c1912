// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * many.c - a process with as many threads as the argument says: all wait but the last one, which works
 * until the process is killed, as the first one does. Prints how many there are.
 */
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define WORK(name)                                       \
	__attribute__((noinline)) static void name(void) \
	{                                                \
		volatile uint64_t s = 0;                 \
                                                         \
		for (unsigned i = 0; i < 1000000; i++)   \
			s += i;                          \
	}
WORK(first_works)
WORK(last_works)

static void *wait_forever(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static void *work_forever(void *arg)
{
	for (;;)
		last_works();
	return arg;
}

int main(int argc, char **argv)
{
	int n_wanted = argc > 1 ? atoi(argv[1]) : 2, n = 1;
	pthread_attr_t small;
	pthread_t thread;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, PTHREAD_STACK_MIN);
	while (n < n_wanted - 1 && !pthread_create(&thread, &small, wait_forever, NULL))
		n++;
	if (!pthread_create(&thread, &small, work_forever, NULL))
		n++;
	printf("%d\n", n);
	fflush(stdout);
	for (;;)
		first_works();
}
