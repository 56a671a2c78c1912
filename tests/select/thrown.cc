// SPDX-License-Identifier: GPL-2.0-or-later
/* Exceptions that leave functions with rules; see suite. */
#define TRACED __attribute__((noinline))
#define KEEP(n) __asm__ volatile("" : "+r"(n))

TRACED int leaf(int n)
{
	KEEP(n);
	return n;
}

TRACED int thrower(int n)
{
	leaf(n);
	throw n;
}

TRACED int between(int n)
{
	int s = thrower(n);

	KEEP(s);
	return s;
}

TRACED int catcher(int n)
{
	try {
		between(n);
	} catch (int) {
	}
	return leaf(n);
}

int main()
{
	for (int i = 0; i < 10; i++)
		catcher(i);
	return leaf(1) != 1;
}
