// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * passed.cc - an object that is passed by its address, which the function stores first if it is not optimised; see passed.py.
 */
#include <cstdio>

struct held {
	int a, b;
	held(int x) : a(x), b(2 * x) {}
	held(const held &other) : a(other.a), b(other.b) {}
	~held() { std::fputs("gone\n", stderr); }
};

__attribute__((noinline)) int by_address(int n, held h)
{
	std::printf("by_address a=%d\n", h.a);
	int r = h.b + n;
	std::fprintf(stderr, "%d\n", r);
	return r;
}

int main()
{
	int sum = 0;

	for (int i = 1; i < 4; i++)
		sum += by_address(i, held(10 * i));
	return sum == 0;
}
