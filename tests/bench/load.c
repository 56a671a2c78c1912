// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * load.c - makes events for the figures of the recorder.
 *
 *	load calls N SECONDS     N processes that make system calls, as many as they can
 *	load work N CHUNKS       N processes that make so many times CHUNK_CALLS system calls each
 *	load marks N FILE        N lines of 1000 bytes into a trace_marker
 *	load mark N FILE         N times sonde_mark(), or, if FILE is /dev/kmsg, a line of the kernel's log
 *
 * Prints the time (CLOCK_REALTIME, seconds) at which it was done; of mark: how many seconds it took; of work: how
 * many microseconds a call took in a quick chunk (one of ten is quicker). A chunk is a millisecond or less, so that a
 * machine that has more to do disturbs some of them, and not that one.
 */
#include <sonde/mark.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CHUNK_CALLS 500

static double now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static void call(double seconds)
{
	double end = now(CLOCK_MONOTONIC) + seconds;

	while (now(CLOCK_MONOTONIC) < end)
		for (int i = 0; i < 200; i++)
			syscall(SYS_getppid);
}

static int compare(const void *pa, const void *pb)
{
	double a = *(const double *)pa, b = *(const double *)pb;

	return a < b ? -1 : a > b;
}

/* Microseconds. */
static double time_a_call(long n_chunks)
{
	double *taken = calloc(n_chunks, sizeof(*taken));

	for (long i = 0; taken && i < n_chunks; i++) {
		double begin = now(CLOCK_MONOTONIC);

		for (int k = 0; k < CHUNK_CALLS; k++)
			syscall(SYS_getppid);
		taken[i] = now(CLOCK_MONOTONIC) - begin;
	}
	if (!taken)
		_exit(1);
	qsort(taken, n_chunks, sizeof(*taken), compare);
	return taken[n_chunks / 10] / CHUNK_CALLS * 1e6;
}

static void work(int n, long n_chunks)
{
	double sum = 0, one;
	int fd[2];

	if (pipe(fd) < 0)
		exit(1);
	for (int i = 0; i < n; i++)
		if (!fork()) {
			one = time_a_call(n_chunks);
			_exit(write(fd[1], &one, sizeof(one)) != sizeof(one));
		}
	for (int i = 0; i < n; i++)
		if (read(fd[0], &one, sizeof(one)) == sizeof(one))
			sum += one;
	while (wait(NULL) > 0)
		;
	printf("%.4f\n", sum / n);
}

static void mark(int n, const char *path)
{
	int log = strcmp(path, "/dev/kmsg") ? -1 : open(path, O_WRONLY);
	double begin;

	setenv("SONDE_TRACE_MARKER", path, 1);
	begin = now(CLOCK_MONOTONIC);
	for (int i = 0; i < n; i++)
		if (log < 0)
			sonde_mark("the loop has come to its end");
		else if (write(log, "<3>the loop has come to its end\n", 32) < 0)
			exit(1);
	printf("%.9f\n", now(CLOCK_MONOTONIC) - begin);
}

int main(int argc, char **argv)
{
	char line[1000];
	int n;

	if (argc != 4)
		return 2;
	n = atoi(argv[2]);
	if (!strcmp(argv[1], "work")) {
		work(n, atol(argv[3]));
		return 0;
	}
	if (!strcmp(argv[1], "mark")) {
		mark(n, argv[3]);
		return 0;
	}
	if (!strcmp(argv[1], "calls")) {
		for (int i = 0; i < n; i++)
			if (!fork()) {
				call(atof(argv[3]));
				_exit(0);
			}
		while (wait(NULL) > 0)
			;
	} else {
		int fd = open(argv[3], O_WRONLY);

		memset(line, 'x', sizeof(line) - 1);
		line[sizeof(line) - 1] = '\n';
		for (int i = 0; i < n; i++)
			if (write(fd, line, sizeof(line)) < 0)
				return 1;
	}
	printf("%.6f\n", now(CLOCK_REALTIME));
	return 0;
}
