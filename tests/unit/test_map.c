// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_map.c - a map finds what was put into it, through growing and removing.
 */
#include "base/map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <cmocka.h>

#define N 5000

static char value[N]; /* whose addresses are values */

static void put(struct map *m, uint64_t key)
{
	void **slot = map_take(m, key * 4096, N);

	assert_non_null(slot);
	assert_null(*slot);
	*slot = &value[key];
}

static void check(const struct map *m, uint64_t key, bool is_there)
{
	assert_ptr_equal(map_find(m, key * 4096), is_there ? &value[key] : NULL);
}

static void removed_keys_are_gone_and_others_stay(void **state)
{
	struct map m = {0};

	(void)state;
	map_remove(&m, 1);
	for (uint64_t i = 0; i < N; i++)
		put(&m, i);
	assert_null(map_take(&m, 1, N));
	for (uint64_t i = 0; i < N; i += 3)
		map_remove(&m, i * 4096);
	map_remove(&m, 1);
	for (uint64_t i = 0; i < N; i++)
		check(&m, i, i % 3 != 0);
	assert_int_equal(m.n, N - (N + 2) / 3);
	put(&m, 3);
	check(&m, 3, true);
	map_clear(&m);
	check(&m, 4, false);
	assert_int_equal(m.n, 0);
	map_release(&m);
}

static void a_key_without_a_value_takes_no_room(void **state)
{
	struct map m = {0};

	(void)state;
	put(&m, 0);
	for (uint64_t i = 1; i < N; i++)
		assert_non_null(map_take(&m, i * 4096, 2));
	put(&m, 1);
	assert_int_equal(m.n, 2);
	assert_int_equal(m.n_slots, 64);
	map_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(removed_keys_are_gone_and_others_stay),
		cmocka_unit_test(a_key_without_a_value_takes_no_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
