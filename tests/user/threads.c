// SPDX-License-Identifier: GPL-2.0-or-later
// Many short threads, some of which leave by pthread_exit(), and one that is cancelled.
#include "check.h"

#include <pthread.h>
#include <unistd.h>

APART int down(int n)
{
	CALLED(down);
	if (n)
		n = 1 + down(n - 1);
	BARRIER();
	return n;
}

APART void leave(long n)
{
	CALLED(leave);
	if (n % 2)
		pthread_exit((void *)1);
}

APART void *work(void *argument)
{
	CALLED(work);
	down(50);
	leave((long)argument);
	return NULL;
}

static void *forever(void *started)
{
	*(volatile int *)started = 1;
	for (;;) {
		pthread_testcancel();
		usleep(100);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	volatile int started = 0;
	long n_exits = 0;
	pthread_t last;
	void *value;

	(void)argv;
	check_begin(argc);
	for (int round = 0; round < 10; round++) {
		pthread_t threads[16];

		for (long i = 0; i < 16; i++)
			pthread_create(&threads[i], NULL, work, (void *)i);
		for (int i = 0; i < 16; i++) {
			pthread_join(threads[i], &value);
			n_exits += (long)value;
		}
	}
	pthread_create(&last, NULL, forever, (void *)&started);
	while (!started)
		usleep(100);
	pthread_cancel(last);
	pthread_join(last, &value);
	printf("exits %ld, cancelled %d\n", n_exits, value == PTHREAD_CANCELED);
	check_end();
	return 11;
}
