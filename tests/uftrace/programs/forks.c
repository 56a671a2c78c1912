// SPDX-License-Identifier: GPL-2.0-or-later
/* Children by fork, exec and vfork. */
#include <unistd.h>
#include <sys/wait.h>
#include <stdlib.h>
#include <stdio.h>
static int c(int n)
{
	return n + 1;
}
static int b(int n)
{
	return c(n);
}
int main(int argc, char **argv)
{
	int st;
	pid_t p = fork();
	if (p == 0) {
		b(1);
		exit(3);
	}
	waitpid(p, &st, 0);
	b(2);
	p = fork();
	if (!p) {
		b(3);
		execl("./plain", "plain", "5", (char *)0);
		_exit(1);
	}
	wait(&st);
	p = vfork();
	if (!p)
		_exit(0);
	return 0;
}
