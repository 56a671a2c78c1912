// SPDX-License-Identifier: GPL-2.0-or-later
// What functions take and return: complex numbers, long double, large and small structs, many arguments, variable
// arguments, vectors. A hook that loses a register shows up here.
#include "check.h"

#include <complex>
#include <cstdarg>

struct large {
	long values[10];
};
struct mixed {
	double d;
	long l;
};
typedef float vec __attribute__((vector_size(32)));
struct vector_of {
	float v[8];
};

APART std::complex<double> complex_of(double a, double b)
{
	CALLED(complex_of);
	return {a * b, a + b};
}

APART long double twice(long double a)
{
	CALLED(twice);
	return a * 2;
}

APART large large_of(int i)
{
	CALLED(large_of);
	large l;

	for (int k = 0; k < 10; k++)
		l.values[k] = i + k;
	BARRIER();
	return l;
}

APART mixed mixed_of(int i)
{
	CALLED(mixed_of);
	return {i * 1.5, i};
}

APART unsigned __int128 wide(unsigned long a, unsigned long b)
{
	CALLED(wide);
	return (unsigned __int128)a * b;
}

APART long many(long a, long b, long c, long d, long e, long f, long g, double x, long h, long i)
{
	CALLED(many);
	return a + b + c + d + e + f + g * h * i + (long)x;
}

APART double variable(int n, ...)
{
	double sum = 0;
	va_list list;

	CALLED(variable);
	va_start(list, n);
	for (int i = 0; i < n; i++)
		sum += i % 2 ? va_arg(list, double) : va_arg(list, int);
	va_end(list);
	return sum;
}

APART vector_of add(vector_of a, const vector_of &b)
{
	CALLED(add);
	for (int i = 0; i < 8; i++)
		a.v[i] += b.v[i];
	return a;
}

int main(int argc, char **)
{
	int n_bad = 0;

	check_begin(argc);
	for (int i = 0; i < 20000; i++) {
		std::complex<double> z = complex_of(i, 2);
		mixed m = mixed_of(i);
		vector_of v =
			add({{1.f * i, 2, 3, 4, 5, 6, 7, 8}}, {{1, 1, 1, 1, 1, 1, 1, 1.f * i}});

		n_bad += z.real() != i * 2.0 || z.imag() != i + 2.0;
		n_bad += twice(i) != i * 2.0L;
		n_bad += large_of(i).values[9] != i + 9;
		n_bad += m.d != i * 1.5 || m.l != i;
		n_bad += (unsigned long)(wide(1ul << 63, i) >> 62) != 2ul * i;
		n_bad += many(1, 2, 3, 4, 5, 6, 7, 0.5, 8, i) != 21 + 56l * i;
		n_bad += variable(4, i, 0.5, 2, 0.25) != i + 2.75;
		n_bad += v.v[0] != i + 1.f || v.v[7] != 8.f + i;
	}
	printf("wrong %d\n", n_bad);
	check_end();
	return n_bad ? 1 : 9;
}
