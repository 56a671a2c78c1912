// SPDX-License-Identifier: GPL-2.0-or-later
/* A few nested calls, a library call, a sleep. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static int c(int n)
{
	return getpid() % 100000 + n;
}
static int b(int n)
{
	return c(n) + 1;
}
static int a(int n)
{
	return b(n) - 1;
}
int main(int argc, char **argv)
{
	int n = 0;
	if (argc > 1)
		n = atoi(argv[1]);
	n += a(n);
	if (n)
		usleep(1000);
	return n ? 0 : 1;
}
