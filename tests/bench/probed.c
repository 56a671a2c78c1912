// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * probed.c - a program with places to probe that are passed seldom, often, and all the time.
 *
 *	probed request N     N rounds: rx(), work of 200 us, tx()           what a server does
 *	probed burst N       N rounds: burst(packets), work of 5 us         what forwards packets
 *	probed inner N       N rounds of 1000 calls of step()               an inner loop
 *
 * Prints the microseconds that a round took and how often each place was passed. With -w it runs for N seconds
 * instead and prints the microseconds for each half of a second: whether it gets faster again when a probe is
 * taken away.
 *
 * Rounds are timed by a few at a time, and the least counts: that is how long they take when nothing else of the
 * machine is in the way. Not CPU time: in a virtual machine much of what a breakpoint takes is counted for nobody. The
 * times of work are those of a machine of 2023.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define REQUEST_STEPS 340000
#define BURST_STEPS   8500
#define INNER_STEPS   1000
#define WINDOW_S      0.5

static volatile int result;		       /* so that nothing is optimised away */
static volatile int burst_steps = BURST_STEPS; /* so that there is no copy of burst() for it */

static double seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

__attribute__((noinline)) static int step(int x)
{
	__asm__ volatile("");
	return x * 3 + 1;
}

__attribute__((noinline)) static int work(int n)
{
	int x = n;

	for (int i = 0; i < n; i++) {
		x = x * 3 + 1;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

__attribute__((noinline)) static int rx(int number)
{
	__asm__ volatile("");
	return number;
}

__attribute__((noinline)) static int tx(int number)
{
	__asm__ volatile("");
	return number + 1; /* else it would be the same function as rx() */
}

__attribute__((noinline)) static int burst(int packets)
{
	return work(packets);
}

static int do_request(int i)
{
	return tx(work(REQUEST_STEPS) + rx(i));
}

static int do_burst(int i)
{
	return burst(burst_steps);
}

static int do_inner(int i)
{
	int x = i;

	for (int k = 0; k < INNER_STEPS; k++)
		x = step(x);
	return x;
}

static const struct {
	const char *name;
	int (*round)(int i);
	int slice;  /* rounds that are timed together */
	int passes; /* of each place in a round */
} kinds[] = {{"request", do_request, 1, 1},
	     {"burst", do_burst, 20, 1},
	     {"inner", do_inner, 1, INNER_STEPS}};

/* Until n_rounds are done or the time has come; microseconds for a round. */
static double run(int (*round)(int i), int slice, long n_rounds, double end)
{
	double least = 1e9;

	for (long n = 0; n < n_rounds; n += slice) {
		double start = seconds(), taken;

		if (start >= end)
			break;
		for (int i = 0; i < slice; i++)
			result = round((int)n + i);
		taken = (seconds() - start) / slice * 1e6;
		least = taken < least ? taken : least;
	}
	return least;
}

int main(int argc, char **argv)
{
	int in_windows = argc == 4 && !strcmp(argv[1], "-w");

	if (argc != 3 + in_windows)
		return 2;
	argv += in_windows;
	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
		long n = atol(argv[2]);

		if (strcmp(argv[1], kinds[k].name))
			continue;
		for (int i = 0; in_windows && i < n / WINDOW_S; i++) {
			printf("%.3f\n",
			       run(kinds[k].round, kinds[k].slice, 1L << 40, seconds() + WINDOW_S));
			fflush(stdout);
		}
		if (!in_windows)
			printf("%.3f %ld\n", run(kinds[k].round, kinds[k].slice, n, 1e18),
			       n * kinds[k].passes);
		return 0;
	}
	return 2;
}
