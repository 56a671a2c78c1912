// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * shares.c - three functions that take 50, 30 and 20 % of the CPU time, for the given number of quarters of a
 * second of CPU time (0: a tenth of one). They take turns in a random order: a fixed one would march in step
 * with the samples.
 */
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

volatile uint64_t sink;

/* The same code at the same distance from a cache line: else one of them is faster. */
#define WORK(name)                                                          \
	__attribute__((noinline, aligned(64))) static void name(unsigned n) \
	{                                                                   \
		uint64_t x = n;                                             \
                                                                            \
		for (unsigned i = 0; i < n; i++)                            \
			x = x * 6364136223846793005u + i;                   \
		sink += x;                                                  \
	}
WORK(fifty)
WORK(thirty)
WORK(twenty)

static unsigned random_below(unsigned n)
{
	static uint64_t x = 88172645463325252u;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return (unsigned)(x >> 33) % n;
}

/* Ten steps of the same length, in a random order. */
static void work_once(void)
{
	void (*steps[])(unsigned) = {fifty,  fifty,  fifty,  fifty,  fifty,
				     thirty, thirty, thirty, twenty, twenty};

	for (unsigned left = 10; left; left--) {
		unsigned i = random_below(left);
		void (*step)(unsigned) = steps[i];

		steps[i] = steps[left - 1];
		step(3000);
	}
}

int main(int argc, char **argv)
{
	int quarters = argc > 1 ? atoi(argv[1]) : 1;
	clock_t end = quarters ? quarters * CLOCKS_PER_SEC / 4 : CLOCKS_PER_SEC / 40;

	while (clock() < end)
		for (int i = 0; i < 100; i++)
			work_once();
	return 0;
}
