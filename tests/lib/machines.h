/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * machines.h - unpacks a recorded sysfs (tests/counters/machines/NAME.sysfs) into a directory.
 *
 * Each line is a path and the text of that file. The makers of processors publish these values; the
 * trees have what the tests name, not all that the machines had.
 */
#ifndef SONDE_TESTS_MACHINES_H
#define SONDE_TESTS_MACHINES_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static inline void machines_make_dirs(char *path)
{
	for (char *p = path + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		assert_true(mkdir(path, 0700) == 0 || errno == EEXIST);
		*p = '/';
	}
}

static inline void machines_unpack(const char *name, const char *dir)
{
	char path[1024], line[1024];
	FILE *in, *out;

	assert_non_null(getenv("TESTS"));
	snprintf(path, sizeof(path), "%s/counters/machines/%s.sysfs", getenv("TESTS"), name);
	in = fopen(path, "r");
	assert_non_null(in);
	while (fgets(line, sizeof(line), in)) {
		char *text = strchr(line, ' ');

		if (line[0] == '#' || !text)
			continue;
		*text++ = '\0';
		assert_true((size_t)snprintf(path, sizeof(path), "%s/%s", dir, line) <
			    sizeof(path));
		machines_make_dirs(path);
		out = fopen(path, "w");
		assert_non_null(out);
		fputs(text, out);
		assert_int_equal(fclose(out), 0);
	}
	fclose(in);
}

#endif
