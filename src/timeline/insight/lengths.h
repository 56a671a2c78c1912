/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * lengths.h - stores many durations singly, so that quantiles are exact.
 *
 *	lengths_add … ─▶ lengths_sort ─▶ lengths_quantile of any sorted part ─▶ lengths_release
 *
 * The bits above 48 of a value may contain the number of a group. After sorting, the durations of
 * each group are adjacent. Only one thread may use it at a time.
 */
#ifndef SONDE_TIMELINE_INSIGHT_LENGTHS_H
#define SONDE_TIMELINE_INSIGHT_LENGTHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LENGTHS_MAX  (4u << 20) /* 32 MB, and twice as much during sorting */
#define LENGTHS_BITS 48

struct lengths { /* a zeroed struct is empty */
	uint64_t *list;
	size_t n, cap;
	bool is_over; /* there were more durations than fit: no quantiles */
};

/* Adds a duration. Returns 0 or -ENOMEM. Durations above the limit are not kept, see is_over. */
int lengths_add(struct lengths *l, uint64_t value);
/* Returns 0 or -ENOMEM. */
int lengths_sort(struct lengths *l);
void lengths_release(struct lengths *l);

/*
 * Returns the smallest of n sorted values that this many of 10 000 values do not exceed. n must not
 * be 0.
 */
uint64_t lengths_quantile(const uint64_t *sorted, size_t n, unsigned of_10000);

#endif
