// SPDX-License-Identifier: GPL-2.0-or-later
/* C++: an exception that passes destructors. */
#include <stdexcept>
#include <cstdio>
struct Res {
	Res()
	{
	}
	~Res()
	{
	}
};
static int thrower(int n)
{
	Res r;
	if (n == 0)
		throw std::runtime_error("boom");
	return n;
}
static int mid(int n)
{
	Res r;
	return thrower(n) + 1;
}
static int catcher(int n)
{
	try {
		return mid(n);
	} catch (const std::exception &e) {
		return -1;
	}
}
int main()
{
	int a = catcher(1);
	int b = catcher(0);
	return a + b > 100;
}
