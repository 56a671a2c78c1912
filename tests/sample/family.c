// SPDX-License-Identifier: GPL-2.0-or-later
/* family.c - work in a process, its child, a thread, a program that the child starts, and a library. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define N 20000000

#define WORK(name)                                       \
	__attribute__((noinline)) static void name(void) \
	{                                                \
		volatile uint64_t s = 0;                 \
                                                         \
		for (unsigned i = 0; i < N; i++)         \
			s += i;                          \
	}
WORK(in_parent)
WORK(in_child)
WORK(in_thread)
WORK(after_exec)

static void *run_thread(void *arg)
{
	in_thread();
	return arg;
}

int main(int argc, char **argv)
{
	void (*plug)(unsigned n);
	pthread_t thread;
	void *library;

	if (argc > 1 && !strcmp(argv[1], "again")) {
		after_exec();
		return 0;
	}
	if (!fork()) {
		in_child();
		execl("/proc/self/exe", argv[0], "again", NULL);
		_exit(1);
	}
	pthread_create(&thread, NULL, run_thread, NULL);
	in_parent();
	pthread_join(thread, NULL);
	library = dlopen(argv[1], RTLD_NOW);
	*(void **)&plug = library ? dlsym(library, "in_plug") : NULL;
	if (!plug)
		return 1;
	plug(N);
	while (wait(NULL) > 0)
		;
	return 0;
}
