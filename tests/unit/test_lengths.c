// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_lengths.c - durations in order, their quantiles, and what happens when there are too many.
 *
 * covers: V09
 */
#include "timeline/insight/lengths.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Every number of digits that differ, also the uppermost ones, which carry groups. */
static void sorts_as_qsort(void **state)
{
	static const unsigned widths[] = {1, 5, 11, 12, 22, 33, 48, 63, 64};
	uint64_t seed = 88172645463325252u;

	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		struct lengths l = {0};
		uint64_t *copy = malloc(5000 * sizeof(*copy));

		for (size_t n = 0; n < 5000; n++) {
			seed ^= seed << 13;
			seed ^= seed >> 7;
			seed ^= seed << 17;
			copy[n] = seed >> (64 - widths[i]);
			assert_int_equal(lengths_add(&l, copy[n]), 0);
		}
		qsort(copy, 5000, sizeof(*copy), compare);
		assert_int_equal(lengths_sort(&l), 0);
		assert_memory_equal(l.list, copy, 5000 * sizeof(*copy));
		/* one more after it was sorted */
		assert_int_equal(lengths_add(&l, 7), 0);
		assert_int_equal(l.list[5000], 7);
		lengths_release(&l);
		free(copy);
	}
}

static void quantile_is_the_nearest_rank(void **state)
{
	uint64_t one[] = {5}, ten[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};

	assert_int_equal(lengths_quantile(one, 1, 5000), 5);
	assert_int_equal(lengths_quantile(one, 1, 9999), 5);
	assert_int_equal(lengths_quantile(ten, 10, 5000), 5);
	assert_int_equal(lengths_quantile(ten, 10, 5001), 6);
	assert_int_equal(lengths_quantile(ten, 10, 9000), 9);
	assert_int_equal(lengths_quantile(ten, 10, 9900), 10);
	assert_int_equal(lengths_quantile(ten, 10, 0), 1);
}

static void nothing_is_sorted(void **state)
{
	struct lengths l = {0};

	assert_int_equal(lengths_sort(&l), 0);
	lengths_release(&l);
}

static void too_many_are_not_kept(void **state)
{
	struct lengths l = {0};

	for (size_t i = 0; i <= LENGTHS_MAX; i++)
		assert_int_equal(lengths_add(&l, i), 0);
	assert_true(l.is_over);
	assert_int_equal(l.n, LENGTHS_MAX);
	lengths_release(&l);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(sorts_as_qsort),
		cmocka_unit_test(quantile_is_the_nearest_rank),
		cmocka_unit_test(nothing_is_sorted),
		cmocka_unit_test(too_many_are_not_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
