// SPDX-License-Identifier: GPL-2.0-or-later
// thrown.cc - C++: templates, virtual functions, lambdas, exceptions.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <vector>

volatile uint64_t sink;

__attribute__((noinline)) static void burn(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sink = sink + i;
}

struct shape {
	virtual ~shape() = default;
	virtual void draw(unsigned n) = 0;
};

template <unsigned N> struct polygon : shape {
	__attribute__((noinline)) void draw(unsigned n) override
	{
		burn(n * N);
		sink = sink + 1;
	}
};

__attribute__((noinline)) static void throws(int n)
{
	burn(3000);
	if (n >= 0)
		throw std::runtime_error("no");
}

__attribute__((noinline)) static void catches(int n)
{
	try {
		throws(n);
	} catch (const std::exception &e) {
		burn(3000);
		sink = sink + (uint64_t)e.what()[0];
	}
}

__attribute__((noinline)) static void sorts()
{
	std::vector<unsigned> v(100);

	for (unsigned i = 0; i < v.size(); i++)
		v[i] = i * 7919 % 101;
	std::sort(v.begin(), v.end(), [](unsigned a, unsigned b) {
		burn(30);
		return a < b;
	});
	sink = sink + v[5];
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 100;
	polygon<3> triangle;
	polygon<4> square;
	shape *shapes[] = {&triangle, &square};

	for (int i = 0; i < n; i++) {
		shapes[i & 1]->draw(5000);
		catches(i);
		sorts();
	}
}
