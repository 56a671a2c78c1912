/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * check.h - for programs that are traced: they count their own calls and say the numbers at the
 * end, so that a recording can be compared with the truth.
 *
 *	int work(int n) { CALLED(work); … }
 *	int main(int argc, char **argv) { check_begin(argc); …; check_end(); }
 *
 * With an argument the program runs under a timer signal at 2 kHz, whose handler calls traced
 * functions, too.
 */
#ifndef CHECK_H
#define CHECK_H

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>

#ifdef __clang__
#define APART __attribute__((noinline))
#else
#define APART __attribute__((noipa))
#endif
/* After a call: without it the compiler makes a loop of a recursion, or a jump of a call. */
#define BARRIER() __asm__ volatile("" ::: "memory")

struct check_row {
	const char *name;
	long n;
	struct check_row *next;
};

static struct check_row *check_rows;

/* Threads may count at once; a row is added once, by whoever comes first. */
#define CALLED(function)                                                                         \
	do {                                                                                     \
		static struct check_row row = {#function, 0, NULL};                              \
		if (__atomic_add_fetch(&row.n, 1, __ATOMIC_SEQ_CST) == 1) {                      \
			row.next = __atomic_load_n(&check_rows, __ATOMIC_SEQ_CST);               \
			while (!__atomic_compare_exchange_n(&check_rows, &row.next, &row, 0,     \
							    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) \
				;                                                                \
		}                                                                                \
	} while (0)

APART static int check_tick_work(int n)
{
	CALLED(check_tick_work);
	if (n > 0)
		n = 1 + check_tick_work(n - 1);
	BARRIER();
	return n;
}

APART static void check_tick(int signal)
{
	CALLED(check_tick);
	(void)signal;
	check_tick_work(3);
}

static void check_timer(long us)
{
	struct itimerval timer = {{0, us}, {0, us}};

	setitimer(ITIMER_REAL, &timer, NULL);
}

static inline void check_begin(int argc)
{
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_handler = check_tick;
	action.sa_flags = SA_RESTART;
	sigaction(SIGALRM, &action, NULL);
	if (argc > 1)
		check_timer(500);
}

static inline void check_end(void)
{
	check_timer(0);
	for (const struct check_row *row = check_rows; row; row = row->next)
		printf("calls %s %ld\n", row->name, row->n);
	fflush(stdout);
}

#endif
