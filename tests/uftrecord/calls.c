// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calls.c - a program for `uftrace record`: recursion, threads, a child, calls into libraries.
 *
 *	calls plain | threads | fork | exit STATUS | signal NUMBER
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) static int leaf(int n)
{
	return n + 1;
}

__attribute__((noinline)) static int fib(int n)
{
	return n < 2 ? leaf(n) : fib(n - 1) + fib(n - 2);
}

__attribute__((noinline)) static int work(int n)
{
	char *text = malloc(64);
	int sum = 0;

	snprintf(text, 64, "%d", n);
	for (int i = 0; i < n; i++)
		sum += leaf((int)strlen(text));
	free(text);
	return sum;
}

static void *run(void *ctx)
{
	return (void *)(long)work((int)(long)ctx);
}

static int threads(void)
{
	for (long i = 1; i < 4; i++) {
		pthread_t thread;

		pthread_create(&thread, NULL, run, (void *)i);
		pthread_join(thread, NULL);
	}
	return 0;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "plain";
	int n = argc > 2 ? atoi(argv[2]) : 0;

	if (!strcmp(how, "threads"))
		return threads();
	if (!strcmp(how, "exit"))
		exit(n);
	if (!strcmp(how, "signal"))
		raise(n);
	printf("%d %d\n", fib(4), work(2));
	return n;
}
