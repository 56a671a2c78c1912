// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * shapes.c - functions of many shapes, for the suite: what they return must not depend on hooks.
 *
 * Loops to the beginning, jump tables, short and empty functions, calls as the first thing, tail calls, recursion,
 * all kinds of arguments and results, computed goto, longjmp. Prints one line for each.
 */
#include <complex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OUTSIDE __attribute__((noinline, noclone, used))

struct pair {
	double a, b;
};
struct large {
	long n[9];
};
struct node {
	struct node *next;
	int value;
};

static volatile int sink;
static int global = 5;
static jmp_buf place;

OUTSIDE void empty(void)
{
}

OUTSIDE int one(void)
{
	return 1;
}

OUTSIDE int *address(void)
{
	return &global;
}

OUTSIDE int from_global(int n)
{
	return global + n;
}

OUTSIDE int first_thing_is_a_call(int n)
{
	empty();
	return n + one();
}

/* A loop that begins where the function does. */
OUTSIDE int length(const struct node *n)
{
	int found = 0;

	for (; n; n = n->next)
		found++;
	return found;
}

OUTSIDE const struct node *last(const struct node *n)
{
	while (n->next)
		n = n->next;
	return n;
}

OUTSIDE unsigned count_bits(unsigned long n)
{
	unsigned found = 0;

	do
		found += n & 1;
	while (n >>= 1);
	return found;
}

OUTSIDE size_t skip(const char *s)
{
	const char *p = s;

	while (*p && *p != ' ')
		p++;
	return p - s;
}

/* A switch in a loop at the beginning. */
OUTSIDE int interpret(const char *code)
{
	int value = 0;

	for (;;) {
		switch (*code++) {
		case 'a':
			value += 1;
			break;
		case 'b':
			value += 20;
			break;
		case 'c':
			value -= 3;
			break;
		case 'd':
			value *= 2;
			break;
		case 'e':
			value ^= 0x55;
			break;
		case 'f':
			continue;
		case 'g':
			value = -value;
			break;
		default:
			return value;
		}
	}
}

OUTSIDE int jump_about(const unsigned char *code)
{
	static const void *const labels[] = {&&add, &&twice, &&less, &&done};
	int value = 1;

	goto *labels[*code++ & 3];
add:
	value += 7;
	goto *labels[*code++ & 3];
twice:
	value *= 2;
	goto *labels[*code++ & 3];
less:
	value--;
	goto *labels[*code++ & 3];
done:
	return value;
}

OUTSIDE int fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

OUTSIDE int is_odd(unsigned n);

OUTSIDE int is_even(unsigned n)
{
	return n ? is_odd(n - 1) : 1;
}

OUTSIDE int is_odd(unsigned n)
{
	return n ? is_even(n - 1) : 0;
}

OUTSIDE double many(double a, float b, int c, long d, char e, short f, long g, long h, double i)
{
	return a + b + c + d + e + f + g + h * 2 + i;
}

OUTSIDE int sum(int n, ...)
{
	va_list list;
	double total = 0;

	va_start(list, n);
	for (int i = 0; i < n; i++)
		total += i & 1 ? va_arg(list, double) : va_arg(list, int);
	va_end(list);
	return (int)total;
}

OUTSIDE double _Complex rotate(double _Complex z)
{
	return z * (0.6 + 0.8 * I) + 1;
}

OUTSIDE long double wide(long double x)
{
	return x * x + 0.5L;
}

OUTSIDE struct pair swap(struct pair p)
{
	return (struct pair){p.b, p.a};
}

OUTSIDE struct large fill(int n)
{
	struct large l;

	for (int i = 0; i < 9; i++)
		l.n[i] = n * i;
	return l;
}

OUTSIDE __int128 product(long a, long b)
{
	return (__int128)a * b;
}

OUTSIDE void jump_out(int n)
{
	if (n == 0)
		longjmp(place, 42);
	jump_out(n - 1);
	sink++;
}

OUTSIDE int catch_jump(int n)
{
	int r = setjmp(place);

	if (!r)
		jump_out(n);
	return r;
}

OUTSIDE int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

OUTSIDE int sorted(int n)
{
	int list[50];

	for (int i = 0; i < 50; i++)
		list[i] = (i * 37 + n) % 50;
	qsort(list, 50, sizeof(list[0]), compare);
	return list[3] * 100 + list[40];
}

OUTSIDE int deep(int n)
{
	char room[64];

	memset(room, n, sizeof(room));
	sink += room[n % 64];
	return n ? deep(n - 1) + 1 : 0;
}

int main(void)
{
	struct node c = {NULL, 3}, b = {&c, 2}, a = {&b, 1};
	struct pair p = swap((struct pair){1.5, 2.5});
	struct large l = fill(7);
	double _Complex z = 1;
	__int128 big = product(1l << 40, -3l << 40);

	for (int i = 0; i < 1000; i++) {
		empty();
		z = rotate(z) / 2;
	}
	printf("one %d %d %d %d\n", one(), *address(), from_global(3), first_thing_is_a_call(4));
	printf("loops %d %d %u %zu\n", length(&a), last(&a)->value, count_bits(0xf0f0),
	       skip("abc de"));
	printf("switch %d %d\n", interpret("aabfcdefg"),
	       jump_about((const unsigned char *)"\1\0\1\2\3"));
	printf("fib %d even %d odd %d\n", fib(15), is_even(100), is_odd(77));
	printf("many %.3f sum %d\n", many(1.5, 2.5f, 3, 4, 5, 6, 7, 8, 9.25),
	       sum(4, 1, 2.5, 3, 4.5));
	printf("complex %.9f %.9f wide %.3Lf\n", creal(z), cimag(z), wide(1.5L));
	printf("pair %.1f %.1f large %ld %ld big %lx %lx\n", p.a, p.b, l.n[1], l.n[8], (long)big,
	       (long)(big >> 64));
	printf("jump %d sorted %d deep %d\n", catch_jump(10), sorted(11), deep(5000));
	return 3;
}
