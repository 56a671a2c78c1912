/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * threadcalls.h - counts the system calls of each thread (perf trace -s).
 *
 *  threadcalls_new ─▶ threadcalls_add … ─▶ threadcalls_threads ─▶ threadcalls_rows
 *      ─▶ threadcalls_free
 */
#ifndef SONDE_ANALYSE_THREADCALLS_H
#define SONDE_ANALYSE_THREADCALLS_H

#include <stddef.h>
#include <stdint.h>

#define THREADCALLS_COMM_BYTES 16

struct threadcalls;

/* A system call in one thread. */
struct threadcalls_row {
	uint32_t machine, nr;
	uint64_t n, n_errors, total, min, max; /* ns */
	double squares;			       /* sum of the squared distances from the average */
	uint32_t *errors;		       /* calls by errno, THREADCALLS_ERRORS; NULL: none */
};

#define THREADCALLS_ERRORS 134

struct threadcalls_thread {
	int pid;
	char comm[THREADCALLS_COMM_BYTES];
	uint64_t n; /* of all its calls */
	size_t n_rows, cap_rows;
	struct threadcalls_row *rows;
};

/* NULL: out of memory. */
struct threadcalls *threadcalls_new(void);
void threadcalls_free(struct threadcalls *t);
/* e: the errno of a call that failed, or 0. comm: the name that the thread has now. */
void threadcalls_add(struct threadcalls *t, int pid, const char *comm, uint32_t machine,
		     uint32_t nr, uint64_t ns, unsigned e);
/* Calls that are in no row, because memory was short. */
uint64_t threadcalls_n_dropped(const struct threadcalls *t);
/*
 * The threads by pid, each with its rows, the longest total first. They belong to t. NULL: there
 * are none, or out of memory.
 */
const struct threadcalls_thread *const *threadcalls_threads(struct threadcalls *t, size_t *ret_n);
/* Standard deviation of the average, in percent of it. */
double threadcalls_deviation(const struct threadcalls_row *row);

#endif
