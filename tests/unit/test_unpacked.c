// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Packed files: what is in them, up to a size, in one part or several; damaged ones are refused, and what is not
 * packed is taken as it is.
 */
#include "symbols/dwarf/unpacked.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <cmocka.h>

#define N_PLAIN	 300000
#define N_PACKED (N_PLAIN * 2)

static uint8_t plain[N_PLAIN], packed[N_PACKED];

static size_t pack_xz(void)
{
	size_t n = 0;

	assert_int_equal(lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, NULL, plain, N_PLAIN, packed,
						 &n, N_PACKED),
			 LZMA_OK);
	return n;
}

static size_t pack_gzip(void)
{
	z_stream z = {0};

	assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	z.next_in = plain;
	z.avail_in = N_PLAIN;
	z.next_out = packed;
	z.avail_out = N_PACKED;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	deflateEnd(&z);
	return N_PACKED - z.avail_out;
}

static size_t pack_zstd(void)
{
	ZSTD_CCtx *c = ZSTD_createCCtx();
	size_t n;

	ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1);
	n = ZSTD_compress2(c, packed, N_PACKED, plain, N_PLAIN);
	ZSTD_freeCCtx(c);
	return n;
}

static size_t (*const ways[])(void) = {pack_xz, pack_gzip, pack_zstd};

#define N_WAYS (sizeof(ways) / sizeof(*ways))

static int make_file(const void *data, size_t n, int n_times)
{
	int fd = memfd_create("test", 0);

	assert_true(fd >= 0);
	for (int i = 0; i < n_times; i++)
		assert_int_equal(write(fd, data, n), n);
	return fd;
}

static void check_content(int fd, int n_times)
{
	static uint8_t got[N_PLAIN];

	for (int i = 0; i < n_times; i++) {
		assert_int_equal(pread(fd, got, N_PLAIN, (off_t)i * N_PLAIN), N_PLAIN);
		assert_memory_equal(got, plain, N_PLAIN);
	}
	assert_int_equal(lseek(fd, 0, SEEK_END), (off_t)n_times * N_PLAIN);
}

static int fill(void **state)
{
	uint32_t x = 1;

	for (size_t i = 0; i < N_PLAIN; i++) {
		x = x * 1664525 + 1013904223;
		plain[i] = i % 3 ? x >> 24 : i >> 8;
	}
	return 0;
}

static void comes_back(void **state)
{
	for (size_t i = 0; i < N_WAYS; i++)
		for (int n_times = 1; n_times <= 2; n_times++) {
			size_t n = ways[i]();
			int fd = unpacked_open(make_file(packed, n, n_times), n_times * N_PLAIN);

			assert_true(fd >= 0);
			check_content(fd, n_times);
			close(fd);
		}
}

static void is_limited(void **state)
{
	for (size_t i = 0; i < N_WAYS; i++) {
		int fd = make_file(packed, ways[i](), 2);

		assert_int_equal(unpacked_open(fd, 2 * N_PLAIN - 1), -EFBIG);
		close(fd);
	}
}

static void damaged_is_refused(void **state)
{
	for (size_t i = 0; i < N_WAYS; i++) {
		size_t n = ways[i]();
		int cut = make_file(packed, n - 1, 1), half = make_file(packed, n / 2, 1), wrong;

		memset(packed + n / 2, 0xff, 100);
		wrong = make_file(packed, n, 1);
		assert_int_equal(unpacked_open(cut, UINT64_MAX), -EBADMSG);
		assert_int_equal(unpacked_open(half, UINT64_MAX), -EBADMSG);
		assert_int_equal(unpacked_open(wrong, UINT64_MAX), -EBADMSG);
		close(cut);
		close(half);
		close(wrong);
	}
}

static void others_are_not_touched(void **state)
{
	int fd = make_file("\x7f"
			   "ELF and so on",
			   14, 1),
	    bz = make_file("BZh91AY", 7, 1);

	assert_int_equal(unpacked_open(fd, 3), fd);
	assert_int_equal(unpacked_open(bz, 100), -EOPNOTSUPP);
	close(fd);
	close(bz);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(comes_back),
		cmocka_unit_test(is_limited),
		cmocka_unit_test(damaged_is_refused),
		cmocka_unit_test(others_are_not_touched),
	};

	return cmocka_run_group_tests(tests, fill, NULL);
}
