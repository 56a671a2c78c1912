// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_inputs.c - a trace opened as a program would: what is in it, which of it is wanted, what is wrong with it.
 *
 * The commands show every corner of it (tests/cli); here is what a caller of the room relies on: three ways through the
 * events agree, nothing is left behind after a failure, and notes and damage come as data.
 */
#include "inputs/cpuwalk.h"
#include "inputs/formatcheck.h"
#include "inputs/info/filecount.h"
#include "inputs/info/info.h"
#include "inputs/sources.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#define ARRAY_LEN(a) (sizeof(a) / sizeof(*(a)))

static const char *golden(const char *name)
{
	static char path[600];
	const char *dir = getenv("GOLDEN");

	if (!dir)
		skip();
	snprintf(path, sizeof(path), "%s/%s.dat", dir, name);
	return path;
}

static uint64_t n_in_sequence(struct inputs *in, struct errmsg *err)
{
	struct sequence_config config = inputs_sequence_config(in->spec);
	struct inputs_sources src;
	struct batch batch;
	uint64_t n = 0, last = 0;

	config.raw = true;
	assert_int_equal(batch_init(&batch), 0);
	if (inputs_sources_init(&src, in, &config, err) >= 0 &&
	    inputs_sources_set_range(&src, err) >= 0)
		while (sequence_fill(src.seq, &batch) > 0)
			for (size_t i = 0; i < batch.n; i++, n++) {
				assert_true(batch.records[i].ts >= last);
				last = batch.records[i].ts;
			}
	batch_release(&batch);
	inputs_sources_release(&src);
	return n;
}

static void count_one(void *ctx, const struct record *rec)
{
	++*(uint64_t *)ctx;
}

/* Opened, filtered and walked; what it notes stays in *in, which the caller closes. */
static uint64_t open_and_count(struct inputs *in, const struct inputs_spec *spec,
			       struct errmsg *err)
{
	bool any;

	if (inputs_open(in, spec, err) < 0 || inputs_filter(in, &any, err) < 0)
		return 0;
	return n_in_sequence(in, err);
}

/* --- the tests ----------------------------------------------------------------------------------- */

static void test_ways_agree(void **state)
{
	static const char *const names[] = {"tour", "instances-mono", "events-v7-zstd",
					    "lost-events"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct inputs_spec spec = INPUTS_ONE(golden(names[i]));
		struct filecount count;
		struct inputs in = {0};
		struct errmsg err = {0};
		struct info info;
		uint64_t n = open_and_count(&in, &spec, &err), n_walked = 0;

		assert_int_equal(err.code, 0);
		assert_int_equal(in.n_files, 1);
		assert_true(n > 0);
		for (size_t k = 0; k < in.files[0].tf->n_buffers; k++)
			assert_int_equal(cpuwalk(&in.files[0], &in.files[0].tf->buffers[k],
						 count_one, &n_walked),
					 0);
		assert_int_equal(n_walked, n);
		assert_int_equal(info_init(&info, &in.files[0], &(struct info_config){0}, &err), 0);
		assert_int_equal(info.facts.n_events, n);
		info_release(&info);
		assert_int_equal(filecount_read(-1, in.files[0].tf->path, &count), 0);
		assert_int_equal(count.n_events, n);
		inputs_close(&in);
	}
}

static void test_spec_chooses(void **state)
{
	struct inputs_filter switches = {.text = "sched_switch", .input = -1},
			     others = {.text = "sched_switch", .reject = true, .input = -1};
	const char *path = golden("events-v7-none");
	const char *top = "-", *absent = "nope";
	struct inputs_spec specs[] = {
		INPUTS_ONE(path),
		{.filters = &switches, .n_filters = 1},
		{.filters = &others, .n_filters = 1},
		{.buffers = {&top, 1}},
		{.buffers = {&absent, 1}},
		{.from = "+1ms", .to = "+2ms"},
		{.from = "+2ms", .to = "+1ms"},
		{.cpus = (uint32_t[]){0}, .n_cpus = 1},
	};
	uint64_t n[ARRAY_LEN(specs)];
	int code[ARRAY_LEN(specs)];

	for (size_t i = 0; i < ARRAY_LEN(specs); i++) {
		struct inputs in = {0};
		struct errmsg err = {0};

		specs[i].paths = specs[0].paths;
		specs[i].n_paths = 1;
		n[i] = open_and_count(&in, &specs[i], &err);
		code[i] = err.code;
		inputs_close(&in);
	}
	assert_true(n[1] > 0 && n[2] > 0);
	assert_int_equal(n[1] + n[2], n[0]);
	assert_int_equal(n[3], n[0]);
	assert_int_equal(code[4], -ENOENT);
	assert_true(n[5] > 0 && n[5] < n[0]);
	assert_int_equal(code[6], -EINVAL);
	assert_true(n[7] > 0 && n[7] < n[0]);
}

static void test_notes_are_data(void **state)
{
	struct inputs_filter f = {.text = "sched_switch:no_such_field==1", .input = -1};
	struct inputs_spec spec = INPUTS_ONE(golden("tour"));
	const char *comm = "nobody-has-this";
	struct inputs in = {0};
	struct errmsg err = {0};

	spec.filters = &f;
	spec.n_filters = 1;
	spec.comms = (struct word_list){&comm, 1};
	open_and_count(&in, &spec, &err);
	assert_int_equal(err.code, 0);
	assert_int_equal(in.n_notes, 2);
	assert_int_equal(in.notes[0].kind, INPUTS_NO_FIELD);
	assert_non_null(strstr(in.notes[0].text, "no_such_field"));
	assert_int_equal(in.notes[1].kind, INPUTS_NO_TASK);
	assert_non_null(strstr(in.notes[1].text, comm));
	assert_int_equal(in.files[0].n_filters, 1);
	assert_ptr_equal(in.files[0].all_filters[0], in.files[0].filters[0]);
	inputs_close(&in);
	assert_null(in.notes);
}

/* The first n bytes of a file, which the caller frees. */
static struct piece read_part(const char *path, double part)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	off_t size = lseek(fd, 0, SEEK_END);
	uint8_t *bytes = malloc((size_t)size);

	assert_true(fd >= 0 && bytes);
	assert_int_equal(pread(fd, bytes, (size_t)size, 0), size);
	close(fd);
	return (struct piece){bytes, (size_t)((double)size * part)};
}

static void test_damage_is_data(void **state)
{
	const char *path = golden("events-v7-none");
	struct inputs_path cut = {.path = "cut", .memory = read_part(path, 0.7)};
	struct inputs_spec spec = {.paths = &cut, .n_paths = 1};
	struct inputs in = {0};
	struct errmsg err = {0};
	size_t pos = 0;

	open_and_count(&in, &spec, &err);
	assert_int_equal(err.code, 0);
	assert_non_null(inputs_next_damage(&in, &pos));
	while (inputs_next_damage(&in, &pos))
		;
	assert_int_equal(pos, in.files[0].tf->n_damage);
	inputs_close(&in);
	free((void *)cut.memory.data);
}

static void test_whole_file_has_no_damage(void **state)
{
	struct inputs_spec spec = INPUTS_ONE(golden("events-v7-none"));
	struct inputs in = {0};
	struct errmsg err = {0};
	size_t pos = 0;

	open_and_count(&in, &spec, &err);
	assert_null(inputs_next_damage(&in, &pos));
	assert_int_equal(pos, 0);
	inputs_close(&in);
}

static void test_failure_leaves_nothing(void **state)
{
	struct inputs_path paths[] = {{.path = golden("tour")},
				      {.path = "junk", .memory = {(const uint8_t *)"junk", 4}}};
	struct inputs_spec spec = {.paths = paths, .n_paths = 2};
	struct inputs in = {0};
	struct errmsg err = {0};

	assert_int_equal(inputs_open(&in, &spec, &err), -EBADMSG);
	assert_non_null(strstr(err.text, "junk"));
	inputs_close(&in);
	assert_null(in.files);
	assert_int_equal(in.n_files, 0);
}

/* A pipe in the place of a file of ours is not opened: nobody would ever write into it. */
static void test_own_file_is_regular(void **state)
{
	char dir[] = "/tmp/sonde-inputs-XXXXXX", path[64];
	struct inputs_path p = {.path = path, .is_own = true};
	struct inputs_spec spec = {.paths = &p, .n_paths = 1};
	struct inputs in = {0};
	struct errmsg err = {0};

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/pipe", dir);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_true(inputs_open(&in, &spec, &err) < 0);
	inputs_close(&in);
	unlink(path);
	rmdir(dir);
}

static void test_descriptor_is_enough(void **state)
{
	int fd = open(golden("tour"), O_RDONLY | O_CLOEXEC);
	struct inputs_path p = {.path = "a name that leads nowhere", .fd = &fd};
	struct inputs_spec spec = {.paths = &p, .n_paths = 1};
	struct inputs in = {0};
	struct errmsg err = {0};

	assert_true(open_and_count(&in, &spec, &err) > 0);
	inputs_close(&in);
	assert_int_equal(close(fd), 0);
}

static void test_no_events(void **state)
{
	struct inputs_spec spec = INPUTS_ONE(golden("tour"));
	struct inputs in = {0};
	struct errmsg err = {0};

	spec.no_events = true;
	assert_int_equal(inputs_open(&in, &spec, &err), 0);
	assert_null(in.files[0].formats);
	assert_true(in.files[0].tf->n_buffers > 0);
	inputs_close(&in);
}

static void test_formats_compile(void **state)
{
	struct inputs_spec spec = INPUTS_ONE(golden("tour"));
	struct inputs in = {0};
	struct errmsg err = {0};
	struct formatcheck fc;

	assert_int_equal(inputs_open(&in, &spec, &err), 0);
	assert_int_equal(formatcheck_init(&fc, &in.files[0]), 0);
	assert_true(fc.n > 0);
	assert_int_equal(fc.n_of[FORMATCHECK_COMPILED] + fc.n_of[FORMATCHECK_HANDLED] +
				 fc.n_of[FORMATCHECK_FIELDS],
			 fc.n);
	assert_int_equal(fc.n_unreadable, 0);
	formatcheck_release(&fc);
	inputs_close(&in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ways_agree),
		cmocka_unit_test(test_spec_chooses),
		cmocka_unit_test(test_notes_are_data),
		cmocka_unit_test(test_damage_is_data),
		cmocka_unit_test(test_whole_file_has_no_damage),
		cmocka_unit_test(test_failure_leaves_nothing),
		cmocka_unit_test(test_own_file_is_regular),
		cmocka_unit_test(test_descriptor_is_enough),
		cmocka_unit_test(test_no_events),
		cmocka_unit_test(test_formats_compile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
