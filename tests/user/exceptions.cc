// SPDX-License-Identifier: GPL-2.0-or-later
// Exceptions through destructors, thrown again, thrown out of a constructor and out of a handler.
#include "check.h"

#include <cstring>
#include <stdexcept>

static int n_destroyed;

struct guarded {
	int value;
	APART explicit guarded(int v) : value(v)
	{
		if (v == 1000)
			throw std::runtime_error("constructor");
	}
	APART ~guarded()
	{
		n_destroyed++;
	}
};

APART int thrower(int n)
{
	CALLED(thrower);
	guarded g(n);

	if (!n)
		throw std::runtime_error("deep");
	n = thrower(n - 1) + g.value;
	BARRIER();
	return n;
}

APART int rethrower(int n)
{
	CALLED(rethrower);
	try {
		return thrower(n);
	} catch (const std::exception &) {
		guarded g(1);

		throw;
	}
}

APART int constructing()
{
	CALLED(constructing);
	try {
		guarded g(1000);
	} catch (const std::runtime_error &e) {
		return !strcmp(e.what(), "constructor");
	}
	return 0;
}

APART int inside_handler(int n)
{
	CALLED(inside_handler);
	try {
		throw n;
	} catch (int first) {
		try {
			rethrower(first % 5);
		} catch (const std::runtime_error &) {
			return first;
		}
	}
	return -1;
}

int main(int argc, char **)
{
	int n_deep = 0, n_constructed = 0, sum = 0;

	check_begin(argc);
	for (int i = 0; i < 1000; i++) {
		try {
			rethrower(i % 20);
		} catch (const std::runtime_error &e) {
			n_deep += !strcmp(e.what(), "deep");
		}
		n_constructed += constructing();
		sum += inside_handler(i);
	}
	printf("deep %d, constructed %d, sum %d, destroyed %d\n", n_deep, n_constructed, sum,
	       n_destroyed);
	check_end();
	return 7;
}
