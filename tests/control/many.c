// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Threads that call 64 functions all the time, while a timer interrupts them and the budget takes hooks out of
 * the code under their feet. Prints "right" if every call has returned what it must; see suite.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 3
#define ROUNDS	400000L

typedef long work(long n, long *out);
static volatile long n_signals;

/* Several beginnings: one long instruction, several short ones, a loop, a call near the beginning. */
#define PLAIN(i)                                                          \
	__attribute__((noinline)) static long plain##i(long n, long *out) \
	{                                                                 \
		*out += 1;                                                \
		return n * (2 * (i) + 1) + (i);                           \
	}
#define LOOP(i)                                                          \
	__attribute__((noinline)) static long loop##i(long n, long *out) \
	{                                                                \
		long sum = 0;                                            \
		for (long k = n & 3; k >= 0; k--)                        \
			sum += k * (i);                                  \
		*out += 1;                                               \
		return sum;                                              \
	}
#define EIGHT(m, i) m(i##0) m(i##1) m(i##2) m(i##3) m(i##4) m(i##5) m(i##6) m(i##7)
EIGHT(PLAIN, 1)
EIGHT(PLAIN, 2)
EIGHT(PLAIN, 3)
EIGHT(PLAIN, 4)
EIGHT(LOOP, 1)
EIGHT(LOOP, 2)
EIGHT(LOOP, 3)
EIGHT(LOOP, 4)

#define NAME_PLAIN(i) {plain##i, i, 0},
#define NAME_LOOP(i)  {loop##i, i, 1},

static const struct {
	work *call;
	long i, is_loop;
} all[] = {EIGHT(NAME_PLAIN, 1) EIGHT(NAME_PLAIN, 2) EIGHT(NAME_PLAIN, 3) EIGHT(NAME_PLAIN, 4)
		   EIGHT(NAME_LOOP, 1) EIGHT(NAME_LOOP, 2) EIGHT(NAME_LOOP, 3) EIGHT(NAME_LOOP, 4)};
#define N ((long)(sizeof(all) / sizeof(*all)))

static long expected(long k, long n)
{
	static const long sums[] = {0, 1, 3, 6};

	return all[k].is_loop ? sums[n & 3] * all[k].i : n * (2 * all[k].i + 1) + all[k].i;
}

static void on_timer(int sig)
{
	long unused = 0;

	(void)sig;
	n_signals++;
	all[n_signals % N].call(n_signals, &unused);
}

/* The hottest function changes, so that one after the other is switched off. */
static void *run(void *arg)
{
	long wrong = 0, calls = 0, made = 0, seed = (long)(size_t)arg;

	for (long r = 0; r < ROUNDS; r++)
		for (long k = 0; k < 16; k++) {
			long which = (r / 2000 + k * k + seed) % N;

			made++;
			wrong += all[which].call(r + k, &calls) != expected(which, r + k);
		}
	return (void *)(wrong + (calls != made));
}

static long run_threads(void)
{
	pthread_t threads[THREADS];
	long wrong = 0;
	void *one;

	for (long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, run, (void *)(size_t)(i * 7));
	for (long i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &one);
		wrong += (long)one;
	}
	return wrong;
}

int main(void)
{
	struct itimerval every = {{0, 500}, {0, 500}};
	int status = 1;
	long wrong;
	pid_t pid;

	signal(SIGALRM, on_timer);
	setitimer(ITIMER_REAL, &every, NULL);
	pid = fork();
	wrong = run_threads();
	if (!pid)
		_exit(wrong ? 1 : 0);
	while (waitpid(pid, &status, 0) < 0)
		;
	printf("%s\n", wrong || status ? "wrong" : "right");
	return wrong || status;
}
