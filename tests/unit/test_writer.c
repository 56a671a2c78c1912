// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_writer.c - what goes in through writer.h comes out through tracefile.h, records packed by
 * pagebuilder.h come out of walker.h, and a file is there whole or not at all.
 *
 * Works in a directory of its own below /tmp, which it removes.
 */
#include "base/errmsg.h"
#include "decode/walker.h"
#include "store/outfile.h"
#include "store/pagebuilder.h"
#include "store/pagestream.h"
#include "store/writer.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define PAGE 4096u

static void put_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void assert_file(const char *path, const char *wanted)
{
	char text[100] = "";
	FILE *f = fopen(path, "r");
	size_t n;

	assert_non_null(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = 0;
	assert_string_equal(text, wanted);
}

static int enter_directory(void **state)
{
	char place[] = "/tmp/sonde-writer-XXXXXX";

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

/* --- outfile ----------------------------------------------------------------------------------- */

static void abandoned_file_leaves_the_old_one(void **state)
{
	struct errmsg err = {0};
	struct outfile *f;

	put_file("target", "old");
	assert_int_equal(outfile_open(&f, "target", &err), 0);
	outfile_write(f, "new", 3);
	outfile_free(f);
	assert_file("target", "old");
}

static void committed_file_replaces_the_old_one_and_is_private(void **state)
{
	struct errmsg err = {0};
	struct outfile *f;
	struct stat st;

	put_file("target", "old and longer");
	assert_int_equal(chmod("target", 0640), 0);
	assert_int_equal(symlink("target", "link"), 0);
	assert_int_equal(outfile_open(&f, "link", &err), 0);
	outfile_write(f, "new", 3);
	assert_file("target", "old and longer");
	assert_int_equal(outfile_commit(f, &err), 0);
	assert_file("target", "new");
	assert_int_equal(lstat("link", &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(stat("target", &st), 0);
	assert_int_equal(st.st_mode & 07777,
			 0600); /* whoever made the old one may want to read this */
}

static void patches_reach_written_and_waiting_bytes(void **state)
{
	struct errmsg err = {0};
	struct outfile *f;
	char text[100];
	FILE *in;

	assert_int_equal(outfile_open(&f, "target", &err), 0);
	outfile_write(f, "abcdef", 6);
	outfile_skip(f, 1 << 20);
	outfile_write(f, "uvwxyz", 6);
	assert_int_equal(outfile_pos(f), (1 << 20) + 12);
	outfile_patch(f, 1, "BC", 2);
	outfile_patch(f, (1 << 20) + 6, "UV", 2);
	outfile_patch(f, (1 << 20) + 4, "\1\2WX", 4); /* over the border of both */
	outfile_skip(f, 10000);
	assert_int_equal(outfile_commit(f, &err), 0);
	in = fopen("target", "r");
	assert_non_null(in);
	assert_int_equal(fread(text, 1, 7, in), 7);
	assert_memory_equal(text, "aBCdef\0", 7);
	assert_int_equal(fseek(in, (1 << 20) + 4, SEEK_SET), 0);
	assert_int_equal(fread(text, 1, 8, in), 8);
	assert_memory_equal(text, "\1\2WXwxyz", 8);
	assert_int_equal(fseek(in, 0, SEEK_END), 0);
	assert_int_equal(ftell(in), (1 << 20) + 12 + 10000);
	fclose(in);
}

static void targets_that_are_no_files_are_refused(void **state)
{
	struct errmsg err = {0};
	struct outfile *f;

	assert_int_equal(outfile_open(&f, "/dev/null", &err), -ESPIPE);
	err.code = 0;
	assert_int_equal(outfile_open(&f, ".", &err), -EISDIR);
	err.code = 0;
	assert_int_equal(outfile_open(&f, "nosuch/file", &err), -ENOENT);
	assert_string_equal(err.text, "cannot create nosuch/file: No such file or directory");
}

/* --- pages ------------------------------------------------------------------------------------- */

struct made_record {
	uint64_t ts;
	uint32_t size;
	uint8_t fill;
};

static uint64_t some_delta(unsigned i)
{
	static const uint64_t deltas[] = {
		0, 1, 1000, (1u << 27) - 1, 1u << 27, (1u << 27) + 1, 1ull << 40, (1ull << 59) - 1};

	return deltas[i % 8];
}

/* Packs records until one does not fit; how many there were. */
static unsigned pack(struct pagebuilder *pb, struct made_record *made)
{
	uint8_t data[1024];
	uint64_t ts = 12345;
	unsigned n = 0;

	pagebuilder_begin(pb, ts, 0);
	for (;; n++) {
		made[n].ts = ts += n % 3 ? n : some_delta(n / 3);
		made[n].size = n % 5 ? 4 * (n % 40) : 4 * n % 600;
		made[n].fill = n;
		memset(data, made[n].fill, made[n].size);
		if (!pagebuilder_add(pb, ts, data, made[n].size))
			return n;
	}
}

static void check_packing(bool big, uint8_t long_size)
{
	bool swap = big != bytes_host_is_big();
	struct pagebuilder pb = {.swap = swap,
				 .big_endian = big,
				 .long_size = long_size,
				 .data_offset = 8 + long_size,
				 .page_size = PAGE};
	struct page_layout layout = {swap, big, long_size, 8 + long_size};
	struct made_record made[PAGE];
	struct walked rec;
	struct walker w;
	struct piece page;
	unsigned n, i = 0;

	assert_int_equal(pagebuilder_init(&pb), 0);
	n = pack(&pb, made);
	page = pagebuilder_end(&pb);
	assert_int_equal(page.len, PAGE);
	assert_true(walker_start(&w, page.data, page.len, &layout));
	assert_int_equal(w.missed, 0);
	for (; walker_next(&w, &rec); i++) {
		assert_true(i < n);
		assert_int_equal(rec.ts, made[i].ts);
		assert_int_equal(rec.size, made[i].size);
		for (uint32_t k = 0; k < rec.size; k++)
			assert_int_equal(rec.data[k], made[i].fill);
	}
	assert_int_equal(i, n);
	assert_true(n > 20);
	assert_false(w.damaged);
	pagebuilder_release(&pb);
}

static void packed_records_come_out_as_they_went_in(void **state)
{
	for (int big = 0; big < 2; big++)
		for (int long_size = 4; long_size <= 8; long_size += 4)
			check_packing(big, long_size);
}

static void steps_that_a_page_cannot_say_need_a_new_one(void **state)
{
	struct pagebuilder pb = {.long_size = 8, .data_offset = 16, .page_size = PAGE};
	uint8_t data[PAGE] = {0};

	assert_int_equal(pagebuilder_init(&pb), 0);
	pagebuilder_begin(&pb, 1000, 0);
	assert_true(pagebuilder_add(&pb, 1000, data, 8));
	assert_false(pagebuilder_add(&pb, 999, data, 8));
	assert_false(pagebuilder_add(&pb, 1000 + (1ull << 59), data, 8));
	assert_true(pagebuilder_add(&pb, 1000 + (1ull << 59) - 1, data, 8));
	pagebuilder_begin(&pb, 5, 0);
	assert_false(pagebuilder_add(&pb, 5, data, PAGE - 16 - 4));
	assert_true(pagebuilder_add(&pb, 5, data, PAGE - 16 - 8));
	assert_false(pagebuilder_add(&pb, 5, data, 0));
	pagebuilder_release(&pb);
}

static void lost_events_are_counted_where_there_is_room(void **state)
{
	static const struct {
		int64_t missed, comes_out;
		uint32_t n_bytes;
	} rows[] = {{7, 7, 100},
		    {-1, WALKER_MISSED_UNKNOWN, 100},
		    {7, 7, PAGE - 16 - 8 - 8},
		    {7, WALKER_MISSED_UNKNOWN, PAGE - 16 - 8 - 4}};
	struct pagebuilder pb = {.long_size = 8, .data_offset = 16, .page_size = PAGE};
	struct page_layout layout = {false, false, 8, 16};
	uint8_t data[PAGE] = {0};
	struct walker w;

	if (bytes_host_is_big())
		skip();
	assert_int_equal(pagebuilder_init(&pb), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct piece page;

		pagebuilder_begin(&pb, 1, rows[i].missed);
		assert_true(pagebuilder_add(&pb, 1, data, rows[i].n_bytes));
		page = pagebuilder_end(&pb);
		assert_true(walker_start(&w, page.data, page.len, &layout));
		assert_int_equal(w.missed, rows[i].comes_out);
	}
	pagebuilder_release(&pb);
}

/* --- writer ------------------------------------------------------------------------------------ */

struct made_pages {
	unsigned next, n_cpus, n_pages;
	uint8_t page[PAGE];
};

/* Pages of CPUs 0, 2, 4 … whose first byte is their number; the last of each CPU is short. */
static int next_made_page(void *ctx, uint32_t *ret_cpu, struct piece *ret_page)
{
	struct made_pages *m = ctx;
	unsigned i = m->next++;

	if (i >= m->n_cpus * m->n_pages)
		return 0;
	memset(m->page, 0, sizeof(m->page));
	m->page[0] = i + 1;
	*ret_cpu = i / m->n_pages * 2;
	*ret_page = (struct piece){m->page, i % m->n_pages == m->n_pages - 1 ? 100 : PAGE};
	return 1;
}

static struct piece text_piece(const char *text)
{
	return (struct piece){(const uint8_t *)text, strlen(text)};
}

static void write_trace(int version, enum compression compression, bool plain, bool big)
{
	struct writer_config config = {.path = "trace.dat",
				       .version = version,
				       .compression = compression,
				       .plain_data = plain,
				       .big_endian = big,
				       .long_size = 8,
				       .page_size = PAGE,
				       .n_threads = 3};
	struct made_pages top = {.n_cpus = 2, .n_pages = 25}, one = {.n_cpus = 1, .n_pages = 3};
	struct writer_source top_source = {&top, next_made_page},
			     one_source = {&one, next_made_page};
	struct errmsg err = {0};
	struct writer *w;

	assert_int_equal(writer_open(&w, &config, &err), 0);
	writer_set_cpu_count(w, 3);
	assert_int_equal(writer_add_text(w, TRACEFILE_KALLSYMS, text_piece("0 t f\n"), &err), 0);
	assert_int_equal(writer_add_option(w, SNF_OPTION_TRACECLOCK, text_piece("[mono]"), &err),
			 0);
	assert_int_equal(writer_add_option(w, 99, text_piece("unknown"), &err), 0);
	assert_int_equal(writer_add_buffer(w, &(struct writer_buffer){"one", "boot", PAGE}, &err),
			 0);
	assert_int_equal(writer_add_buffer(w, &(struct writer_buffer){"", "mono", PAGE}, &err), 1);
	assert_int_equal(writer_add_buffer(w, &(struct writer_buffer){"two", NULL, PAGE}, &err), 2);
	assert_int_equal(writer_write_buffer(w, 1, &top_source, &err), 0);
	assert_int_equal(writer_write_buffer(w, 0, &one_source, &err), 0);
	if (version == 7)
		assert_int_equal(writer_add_option(w, SNF_OPTION_UNAME, text_piece("late"), &err),
				 0);
	assert_int_equal(writer_close(w, &err), 0);
}

static void check_pages(struct tracefile *tf, const struct tracefile_buffer *b, unsigned n_pages)
{
	uint8_t number = 1;

	for (size_t i = 0; i < b->n_cpus; i++) {
		struct pagestream *ps = pagestream_new(tf, b, i, NULL);
		struct page page;
		unsigned n = 0;

		if (b->cpus[i].n_bytes) {
			assert_int_equal(b->cpus[i].offset % PAGE, 0);
			while (pagestream_next(ps, &page) > 0) {
				assert_int_equal(page.len, PAGE);
				assert_int_equal(page.data[0], number++);
				n++;
			}
			assert_int_equal(n, n_pages);
			assert_int_equal(b->cpus[i].cpu % 2, 0);
		}
		pagestream_free(ps);
	}
}

static void check_trace(int version, enum compression compression, bool plain, bool big)
{
	static const char *const names[] = {"", "one", "two"};
	const struct tracefile_option *o;
	struct errmsg err = {0};
	struct tracefile *tf;
	struct piece text;

	assert_int_equal(tracefile_open(&tf, "trace.dat", &err), 0);
	assert_int_equal(tf->n_damage, 0);
	assert_int_equal(tf->version, version);
	assert_int_equal(tf->compression, compression);
	assert_int_equal(tf->big_endian, big);
	assert_int_equal(tf->cpu_count, 3);
	assert_int_equal(tf->n_buffers, 3);
	text = tracefile_text(tf, TRACEFILE_KALLSYMS);
	assert_int_equal(text.len, 6);
	assert_memory_equal(text.data, "0 t f\n", 6);
	o = tracefile_option_find(tf, 99);
	assert_non_null(o);
	assert_memory_equal(o->data.data, "unknown", 7);
	assert_true(!tracefile_option_find(tf, SNF_OPTION_UNAME) == (version == 6));
	for (size_t i = 0; i < 3; i++) {
		const struct tracefile_buffer *b = &tf->buffers[i];
		unsigned which = !strcmp(b->name, names[0])   ? 0
				 : !strcmp(b->name, names[1]) ? 1
							      : 2;

		assert_string_equal(b->name, names[which]);
		if (which < 2)
			assert_string_equal(b->clock, which ? "boot" : "mono");
		assert_true(b->compressed == (compression && !plain));
		check_pages(tf, b, which ? 3 : 25);
	}
	tracefile_close(tf);
}

static void what_is_written_is_what_is_read(void **state)
{
	static const struct {
		int version;
		enum compression compression;
		bool plain;
	} rows[] = {{6, COMPRESSION_NONE, false}, {7, COMPRESSION_NONE, false},
		    {7, COMPRESSION_ZSTD, false}, {7, COMPRESSION_ZLIB, false},
		    {7, COMPRESSION_ZSTD, true},  {7, COMPRESSION_ZLIB, true}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (int big = 0; big < 2; big++) {
			write_trace(rows[i].version, rows[i].compression, rows[i].plain, big);
			check_trace(rows[i].version, rows[i].compression, rows[i].plain, big);
		}
}

static int fail_later(void *ctx, uint32_t *ret_cpu, struct piece *ret_page)
{
	static const uint8_t page[PAGE] = {1};
	unsigned *n = ctx;

	*ret_cpu = 0;
	*ret_page = (struct piece){page, PAGE};
	return ++*n < 100 ? 1 : -EIO;
}

static int go_back(void *ctx, uint32_t *ret_cpu, struct piece *ret_page)
{
	static const uint8_t page[PAGE] = {1};
	unsigned *n = ctx;

	*ret_cpu = 5 - (*n)++;
	*ret_page = (struct piece){page, PAGE};
	return 1;
}

static void sources_that_fail_leave_the_old_file(void **state)
{
	static int (*const sources[])(void *, uint32_t *, struct piece *) = {fail_later, go_back};
	struct writer_config config = {.path = "target",
				       .version = 7,
				       .compression = COMPRESSION_ZSTD,
				       .long_size = 8,
				       .page_size = PAGE,
				       .n_threads = 2};

	put_file("target", "old");
	for (size_t i = 0; i < 2; i++) {
		struct errmsg err = {0};
		struct writer *w;
		unsigned n = 0;
		struct writer_source source = {&n, sources[i]};

		assert_int_equal(writer_open(&w, &config, &err), 0);
		assert_int_equal(
			writer_add_buffer(w, &(struct writer_buffer){"", "local", PAGE}, &err), 0);
		assert_true(writer_write_buffer(w, 0, &source, &err) < 0);
		assert_true(err.code < 0);
		writer_free(w);
		assert_file("target", "old");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(abandoned_file_leaves_the_old_one),
		cmocka_unit_test(committed_file_replaces_the_old_one_and_is_private),
		cmocka_unit_test(patches_reach_written_and_waiting_bytes),
		cmocka_unit_test(targets_that_are_no_files_are_refused),
		cmocka_unit_test(packed_records_come_out_as_they_went_in),
		cmocka_unit_test(steps_that_a_page_cannot_say_need_a_new_one),
		cmocka_unit_test(lost_events_are_counted_where_there_is_room),
		cmocka_unit_test(what_is_written_is_what_is_read),
		cmocka_unit_test(sources_that_fail_leave_the_old_file),
	};

	return cmocka_run_group_tests(tests, enter_directory, leave_directory);
}
