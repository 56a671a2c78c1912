/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * liverecord.h - recordings of made-up pages for the tests of livefile.h, and reading them back.
 *
 * From its buffer, CPU and number anybody can make a page again and compare. Tests run in a directory
 * on the disk and in one on a tmpfs (everywhere()), because holes are closed in place on one and by moving
 * on the other. What may be killed, or change the process, is a job of do_job(): the test
 * program is started once more with the job's name.
 */
#ifndef SONDE_TESTS_LIVERECORD_H
#define SONDE_TESTS_LIVERECORD_H

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__ 1
#endif
#endif

#include "base/errmsg.h"
#include "store/live/livefile.h"
#include "store/live/livefile_int.h"
#include "store/pagebuilder.h"
#include "store/pagestream.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define PAGE	    4096u
#define CPUS_MAX    8
#define BUFFERS_MAX 3
#define CMDLINES    "1 init\n2 kthreadd\n"

static const char header_page[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				  "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
				  "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";

/* --- made-up pages ----------------------------------------------------------------------------- */

static inline void make_page(uint8_t *to, int buffer, uint32_t cpu, uint64_t number)
{
	struct pagebuilder pb = {.big_endian = bytes_host_is_big(),
				 .long_size = 8,
				 .data_offset = 16,
				 .page_size = PAGE};
	uint64_t ts = 1000000 + number * 100000 + cpu, seed = (number << 8 | cpu << 4 | buffer) + 1;
	uint32_t data[10];

	assert_int_equal(pagebuilder_init(&pb), 0);
	pagebuilder_begin(&pb, ts, 0);
	do {
		seed = seed * 6364136223846793005ull + 1442695040888963407ull;
		for (int i = 0; i < 10; i++)
			data[i] = i < 7 ? (uint32_t)i : (uint32_t)(seed >> (10 * (i - 6)));
		ts += 10;
	} while (pagebuilder_add(&pb, ts, data, sizeof(data)));
	memcpy(to, pagebuilder_end(&pb).data, PAGE);
	pagebuilder_release(&pb);
}

static inline struct piece text_piece(const char *text)
{
	return (struct piece){(const uint8_t *)text, strlen(text)};
}

/* --- recordings -------------------------------------------------------------------------------- */

struct kind {
	int version;
	enum compression compression;
	bool plain_data;
	int n_buffers;
	uint32_t n_cpus;
	const char *temp_dir;
	uint64_t max_bytes;
};

static inline bool kind_is_plain(const struct kind *k)
{
	return !k->compression || k->plain_data;
}

static const char *const names[BUFFERS_MAX] = {"one", "", "two"};

/* The thread sanitizer leaves no room to map terabytes. */
static inline void limit_file_size(void)
{
#if defined(__SANITIZE_THREAD__)
	struct rlimit limit;

	getrlimit(RLIMIT_FSIZE, &limit);
	if (limit.rlim_cur > 100ull << 30)
		limit.rlim_cur = 100ull << 30;
	setrlimit(RLIMIT_FSIZE, &limit);
#endif
}

static inline struct livefile *begin(const struct kind *k)
{
	struct livefile_config config = {.path = "trace.dat",
					 .temp_dir = k->temp_dir,
					 .version = k->version,
					 .compression = k->compression,
					 .plain_data = k->plain_data,
					 .long_size = 8,
					 .page_size = PAGE,
					 .n_cpus = k->n_cpus};
	struct errmsg err = {0};
	struct livefile *f;

	limit_file_size();
	assert_int_equal(livefile_open(&f, &config, &err), 0);
	livefile_add_text(f, TRACEFILE_HEADER_PAGE, text_piece(header_page), &err);
	livefile_add_text(f, TRACEFILE_KALLSYMS, text_piece("0 t f\n"), &err);
	livefile_add_text(f, TRACEFILE_CMDLINES, text_piece("1 early\n"), &err);
	livefile_add_option(f, SNF_OPTION_TRACECLOCK, text_piece("[mono]"), &err);
	for (int i = 0; i < k->n_buffers; i++) {
		struct livefile_buffer b = {names[i], "mono", PAGE, k->n_cpus, k->max_bytes};

		assert_int_equal(livefile_add_buffer(f, &b, &err), i);
	}
	if (livefile_start(f, &err) < 0)
		fail_msg("%s", err.text);
	return f;
}

static inline int add_pages(struct livefile *f, int buffer, uint32_t cpu, uint64_t from, uint64_t n)
{
	uint8_t pages[8 * PAGE];
	int r = 0;

	while (n && !r) {
		uint64_t some = n < 8 ? n : 8;

		for (uint64_t i = 0; i < some; i++)
			make_page(pages + i * PAGE, buffer, cpu, from + i);
		r = liveregion_append(livefile_region(f, buffer, cpu), pages, some * PAGE);
		from += some;
		n -= some;
	}
	return r;
}

/* How many pages every CPU gets: some none, one buffer perhaps none at all. */
static inline uint64_t pages_of(int buffer, uint32_t cpu, unsigned way)
{
	uint64_t n = (buffer * 7 + cpu * 5 + way * 3) % 11;

	if (way == 1 && buffer == 1)
		return 0;
	if (way == 2 && buffer != 2)
		return 0;
	return way == 3 || n < 3 ? 0 : n * n;
}

static inline void add_all(struct livefile *f, const struct kind *k, unsigned way)
{
	for (int b = 0; b < k->n_buffers; b++)
		for (uint32_t cpu = 0; cpu < k->n_cpus; cpu++)
			assert_int_equal(add_pages(f, b, cpu, 0, pages_of(b, cpu, way)), 0);
}

/* --- what is in a file ------------------------------------------------------------------------- */

struct found {
	uint64_t first, n; /* numbers of pages, contiguous */
};

struct contents {
	struct found cpus[BUFFERS_MAX][CPUS_MAX];
};

static inline int buffer_index(const char *name)
{
	for (int i = 0; i < BUFFERS_MAX; i++)
		if (!strcmp(names[i], name))
			return i;
	fail_msg("a buffer '%s' that nobody made", name);
	return 0;
}

static inline void read_cpu(struct tracefile *tf, const struct tracefile_buffer *b, size_t i,
			    struct found *found)
{
	struct pagestream *ps = pagestream_new(tf, b, i, NULL);
	uint8_t wanted[PAGE];
	struct page page;

	while (pagestream_next(ps, &page) > 0) {
		uint64_t number = (bytes_get64(page.data, false) - 1000000) / 100000;

		assert_int_equal(page.len, PAGE);
		if (!found->n)
			found->first = number;
		assert_int_equal(number, found->first + found->n);
		make_page(wanted, buffer_index(b->name), b->cpus[i].cpu, number);
		assert_memory_equal(page.data, wanted, PAGE);
		found->n++;
	}
	pagestream_free(ps);
}

/* Reads trace.dat, which must be without damage. */
static inline struct tracefile *read_file(struct contents *c)
{
	struct errmsg err = {0};
	struct tracefile *tf;

	memset(c, 0, sizeof(*c));
	if (tracefile_open(&tf, "trace.dat", &err) < 0)
		fail_msg("%s", err.text);
	for (size_t i = 0; i < tf->n_buffers; i++)
		for (size_t k = 0; k < tf->buffers[i].n_cpus; k++)
			read_cpu(tf, &tf->buffers[i], k,
				 &c->cpus[buffer_index(tf->buffers[i].name)]
					 [tf->buffers[i].cpus[k].cpu]);
	if (tf->n_damage)
		fail_msg("%s", tf->damage[0]);
	assert_memory_equal(tracefile_text(tf, TRACEFILE_KALLSYMS).data, "0 t f\n", 6);
	assert_non_null(tracefile_option_find(tf, SNF_OPTION_TRACECLOCK));
	return tf;
}

static inline void assert_cmdlines(struct tracefile *tf, const char *wanted)
{
	struct piece text = tracefile_text(tf, TRACEFILE_CMDLINES);

	assert_true(text.len >= strlen(wanted));
	assert_memory_equal(text.data, wanted, strlen(wanted));
	if (text.len > strlen(wanted))
		assert_int_equal(text.data[strlen(wanted)], 0);
}

/* The sections fill the file, one behind the other; CPUs without data are left out. */
static inline void assert_finished(const struct tracefile *tf)
{
	uint64_t pos = tf->head_bytes;

	assert_int_equal(tf->map.len < (4ull << 30), 1);
	if (tf->version == 6)
		return;
	for (size_t i = 0; i < tf->n_sections; i++) {
		assert_int_equal(tf->sections[i].offset, pos);
		pos += SNF_SECTION_HEADER_BYTES + tf->sections[i].n_bytes;
	}
	assert_int_equal(pos, tf->map.len);
	assert_int_equal(tf->sections[tf->n_sections - 1].id, SNF_OPTION_STRINGS);
	for (size_t b = 0; b < tf->n_buffers; b++) {
		uint64_t end = tf->buffers[b].section_offset;

		for (size_t i = 0; i < tf->n_sections; i++)
			if (tf->sections[i].offset == tf->buffers[b].section_offset)
				end += SNF_SECTION_HEADER_BYTES + tf->sections[i].n_bytes;
		for (size_t k = 0; k < tf->buffers[b].n_cpus; k++) {
			const struct tracefile_cpu *cpu = &tf->buffers[b].cpus[k];

			assert_true(cpu->n_bytes > 0);
			assert_true(cpu->offset >= tf->buffers[b].section_offset +
							   SNF_SECTION_HEADER_BYTES &&
				    cpu->offset + cpu->n_bytes <= end);
		}
	}
}

static inline void assert_contents(const struct contents *c, const struct kind *k, unsigned way)
{
	for (int b = 0; b < k->n_buffers; b++)
		for (uint32_t cpu = 0; cpu < k->n_cpus; cpu++) {
			assert_int_equal(c->cpus[b][cpu].n, pages_of(b, cpu, way));
			assert_int_equal(c->cpus[b][cpu].first, 0);
		}
}

static inline void assert_alone(void)
{
	assert_int_equal(system("test \"$(ls -A)\" = trace.dat"), 0);
}

/* --- places ------------------------------------------------------------------------------------ */

static const char *const places[] = {"/var/tmp/sonde-live-XXXXXX", "/dev/shm/sonde-live-XXXXXX"};

static inline void remove_here(void)
{
	char place[200], command[300];

	assert_non_null(getcwd(place, sizeof(place)));
	assert_int_equal(chdir("/"), 0);
	snprintf(command, sizeof(command), "rm -r '%s'", place);
	assert_int_equal(system(command), 0);
}

static inline void everywhere(void (*test)(void))
{
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		char place[100];

		snprintf(place, sizeof(place), "%s", places[i]);
		if (!mkdtemp(place) || chdir(place))
			continue;
		test();
		remove_here();
	}
}

static const struct kind kinds[] = {
	{.version = 7,
	 .compression = COMPRESSION_ZSTD,
	 .plain_data = true,
	 .n_buffers = 3,
	 .n_cpus = 5},
	{.version = 7, .compression = COMPRESSION_ZSTD, .n_buffers = 3, .n_cpus = 5},
	{.version = 7, .compression = COMPRESSION_ZLIB, .n_buffers = 3, .n_cpus = 5},
	{.version = 6, .n_buffers = 3, .n_cpus = 5},
	{.version = 7, .compression = COMPRESSION_NONE, .n_buffers = 3, .n_cpus = 5},
	{.version = 7,
	 .compression = COMPRESSION_ZSTD,
	 .plain_data = true,
	 .n_buffers = 3,
	 .n_cpus = 5,
	 .temp_dir = "."},
	{.version = 7, .n_buffers = 3, .n_cpus = 5, .temp_dir = "."},
	{.version = 7,
	 .compression = COMPRESSION_ZSTD,
	 .n_buffers = 3,
	 .n_cpus = 5,
	 .temp_dir = "."},
	{.version = 6, .n_buffers = 3, .n_cpus = 5, .temp_dir = "."},
	{.version = 7, .n_buffers = 1, .n_cpus = 1},
};

#define N_KINDS (sizeof(kinds) / sizeof(*kinds))

/* --- the end, and other processes --------------------------------------------------------------- */

static inline void finish(struct livefile *f, int version)
{
	struct errmsg err = {0};

	livefile_add_text(f, TRACEFILE_CMDLINES, text_piece(CMDLINES), &err);
	if (version == 7) {
		livefile_add_option(f, SNF_OPTION_CPUSTAT, text_piece("CPU: 0\n"), &err);
		livefile_add_section(f, SNF_OPTION_BTF, "BTF", text_piece("late section"), &err);
	}
	if (livefile_finish(f, &err) < 0)
		fail_msg("%s", err.text);
}

/*
 * Runs us again with the name of a job, a kind and a number. A fork alone will not do: an assertion
 * that fails in it would go on with the next test.
 */
static inline pid_t start_child(const char *job, const struct kind *k, int number)
{
	char kind[20], text[20];
	pid_t pid;

	snprintf(kind, sizeof(kind), "%zu", (size_t)(k - kinds));
	snprintf(text, sizeof(text), "%d", number);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		execl("/proc/self/exe", "test_livefile", job, kind, text, NULL);
		_exit(127);
	}
	return pid;
}

static inline int end_of(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

struct job {
	const char *name;
	void (*work)(const struct kind *k, int number);
};

/* Does the job that the arguments name, and does not return then. */
static inline void do_job(const struct job *jobs, size_t n, int argc, char **argv)
{
	for (size_t i = 0; i < n && argc == 4; i++)
		if (!strcmp(argv[1], jobs[i].name)) {
			jobs[i].work(&kinds[atoi(argv[2]) % N_KINDS], atoi(argv[3]));
			_exit(0); /* a search for leaks is not possible under a tracer */
		}
}

#endif
