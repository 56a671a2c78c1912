// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * regular.c - checks a file before it opens it.
 *
 *	open(path, O_PATH)      finds the file, without opening it
 *	fstat()                 is it a regular file, and not too large?
 *	open(/proc/self/fd/N)   opens that file, even if its name has changed
 *
 * If /proc is not mounted, the name is opened again, non-blocking, and compared with the checked
 * file.
 */
#include "base/files/regular.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#define OPEN_FLAGS (O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)

static bool is_same(int fd, const struct stat *st)
{
	struct stat now;

	return !fstat(fd, &now) && now.st_ino == st->st_ino && now.st_dev == st->st_dev;
}

static int open_looked_at(int looked_fd, const char *path, const struct stat *st)
{
	char link[40];
	int fd;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", looked_fd);
	fd = open(link, OPEN_FLAGS);
	if (fd < 0 && errno == ENOENT)
		fd = open(path, OPEN_FLAGS);
	if (fd < 0)
		return -errno;
	if (is_same(fd, st))
		return fd;
	close(fd);
	return -EINVAL;
}

int regular_open(const char *path, uint64_t max_bytes)
{
	int looked_fd = open(path, O_PATH | O_CLOEXEC), r;
	struct stat st;

	if (looked_fd < 0)
		return -errno;
	if (fstat(looked_fd, &st))
		r = -errno;
	else if (!S_ISREG(st.st_mode))
		r = -EINVAL;
	else if (
		/* size 0: also files of the kernel such as /proc/kmsg, which reading would empty */
		!st.st_size)
		r = -ENODATA;
	else if ((uint64_t)st.st_size > max_bytes)
		r = -EFBIG;
	else
		r = open_looked_at(looked_fd, path, &st);
	close(looked_fd);
	return r;
}

FILE *regular_fopen(const char *path, uint64_t max_bytes)
{
	int fd = regular_open(path, max_bytes);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");

	if (fd < 0)
		errno = -fd;
	else if (!f)
		close(fd);
	return f;
}
