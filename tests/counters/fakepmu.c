// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fakepmu.c - a processor with hardware counters, for programs that run on a machine without.
 *
 * A library for LD_PRELOAD. It answers perf_event_open() for hardware, cache and raw events, and for
 * PMUs with a type of 100 or more, in place of the kernel; everything else goes to the kernel. What
 * the counters say is made up, but always the same:
 *
 *	value      below, from the event; 1000 + config for others
 *	enabled    1 s
 *	running    1 s; 0.5 s for events of caches if FAKEPMU_SHARED is set, with half of the value
 *
 * perf and sonde see the same machine, so their texts can be compared.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FDS_MAX 65536
#define SECOND	UINT64_C(1000000000)
#define UNCORE	100 /* the first type of a made-up PMU */

static struct {
	uint8_t is_ours;
	uint64_t value, running;
} fds[FDS_MAX];

static const uint64_t hardware[] = {
	[PERF_COUNT_HW_CPU_CYCLES] = 2000000,
	[PERF_COUNT_HW_INSTRUCTIONS] = 3000000,
	[PERF_COUNT_HW_CACHE_REFERENCES] = 40000,
	[PERF_COUNT_HW_CACHE_MISSES] = 1000,
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = 500000,
	[PERF_COUNT_HW_BRANCH_MISSES] = 7500,
	[PERF_COUNT_HW_BUS_CYCLES] = 90000,
	[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND] = 300000,
	[PERF_COUNT_HW_STALLED_CYCLES_BACKEND] = 600000,
	[PERF_COUNT_HW_REF_CPU_CYCLES] = 1900000,
};

static int make(const struct perf_event_attr *attr)
{
	int fd = eventfd(0, EFD_CLOEXEC);
	uint64_t value = 1000 + attr->config;

	if (fd < 0 || fd >= FDS_MAX)
		return fd;
	if (attr->type == PERF_TYPE_HARDWARE &&
	    attr->config < sizeof(hardware) / sizeof(hardware[0]))
		value = hardware[attr->config];
	if (attr->type == PERF_TYPE_HW_CACHE)
		value = attr->config >> 16 ? 2500 : 100000;
	fds[fd].is_ours = 1;
	fds[fd].value = value;
	fds[fd].running = SECOND;
	if (attr->type == PERF_TYPE_HW_CACHE && getenv("FAKEPMU_SHARED")) {
		fds[fd].running = SECOND / 2;
		fds[fd].value = value / 2;
	}
	return fd;
}

static int is_hardware(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_HW_CACHE ||
	       attr->type == PERF_TYPE_RAW || attr->type >= UNCORE;
}

long syscall(long number, ...)
{
	static long (*next)(long number, ...);
	long args[6];
	va_list list;

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		args[i] = va_arg(list, long);
	va_end(list);
	if (number == SYS_perf_event_open &&
	    is_hardware((const struct perf_event_attr *)(uintptr_t)args[0]))
		return make((const struct perf_event_attr *)(uintptr_t)args[0]);
	/* a software event in a group that we lead has a leader of its own in the kernel */
	if (number == SYS_perf_event_open && args[3] >= 0 && args[3] < FDS_MAX &&
	    fds[args[3]].is_ours)
		args[3] = -1;
	if (!next)
		next = (long (*)(long, ...))(uintptr_t)dlsym(RTLD_NEXT, "syscall");
	return next(number, args[0], args[1], args[2], args[3], args[4], args[5]);
}

ssize_t read(int fd, void *buf, size_t n_bytes)
{
	static ssize_t (*next)(int fd, void *buf, size_t n_bytes);

	if (fd >= 0 && fd < FDS_MAX && fds[fd].is_ours && n_bytes >= 24) {
		uint64_t values[3] = {fds[fd].value, SECOND, fds[fd].running};

		memcpy(buf, values, sizeof(values));
		return sizeof(values);
	}
	if (!next)
		next = (ssize_t(*)(int, void *, size_t))(uintptr_t)dlsym(RTLD_NEXT, "read");
	return next(fd, buf, n_bytes);
}

int ioctl(int fd, unsigned long request, ...)
{
	static int (*next)(int fd, unsigned long request, ...);
	va_list list;
	void *arg;

	va_start(list, request);
	arg = va_arg(list, void *);
	va_end(list);
	if (fd >= 0 && fd < FDS_MAX && fds[fd].is_ours)
		return 0;
	if (!next)
		next = (int (*)(int, unsigned long, ...))(uintptr_t)dlsym(RTLD_NEXT, "ioctl");
	return next(fd, request, arg);
}

int close(int fd)
{
	static int (*next)(int fd);

	if (fd >= 0 && fd < FDS_MAX)
		fds[fd].is_ours = 0;
	if (!next)
		next = (int (*)(int))(uintptr_t)dlsym(RTLD_NEXT, "close");
	return next(fd);
}
