// SPDX-License-Identifier: GPL-2.0-or-later
/* Does what each line of its input says, and prints a line when it is done; see suite. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TRACED __attribute__((noinline))

TRACED int leaf(int n)
{
	__asm__ volatile("" : "+r"(n));
	return n * 3 + 1;
}

TRACED int middle(int n)
{
	int s = leaf(n);

	__asm__ volatile("" : "+r"(s));
	return s;
}

TRACED int outer(int n)
{
	int s = middle(n) + leaf(n + 1);

	__asm__ volatile("" : "+r"(s));
	return s;
}

TRACED void slow(int us)
{
	usleep(us);
	__asm__ volatile("");
}

TRACED int deep(int n)
{
	int s = n ? deep(n - 1) : leaf(n);

	__asm__ volatile("" : "+r"(s));
	return s;
}

TRACED int start(int n)
{
	__asm__ volatile("" : "+r"(n));
	return n;
}

TRACED int stop(int n)
{
	__asm__ volatile("" : "+r"(n));
	return n;
}

static void in_child(int n)
{
	pid_t pid = fork();

	if (!pid) {
		while (n--)
			outer(n);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void spin(int ms)
{
	for (long i = 0; i < ms * 30000L; i++)
		outer((int)i);
}

static void take(const char *line)
{
	char word[32] = "";
	int n = 0;

	sscanf(line, "%31s %d", word, &n);
	if (!strcmp(word, "outer"))
		while (n--)
			outer(n);
	else if (!strcmp(word, "deep"))
		deep(n);
	else if (!strcmp(word, "slow"))
		slow(n);
	else if (!strcmp(word, "start"))
		start(n);
	else if (!strcmp(word, "stop"))
		stop(n);
	else if (!strcmp(word, "child"))
		in_child(n);
	else if (!strcmp(word, "spin"))
		spin(n);
}

int main(int argc, char **argv)
{
	char line[64];

	for (int i = 1; i < argc; i++)
		take(argv[i]);
	while (argc == 1 && fgets(line, sizeof(line), stdin)) {
		take(line);
		puts("done");
		fflush(stdout);
	}
	return 0;
}
