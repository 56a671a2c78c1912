// SPDX-License-Identifier: GPL-2.0-or-later
// Eight threads that compute until they are told to end (SIGTERM); the result does not depend on time.
// With an argument, a timer signal at 2 kHz calls traced functions meanwhile.
#include "../user/check.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#define THREADS 8

static volatile sig_atomic_t is_over;
static uint64_t rounds[THREADS], sums[THREADS];

APART uint64_t leaf(uint64_t n)
{
	BARRIER();
	return n * 2654435761u + 1;
}

APART uint64_t middle(uint64_t n)
{
	uint64_t sum = leaf(n) + leaf(n + 1);

	BARRIER();
	return sum ^ leaf(n + 2);
}

APART uint64_t deep(uint64_t n, int depth)
{
	uint64_t sum = depth ? deep(n, depth - 1) : middle(n);

	BARRIER();
	return sum + 1;
}

APART double floating(double x, uint64_t n)
{
	BARRIER();
	return x * 0.5 + (double)(n % 1000);
}

/* What a round adds, computed again without threads. */
APART uint64_t one_round(uint64_t n)
{
	return deep(n, (int)(n % 20)) + (uint64_t)floating(1.5, n);
}

static void *work(void *number)
{
	long me = (long)number;

	/* At least once: on a busy machine a thread may begin only after the signal. */
	do {
		sums[me] += one_round(rounds[me] % 1024);
		rounds[me]++;
	} while (!is_over);
	return NULL;
}

static void end(int signal)
{
	(void)signal;
	is_over = 1;
}

static uint64_t expected(uint64_t n)
{
	uint64_t whole = 0, rest = 0;

	for (uint64_t i = 0; i < 1024; i++) {
		uint64_t value = one_round(i);

		whole += value;
		rest += i < n % 1024 ? value : 0;
	}
	return whole * (n / 1024) + rest;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	sigset_t set, old;
	int n_wrong = 0;

	(void)argv;
	signal(SIGTERM, end);
	check_begin(argc);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, &old);
	for (long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	puts("ready");
	fflush(stdout);
	while (!is_over)
		sigsuspend(&old);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	check_timer(0);
	for (int i = 0; i < THREADS; i++)
		n_wrong += !rounds[i] || sums[i] != expected(rounds[i]);
	printf("wrong %d\n", n_wrong);
	return n_wrong ? 1 : 7;
}
