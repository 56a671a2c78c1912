// SPDX-License-Identifier: GPL-2.0-or-later
/* test_threadcalls.c - system calls by thread: counts, spread, errors, order. */
#include "analyse/threadcalls.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define MACHINE 0xc000003e

static void rows_have_counts_and_spread(void **state)
{
	static const uint64_t ns[] = {1000, 2000, 3000, 4000};
	struct threadcalls *t = threadcalls_new();
	const struct threadcalls_thread *const *threads;
	const struct threadcalls_row *row;
	size_t n;

	for (size_t i = 0; i < 4; i++)
		threadcalls_add(t, 7, "work", MACHINE, 0, ns[i], 0);
	threads = threadcalls_threads(t, &n);
	assert_int_equal(n, 1);
	assert_int_equal(threads[0]->n, 4);
	row = &threads[0]->rows[0];
	assert_int_equal(row->total, 10000);
	assert_int_equal(row->min, 1000);
	assert_int_equal(row->max, 4000);
	/* sample deviation 1291 ns, of the average of four 645.5, in percent of 2500 */
	assert_true(threadcalls_deviation(row) > 25.81 && threadcalls_deviation(row) < 25.83);
	threadcalls_free(t);
}

static void threads_come_by_number_and_rows_by_time(void **state)
{
	struct threadcalls *t = threadcalls_new();
	const struct threadcalls_thread *const *threads;
	size_t n;

	threadcalls_add(t, 9, "b", MACHINE, 1, 10, 0);
	threadcalls_add(t, 8, "old", MACHINE, 1, 10, 0);
	threadcalls_add(t, 8, "new", MACHINE, 2, 50, ENOENT);
	threadcalls_add(t, 8, "new", MACHINE, 2, 0, ENOENT);
	threads = threadcalls_threads(t, &n);
	assert_int_equal(n, 2);
	assert_int_equal(threads[0]->pid, 8);
	assert_string_equal(threads[0]->comm, "new");
	assert_int_equal(threads[0]->rows[0].nr, 2);
	assert_int_equal(threads[0]->rows[0].n_errors, 2);
	assert_int_equal(threads[0]->rows[0].errors[ENOENT], 2);
	assert_null(threads[0]->rows[1].errors);
	assert_true(threadcalls_deviation(&threads[0]->rows[1]) == 0);
	assert_int_equal(threadcalls_n_dropped(t), 0);
	threadcalls_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_have_counts_and_spread),
		cmocka_unit_test(threads_come_by_number_and_rows_by_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
