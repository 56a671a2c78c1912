// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * shapes.c - functions whose variables are in other places on other processors, and at other times: passed in registers,
 * on the stack, by their address, in registers for floating point numbers, split; frames that are large or move.
 *
 * start.c calls each with values of its own, which the script verify knows. The programs run alone, without a library.
 */
#include "shapes.h"

static int count = 3;
long shared = 77;
volatile long sink;

KEPT int add_ints(int a, long b, short c, signed char d, unsigned char e)
{
	int sum = a + (int)b + c + d + e;

	count++;
	sink = sum;
	return sum;
}

KEPT long many(long a, int b, long c, int d, long e, int f, long g, int h, long i, int j, short k)
{
	long sum = a + b + c + d + e + f + g + h + i + j + k;

	sink = sum;
	return sum;
}

KEPT long by_pointer(struct box *box, const char *text)
{
	long sum = box->number + text[0];

	sink = sum;
	return sum;
}

KEPT long small_struct(int before, struct pair pair, int after)
{
	long sum = before + pair.first + pair.second + after;

	sink = sum;
	return sum;
}

KEPT long large_struct(int before, struct wide wide, int after)
{
	long sum = before + wide.a + wide.b + wide.c + after;

	sink = sum;
	return sum;
}

KEPT long split_struct(long a, long b, long c, long d, long e, long f, long g, struct pair p,
		       long z)
{
	long sum = a + b + c + d + e + f + g + p.first + p.second + z;

	sink = sum;
	return sum;
}

KEPT double with_double(double real, long whole, float small)
{
	sink = (long)real;
	return real + (double)whole + (double)small;
}

KEPT struct mixed mixed_struct(struct mixed mixed, int after)
{
	sink = mixed.whole;
	mixed.whole += after;
	return mixed;
}

KEPT struct pair give_pair(long n)
{
	struct pair p = {n + 1, (int)n + 2};

	sink = n;
	return p;
}

KEPT struct wide give_wide(long n)
{
	struct wide w = {n, n + 1, n + 2};

	sink = n;
	return w;
}

KEPT int large_frame(int n, const char *text)
{
	char room[70000];

	room[n] = text[0];
	use(room);
	sink = n;
	return room[n] + n;
}

KEPT int moving_frame(int n, const char *text)
{
	char room[n];

	room[0] = text[0];
	use(room);
	sink = n;
	return room[0] + n;
}

KEPT long counted(int n, ...)
{
	__builtin_va_list list;
	long sum = 0;

	__builtin_va_start(list, n);
	for (int i = 0; i < n; i++)
		sum += __builtin_va_arg(list, long);
	__builtin_va_end(list);
	return sum;
}

KEPT long twice_as_wide(long a, __int128 wide, long b)
{
	sink = (long)wide;
	return a + (long)wide + b;
}

KEPT long depth(int n, long sum)
{
	long inner;

	if (!n)
		return sum;
	inner = depth(n - 1, sum + n);
	sink = inner;
	return inner + 1;
}

static inline __attribute__((always_inline)) long squared(long x)
{
	long y = x * x;

	sink = y;
	return y + 1;
}

KEPT long loop(int n)
{
	long total = 0;

	for (int i = 0; i < n; i++) {
		use(&total);
		total += squared(i + n);
		sink = total;
	}
	return total;
}

KEPT long only_large(struct wide wide)
{
	long first = wide.a;

	use(&first);
	sink = first;
	return wide.b;
}

KEPT long taken(int a, long b, struct pair pair)
{
	use(&a);
	use(&b);
	use(&pair);
	sink = a;
	return a + b + pair.first;
}

KEPT void finish(int n)
{
	if (n > 3)
		use(&n);
	sink = n;
}
