// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * target.c - a program that makes as many calls as it is told, in different ways, for tests/calls/suite.
 *
 *	target threads N CALLS    N threads, each calls leaf() CALLS times
 *	target churn N            N threads, one after the other
 *	target forks N CALLS      N children, one after the other
 *	target exec N             runs itself N times, one inside the other
 *	target files              writes to standard output and error from inside functions
 *	target closes             closes all descriptors, then starts a thread and another program
 *	target kill               kills itself inside three calls
 *	target waits              waits inside a call until a signal ends it
 *	target deep N             N calls inside each other
 *	target random N           N times one to four calls, so that the trace does not compress well
 *	target moves N            N calls that begin on one CPU and end on the other, with others in between
 *	target status N           exits with N
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) long leaf(long x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}

__attribute__((noinline)) long loop(long n)
{
	long sum = 0;

	for (long i = 0; i < n; i++)
		sum += leaf(i);
	return sum;
}

static void *run(void *n)
{
	return (void *)loop((long)n);
}

__attribute__((noinline)) int threads(int n, long calls)
{
	pthread_t list[64];

	for (int i = 0; i < n && i < 64; i++)
		pthread_create(&list[i], NULL, run, (void *)calls);
	for (int i = 0; i < n && i < 64; i++)
		pthread_join(list[i], NULL);
	return 0;
}

__attribute__((noinline)) int churn(int n)
{
	for (int i = 0; i < n; i++)
		threads(1, 3);
	return 0;
}

__attribute__((noinline)) int forks(int n, long calls)
{
	for (int i = 0; i < n; i++) {
		if (!fork()) {
			loop(calls);
			_exit(0);
		}
		wait(NULL);
	}
	return 0;
}

__attribute__((noinline)) int exec_self(const char *self, int n)
{
	char number[16];

	loop(2);
	snprintf(number, sizeof(number), "%d", n - 1);
	if (n > 0)
		execl(self, self, "exec", number, NULL);
	return 0;
}

__attribute__((noinline)) void say(int fd, const char *text)
{
	(void)!write(fd, text, strlen(text));
}

__attribute__((noinline)) int closes(const char *self)
{
	for (int fd = 3; fd < 1024; fd++)
		close(fd);
	threads(1, 4);
	if (!fork())
		execl(self, self, "threads", "1", "5", NULL);
	wait(NULL);
	return 0;
}

__attribute__((noinline)) int deadly(void)
{
	leaf(1);
	kill(getpid(), SIGKILL);
	return 0;
}

__attribute__((noinline)) int waits(void)
{
	say(1, "waits\n");
	pause();
	return 0;
}

__attribute__((noinline)) long deep(long n)
{
	long r = n > 1 ? deep(n - 1) : 0;

	__asm__ volatile("" : "+r"(r));
	return r + 1;
}

__attribute__((noinline)) int at_random(long n)
{
	unsigned state = 1;

	for (long i = 0; i < n; i++) {
		state = state * 1664525 + 1013904223;
		if (state >> 31)
			loop(state >> 29 & 3);
		if (state >> 30 & 1)
			deep(state >> 27 & 3);
		leaf(i);
	}
	say(1, "done\n");
	return 0;
}

__attribute__((noinline)) void move_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	loop(40); /* also those notice the CPU that were just hooked */
	sched_setaffinity(0, sizeof(set), &set);
	loop(40);
}

/* What CPU 0 sees of two of these looks like one that is longer. */
__attribute__((noinline)) int moves(int n)
{
	for (int i = 0; i < n; i++) {
		move_to(i % 2);
		if (i % 2)
			at_random(300);
	}
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	long n = argc > 2 ? atol(argv[2]) : 0, calls = argc > 3 ? atol(argv[3]) : 0;

	if (!strcmp(what, "threads"))
		return threads((int)n, calls);
	if (!strcmp(what, "churn"))
		return churn((int)n);
	if (!strcmp(what, "forks"))
		return forks((int)n, calls);
	if (!strcmp(what, "exec"))
		return exec_self(argv[0], (int)n);
	if (!strcmp(what, "files")) {
		say(1, "out\n");
		say(2, "err\n");
		return 0;
	}
	if (!strcmp(what, "closes"))
		return closes(argv[0]);
	if (!strcmp(what, "kill"))
		return deadly();
	if (!strcmp(what, "waits"))
		return waits();
	if (!strcmp(what, "deep"))
		return deep(n) != n;
	if (!strcmp(what, "random"))
		return at_random(n);
	if (!strcmp(what, "moves"))
		return moves((int)n);
	return (int)n;
}
