// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_live.c - a file that a recorder left behind, with wrong bytes, goes through the repair.
 *
 *	input:  u8 kind: bits 0-1 version 7 plain, 7 zstd, 6, 7 with temporary files; bit 2 the end had
 *	        begun; then any number of: u16 place from the start of the directory, u8 value
 *
 * What cannot be repaired must be left as it is, byte for byte; what was repaired must open. Works in a
 * directory of its own in /dev/shm, for there are many files.
 */
#include "base/errmsg.h"
#include "store/live/livefile.h"
#include "store/live/livefile_int.h"
#include "store/pagebuilder.h"
#include "store/pagestream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE	   4096u
#define HEAD_BYTES 32768

static void enter_directory(void)
{
	static char place[] = "/dev/shm/sonde-fuzz-XXXXXX";
	static bool is_there;

	if (is_there)
		return;
	if (!mkdtemp(place) || chdir(place))
		abort();
	is_there = true;
}

static void add_pages(struct livefile *f, uint32_t cpu, unsigned n)
{
	struct pagebuilder pb = {.big_endian = bytes_host_is_big(),
				 .long_size = 8,
				 .data_offset = 16,
				 .page_size = PAGE};

	if (pagebuilder_init(&pb) < 0)
		abort();
	for (unsigned i = 0; i < n; i++) {
		pagebuilder_begin(&pb, 1000 + i, 0);
		pagebuilder_add(&pb, 1000 + i, "some data", 10);
		liveregion_append(livefile_region(f, 0, cpu), pagebuilder_end(&pb).data, PAGE);
	}
	liveregion_flush(livefile_region(f, 0, cpu));
	pagebuilder_release(&pb);
}

/* Leaves live.dat; where its directory begins. */
static uint64_t leave_file(unsigned kind)
{
	struct livefile_config config = {.path = "live.dat",
					 .temp_dir = (kind & 3) == 3 ? "." : NULL,
					 .version = (kind & 3) == 2 ? 6 : 7,
					 .compression = (kind & 3) == 1 ? COMPRESSION_ZSTD
									: COMPRESSION_NONE,
					 .long_size = 8,
					 .page_size = PAGE,
					 .n_cpus = 3};
	struct livefile_buffer top = {"", "local", PAGE, 3, 0}, one = {"one", "local", PAGE, 2, 0};
	struct errmsg err = {0};
	struct livefile *f;
	uint64_t at;

	if (livefile_open(&f, &config, &err) < 0 || livefile_add_buffer(f, &top, &err) < 0 ||
	    livefile_add_buffer(f, &one, &err) < 0 || livefile_start(f, &err) < 0)
		abort();
	add_pages(f, 0, 2);
	livefile_flush(f, &err);
	add_pages(f, 0, 3);
	add_pages(f, 2, 1);
	if (kind & 4) {
		f->flags |= LIVEFILE_FINISHING;
		livefile_flush(f, &err);
	}
	at = f->dir_at;
	livefile_free(f);
	return at;
}

static void damage(const uint8_t *data, size_t size, uint64_t dir_at)
{
	int fd = open("live.dat", O_RDWR);

	for (; size >= 3; data += 3, size -= 3)
		if (pwrite(fd, data + 2, 1, dir_at + (data[0] | data[1] << 8) % 2048) != 1)
			abort();
	close(fd);
}

static size_t read_head(uint8_t *to, struct stat *st)
{
	int fd = open("live.dat", O_RDONLY);
	ssize_t n = pread(fd, to, HEAD_BYTES, 0);

	if (fd < 0 || n < 0 || fstat(fd, st) < 0)
		abort();
	close(fd);
	return n;
}

static void read_all(void)
{
	struct errmsg err = {0};
	struct tracefile *tf;

	if (tracefile_open(&tf, "live.dat", &err) < 0)
		abort();
	for (size_t i = 0; i < tf->n_buffers; i++)
		for (size_t k = 0; k < tf->buffers[i].n_cpus; k++) {
			struct pagestream *ps = pagestream_new(tf, &tf->buffers[i], k, NULL);
			struct page page;

			/* a directory may promise terabytes of nothing */
			for (int n = 0; n < 100 && pagestream_next(ps, &page) > 0; n++)
				;
			pagestream_free(ps);
		}
	tracefile_close(tf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t before[HEAD_BYTES], after[HEAD_BYTES];
	struct stat st_before, st_after;
	struct errmsg err = {0};
	size_t n;
	int r;

	if (!size)
		return 0;
	enter_directory();
	damage(data + 1, size - 1, leave_file(data[0]));
	n = read_head(before, &st_before);
	r = livefile_repair("live.dat", PIECE_EMPTY, &err);
	if (size < 3 && r < 0)
		abort(); /* nothing was wrong with it */
	if (r == -EBADMSG && (read_head(after, &st_after) != n || memcmp(before, after, n) ||
			      st_before.st_size != st_after.st_size))
		abort();
	if (r == 0)
		read_all();
	unlink("live.dat");
	return 0;
}
