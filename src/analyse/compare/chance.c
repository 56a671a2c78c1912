// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * chance.c - the tails of Student's t distribution.
 *
 * The tail is a regularized incomplete beta function: p = I(df / (df + t²); df / 2, 1 / 2). Its
 * continued fraction converges in a few dozen steps where x < (a + 1) / (a + b + 2); elsewhere the
 * function is that of the other side.
 */
#include "analyse/compare/chance.h"

#include <math.h>

#define STEPS	300
#define TINY	1e-300
#define PRECISE 1e-12

/* The continued fraction, evaluated from its front (Lentz's method). */
static double fraction(double x, double a, double b)
{
	double c = 1, d = 1 - (a + b) * x / (a + 1), f;

	d = 1 / (fabs(d) < TINY ? TINY : d);
	f = d;
	for (int m = 1; m <= STEPS; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		double terms[] = {even, odd}, change = 1;

		for (int i = 0; i < 2; i++) {
			d = 1 + terms[i] * d;
			c = 1 + terms[i] / c;
			d = 1 / (fabs(d) < TINY ? TINY : d);
			c = fabs(c) < TINY ? TINY : c;
			change *= c * d;
		}
		f *= change;
		if (fabs(change - 1) < PRECISE)
			break;
	}
	return f;
}

static double incomplete_beta(double x, double a, double b)
{
	double front;

	if (x <= 0 || x >= 1)
		return x <= 0 ? 0 : 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return front * fraction(x, a, b) / a;
	return 1 - front * fraction(1 - x, b, a) / b;
}

double chance_of_t(double t, double df)
{
	return incomplete_beta(df / (df + t * t), df / 2, 0.5);
}

double chance_t95(double df)
{
	double low = 1.9, high = 15;

	for (int i = 0; i < 40; i++) {
		double mid = (low + high) / 2;

		if (chance_of_t(mid, df) > 0.05)
			low = mid;
		else
			high = mid;
	}
	return low;
}
