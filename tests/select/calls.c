// SPDX-License-Identifier: GPL-2.0-or-later
/* Calls whose number is known, a kind for each word of the command line; see suite. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define TRACED	__attribute__((noinline))
#define KEEP(n) __asm__ volatile("" : "+r"(n))

int other_file(int n); /* other.c */

static jmp_buf place;

TRACED int leaf(int n)
{
	KEEP(n);
	return n * 3 + 1;
}

TRACED int middle(int n)
{
	int s = leaf(n);

	KEEP(s);
	return s;
}

TRACED int outer(int n)
{
	int s = middle(n) + leaf(n + 1);

	KEEP(s);
	return s;
}

TRACED int deep(int n)
{
	int s = n ? deep(n - 1) : leaf(n);

	KEEP(s);
	return s;
}

/* Waits for that many milliseconds. */
TRACED int napping(int ms)
{
	usleep((unsigned)ms * 1000);
	KEEP(ms);
	return ms;
}

/* Lasts at least that many milliseconds, with a short call inside. */
TRACED int lasting(int ms)
{
	struct timespec end, now;
	int s = leaf(ms);

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_nsec += ms * 1000000L;
	end.tv_sec += end.tv_nsec / 1000000000;
	end.tv_nsec %= 1000000000;
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while (now.tv_sec < end.tv_sec || (now.tv_sec == end.tv_sec && now.tv_nsec < end.tv_nsec));
	KEEP(s);
	return s;
}

TRACED int around(int ms)
{
	int s = lasting(ms);

	KEEP(s);
	return s;
}

TRACED int jumper(int n)
{
	leaf(n);
	longjmp(place, 1);
}

TRACED int below(int n)
{
	int s = jumper(n);

	KEEP(s);
	return s;
}

/* Leaves below() and jumper() without a return. */
TRACED int jumping(int n)
{
	if (!setjmp(place))
		below(n);
	return leaf(n);
}

TRACED int start(int n)
{
	KEEP(n);
	return n;
}

TRACED int stop(int n)
{
	KEEP(n);
	return n;
}

static void *in_thread(void *n)
{
	for (int i = 0; i < (int)(long)n; i++)
		outer(i);
	return NULL;
}

static void with_threads(int n)
{
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, in_thread, (void *)(long)n);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
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

static void handle(int number)
{
	outer(number);
}

/* A handler on a stack of its own. */
static void on_signal(int n)
{
	stack_t side = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};
	struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK};

	sigaltstack(&side, NULL);
	sigaction(SIGALRM, &action, NULL);
	while (n--)
		raise(SIGALRM);
}

static void repeat(int (*what)(int), int n)
{
	for (int i = 0; i < n; i++)
		what(i);
}

/* Short calls, with handlers that make some, too, at any moment. */
static void with_timer(int n)
{
	struct itimerval often = {{0, 200}, {0, 200}}, off = {{0, 0}, {0, 0}};
	struct sigaction action = {.sa_handler = handle};

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	repeat(outer, n);
	setitimer(ITIMER_REAL, &off, NULL);
}

static ucontext_t main_context, other_context;

static void coroutine(void)
{
	for (int i = 0; i < 10; i++) {
		outer(i);
		swapcontext(&other_context, &main_context);
	}
}

static void with_coroutine(int n)
{
	static char stack[1 << 16];

	getcontext(&other_context);
	other_context.uc_stack.ss_sp = stack;
	other_context.uc_stack.ss_size = sizeof(stack);
	other_context.uc_link = &main_context;
	makecontext(&other_context, coroutine, 0);
	while (n--) {
		swapcontext(&main_context, &other_context);
		outer(n);
	}
}

/* 0: there is such a step. */
static int take(const char *word, int n)
{
	static const struct {
		const char *word;
		int (*once)(int);
		int (*each)(int);
		void (*run)(int);
	} steps[] = {
		{"outer", .each = outer},	  {"leaf", .each = leaf},
		{"deep", .once = deep},		  {"lasting", .once = lasting},
		{"around", .once = around},	  {"jumping", .each = jumping},
		{"start", .each = start},	  {"stop", .each = stop},
		{"threads", .run = with_threads}, {"child", .run = in_child},
		{"raised", .run = on_signal},	  {"coroutine", .run = with_coroutine},
		{"other", .each = other_file},	  {"timer", .run = with_timer},
		{"napping", .once = napping},
	};

	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		if (strcmp(steps[i].word, word))
			continue;
		if (steps[i].once)
			steps[i].once(n);
		else if (steps[i].each)
			repeat(steps[i].each, n);
		else
			steps[i].run(n);
		return 0;
	}
	return 1;
}

int main(int argc, char **argv)
{
	for (int i = 1; i + 1 < argc; i += 2) {
		if (!strcmp(argv[i], "signal"))
			raise(atoi(argv[i + 1]));
		else if (take(argv[i], atoi(argv[i + 1])))
			return 2;
	}
	puts("done");
	return 0;
}
