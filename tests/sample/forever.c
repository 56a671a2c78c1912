// SPDX-License-Identifier: GPL-2.0-or-later
/* forever.c - a process with two threads that work until they are killed; prints a line when both run. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

#define WORK(name)                                       \
	__attribute__((noinline)) static void name(void) \
	{                                                \
		volatile uint64_t s = 0;                 \
                                                         \
		for (unsigned i = 0; i < 1000000; i++)   \
			s += i;                          \
	}
WORK(main_works)
WORK(thread_works)

static void *run_thread(void *arg)
{
	for (;;)
		thread_works();
	return arg;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, run_thread, NULL);
	puts("ready");
	fflush(stdout);
	for (;;)
		main_works();
}
