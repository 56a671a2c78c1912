/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * conveyor.h - work in order, done in parallel.
 *
 *	fill ──▶ [item][item][item] ──▶ work on any thread ──▶ drain
 *	one at a time, in order                                one at a time, in the same order
 *
 * The caller provides a fixed ring of items, so memory is bounded however slow the drain is. Few of
 * them are in use if no thread has to wait; so a ring may have many. With one thread everything
 * runs in the caller; more start only if they help. The three callbacks get the caller's `ctx`.
 * fill never runs twice at once, nor does drain, but fill of a later item may run at the same time
 * as work and drain of earlier ones, so they may share only what the caller protects.
 */
#ifndef SONDE_BASE_CONVEYOR_H
#define SONDE_BASE_CONVEYOR_H

#include <stddef.h>

struct conveyor_job {
	void *ctx;
	void **items; /* n_items of them, reused */
	size_t n_items;
	unsigned n_threads; /* at most so many run, and not more than there are CPUs */
	/* 1: filled, 0: no more input, negative: stop (conveyor_run returns it). */
	int (*fill)(void *ctx, void *item);
	/* thread: 0 … n_threads - 1, for data of each thread, such as caches */
	void (*work)(void *ctx, void *item, unsigned thread);
	/* 0, or negative to stop early (conveyor_run returns it). */
	int (*drain)(void *ctx, void *item);
	unsigned n_cpus; /* 0: those on which this process may run */
};

int conveyor_run(const struct conveyor_job *job);

/* Returns the number of CPUs on which this process may run, at most 64. */
unsigned conveyor_n_cpus(void);

/* Returns the number of threads to use: SONDE_JOBS, or the number of CPUs. At most 64. */
unsigned conveyor_default_threads(void);

#endif
