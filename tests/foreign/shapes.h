/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shapes.h - what shapes.c has and start.c calls.
 */
#ifndef SONDE_TESTS_FOREIGN_SHAPES_H
#define SONDE_TESTS_FOREIGN_SHAPES_H

#define KEPT __attribute__((noinline))

struct pair {
	long first;
	int second;
};

struct wide {
	long a, b, c;
};

struct mixed {
	double real;
	long whole;
};

struct box {
	const char *name;
	int number;
	struct pair pair;
};

extern long shared;
extern volatile long sink;

/* Keeps the compiler from knowing what is behind the pointer. */
void use(void *p);

int add_ints(int a, long b, short c, signed char d, unsigned char e);
long many(long a, int b, long c, int d, long e, int f, long g, int h, long i, int j, short k);
long by_pointer(struct box *box, const char *text);
long small_struct(int before, struct pair pair, int after);
long large_struct(int before, struct wide wide, int after);
long split_struct(long a, long b, long c, long d, long e, long f, long g, struct pair p, long z);
double with_double(double real, long whole, float small);
struct mixed mixed_struct(struct mixed mixed, int after);
struct pair give_pair(long n);
struct wide give_wide(long n);
int large_frame(int n, const char *text);
int moving_frame(int n, const char *text);
long counted(int n, ...);
long twice_as_wide(long a, __int128 wide, long b);
long depth(int n, long sum);
long loop(int n);
long only_large(struct wide wide);
long taken(int a, long b, struct pair pair);
void finish(int n);

#endif
