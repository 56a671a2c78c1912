// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * lengths.c - sorts durations with a radix sort.
 *
 * A digit has 11 bits. Digits that are equal in all values (most of the upper ones) are skipped,
 * so that a million similar durations are sorted after three rounds, in about ten milliseconds.
 * qsort() takes ten times as long, and a panel needs this whenever the visible range changes.
 */
#include "timeline/insight/lengths.h"

#include "base/array.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DIGIT_BITS 11
#define DIGITS	   (1u << DIGIT_BITS)

int lengths_add(struct lengths *l, uint64_t value)
{
	if (l->n == LENGTHS_MAX) {
		l->is_over = true;
		return 0;
	}
	if (!ARRAY_ROOM(l->list, l->cap, l->n + 1, LENGTHS_MAX))
		return -ENOMEM;
	l->list[l->n++] = value;
	return 0;
}

/* Does one round: a stable sort by one digit. */
static void sort_digit(const uint64_t *from, uint64_t *to, size_t n, unsigned shift)
{
	size_t at[DIGITS] = {0}, sum = 0;

	for (size_t i = 0; i < n; i++)
		at[from[i] >> shift & (DIGITS - 1)]++;
	for (size_t i = 0; i < DIGITS; i++) {
		size_t here = at[i];

		at[i] = sum;
		sum += here;
	}
	for (size_t i = 0; i < n; i++)
		to[at[from[i] >> shift & (DIGITS - 1)]++] = from[i];
}

int lengths_sort(struct lengths *l)
{
	uint64_t *other, differs = 0;

	for (size_t i = 1; i < l->n; i++)
		differs |= l->list[i] ^ l->list[0];
	if (!differs)
		return 0;
	other = malloc(l->n * sizeof(*other));
	if (!other)
		return -ENOMEM;
	for (unsigned shift = 0; shift < 64; shift += DIGIT_BITS) {
		uint64_t *sorted = other;

		if (!(differs >> shift & (DIGITS - 1)))
			continue;
		sort_digit(l->list, sorted, l->n, shift);
		other = l->list;
		l->list = sorted;
	}
	l->cap = l->n;
	free(other);
	return 0;
}

void lengths_release(struct lengths *l)
{
	free(l->list);
	*l = (struct lengths){0};
}

uint64_t lengths_quantile(const uint64_t *sorted, size_t n, unsigned of_10000)
{
	/* the rank is rounded up; computed in two steps, because the product may overflow */
	uint64_t rank = n / 10000 * of_10000 + (n % 10000 * of_10000 + 9999) / 10000;

	return sorted[rank ? rank - 1 : 0];
}
