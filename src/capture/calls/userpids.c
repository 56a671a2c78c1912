// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * userpids.c - finds a thread by the numbers that its own pid namespace gives it.
 *
 *	/proc/PID/ns/pid           the namespace; only its owner and root may look
 *	/proc/PID/status           NSpid:  4711  12  1      our number … the number in its namespace
 *	/proc/PID/task/TID/status  the same for each thread
 *
 * If we may not see the namespace of a process, but its number fits, the result is "unknown", not
 * "gone": the thread may still write to its ring, so no other thread may get the ring.
 */
#include "capture/calls/userpids.h"

#include "base/scope.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PATH_BYTES 96

static uint64_t inode_of(const char *path, int *ret_error)
{
	struct stat st;

	*ret_error = stat(path, &st) ? errno : 0;
	return *ret_error ? 0 : st.st_ino;
}

uint64_t userpids_namespace(pid_t pid)
{
	char path[PATH_BYTES];
	int error;

	snprintf(path, sizeof(path), "/proc/%d/ns/pid", (int)pid);
	return inode_of(path, &error);
}

uint64_t userpids_own_namespace(void)
{
	int error;

	return inode_of("/proc/self/ns/pid", &error);
}

/* The last number of the line NSpid: that of the thread's own namespace; 0: there is none. */
static uint32_t read_inner(const char *path)
{
	SCOPED(fclose_scoped) FILE *f = fopen(path, "re");
	char line[512];

	while (f && fgets(line, sizeof(line), f)) {
		const char *last;

		if (strncmp(line, "NSpid:", 6))
			continue;
		line[strcspn(line, "\n")] = 0;
		last = strrchr(line, '\t');
		return last ? (uint32_t)strtoul(last + 1, NULL, 10) : 0;
	}
	return 0;
}

static bool is_number(const char *name)
{
	return *name >= '1' && *name <= '9';
}

/* The thread of process `outer` whose inner number is tid; 0: it has none. */
static uint32_t find_thread(uint32_t outer, uint32_t tid)
{
	char path[PATH_BYTES];
	SCOPED(closedir_scoped) DIR *dir = NULL;
	const struct dirent *e;

	snprintf(path, sizeof(path), "/proc/%u/task", outer);
	dir = opendir(path);
	while (dir && (e = readdir(dir))) {
		uint32_t number = is_number(e->d_name) ? strtoul(e->d_name, NULL, 10) : 0;

		snprintf(path, sizeof(path), "/proc/%u/task/%u/status", outer, number);
		if (number && read_inner(path) == tid)
			return number;
	}
	return 0;
}

enum userpids_result userpids_find(uint64_t namespace, uint32_t pid, uint32_t tid,
				   uint32_t *ret_pid, uint32_t *ret_tid)
{
	SCOPED(closedir_scoped) DIR *dir = opendir("/proc");
	enum userpids_result result = dir ? USERPIDS_GONE : USERPIDS_UNKNOWN;
	const struct dirent *e;

	while (dir && (e = readdir(dir))) {
		uint32_t outer = is_number(e->d_name) ? strtoul(e->d_name, NULL, 10) : 0, thread;
		char path[PATH_BYTES];
		int error = 0;

		if (!outer)
			continue;
		snprintf(path, sizeof(path), "/proc/%u/ns/pid", outer);
		if (inode_of(path, &error) != namespace && error != EACCES && error != EPERM)
			continue;
		snprintf(path, sizeof(path), "/proc/%u/status", outer);
		if (read_inner(path) != pid)
			continue;
		thread = error ? 0 : find_thread(outer, tid);
		if (error)
			result = USERPIDS_UNKNOWN;
		if (!thread)
			continue;
		*ret_pid = outer;
		*ret_tid = thread;
		return USERPIDS_FOUND;
	}
	return result;
}
