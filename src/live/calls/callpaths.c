// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * callpaths.c - reads /proc/PID/fd and /proc/PID/cwd.
 *
 * /proc may be late: a process may have closed a descriptor, or opened another file with the same
 * number. So /proc is read at the beginning only. Later, paths come from the calls that open files,
 * and /proc has only the numbers of sockets and pipes.
 */
#include "live/calls/callpaths.h"

#include "decode/syscalls/syscalltext.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define FD_CWD	   (-100) /* AT_FDCWD */
#define PATH_BYTES 4096

int callpaths_find(void *arg, int32_t tgid, int fd, char *path, size_t n)
{
	char link[64];
	ssize_t got;

	if (fd == FD_CWD)
		snprintf(link, sizeof(link), "/proc/%d/cwd", tgid);
	else
		snprintf(link, sizeof(link), "/proc/%d/fd/%d", tgid, fd);
	got = readlink(link, path, n);
	return got < 0 ? -errno : (int)got;
}

static bool is_cloexec(int32_t pid, int fd)
{
	char name[64], line[128];
	unsigned flags = 0;
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%d/fdinfo/%d", pid, fd);
	f = fopen(name, "re");
	while (f && fgets(line, sizeof(line), f) && sscanf(line, "flags: %o", &flags) != 1)
		;
	if (f)
		fclose(f);
	return flags & O_CLOEXEC;
}

/* /dev/null<char 1:3> */
static void add_device(int32_t pid, int fd, char *path, size_t len)
{
	char name[64];
	struct stat st;

	snprintf(name, sizeof(name), "/proc/%d/fd/%d", pid, fd);
	if (*path == '/' && fd >= 0 && !stat(name, &st) &&
	    (S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode)))
		snprintf(path + len, PATH_BYTES - len, "<%s %u:%u>",
			 S_ISCHR(st.st_mode) ? "char" : "block", major(st.st_rdev),
			 minor(st.st_rdev));
}

static void add_one(struct syscalltext *t, int32_t pid, int fd)
{
	char path[PATH_BYTES];
	int n = callpaths_find(NULL, pid, fd, path, sizeof(path) - 1);

	if (n <= 0)
		return;
	path[n] = 0;
	if (syscalltext_shows_devices(t))
		add_device(pid, fd, path, (size_t)n);
	syscalltext_add_path(t, pid, fd, path, fd >= 0 && is_cloexec(pid, fd));
}

void callpaths_add(struct syscalltext *t, int32_t pid)
{
	char name[64];
	struct dirent *e;
	DIR *d;

	add_one(t, pid, FD_CWD);
	snprintf(name, sizeof(name), "/proc/%d/fd", pid);
	d = opendir(name);
	if (!d)
		return;
	while ((e = readdir(d)))
		if (e->d_name[0] != '.')
			add_one(t, pid, atoi(e->d_name));
	closedir(d);
}

void callpaths_add_all(struct syscalltext *t)
{
	struct dirent *e;
	DIR *d = opendir("/proc");

	if (!d)
		return;
	while ((e = readdir(d)))
		if (atoi(e->d_name) > 0)
			callpaths_add(t, atoi(e->d_name));
	closedir(d);
}

bool callpaths_has_threads(int32_t pid)
{
	char name[64];
	struct stat st;

	snprintf(name, sizeof(name), "/proc/%d/task", pid);
	return stat(name, &st) < 0 || st.st_nlink > 3; /* . and .. and the first */
}
