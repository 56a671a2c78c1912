// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_samplespaces.c - what code a process has at an address while records come; maps of JIT code; the options of
 * sampling.
 * covers: E11
 */
#include "base/errmsg.h"
#include "capture/perf/codefiles.h"
#include "capture/perf/jitmap.h"
#include "capture/perf/samplechoice.h"
#include "capture/perf/spaces.h"
#include "store/events/sampleevents.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static struct codefiles *files;
static struct spaces *spaces;

static int open_tables(void **state)
{
	files = codefiles_new();
	spaces = spaces_new(files);
	return !files || !spaces;
}

static int close_tables(void **state)
{
	spaces_free(spaces);
	codefiles_free(files);
	return 0;
}

static void map(uint32_t pid, uint64_t start, uint64_t n, uint64_t offset, const char *path)
{
	spaces_map(spaces, &(struct perfrecord_map){.pid = pid,
						    .tid = pid,
						    .start = start,
						    .n_bytes = n,
						    .file_offset = offset,
						    .inode = 99,
						    .path = path});
}

static struct spaces_place find(int pid, uint64_t address)
{
	struct spaces_place place;

	spaces_find(spaces, pid, address, &place);
	return place;
}

/* A file that cannot be opened: its addresses are offsets. */
static void test_mappings_cover_each_other(void **state)
{
	map(7, 0x10000, 0x4000, 0, "/no/such/a");
	map(7, 0x11000, 0x1000, 0x8000, "/no/such/b");
	assert_string_equal(find(7, 0x10010).file->path, "/no/such/a");
	assert_int_equal(find(7, 0x10010).address, 0x10);
	assert_string_equal(find(7, 0x11010).file->path, "/no/such/b");
	assert_int_equal(find(7, 0x11010).address, 0x8010);
	assert_int_equal(find(7, 0x12010).address, 0x2010);
	assert_int_equal(sampleevents_file(find(7, 0x12010).place),
			 sampleevents_file(find(7, 0x10010).place));
	assert_int_equal(find(7, 0x14000).place, 0);
	assert_int_equal(find(8, 0x10010).place, 0);
}

static void test_fork_and_exec(void **state)
{
	map(7, 0x10000, 0x1000, 0, "/no/such/a");
	spaces_fork(spaces, 8, 7);
	assert_string_equal(find(8, 0x10010).file->path, "/no/such/a");
	map(8, 0x10000, 0x1000, 0, "/no/such/c"); /* the parent keeps its own */
	assert_string_equal(find(8, 0x10010).file->path, "/no/such/c");
	assert_string_equal(find(7, 0x10010).file->path, "/no/such/a");
	spaces_exec(spaces, 8);
	assert_int_equal(find(8, 0x10010).place, 0);
	spaces_fork(spaces, 7, 7); /* a thread */
	assert_string_equal(find(7, 0x10010).file->path, "/no/such/a");
}

static void test_processes_are_forgotten(void **state)
{
	map(7, 0x10000, 0x1000, 0, "/no/such/a");
	spaces_exit(spaces, 7);
	assert_int_not_equal(find(7, 0x10010).place, 0); /* its last samples may come late */
	for (uint32_t pid = 100; pid < 1500; pid++) {
		map(pid, 0x10000, 0x1000, 0, "/no/such/a");
		spaces_exit(spaces, (int)pid);
	}
	assert_int_equal(find(7, 0x10010).place, 0);
	assert_int_not_equal(find(1499, 0x10010).place, 0);
}

static void test_memory_belongs_to_a_process(void **state)
{
	map(7, 0x10000, 0x1000, 0, "//anon");
	map(8, 0x10000, 0x1000, 0, "//anon");
	assert_int_equal(find(7, 0x10010).address, 0x10010);
	assert_int_not_equal(sampleevents_file(find(7, 0x10010).place),
			     sampleevents_file(find(8, 0x10010).place));
}

static void test_jit_maps(void **state)
{
	static const char text[] = "1000 40 first\nnonsense\n2000 zz bad\n1000 20 again, later\n"
				   "3000 10 \n7f0000000000 100 far away\n4000 10 last";
	struct jitmap *j = jitmap_new(1);
	uint64_t start = 0;

	assert_int_equal(jitmap_parse(j, text, strlen(text)), 0);
	assert_string_equal(jitmap_find(j, 0x1010, &start), "again, later");
	assert_int_equal(start, 0x1000);
	assert_null(jitmap_find(j, 0x1030, &start));
	assert_null(jitmap_find(j, 0x2000, &start));
	assert_null(jitmap_find(j, 0x3000, &start));
	assert_string_equal(jitmap_find(j, 0x7f00000000ff, &start), "far away");
	assert_string_equal(jitmap_find(j, 0x4000, &start), "last");
	assert_null(jitmap_find(j, 0xfff, &start));
	jitmap_free(j);
}

static void test_options(void **state)
{
	struct samplechoice c = {0};
	struct errmsg err = {0};

	assert_int_equal(samplechoice_sample(&c, "4k", &err), 0);
	assert_int_equal(c.rate, 4000);
	assert_int_equal(samplechoice_sample(&c, "page-faults,10", &err), 0);
	assert_int_equal(c.period, 10);
	assert_int_equal(c.rate, 0);
	assert_int_equal(c.events.n, 1);
	assert_int_equal(samplechoice_stacks(&c, "dwarf,1001", &err), 0);
	assert_int_equal(c.stack_bytes, 1008);
	assert_int_equal(samplechoice_off_cpu(&c, "1.5ms", &err), 0);
	assert_int_equal(c.off_cpu_min_ns, 1500000);
	assert_int_equal(samplechoice_cpus(&c, "0,2-4", &err), 0);
	assert_int_equal(c.n_cpus, 4);
	assert_int_equal(c.cpus[3], 4);
	assert_int_equal(samplechoice_ring(&c, "100K", &err), 0);
	assert_int_equal(c.ring_bytes, 128 << 10);
	assert_true(samplechoice_pids(&c, "1,,2", &err) < 0);
	err = (struct errmsg){0};
	assert_true(samplechoice_stacks(&c, "fp,100", &err) < 0);
	err = (struct errmsg){0};
	assert_true(samplechoice_rate(&c, "fast", &err) < 0);
	samplechoice_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_mappings_cover_each_other, open_tables,
						close_tables),
		cmocka_unit_test_setup_teardown(test_fork_and_exec, open_tables, close_tables),
		cmocka_unit_test_setup_teardown(test_processes_are_forgotten, open_tables,
						close_tables),
		cmocka_unit_test_setup_teardown(test_memory_belongs_to_a_process, open_tables,
						close_tables),
		cmocka_unit_test(test_jit_maps),
		cmocka_unit_test(test_options),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
