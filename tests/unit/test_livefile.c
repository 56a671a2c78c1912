// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_livefile.c - a file that is recorded can be read at every moment, ends compact, and survives
 * a killed recorder, a full disk and a limit.
 *
 * covers: R02 R21
 *
 * Every test runs in a directory on the disk and in one on a tmpfs, because holes are closed in place on
 * one and by moving on the other. Pages are made up: from its buffer, CPU and number anybody can make a
 * page again and compare.
 */
#include "base/errmsg.h"
#include "store/livefile.h"
#include "store/livefile_int.h"
#include "store/pagebuilder.h"
#include "store/pagestream.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
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

static void make_page(uint8_t *to, int buffer, uint32_t cpu, uint64_t number)
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

static struct piece text_piece(const char *text)
{
	return (struct piece){(const uint8_t *)text, strlen(text)};
}

/* --- recordings -------------------------------------------------------------------------------- */

struct kind {
	int version;
	enum compression compression;
	int n_buffers;
	uint32_t n_cpus;
	const char *temp_dir;
	uint64_t max_bytes;
};

static const char *const names[BUFFERS_MAX] = {"one", "", "two"};

static struct livefile *begin(const struct kind *k)
{
	struct livefile_config config = {.path = "trace.dat",
					 .temp_dir = k->temp_dir,
					 .version = k->version,
					 .compression = k->compression,
					 .long_size = 8,
					 .page_size = PAGE,
					 .n_cpus = k->n_cpus};
	struct errmsg err = {0};
	struct livefile *f;

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

static int add_pages(struct livefile *f, int buffer, uint32_t cpu, uint64_t from, uint64_t n)
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
static uint64_t pages_of(int buffer, uint32_t cpu, unsigned way)
{
	uint64_t n = (buffer * 7 + cpu * 5 + way * 3) % 11;

	if (way == 1 && buffer == 1)
		return 0;
	if (way == 2 && buffer != 2)
		return 0;
	return way == 3 || n < 3 ? 0 : n * n;
}

static void add_all(struct livefile *f, const struct kind *k, unsigned way)
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

static int buffer_index(const char *name)
{
	for (int i = 0; i < BUFFERS_MAX; i++)
		if (!strcmp(names[i], name))
			return i;
	fail_msg("a buffer '%s' that nobody made", name);
	return 0;
}

static void read_cpu(struct tracefile *tf, const struct tracefile_buffer *b, size_t i,
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
static struct tracefile *read_file(struct contents *c)
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

static void assert_cmdlines(struct tracefile *tf, const char *wanted)
{
	struct piece text = tracefile_text(tf, TRACEFILE_CMDLINES);

	assert_true(text.len >= strlen(wanted));
	assert_memory_equal(text.data, wanted, strlen(wanted));
	if (text.len > strlen(wanted))
		assert_int_equal(text.data[strlen(wanted)], 0);
}

/* The sections fill the file, one behind the other; CPUs without data are left out. */
static void assert_finished(const struct tracefile *tf)
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

static void assert_contents(const struct contents *c, const struct kind *k, unsigned way)
{
	for (int b = 0; b < k->n_buffers; b++)
		for (uint32_t cpu = 0; cpu < k->n_cpus; cpu++) {
			assert_int_equal(c->cpus[b][cpu].n, pages_of(b, cpu, way));
			assert_int_equal(c->cpus[b][cpu].first, 0);
		}
}

static void assert_alone(void)
{
	assert_int_equal(system("test \"$(ls -A)\" = trace.dat"), 0);
}

/* --- places ------------------------------------------------------------------------------------ */

static const char *const places[] = {"/var/tmp/sonde-live-XXXXXX", "/dev/shm/sonde-live-XXXXXX"};

static void remove_here(void)
{
	char place[200], command[300];

	assert_non_null(getcwd(place, sizeof(place)));
	assert_int_equal(chdir("/"), 0);
	snprintf(command, sizeof(command), "rm -r '%s'", place);
	assert_int_equal(system(command), 0);
}

static void everywhere(void (*test)(void))
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
	{.version = 7, .compression = COMPRESSION_NONE, .n_buffers = 3, .n_cpus = 5},
	{.version = 7, .compression = COMPRESSION_ZSTD, .n_buffers = 3, .n_cpus = 5},
	{.version = 7, .compression = COMPRESSION_ZLIB, .n_buffers = 3, .n_cpus = 5},
	{.version = 6, .n_buffers = 3, .n_cpus = 5},
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

/* --- tests ------------------------------------------------------------------------------------- */

static void finish(struct livefile *f, int version)
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

static void check_kind(const struct kind *k, unsigned way)
{
	struct livefile *f = begin(k);
	struct contents c;
	struct tracefile *tf;

	add_all(f, k, way);
	finish(f, k->version);
	tf = read_file(&c);
	assert_finished(tf);
	assert_cmdlines(tf, CMDLINES);
	assert_contents(&c, k, way);
	assert_true(!tracefile_option_find(tf, SNF_OPTION_CPUSTAT) == (k->version == 6));
	assert_true(!tracefile_option_find(tf, SNF_OPTION_BTF) == (k->version == 6));
	assert_int_equal(tf->cpu_count, k->n_cpus);
	tracefile_close(tf);
	assert_alone();
}

static void check_all_kinds(void)
{
	for (size_t i = 0; i < N_KINDS; i++)
		for (unsigned way = 0; way < 4; way++)
			check_kind(&kinds[i], way);
}

static void finished_files_are_whole_and_compact(void **state)
{
	everywhere(check_all_kinds);
}

/* At every moment: what was flushed is there, and not more than was given. */
static void check_growing(void)
{
	for (size_t i = 0; i < 4; i++) {
		const struct kind *k = &kinds[i];
		struct livefile *f = begin(k);
		struct errmsg err = {0};
		struct contents c;
		struct tracefile *tf = read_file(&c);

		assert_cmdlines(tf, "1 early\n");
		assert_int_equal(tf->n_buffers, 3);
		tracefile_close(tf);
		for (uint64_t n = 0; n < 100; n += 20) {
			assert_int_equal(add_pages(f, 1, 2, n, 20), 0);
			assert_int_equal(add_pages(f, 0, 4, n, 20), 0);
			tracefile_close(read_file(&c));
			assert_true(c.cpus[1][2].n == n && c.cpus[0][4].n == n);
			liveregion_flush(livefile_region(f, 1, 2));
			liveregion_flush(livefile_region(f, 0, 4));
			assert_int_equal(livefile_flush(f, &err), 0);
			tracefile_close(read_file(&c));
			assert_true(c.cpus[1][2].n == n + 20 && c.cpus[0][4].n == n + 20);
			assert_int_equal(liveregion_bytes(livefile_region(f, 1, 2)),
					 (n + 20) * PAGE);
		}
		livefile_free(f);
		tracefile_close(read_file(&c));
		assert_true(c.cpus[1][2].n == 100 && c.cpus[0][4].n == 100);
	}
}

static void growing_files_can_be_read(void **state)
{
	everywhere(check_growing);
}

static void splice_pages(struct livefile *f, int buffer, uint32_t cpu, uint64_t from, unsigned n)
{
	uint8_t page[PAGE];
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	for (unsigned i = 0; i < n; i++) {
		make_page(page, buffer, cpu, from + i);
		assert_int_equal(write(fds[1], page, PAGE), PAGE);
	}
	assert_int_equal(liveregion_splice(livefile_region(f, buffer, cpu), fds[0], n * PAGE),
			 n * PAGE);
	close(fds[0]);
	close(fds[1]);
}

static void check_splicing(void)
{
	struct livefile *f = begin(&kinds[0]);
	struct contents c;

	splice_pages(f, 1, 0, 0, 7);
	splice_pages(f, 1, 3, 0, 9);
	splice_pages(f, 1, 0, 7, 5);
	finish(f, 7);
	tracefile_close(read_file(&c));
	assert_int_equal(c.cpus[1][0].n, 12);
	assert_int_equal(c.cpus[1][3].n, 9);
}

static void pages_come_through_pipes(void **state)
{
	everywhere(check_splicing);
}

/* A pipe that ends in the middle of a page: the rest comes with the next call. */
static void check_partial_pages(void)
{
	struct livefile *f = begin(&kinds[0]);
	struct liveregion *r = livefile_region(f, 1, 0);
	uint8_t pages[2 * PAGE];
	struct contents c;
	int fds[2];

	make_page(pages, 1, 0, 0);
	make_page(pages + PAGE, 1, 0, 1);
	assert_int_equal(pipe2(fds, O_NONBLOCK), 0);
	assert_int_equal(write(fds[1], pages, PAGE + 1000), PAGE + 1000);
	assert_int_equal(liveregion_splice(r, fds[0], 2 * PAGE), PAGE);
	assert_int_equal(write(fds[1], pages + PAGE + 1000, PAGE - 1000), PAGE - 1000);
	assert_int_equal(liveregion_splice(r, fds[0], PAGE), PAGE);
	close(fds[0]);
	close(fds[1]);
	finish(f, 7);
	tracefile_close(read_file(&c));
	assert_int_equal(c.cpus[1][0].n, 2);
}

static void parts_of_pages_wait_for_the_rest(void **state)
{
	everywhere(check_partial_pages);
}

/* --- limits ------------------------------------------------------------------------------------ */

static void check_limit_of(struct kind k)
{
	struct livefile *f;
	struct contents c;
	struct errmsg err = {0};
	struct tracefile *tf;
	struct stat st;

	k.max_bytes = 40 * PAGE;
	f = begin(&k);
	for (uint64_t n = 0; n < 2000; n += 10) {
		assert_int_equal(add_pages(f, 1, 1, n, 10), 0);
		assert_int_equal(add_pages(f, 2, 3, n, 10), 0);
		if (n % 100 == 0)
			assert_int_equal(livefile_flush(f, &err), 0);
		if (n % 300 == 0)
			tracefile_close(read_file(&c));
	}
	assert_int_equal(add_pages(f, 2, 4, 0, 3), 0);
	assert_int_equal(stat("trace.dat", &st), 0);
	assert_true(st.st_blocks * 512 < (6 << 20)); /* of which the tail has two */
	finish(f, k.version);
	tf = read_file(&c);
	assert_finished(tf);
	tracefile_close(tf);
	assert_int_equal(c.cpus[1][1].first + c.cpus[1][1].n, 2000);
	assert_int_equal(c.cpus[2][3].first + c.cpus[2][3].n, 2000);
	assert_int_equal(c.cpus[2][4].n, 3);
	assert_true(c.cpus[1][1].n >= 30);
	assert_true(k.compression || c.cpus[1][1].n <= 40);
	assert_alone();
}

static void check_limits(void)
{
	for (size_t i = 0; i < N_KINDS - 1; i++)
		check_limit_of(kinds[i]);
}

static void limited_regions_keep_the_newest(void **state)
{
	everywhere(check_limits);
}

static void check_full_region(void)
{
	for (size_t i = 0; i < 2; i++) {
		struct livefile *f = begin(&kinds[i]);
		struct liveregion *r = livefile_region(f, 1, 0);
		struct contents c;
		int error;

		r->limit = r->start + 20 * PAGE;
		error = add_pages(f, 1, 0, 0, 400);
		assert_int_equal(error, -EFBIG);
		assert_int_equal(add_pages(f, 1, 0, 0, 1), -EFBIG);
		finish(f, 7);
		tracefile_close(read_file(&c));
		assert_true(c.cpus[1][0].n >= 16);
	}
}

static void full_regions_say_so(void **state)
{
	everywhere(check_full_region);
}

/* --- a full disk ------------------------------------------------------------------------------- */

/* In a process of its own with a small file system of its own; 77: that cannot be had. */
static void fill_small_disk(const struct kind *k, int unused)
{
	struct livefile *f;
	struct contents c;
	struct tracefile *tf;
	uint64_t n[2] = {0};
	int error = 0;

	if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("none", ".", "tmpfs", 0, "size=9m") < 0 || chdir("../disk"))
		_exit(77);
	f = begin(k);
	while (!error) {
		int cpu = n[0] > n[1];

		error = add_pages(f, 1, cpu, n[cpu], 1);
		n[cpu] += !error;
	}
	assert_int_equal(error, -ENOSPC);
	assert_int_equal(add_pages(f, 1, n[0] > n[1], 0, 1), -ENOSPC);
	finish(f, k->version);
	tf = read_file(&c);
	assert_finished(tf);
	assert_cmdlines(tf, CMDLINES);
	tracefile_close(tf);
	assert_true(n[0] > 500);
	/* what was being packed is lost */
	assert_true(c.cpus[1][0].n + 16 >= n[0] && c.cpus[1][1].n + 16 >= n[1]);
	if (!k->compression) {
		assert_int_equal(c.cpus[1][0].n, n[0]);
		assert_int_equal(c.cpus[1][1].n, n[1]);
	}
	_exit(0);
}

/*
 * Runs us again with the name of a job, a kind and a number. A fork alone will not do: an assertion
 * that fails in it would go on with the next test.
 */
static pid_t start_child(const char *job, const struct kind *k, int number)
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

static int end_of(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static void full_disks_end_well(void **state)
{
	char place[100];
	int status = 0;

	snprintf(place, sizeof(place), "%s", places[0]);
	assert_non_null(mkdtemp(place));
	assert_int_equal(chdir(place), 0);
	assert_int_equal(mkdir("disk", 0700), 0);
	assert_int_equal(chdir("disk"), 0);
	for (size_t i = 0; i < 4 && status != 77; i++) {
		status = end_of(start_child("fill", &kinds[i], 0));
		if (status != 77)
			assert_int_equal(status, 0);
	}
	assert_int_equal(chdir(".."), 0);
	remove_here();
	if (status == 77)
		skip();
}

/* --- killed ------------------------------------------------------------------------------------ */

/* Records until it is killed; tells through a pipe what was flushed. */
static void record_for_ever(const struct kind *k, int fd)
{
	struct livefile *f = begin(k);
	struct errmsg err = {0};

	for (uint64_t n = 0; n < 100000; n++) {
		for (int b = 0; b < k->n_buffers; b++)
			for (uint32_t cpu = 0; cpu < k->n_cpus; cpu++)
				if (add_pages(f, b, cpu, n, 1) < 0)
					_exit(1);
		usleep(300); /* a disk may be slow, and all of it is read again */
		if (n % 37 == 36) {
			for (uint32_t i = 0; i < f->n_regions; i++)
				liveregion_flush(f->regions[i]);
			if (livefile_flush(f, &err) < 0 || write(fd, &n, sizeof(n)) != sizeof(n))
				_exit(1);
		}
	}
	_exit(0);
}

static uint64_t last_number(int fd)
{
	uint64_t n, last = 0;

	while (read(fd, &n, sizeof(n)) == sizeof(n))
		last = n + 1;
	return last;
}

/* Kills it after about that time; what it said was flushed. */
static uint64_t kill_recorder(const struct kind *k, unsigned delay_us)
{
	uint64_t n;
	int fds[2];
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(fcntl(fds[0], F_SETFD, FD_CLOEXEC), 0);
	pid = start_child("record", k, fds[1]);
	close(fds[1]);
	while (access("trace.dat", F_OK))
		usleep(100);
	usleep(delay_us);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	n = last_number(fds[0]);
	close(fds[0]);
	return n;
}

static void assert_at_least(const struct contents *c, const struct kind *k, uint64_t n)
{
	for (int b = 0; b < k->n_buffers; b++)
		for (uint32_t cpu = 0; cpu < k->n_cpus; cpu++) {
			assert_int_equal(c->cpus[b][cpu].first, 0);
			assert_true(c->cpus[b][cpu].n >= n);
		}
}

static void check_killed_kind(const struct kind *k, unsigned delay_us)
{
	struct errmsg err = {0};
	struct contents before, after;
	struct tracefile *tf;
	uint64_t flushed;

	unlink("trace.dat");
	flushed = kill_recorder(k, delay_us);
	tracefile_close(read_file(&before));
	if (!k->temp_dir)
		assert_at_least(&before, k, flushed);
	if (livefile_repair("trace.dat", PIECE_EMPTY, &err) < 0)
		fail_msg("%s", err.text);
	tf = read_file(&after);
	assert_finished(tf);
	tracefile_close(tf);
	assert_at_least(&after, k, flushed);
	assert_alone();
	assert_int_equal(livefile_repair("trace.dat", PIECE_EMPTY, &err), 0);
}

static void check_killed(void)
{
	for (unsigned i = 0; i < 3 * N_KINDS; i++)
		check_killed_kind(&kinds[i % N_KINDS], 2000 + i * 37 % 11 * 9000);
}

static void killed_recorders_leave_all_they_flushed(void **state)
{
	everywhere(check_killed);
}

/* Plain pages that were written and never flushed are found. */
static void check_not_flushed(void)
{
	for (size_t i = 0; i < N_KINDS - 1; i++) {
		const struct kind *k = &kinds[i];
		struct livefile *f = begin(k);
		struct errmsg err = {0};
		struct contents c;
		struct tracefile *tf;

		assert_int_equal(add_pages(f, 0, 1, 0, 32), 0);
		assert_int_equal(livefile_flush(f, &err), 0);
		assert_int_equal(add_pages(f, 0, 1, 32, 32), 0);
		assert_int_equal(add_pages(f, 2, 4, 0, 48), 0);
		livefile_free(f);
		assert_int_equal(livefile_repair("trace.dat", text_piece(CMDLINES), &err), 0);
		tf = read_file(&c);
		assert_finished(tf);
		assert_cmdlines(tf, CMDLINES);
		tracefile_close(tf);
		assert_int_equal(c.cpus[0][1].n, 64);
		assert_int_equal(c.cpus[2][4].n, 48);
		assert_alone();
	}
}

static void repair_finds_what_was_not_flushed(void **state)
{
	everywhere(check_not_flushed);
}

/* --- killed at every step of the end ----------------------------------------------------------- */

/* The parent goes on from here step by step. */
static void wait_for_tracer(void)
{
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0)
		_exit(77);
	raise(SIGSTOP);
}

static void flush_chunks(struct livefile *f)
{
	for (uint32_t i = 0; i < f->n_regions; i++)
		assert_int_equal(liveregion_flush(f->regions[i]), 0);
}

static void finish_traced(const struct kind *k, int way)
{
	struct livefile *f = begin(k);

	add_all(f, k, way);
	flush_chunks(f);
	wait_for_tracer();
	finish(f, k->version);
}

static void repair_traced(const struct kind *k, int way)
{
	struct livefile *f = begin(k);
	struct errmsg err = {0};

	add_all(f, k, way);
	flush_chunks(f);
	livefile_free(f);
	wait_for_tracer();
	livefile_repair("trace.dat", PIECE_EMPTY, &err);
}

/* Kills it before or after its nth system call; false: it had come to its end. -1: not possible. */
static int kill_at(const char *job, const struct kind *k, unsigned way, unsigned n)
{
	pid_t pid = start_child(job, k, way);
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		return -1;
	assert_true(WIFSTOPPED(status));
	while (n--) {
		assert_int_equal(ptrace(PTRACE_SYSCALL, pid, NULL, NULL), 0);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		if (!WIFSTOPPED(status)) {
			assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
			return 0;
		}
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return 1;
}

static void check_after_kill(const struct kind *k, unsigned way, const char *job, unsigned n)
{
	struct errmsg err = {0};
	struct contents c;
	struct tracefile *tf;

	if (livefile_repair("trace.dat", PIECE_EMPTY, &err) < 0)
		fail_msg("%s of kind %zu, killed at %u: %s", job, (size_t)(k - kinds), n, err.text);
	tf = read_file(&c);
	assert_finished(tf);
	tracefile_close(tf);
	assert_contents(&c, k, way);
	assert_alone();
}

static bool cannot_trace;

/* Not every system call on a disk, where each hole that is closed waits for it. */
static bool is_in_memory(void)
{
	char place[200];

	return getcwd(place, sizeof(place)) && !strncmp(place, "/dev/shm", 8);
}

static void check_steps(const char *job, unsigned step)
{

	for (size_t i = 0; i < N_KINDS; i++)
		for (unsigned n = i % step;; n += step) {
			int r = kill_at(job, &kinds[i], i % 3, n);

			cannot_trace |= r < 0;
			if (r <= 0)
				break;
			check_after_kill(&kinds[i], i % 3, job, n);
		}
}

static void check_killed_finish(void)
{
	check_steps("finish", is_in_memory() ? 2 : 41);
}

static void check_killed_repair(void)
{
	/* most of what it does is looking at pages, one by one */
	check_steps("repair", is_in_memory() ? 31 : 251);
}

static void a_killed_end_is_ended_by_repair(void **state)
{
	everywhere(check_killed_finish);
	if (cannot_trace)
		skip();
}

static void a_killed_repair_is_ended_by_repair(void **state)
{
	everywhere(check_killed_repair);
	if (cannot_trace)
		skip();
}

static const struct {
	const char *name;
	void (*work)(const struct kind *k, int number);
} jobs[] = {{"fill", fill_small_disk},
	    {"record", record_for_ever},
	    {"finish", finish_traced},
	    {"repair", repair_traced}};

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finished_files_are_whole_and_compact),
		cmocka_unit_test(growing_files_can_be_read),
		cmocka_unit_test(pages_come_through_pipes),
		cmocka_unit_test(parts_of_pages_wait_for_the_rest),
		cmocka_unit_test(limited_regions_keep_the_newest),
		cmocka_unit_test(full_regions_say_so),
		cmocka_unit_test(full_disks_end_well),
		cmocka_unit_test(killed_recorders_leave_all_they_flushed),
		cmocka_unit_test(repair_finds_what_was_not_flushed),
		cmocka_unit_test(a_killed_end_is_ended_by_repair),
		cmocka_unit_test(a_killed_repair_is_ended_by_repair),
	};

	for (size_t i = 0; i < sizeof(jobs) / sizeof(*jobs); i++)
		if (argc == 4 && !strcmp(argv[1], jobs[i].name)) {
			jobs[i].work(&kinds[atoi(argv[2]) % N_KINDS], atoi(argv[3]));
			_exit(0); /* a search for leaks is not possible under a tracer */
		}
	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
