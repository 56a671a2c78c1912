// SPDX-License-Identifier: GPL-2.0-or-later
/* Three threads that call functions and sleep. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
#include <string.h>
static int leaf(int x)
{
	return x * 2;
}
static int work(int n)
{
	int s = 0;
	for (int i = 0; i < n; i++)
		s += leaf(i);
	return s;
}
static void *run(void *p)
{
	for (int i = 0; i < 3; i++) {
		work((long)p);
		usleep(500);
	}
	return 0;
}
int main()
{
	pthread_t t[3];
	for (long i = 0; i < 3; i++)
		pthread_create(&t[i], 0, run, (void *)(i + 1));
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	return work(2) > 100;
}
