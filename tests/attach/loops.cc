// SPDX-License-Identifier: GPL-2.0-or-later
// A program to attach to, which does one thing until SIGTERM and then says whether all went well.
//
//	loops throw      exceptions through several functions
//	loops fork       children that call functions and end with a status
//	loops open FILE  loads a library, calls it, closes it
//	loops threads    threads that come and go
//	loops sleep      sleeps in a system call that is repeated after a signal
//	loops stacks     two coroutines that change places
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <pthread.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define APART __attribute__((noinline, noclone))
#define BARRIER() __asm__ volatile("" ::: "memory")

static volatile sig_atomic_t is_over;
static long n_done, n_wrong;

static void end(int)
{
	is_over = 1;
}

extern "C" {

APART int inner(int n)
{
	if (n == 3)
		throw n;
	BARRIER();
	return n + 1;
}

APART int outer(int n)
{
	int r = inner(n);

	BARRIER();
	return r;
}

APART void throw_once(void)
{
	try {
		outer(3);
		n_wrong++;
	} catch (int value) {
		n_wrong += value != 3;
	}
}

APART int in_child(int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += outer(0);
	BARRIER();
	return sum;
}

APART void fork_once(void)
{
	pid_t pid = fork();
	int status = 0;

	if (!pid)
		_exit(in_child(30));
	while (waitpid(pid, &status, 0) < 0)
		;
	n_wrong += !WIFEXITED(status) || WEXITSTATUS(status) != 30;
}

APART void open_once(const char *file)
{
	void *library = dlopen(file, RTLD_NOW);
	int (*work)(int) = library ? (int (*)(int))dlsym(library, "plugin_work") : nullptr;

	if (work) {
		n_wrong += work(20) != 41;
		dlclose(library);
	} else {
		n_wrong++;
	}
}

APART void *thread_work(void *)
{
	return (void *)(long)in_child(5);
}

APART void threads_once(void)
{
	pthread_t threads[4];
	void *value;

	for (auto &t : threads)
		pthread_create(&t, nullptr, thread_work, nullptr);
	for (auto &t : threads) {
		pthread_join(t, &value);
		n_wrong += (long)value != 5;
	}
}

/* The rest of a sleep counts: an interruption that nobody should notice must not make it longer or end it. */
APART void sleep_once(void)
{
	struct timespec wait = {0, 20000000}, from, to;
	long ns;

	clock_gettime(CLOCK_MONOTONIC, &from);
	n_wrong += nanosleep(&wait, nullptr) != 0 && !is_over;
	clock_gettime(CLOCK_MONOTONIC, &to);
	ns = (to.tv_sec - from.tv_sec) * 1000000000L + to.tv_nsec - from.tv_nsec;
	n_wrong += ns < 20000000 && !is_over;
	outer(0);
}

static ucontext_t here, there;
static char other_stack[65536];

APART void change_places(int n)
{
	swapcontext(&there, &here);
	BARRIER();
	n_wrong += n != 5;
}

APART void coroutine(void)
{
	for (;;) {
		change_places(5);
		outer(0);
	}
}

APART void stacks_once(void)
{
	static bool is_made;

	if (!is_made) {
		getcontext(&there);
		there.uc_stack.ss_sp = other_stack;
		there.uc_stack.ss_size = sizeof(other_stack);
		makecontext(&there, coroutine, 0);
		is_made = true;
	}
	outer(0);
	swapcontext(&here, &there);
}
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	signal(SIGTERM, end);
	puts("ready");
	fflush(stdout);
	while (!is_over) {
		if (!strcmp(what, "throw"))
			throw_once();
		else if (!strcmp(what, "fork"))
			fork_once();
		else if (!strcmp(what, "open"))
			open_once(argv[2]);
		else if (!strcmp(what, "threads"))
			threads_once();
		else if (!strcmp(what, "sleep"))
			sleep_once();
		else if (!strcmp(what, "stacks"))
			stacks_once();
		n_done++;
	}
	printf("wrong %ld\n", n_wrong);
	return n_wrong || !n_done ? 1 : 7;
}
