/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * measures.h - what can be compared between two recordings: how often something happened, and how
 * long it took, in blocks of time.
 *
 *	measures_init ─▶ measures_take, measure_add … ─▶ measures_release
 *
 * A recording is cut into MEASURES_BLOCKS of equal length. The numbers of the blocks show how much
 * a measure varies by itself, so compare.h can say whether a difference is more than that.
 */
#ifndef SONDE_ANALYSE_COMPARE_MEASURES_H
#define SONDE_ANALYSE_COMPARE_MEASURES_H

#include "analyse/namepool.h"
#include "base/arena.h"
#include "base/map.h"

#include <stdint.h>

#define MEASURES_BLOCKS 32

enum measure_kind {
	MEASURE_USER_FUNCTION,
	MEASURE_KERNEL_FUNCTION,
	MEASURE_SYSCALL,
	MEASURE_WAKEUP,	 /* from a waking to the run */
	MEASURE_BLOCKED, /* uninterruptible sleep */
	MEASURE_LOCK,	 /* waits for a contended lock */
	MEASURE_DISK,	 /* block requests */
	MEASURE_IRQ,	 /* handlers of interrupts */
	MEASURE_SOFTIRQ,
	MEASURE_RUN_TIME, /* of tasks */
	MEASURE_SAMPLES,  /* of functions */
	MEASURE_N_KINDS,
};

struct measure_block {
	uint64_t n;
	double sum, logs; /* of the durations; of their logarithms, base 2 */
};

struct measure {
	enum measure_kind kind;
	const char *name, *where; /* where: program, module; NULL: none */
	uint64_t n;
	double total; /* ns, or units of the clock; of samples: the sum of their periods */
	uint64_t longest, longest_ts;
	struct measure_block blocks[MEASURES_BLOCKS];
	struct measure *same_hash;
};

struct measures {
	struct arena arena;
	struct namepool names;
	struct map by_hash;
	struct measure **list;
	size_t n, cap;
	uint64_t from, to; /* the recording */
	uint32_t
		kinds; /* that it has, or would have if they had happened: bits of enum measure_kind */
	/* the block of the last time */
	uint64_t block_from, block_to;
	unsigned block;
	uint64_t n_dropped; /* there was no room for their measure */
};

void measures_init(struct measures *m, uint64_t from, uint64_t to);
void measures_release(struct measures *m);

/* Finds or adds a measure; NULL: no room, which is counted. where: NULL: none. */
struct measure *measures_take(struct measures *m, enum measure_kind kind, const char *name,
			      size_t len, const char *where);
/* Finds a measure of another table; NULL: this one has none like it. */
struct measure *measures_find(struct measures *m, const struct measure *like);
/* Adds something that ended at ts and took so long. */
void measures_add(struct measures *m, struct measure *of, uint64_t ts, uint64_t duration);

#endif
