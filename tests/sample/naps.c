// SPDX-License-Identifier: GPL-2.0-or-later
/* naps.c - two threads that sleep ten times each: 10 ms and 5 ms. */
#include <pthread.h>
#include <time.h>

__attribute__((noinline)) static void nap(long ms)
{
	struct timespec t = {0, ms * 1000000};

	nanosleep(&t, NULL);
	__asm__ volatile("" ::: "memory");
}

static void *run_thread(void *arg)
{
	for (int i = 0; i < 10; i++)
		nap(5);
	return arg;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, run_thread, NULL);
	for (int i = 0; i < 10; i++)
		nap(10);
	pthread_join(thread, NULL);
	return 0;
}
