// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * load.c - makes events for the figures of the recorder.
 *
 *	load calls N SECONDS     N processes that make system calls, as many as they can
 *	load work N CHUNKS       N processes that make so many times CHUNK_CALLS system calls each
 *	load wake N CHUNKS       N pairs of processes, each on a CPU of its own, that wake each other so many times CHUNK_WAKES
 *	load marks N FILE        N lines of 1000 bytes into a trace_marker
 *	load mark N FILE         N times sonde_mark(), or, if FILE is /dev/kmsg, a line of the kernel's log
 *
 * Prints the time (CLOCK_REALTIME, seconds) at which it was done; of mark: how many seconds it took; of work and wake:
 * how many microseconds a call, or from one wakeup to the next, took in a quick chunk (one of ten is quicker). A chunk
 * is a millisecond or less, before what else the machine has to do, if that is allowed, and lets others run when it is
 * done.
 */
#define _GNU_SOURCE
#include <sonde/mark.h>

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CHUNK_CALLS 500
#define CHUNK_WAKES 200
#define PAUSE_US    300

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

/*
 * Before others, on a CPU of its own. Of two such tasks the one that is woken waits until the other one sleeps, so that each
 * wakeup is one switch; SCHED_BATCH does so, too.
 */
static void take_cpu(int nth)
{
	struct sched_param first = {.sched_priority = 1}, none = {0};
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(nth, &set);
	if (sched_setaffinity(0, sizeof(set), &set) || (sched_setscheduler(0, SCHED_FIFO, &first) &&
							sched_setscheduler(0, SCHED_BATCH, &none)))
		_exit(1);
}

/* Microseconds of one of n that a chunk makes. */
static double time_chunks(long n_chunks, int n, void (*run)(int n, void *ctx), void *ctx)
{
	double *taken = calloc(n_chunks, sizeof(*taken));

	for (long i = 0; taken && i < n_chunks; i++) {
		double begin = now(CLOCK_MONOTONIC);

		run(n, ctx);
		taken[i] = now(CLOCK_MONOTONIC) - begin;
		usleep(PAUSE_US);
	}
	if (!taken)
		_exit(1);
	qsort(taken, n_chunks, sizeof(*taken), compare);
	return taken[n_chunks / 10] / n * 1e6;
}

static void make_calls(int n, void *ctx)
{
	for (int i = 0; i < n; i++)
		syscall(SYS_getppid);
}

static double time_calls(int nth, long n_chunks)
{
	take_cpu(nth);
	return time_chunks(n_chunks, CHUNK_CALLS, make_calls, NULL);
}

struct pipes {
	int there[2], back[2];
};

/* Two for each round: the other one is woken, and wakes us. */
static void make_wakes(int n, void *ctx)
{
	const struct pipes *p = ctx;
	char c = 0;

	for (int i = 0; i < n; i += 2)
		if (write(p->there[1], &c, 1) != 1 || read(p->back[0], &c, 1) != 1)
			_exit(1);
}

static void answer(const struct pipes *p)
{
	char c;

	close(p->there[1]);
	while (read(p->there[0], &c, 1) == 1)
		if (write(p->back[1], &c, 1) != 1)
			break;
	_exit(0);
}

static double time_wakes(int nth, long n_chunks)
{
	struct pipes p;

	take_cpu(nth);
	if (pipe(p.there) || pipe(p.back))
		_exit(1);
	if (!fork())
		answer(&p);
	return time_chunks(n_chunks, CHUNK_WAKES, make_wakes, &p);
}

static void work(int n, long n_chunks, double (*measure)(int nth, long n_chunks))
{
	double sum = 0, one;
	int fd[2];

	if (pipe(fd) < 0)
		exit(1);
	for (int i = 0; i < n; i++)
		if (!fork()) {
			one = measure(i, n_chunks);
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
	if (!strcmp(argv[1], "work") || !strcmp(argv[1], "wake")) {
		work(n, atol(argv[3]), argv[1][1] == 'o' ? time_calls : time_wakes);
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
