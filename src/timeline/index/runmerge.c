// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * runmerge.c - merges adjacent sorted runs of items into one run in time order.
 *
 *	1 4 9 | 2 3 8 | 5 6 7 | 0        runs: a new one begins where the time decreases
 *	1 2 3 4 8 9   | 0 5 6 7          merged pairwise, into a second block and back
 *	0 1 2 3 4 5 6 7 8 9
 *
 * There are about as many runs as streams, so the number of rounds is the logarithm of that number.
 * Each round is a plain copy. Sorted input is not touched. qsort() would compare each item more
 * often, and is not stable.
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

/*
 * Merges two runs. The function is inlined for each item size in use, so that copying an item takes
 * a few moves.
 */
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

/* Returns the end of the run that begins at item i. */
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
