// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_darktimes.c - when CPUs have no data (darktimes.h), and runs that become one (runmerge.h).
 *
 * covers: K03
 */
#include "timeline/index/darktimes.h"
#include "timeline/index/runmerge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static bool is_any(void *ctx, uint16_t of)
{
	(void)ctx;
	(void)of;
	return true;
}

static uint64_t find_any(const struct dark_times *d, uint64_t t)
{
	return dark_times_find_for(d, t, is_any, NULL);
}

static void dark_is_when_any_cpu_is(void **state)
{
	static const struct {
		uint64_t t, first;
	} rows[] = {{0, 10},  {10, 10}, {15, 15}, {29, 29}, {30, 50}, {49, 50},
		    {50, 50}, {59, 59}, {60, 80}, {80, 80}, {99, 99}};
	struct dark_times d;

	(void)state;
	assert_int_equal(dark_times_init(&d, 3), 0);
	assert_true(find_any(&d, 0) == DARK_NEVER);
	dark_times_add(&d, 0, false, 5); /* it is not dark yet */
	dark_times_add(&d, 0, true, 10);
	dark_times_add(&d, 1, true, 15);
	dark_times_add(&d, 1, true, 16); /* as it is */
	dark_times_add(&d, 0, false, 20);
	dark_times_add(&d, 1, false, 30);
	dark_times_add(&d, 2, true, 50);
	dark_times_add(&d, 2, false, 55);
	dark_times_add(&d, 0, true, 55); /* goes on */
	dark_times_add(&d, 0, false, 60);
	assert_true(find_any(&d, 60) == DARK_NEVER);
	dark_times_add(&d, 2, true, 80);
	dark_times_add(&d, 7, true, 90); /* no such stream */
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_true(find_any(&d, rows[i].t) == rows[i].first);
	assert_false(d.failed);
	dark_times_release(&d);
}

/* Of too many it remembers more dark than there was, never less. */
static void too_many_dark_times_are_joined(void **state)
{
	struct dark_times d;
	uint64_t n = 600000;

	(void)state;
	assert_int_equal(dark_times_init(&d, 1), 0);
	for (uint64_t i = 0; i < n; i++) {
		dark_times_add(&d, 0, true, i * 10 + 5);
		dark_times_add(&d, 0, false, i * 10 + 7);
	}
	assert_true(d.n < n);
	for (uint64_t i = 0; i < n; i += 997) {
		assert_true(find_any(&d, i * 10 + 5) == i * 10 + 5);
		assert_true(find_any(&d, i * 10 + 6) == i * 10 + 6);
	}
	assert_true(find_any(&d, n * 10) == DARK_NEVER);
	dark_times_release(&d);
}

static bool is_even(void *ctx, uint16_t of)
{
	(void)ctx;
	return of % 2 == 0;
}

/* A recorder's own threads: their time is dark for tasks like them only, unless another CPU was dark as well. */
static void dark_times_can_be_of_some(void **state)
{
	struct dark_times d;

	(void)state;
	assert_int_equal(dark_times_init(&d, 2), 0);
	dark_times_add(&d, 0, true, 10);
	dark_times_add(&d, 0, false, 20);
	dark_times_limit(&d, 10, 7);
	dark_times_add(&d, 0, true, 30);
	dark_times_add(&d, 0, false, 50); /* too long for that */
	dark_times_limit(&d, 10, 7);
	dark_times_add(&d, 0, true, 60);
	dark_times_add(&d, 1, true, 62);
	dark_times_add(&d, 1, false, 64);
	dark_times_add(&d, 0, false, 66);
	dark_times_limit(&d, 10, 7);
	dark_times_add(&d, 1, true, 80);
	dark_times_add(&d, 1, false, 81);
	dark_times_limit(&d, 10, 8);
	assert_true(find_any(&d, 0) == 10);
	assert_true(dark_times_find_for(&d, 0, is_even, NULL) == 30);
	assert_true(dark_times_find_for(&d, 50, is_even, NULL) == 60);
	assert_true(dark_times_find_for(&d, 66, is_even, NULL) == 80);
	dark_times_release(&d);
}

struct item {
	uint64_t ts, place, more;
};

static void runs_become_one(void **state)
{
	static const size_t sizes[] = {16, 24};
	uint64_t seed = 3;

	(void)state;
	for (size_t n = 0; n < 300; n += 7)
		for (size_t s = 0; s < 2; s++) {
			size_t size = sizes[s];
			uint8_t *items = calloc(n + 1, size);
			uint64_t before = 0, place_before = 0, ts = 0;

			for (uint64_t i = 0; i < n; i++) {
				seed = seed * 6364136223846793005u + 1442695040888963407u;
				ts = seed >> 60 ? ts + (seed >> 40) % 3 : 0; /* a new run */
				memcpy(items + i * size,
				       &(struct item){ts | (seed & 0xff) << 48, i, ~i}, size);
			}
			assert_int_equal(runs_merge(&items, n, size), 0);
			for (size_t i = 0; i < n; i++) {
				struct item it = {0};

				memcpy(&it, items + i * size, size);
				ts = it.ts & ((UINT64_C(1) << 48) - 1);
				assert_true(ts >= before);
				if (i && ts == before)
					assert_true(it.place > place_before);
				before = ts;
				place_before = it.place;
			}
			free(items);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dark_is_when_any_cpu_is),
		cmocka_unit_test(too_many_dark_times_are_joined),
		cmocka_unit_test(dark_times_can_be_of_some),
		cmocka_unit_test(runs_become_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
