// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * runmerge.c - items that stand in some ordered runs, in one order of time.
 *
 *	1 4 9 | 2 3 8 | 5 6 7 | 0        runs, found where the time goes back
 *	1 2 3 4 8 9   | 0 5 6 7          two by two, into a second block and back
 *	0 1 2 3 4 5 6 7 8 9
 *
 * There are about as many runs as streams, so it takes as many rounds as their logarithm, each a plain copy; what is in order
 * already is not touched. qsort() would compare each item more often, and does not keep equals as they are.
 */
#include "timeline/index/runmerge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TIME_BITS ((UINT64_C(1) << 48) - 1)

static uint64_t item_ts(const uint8_t *item)
{
	uint64_t word;

	memcpy(&word, item, sizeof(word));
	return word & TIME_BITS;
}

/* Inlined for each size that is used, so that copying an item is a few moves. */
static inline __attribute__((always_inline)) void merge_runs(uint8_t *to, const uint8_t *a,
							     const uint8_t *a_end, const uint8_t *b,
							     const uint8_t *b_end, size_t size)
{
	while (a < a_end && b < b_end) {
		const uint8_t **from = item_ts(b) < item_ts(a) ? &b : &a;

		memcpy(to, *from, size);
		*from += size;
		to += size;
	}
	memcpy(to, a, a_end - a);
	memcpy(to + (a_end - a), b, b_end - b);
}

static void merge_two(uint8_t *to, const uint8_t *a, const uint8_t *mid, const uint8_t *end,
		      size_t size)
{
	if (size == 16)
		merge_runs(to, a, mid, mid, end, 16);
	else if (size == 24)
		merge_runs(to, a, mid, mid, end, 24);
	else
		merge_runs(to, a, mid, mid, end, size);
}

/* Where the run that begins at item i ends. */
static size_t run_end(const uint8_t *items, size_t n, size_t i, size_t size)
{
	for (i++; i < n; i++)
		if (item_ts(items + i * size) < item_ts(items + (i - 1) * size))
			break;
	return i < n ? i : n;
}

int runs_merge(uint8_t **items, size_t n, size_t size)
{
	uint8_t *other = NULL;

	while (n && run_end(*items, n, 0, size) < n) {
		uint8_t *from = *items;

		if (!other && !(other = malloc(n * size)))
			return -ENOMEM;
		for (size_t at = 0; at < n;) {
			size_t mid = run_end(from, n, at, size);
			size_t end = mid < n ? run_end(from, n, mid, size) : mid;

			merge_two(other + at * size, from + at * size, from + mid * size,
				  from + end * size, size);
			at = end;
		}
		*items = other;
		other = from;
	}
	free(other);
	return 0;
}
