// SPDX-License-Identifier: GPL-2.0-or-later
// Children by fork() and vfork(), and a program that is executed by a child.
#include "check.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

APART int down(int n)
{
	CALLED(down);
	if (n)
		n = 1 + down(n - 1);
	BARRIER();
	return n;
}

APART int wait_for(pid_t pid)
{
	int status = 0;

	CALLED(wait_for);
	while (waitpid(pid, &status, 0) < 0)
		;
	return WEXITSTATUS(status);
}

APART int fork_one(int i)
{
	pid_t pid;

	CALLED(fork_one);
	pid = fork();
	if (!pid) {
		down(20);
		_exit(i);
	}
	return wait_for(pid);
}

APART int vfork_one(char *program)
{
	char *argv[] = {program, (char *)"again", (char *)"child", NULL};
	pid_t pid;

	CALLED(vfork_one);
	pid = vfork();
	if (!pid) {
		execv("/proc/self/exe", argv);
		_exit(99);
	}
	return wait_for(pid);
}

int main(int argc, char **argv)
{
	int sum = 0;

	if (argc > 2)
		return down(5) + 1;
	check_begin(argc);
	for (int i = 0; i < 20; i++)
		sum += fork_one(i);
	for (int i = 0; i < 3; i++)
		sum += vfork_one(argv[0]);
	printf("sum %d\n", sum);
	check_end();
	return 12;
}
