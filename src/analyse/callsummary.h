/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * callsummary.h - counts system calls: how often, how long, how many failed (strace -c).
 *
 *	callsummary_new ─▶ callsummary_add … ─▶ callsummary_sort ─▶ rows ─▶ callsummary_free
 */
#ifndef SONDE_ANALYSE_CALLSUMMARY_H
#define SONDE_ANALYSE_CALLSUMMARY_H

#include "analyse/latency/latencies.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct callsummary;

struct callsummary_row {
	uint32_t machine, nr;
	uint64_t n_errors;
	struct latency_spread spread; /* n, total, min, max; latency_spread_percentile() */
};

enum callsummary_key {
	CALLSUMMARY_TIME,
	CALLSUMMARY_CALLS,
	CALLSUMMARY_ERRORS,
	CALLSUMMARY_MIN,
	CALLSUMMARY_MAX,
	CALLSUMMARY_AVERAGE,
	CALLSUMMARY_NAME,
	CALLSUMMARY_NOTHING, /* in the order of numbers */
};

/* NULL: out of memory. */
struct callsummary *callsummary_new(void);
void callsummary_free(struct callsummary *s);
void callsummary_add(struct callsummary *s, uint32_t machine, uint32_t nr, uint64_t ns, bool failed,
		     uint64_t ts);
/* n calls were lost, and are in no row. */
void callsummary_lose(struct callsummary *s, uint64_t n);
uint64_t callsummary_n_lost(const struct callsummary *s);
/* Returns the rows, which belong to s. name(): of a call. */
const struct callsummary_row *const *callsummary_sort(struct callsummary *s,
						      enum callsummary_key key, size_t *ret_n);

#endif
