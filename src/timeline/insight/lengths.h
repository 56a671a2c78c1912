/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lengths.h - many durations, kept one by one, so that quantiles are exact.
 *
 *	lengths_add … ─▶ lengths_sort ─▶ lengths_quantile of any part that is in order ─▶ lengths_release
 *
 * Above 48 bits a value may carry the number of a group; sorted, each group's durations then stand together.
 * One owner.
 */
#ifndef SONDE_TIMELINE_INSIGHT_LENGTHS_H
#define SONDE_TIMELINE_INSIGHT_LENGTHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LENGTHS_MAX  (4u << 20) /* 32 MB, twice that while they are sorted */
#define LENGTHS_BITS 48

struct lengths { /* all 0: empty */
	uint64_t *list;
	size_t n, cap;
	bool is_over; /* there were more than fit: no quantiles */
};

/* 0 or -ENOMEM. What is too much is not kept, see is_over. */
int lengths_add(struct lengths *l, uint64_t value);
/* 0 or -ENOMEM. */
int lengths_sort(struct lengths *l);
void lengths_release(struct lengths *l);

/* The smallest of n sorted values that so many of 10 000 do not exceed; n is not 0. */
uint64_t lengths_quantile(const uint64_t *sorted, size_t n, unsigned of_10000);

#endif
