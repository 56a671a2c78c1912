// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_rewrite.c - what the room rewrite does without a command around it: it tells CPUs and instances
 * by the names of files, asks for a kernel's description only when it needs one, and hands its notes to
 * the caller instead of printing them.
 *
 * Works in a directory of its own below /tmp, which it removes.
 */
#include "base/errmsg.h"
#include "rewrite/convert.h"
#include "rewrite/cpufiles.h"
#include "rewrite/restore.h"
#include "rewrite/split.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define PAGE 4096u

struct kept_notes {
	int n;
	char last[1000];
};

static void keep_note(void *ctx, const char *sentence)
{
	struct kept_notes *kept = ctx;

	kept->n++;
	snprintf(kept->last, sizeof(kept->last), "%s", sentence);
}

static void put_file(const char *path, const void *data, size_t n_bytes)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, n_bytes, f), n_bytes);
	fclose(f);
}

static int enter_directory(void **state)
{
	char place[] = "/tmp/sonde-rewrite-XXXXXX";

	return mkdtemp(place) && !chdir(place) ? 0 : -1;
}

static int leave_directory(void **state)
{
	char place[200], command[300];

	if (!getcwd(place, sizeof(place)) || chdir("/"))
		return -1;
	snprintf(command, sizeof(command), "rm -r '%s'", place);
	return system(command);
}

static char cpu0[] = "trace.dat.cpu0";

/* --- names of files ---------------------------------------------------------------------------- */

static void names_tell_cpus_and_instances(void **state)
{
	char slow10[] = "cpu7.dat.slow.cpu10", top2[] = "cpu7.dat.cpu2",
	     slow2[] = "cpu7.dat.slow.cpu2", top0[] = "cpu7.dat.cpu0",
	     *paths[] = {slow10, top2, slow2, top0};
	struct cpu_files cf = {0};
	struct errmsg err = {0};

	for (int i = 0; i < 4; i++)
		put_file(paths[i], "x", 1);
	assert_int_equal(cpu_files_open(&cf, 4, paths, &err), 0);
	assert_int_equal(cf.n, 4);
	assert_string_equal(cf.files[0].path, "cpu7.dat.cpu0");
	assert_string_equal(cf.files[0].instance, "");
	assert_int_equal(cf.files[1].cpu, 2);
	assert_string_equal(cf.files[2].path, "cpu7.dat.slow.cpu2");
	assert_string_equal(cf.files[2].instance, "slow");
	assert_int_equal(cf.files[3].cpu, 10);
	assert_int_equal(cpu_files_count(&cf), 11);
	cpu_files_close(&cf);
}

static void names_without_or_with_the_same_cpu_are_refused(void **state)
{
	char data[] = "trace.data", a[] = "a.cpu1", b[] = "b.cpu1", *none[] = {data},
	     *twice[] = {a, b};
	struct cpu_files cf = {0};
	struct errmsg err = {0};

	assert_int_equal(cpu_files_open(&cf, 1, none, &err), -EINVAL);
	assert_non_null(strstr(err.text, "trace.data"));
	cpu_files_close(&cf);
	cf = (struct cpu_files){0};
	err = (struct errmsg){0};
	put_file("a.cpu1", "x", 1);
	put_file("b.cpu1", "x", 1);
	assert_int_equal(cpu_files_open(&cf, 2, twice, &err), -EINVAL);
	assert_string_equal(err.text, "a.cpu1 and b.cpu1 are both of CPU 1");
	cpu_files_close(&cf);
}

/* --- a trace made of CPU files ----------------------------------------------------------------- */

static const char header_page[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				  "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
				  "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";

static int describe(void *ctx, struct restore_kernel *ret, struct errmsg *err)
{
	++*(int *)ctx;
	*ret = (struct restore_kernel){.clocks = "[local]",
				       .clock_name = "local",
				       .uname = "Linux test",
				       .page_size = PAGE,
				       .long_size = 8,
				       .data_offset = 16};
	ret->texts[TRACEFILE_HEADER_PAGE] =
		(struct piece){(const uint8_t *)header_page, sizeof(header_page) - 1};
	return 0;
}

/* One event of 8 bytes: type_len 2, then a truncated one if asked for. */
static void put_page(const char *path, bool cut_off)
{
	uint64_t page[PAGE / 8] = {1000, cut_off ? 24 : 12};
	uint32_t *data = (uint32_t *)&page[2];

	data[0] = 2 | (5 << 5);
	data[3] = 28 | (5 << 5);
	put_file(path, page, sizeof(page));
}

static struct restore_config make_config(int *n_described, struct kept_notes *kept)
{
	return (struct restore_config){.output = "whole.dat",
				       .describe = describe,
				       .ctx = n_described,
				       .notes = {keep_note, kept}};
}

static void sound_files_become_a_trace_without_a_note(void **state)
{
	char *paths[] = {cpu0};
	struct kept_notes kept = {0};
	struct errmsg err = {0};
	int n_described = 0;
	struct restore_config config = make_config(&n_described, &kept);

	put_page(paths[0], false);
	assert_int_equal(restore_cpu_files(&config, NULL, 1, paths, &err), 0);
	assert_int_equal(n_described, 1);
	assert_int_equal(kept.n, 0);
	assert_true(restore_is_trace("whole.dat"));
	assert_false(restore_is_trace(paths[0]));
}

static void a_damaged_page_is_a_note_not_a_failure(void **state)
{
	char *paths[] = {cpu0};
	struct kept_notes kept = {0};
	struct errmsg err = {0};
	int n_described = 0;
	struct restore_config config = make_config(&n_described, &kept);

	put_page(paths[0], true);
	assert_int_equal(restore_cpu_files(&config, NULL, 1, paths, &err), 0);
	assert_int_equal(kept.n, 1);
	assert_string_equal(kept.last,
			    "a sub-buffer in trace.dat.cpu0 is truncated or damaged; its "
			    "whole events are kept");
}

static void the_kernel_is_described_only_when_needed(void **state)
{
	char none[] = "missing.cpu0", *paths[] = {cpu0}, *missing[] = {none};
	struct kept_notes kept = {0};
	struct errmsg err = {0};
	int n_described = 0;
	struct restore_config config = make_config(&n_described, &kept);

	assert_int_equal(restore_cpu_files(&config, NULL, 1, missing, &err), -ENOENT);
	assert_int_equal(n_described, 0);
	config.output = "partial.dat";
	err = (struct errmsg){0};
	assert_int_equal(restore_partial(&config, &err), 0);
	assert_int_equal(n_described, 1);
	config.output = "whole.dat";
	put_page(paths[0], false);
	assert_int_equal(restore_cpu_files(&config, "partial.dat", 1, paths, &err), 0);
	assert_int_equal(n_described, 1);
	assert_int_equal(kept.n, 0);
}

/* --- notes of the others ----------------------------------------------------------------------- */

static void make_trace(void)
{
	char *paths[] = {cpu0};
	struct kept_notes kept = {0};
	struct errmsg err = {0};
	int n_described = 0;
	struct restore_config config = make_config(&n_described, &kept);

	put_page(paths[0], false);
	assert_int_equal(restore_cpu_files(&config, NULL, 1, paths, &err), 0);
}

static void an_empty_part_is_a_note(void **state)
{
	struct kept_notes kept = {0};
	struct errmsg err = {0};
	struct split_config config = {.input = "whole.dat",
				      .output = "part",
				      .cpu = -1,
				      .from = "5",
				      .notes = {keep_note, &kept}};

	make_trace();
	assert_int_equal(split_trace(&config, &err), 0);
	assert_int_equal(kept.n, 1);
	assert_string_equal(kept.last, "no event of whole.dat is in that part");
	assert_true(restore_is_trace("part.1"));
}

static void a_failed_conversion_leaves_no_file(void **state)
{
	struct kept_notes kept = {0};
	struct errmsg err = {0};
	struct convert_config config = {.input = "whole.dat",
					.output = "six.dat",
					.version = 6,
					.compression = "zstd",
					.notes = {keep_note, &kept}};

	make_trace();
	assert_int_equal(convert_trace(&config, &err), -EINVAL);
	assert_int_equal(access("six.dat", F_OK), -1);
	config.compression = NULL;
	err = (struct errmsg){0};
	assert_int_equal(convert_trace(&config, &err), 0);
	assert_int_equal(kept.n, 0);
	assert_true(restore_is_trace("six.dat"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_tell_cpus_and_instances),
		cmocka_unit_test(names_without_or_with_the_same_cpu_are_refused),
		cmocka_unit_test(sound_files_become_a_trace_without_a_note),
		cmocka_unit_test(a_damaged_page_is_a_note_not_a_failure),
		cmocka_unit_test(the_kernel_is_described_only_when_needed),
		cmocka_unit_test(an_empty_part_is_a_note),
		cmocka_unit_test(a_failed_conversion_leaves_no_file),
	};

	return cmocka_run_group_tests(tests, enter_directory, leave_directory);
}
