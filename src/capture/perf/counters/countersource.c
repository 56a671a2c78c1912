// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * countersource.c - the kernel as a source of counters: four system calls.
 *
 * perf_event_open() has no wrapper in the C library. A read() gives value, enabled and running
 * time, because counterset.c asks for both times (read_format); any other length is a counter in an
 * error state.
 */
#include "capture/perf/counters/countersource.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int open_counter(void *ctx, struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
			unsigned long flags)
{
	int fd = (int)syscall(SYS_perf_event_open, attr, pid, cpu, group_fd,
			      flags | PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int read_counter(void *ctx, int fd, struct countersource_value *ret)
{
	ssize_t n = read(fd, ret, sizeof(*ret));

	if (n < 0)
		return -errno;
	/* 0: a pinned counter that found no room in the PMU */
	return n == (ssize_t)sizeof(*ret) ? 0 : -EIO;
}

static int control_counter(void *ctx, int fd, unsigned long request)
{
	return ioctl(fd, request, 0) < 0 ? -errno : 0;
}

static void close_counter(void *ctx, int fd)
{
	close(fd);
}

const struct countersource countersource_kernel = {
	.open = open_counter,
	.read = read_counter,
	.control = control_counter,
	.close = close_counter,
};
