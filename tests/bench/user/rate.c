// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rate.c - threads that call a function so many times a second.
 *
 *	rate THREADS SECONDS MILLIONS
 *
 * Each thread makes its part of MILLIONS of calls a second. At the end it prints: calls, seconds, and
 * the memory (proportional set size) of itself and its parent, in KB.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define STEP_NS 1000000

static long n_steps, per_step;
static volatile int result;

__attribute__((noinline)) int work(int n);
int work(int n)
{
	return n * 3 + 1;
}

static double now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

/* A step that began late is not shortened, so the calls of one second may take longer. */
static void *run(void *arg)
{
	double next = now_ns();

	for (long step = 0; step < n_steps; step++) {
		double rest;

		for (long i = 0; i < per_step; i++)
			result = work((int)i);
		next += STEP_NS;
		rest = next - now_ns();
		if (rest > 0)
			usleep((unsigned)(rest / 1000));
	}
	return arg;
}

static long memory_kb(int pid)
{
	char path[64], line[128];
	long kb = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/smaps_rollup", pid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "Pss: %ld", &kb);
	if (f)
		fclose(f);
	return kb;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1;
	pthread_t threads[64];
	double start = now_ns();

	if (argc < 4 || n < 1 || n > 64)
		return 1;
	n_steps = atol(argv[2]) * (1000000000 / STEP_NS);
	per_step = (long)(atof(argv[3]) * 1e6 / (1000000000 / STEP_NS) / n);
	for (int i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, run, NULL);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	printf("%ld %.3f %ld %ld\n", n_steps * per_step * n, (now_ns() - start) / 1e9,
	       memory_kb(getpid()), memory_kb(getppid()));
	return 0;
}
