// SPDX-License-Identifier: GPL-2.0-or-later
/* shapes.c - stacks of many shapes: recursion, callbacks of the C library, variable arrays, many saved registers. */
#include <alloca.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NOINLINE __attribute__((noinline))
#define KEEP	 __asm__ volatile("" ::: "memory")

volatile uint64_t sink;

NOINLINE void burn(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sink += i;
}

NOINLINE void recurse(unsigned depth)
{
	if (depth)
		recurse(depth - 1);
	else
		burn(20000);
	KEEP;
}

NOINLINE void with_array(unsigned n)
{
	char *p = alloca(n);

	memset(p, (int)n, n);
	burn(20000);
	sink += (unsigned char)p[n / 2];
}

NOINLINE uint64_t many_registers(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e,
				 uint64_t f)
{
	uint64_t x = a * b, y = c * d, z = e * f, u = a ^ f, v = b ^ e, w = c ^ d;

	burn(20000);
	KEEP;
	return x + y + z + u * v - w + a + b + c;
}

NOINLINE int compare(const void *a, const void *b)
{
	burn(30);
	return *(const int *)a - *(const int *)b;
}

NOINLINE void sorted(void)
{
	int numbers[200];

	for (int i = 0; i < 200; i++)
		numbers[i] = i * 7919 % 211;
	qsort(numbers, 200, sizeof(*numbers), compare);
	sink += (uint64_t)numbers[7];
}

NOINLINE void asked_time(void)
{
	struct timespec t;

	for (int i = 0; i < 500; i++) {
		clock_gettime(CLOCK_MONOTONIC, &t);
		sink += (uint64_t)t.tv_nsec;
	}
}

NOINLINE void called_library(void)
{
	static char text[1000];

	memset(text, 'a', sizeof(text) - 1);
	for (int i = 0; i < 300; i++) {
		text[i] ^= 1;
		sink += strlen(text);
		KEEP;
	}
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 100;

	for (int i = 0; i < n; i++) {
		recurse(9);
		with_array(300);
		sink += many_registers(1, 2, 3, 4, 5, (uint64_t)i);
		sorted();
		asked_time();
		called_library();
	}
	return 0;
}
