/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sonde/mark.h - two functions for a program that wants to be found in a trace.
 *
 *	#include <sonde/mark.h>
 *
 *	sonde_tracing(1);               events are written from here …
 *	sonde_mark("before sort");
 *	sort(table);
 *	sonde_mark("after sort");
 *	sonde_tracing(0);               … to here
 *
 * A mark is a line of text among the kernel's events, with its time, task and CPU. Nothing else is
 * needed: no library, no set-up. C99 or later, or C++, on Linux.
 *
 * Where they write: the files that the environment names in SONDE_TRACE_MARKER and
 * SONDE_TRACING_ON, as `sonde record` sets them for the command it runs; else the top level of the
 * tracing directory. The environment is not asked in a program that runs with another user's rights
 * (setuid).
 *
 * They never fail, print or block, and leave errno as it was: where nothing is traced, or without
 * the permission, nothing happens. They may be called by any thread at any time, in signal
 * handlers, and after fork(). The first call opens the file and keeps it open; should the program
 * close it behind our back, later calls notice, so that nothing is ever written into a file of its
 * own. One call costs a microsecond or two. Texts beyond 1000 bytes may be cut by the kernel.
 */
#ifndef SONDE_MARK_H
#define SONDE_MARK_H

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What one file of the tracing directory is known by. Everything with a _ at its end is private. */
struct sonde_file_ {
	int state; /* 0 not opened, 1 being opened, 2 open, 3 cannot be opened */
	int fd;
	unsigned long long device, inode;
};

static inline int sonde_open_path_(const char *path)
{
	int fd;

#ifdef O_CLOEXEC
	fd = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
#else
	fd = open(path, O_WRONLY | O_NOCTTY);
	if (fd >= 0)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
#endif
	return fd;
}

static inline int sonde_open_(const char *variable, const char *path, const char *old_path)
{
	const char *given = getauxval(AT_SECURE) ? NULL : getenv(variable);
	int fd;

	if (given && *given)
		return sonde_open_path_(given);
	fd = sonde_open_path_(path);
	return fd >= 0 ? fd : sonde_open_path_(old_path);
}

static inline void sonde_write_(struct sonde_file_ *file, const char *variable, const char *path,
				const char *old_path, const char *text)
{
	int state = __atomic_load_n(&file->state, __ATOMIC_ACQUIRE), fd, expected = 0;
	int saved_errno = errno;
	struct stat st;

	if (state == 3)
		return;
	if (state == 2 && !fstat(file->fd, &st) && st.st_dev == file->device &&
	    st.st_ino == file->inode) {
		if (write(file->fd, text, strlen(text)) < 0)
			(void)0; /* tracing is off: so be it */
		errno = saved_errno;
		return;
	}
	fd = sonde_open_(variable, path, old_path);
	if (fd >= 0 && write(fd, text, strlen(text)) < 0)
		(void)0;
	/* of several threads that come first, one keeps its descriptor */
	if (state == 0 && __atomic_compare_exchange_n(&file->state, &expected, 1, 0,
						      __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
		if (fd >= 0 && !fstat(fd, &st)) {
			file->fd = fd;
			file->device = st.st_dev;
			file->inode = st.st_ino;
			__atomic_store_n(&file->state, 2, __ATOMIC_RELEASE);
			fd = -1;
		} else {
			__atomic_store_n(&file->state, 3, __ATOMIC_RELEASE);
		}
	}
	if (fd >= 0)
		close(fd);
	errno = saved_errno;
}

/* Writes text among the events that are being traced. */
static inline void sonde_mark(const char *text)
{
	static struct sonde_file_ file;

	sonde_write_(&file, "SONDE_TRACE_MARKER", "/sys/kernel/tracing/trace_marker",
		     "/sys/kernel/debug/tracing/trace_marker", text);
}

/* Switches the writing of events on (1) or off (0). Whatever else is set up stays so. */
static inline void sonde_tracing(int on)
{
	static struct sonde_file_ file;

	sonde_write_(&file, "SONDE_TRACING_ON", "/sys/kernel/tracing/tracing_on",
		     "/sys/kernel/debug/tracing/tracing_on", on ? "1" : "0");
}

#ifdef __cplusplus
}
#endif

#endif
