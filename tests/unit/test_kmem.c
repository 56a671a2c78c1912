// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_kmem.c - following allocations: what counts for whom, the order of the rows, ceilings.
 */
#include "analyse/kmem.h"
#include "base/errmsg.h"
#include "../lib/memtrace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

#define OBJECT                                                              \
	COMMON                                                              \
	"\tfield:unsigned long call_site;\toffset:8;\tsize:8;\tsigned:0;\n" \
	"\tfield:const void * ptr;\toffset:16;\tsize:8;\tsigned:0;\n"
#define SIZES                                                         \
	"\tfield:size_t bytes_req;\toffset:24;\tsize:8;\tsigned:0;\n" \
	"\tfield:size_t bytes_alloc;\toffset:32;\tsize:8;\tsigned:0;\n"

static const struct memtrace_format formats_table[] = {
	{"kmem", "name: kmalloc\nID: 500" OBJECT SIZES "\nprint fmt: \"%p\", REC->ptr\n"},
	{"kmem", "name: kfree\nID: 501" OBJECT "\nprint fmt: \"%p\", REC->ptr\n"},
	{"kmem", "name: kmem_cache_alloc\nID: 502" OBJECT SIZES "\nprint fmt: \"%p\", REC->ptr\n"},
	{"kmem", "name: kmem_cache_free\nID: 503" OBJECT "\nprint fmt: \"%p\", REC->ptr\n"},
};

static const char kallsyms_text[] =
	"0000000000001000 T a\n0000000000002000 T b\n0000000000003000 T end\n";

struct fixture {
	uint8_t file[16384];
	struct tracefile *tf;
	struct formats *formats;
	struct kmem *k;
};

static int setup(void **state)
{
	struct fixture *fx = calloc(1, sizeof(*fx));

	if (MEMTRACE_OPEN(fx, formats_table, sizeof(formats_table) / sizeof(*formats_table),
			  kallsyms_text, "") < 0)
		return -1;
	fx->k = kmem_new(fx->formats);
	*state = fx;
	return fx->k ? 0 : -1;
}

static int teardown(void **state)
{
	struct fixture *fx = *state;

	kmem_free(fx->k);
	formats_free(fx->formats);
	tracefile_close(fx->tf);
	free(fx);
	return 0;
}

static void feed(struct fixture *fx, int id, uint64_t site, uint64_t ptr, uint64_t req,
		 uint64_t got)
{
	uint64_t words[5] = {id, site, ptr, req, got};
	struct record rec = {.data = (const uint8_t *)words,
			     .size = id % 2 ? 24 : 40,
			     .event = formats_find(fx->formats, id)};

	kmem_add(fx->k, &rec);
}

static struct kmem_row *const *finish(struct fixture *fx, size_t wanted)
{
	struct kmem_row *const *rows;
	size_t n;

	assert_int_equal(kmem_finish(fx->k), 0);
	rows = kmem_rows(fx->k, &n);
	assert_int_equal(n, wanted);
	return rows;
}

static void what_is_freed_is_no_longer_held(void **state)
{
	struct kmem_row *const *rows;

	feed(*state, 500, 0x1010, 0xaa, 100, 128);
	feed(*state, 502, 0x1020, 0xbb, 30, 32);
	feed(*state, 501, 0, 0xaa, 0, 0);
	feed(*state, 503, 0, 0xee, 0, 0); /* never allocated here */
	rows = finish(*state, 1);
	assert_int_equal(rows[0]->total.requested, 130);
	assert_int_equal(rows[0]->total.allocated, 160);
	assert_int_equal(rows[0]->current.requested, 30);
	assert_int_equal(rows[0]->max.allocated, 160);
	assert_int_equal(rows[0]->waste, 2);
	assert_int_equal(rows[0]->max_waste, 30);
}

static void rows_are_sorted_by_waste(void **state)
{
	struct kmem_row *const *rows;

	feed(*state, 500, 0x1000, 1, 8, 8);
	feed(*state, 500, 0x2000, 2, 8, 32);
	feed(*state, 500, 0xdead0000, 3, 8, 16);
	rows = finish(*state, 3);
	assert_memory_equal(rows[0]->function, "b", rows[0]->function_len);
	assert_memory_equal(rows[1]->function, "0xdead0000", rows[1]->function_len);
	assert_memory_equal(rows[2]->function, "a", rows[2]->function_len);
}

/* Removing from an open hash table must not hide what stands behind the hole. */
static void many_allocations_are_all_found_again(void **state)
{
	struct kmem_row *const *rows;

	for (uint64_t i = 1; i <= 5000; i++)
		feed(*state, 500, 0x1000, i * 64, 1, 1);
	for (uint64_t i = 1; i <= 5000; i += 2)
		feed(*state, 501, 0, i * 64, 0, 0);
	for (uint64_t i = 2; i <= 4000; i += 2)
		feed(*state, 501, 0, i * 64, 0, 0);
	rows = finish(*state, 1);
	assert_int_equal(rows[0]->current.allocated, 500);
	assert_int_equal(rows[0]->max.allocated, 5000);
	assert_int_equal(kmem_n_dropped(((struct fixture *)*state)->k), 0);
}

static void short_records_are_left_out(void **state)
{
	struct fixture *fx = *state;
	struct record rec = {.data = (const uint8_t *)"\0\0\0\0\0\0\0\0\0\0\0", .size = 12};

	for (int id = 500; id < 504; id++) {
		rec.event = formats_find(fx->formats, id);
		kmem_add(fx->k, &rec);
	}
	rec.event = NULL;
	kmem_add(fx->k, &rec);
	finish(fx, 0);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(what_is_freed_is_no_longer_held),
		TEST(rows_are_sorted_by_waste),
		TEST(many_allocations_are_all_found_again),
		TEST(short_records_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
