// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pointed.c - calls with pointers to functions: of its own, of the C library, of a library that is loaded later.
 * With an argument it waits for a line before it begins.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

typedef int (*op_t)(int);

struct job {
	const char *name;
	op_t op;
	void (*done)(void *);
	op_t both[2];
};

static int add_two(int x)
{
	return x + 2;
}

int times_three(int x)
{
	return x * 3;
}

static __attribute__((noinline)) int apply(op_t op, int x)
{
	__asm__ volatile("");
	return op ? op(x) : 0;
}

static __attribute__((noinline)) int work(struct job *job, int x)
{
	__asm__ volatile("");
	return apply(job->op, x);
}

static __attribute__((noinline)) op_t choose(int i)
{
	__asm__ volatile("");
	return i ? times_three : add_two;
}

static void rounds(void)
{
	void *library = dlopen("libm.so.6", RTLD_NOW);
	struct job jobs[] = {{"own", add_two, free, {add_two, times_three}},
			     {"null", NULL, NULL, {NULL, NULL}},
			     {"late",
			      times_three,
			      (void (*)(void *))dlsym(library, "cbrt"),
			      {times_three, add_two}}};

	for (int i = 0; i < 3; i++) {
		work(&jobs[i], i);
		apply(choose(i & 1), 10);
	}
}

int main(int argc, char **argv)
{
	char line[16];

	if (argc > 1 && !fgets(line, sizeof(line), stdin))
		return 1;
	rounds();
	if (!fork()) { /* in the memory that it has from its parent */
		rounds();
		_exit(0);
	}
	wait(NULL);
	return 0;
}
