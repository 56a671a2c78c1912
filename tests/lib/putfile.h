/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * putfile.h - writes the files of a made-up /sys or /proc for a test; a failure is one of the test's.
 */
#ifndef SONDE_TESTS_PUTFILE_H
#define SONDE_TESTS_PUTFILE_H

#include <stdio.h>
#include <string.h>

static inline void put_bytes(const char *dir, const char *name, const void *data, size_t len)
{
	char path[512];
	FILE *f;

	assert_true((size_t)snprintf(path, sizeof(path), "%s/%s", dir, name) < sizeof(path));
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

static inline void put_text(const char *dir, const char *name, const char *text)
{
	put_bytes(dir, name, text, strlen(text));
}

#endif
