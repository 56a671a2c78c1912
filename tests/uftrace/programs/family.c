// SPDX-License-Identifier: GPL-2.0-or-later
/* family.c - processes with children and threads, and these with children and threads of their own. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) static int leaf(int n)
{
	for (volatile int i = 0; i < 1000 * n; i++)
		;
	return n;
}

static void *work(void *ctx)
{
	leaf(20);
	return ctx;
}

static void run_thread(void)
{
	pthread_t t;

	if (!pthread_create(&t, NULL, work, NULL))
		pthread_join(t, NULL);
}

static void run_child(int n_children, int n_threads)
{
	pid_t pid = fork();

	if (pid) {
		waitpid(pid, NULL, 0);
		return;
	}
	leaf(100);
	while (n_children-- > 0)
		run_child(n_children, n_threads);
	while (n_threads-- > 0)
		run_thread();
	exit(0);
}

int main(void)
{
	run_child(0, 0);
	run_child(2, 1);
	run_thread();
	run_child(0, 0);
	run_thread();
	run_thread();
	run_child(0, 2);
	return 0;
}
