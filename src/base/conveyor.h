/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conveyor.h - work in order, done in parallel.
 *
 *	fill ──▶ [item][item][item] ──▶ work on any thread ──▶ drain
 *	one at a time, in order                                one at a time, in the same order
 *
 * The caller gives a fixed ring of items, so memory is bounded however slow the drain is. With one
 * thread everything runs in the caller. The three callbacks get the caller's `ctx`; fill and drain
 * never run twice at once each, but fill of a later item may run beside work and drain of earlier
 * ones, so they may share only what the caller protects.
 */
#ifndef SONDE_BASE_CONVEYOR_H
#define SONDE_BASE_CONVEYOR_H

#include <stddef.h>

struct conveyor_job {
	void *ctx;
	void **items; /* n_items of them, used round and round */
	size_t n_items;
	unsigned n_threads;
	/* 1: filled, 0: no more input, negative: give up (conveyor_run returns it). */
	int (*fill)(void *ctx, void *item);
	/* thread: 0 … n_threads - 1, for what each thread keeps to itself, such as caches */
	void (*work)(void *ctx, void *item, unsigned thread);
	/* 0, or negative to stop early (conveyor_run returns it). */
	int (*drain)(void *ctx, void *item);
};

int conveyor_run(const struct conveyor_job *job);

/* How many threads to use: SONDE_JOBS, else the CPUs this process may run on. At most 64. */
unsigned conveyor_default_threads(void);

#endif
