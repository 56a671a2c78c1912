/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * countersource.h - the boundary to perf_event_open(): open, read, control, close.
 *
 * countersource_kernel calls the kernel. Tests replace it, to have hardware counters on a machine
 * that has none.
 */
#ifndef SONDE_CAPTURE_PERF_COUNTERS_COUNTERSOURCE_H
#define SONDE_CAPTURE_PERF_COUNTERS_COUNTERSOURCE_H

#include <linux/perf_event.h>
#include <stdint.h>
#include <sys/types.h>

/* What a counter says, with TOTAL_TIME_ENABLED and TOTAL_TIME_RUNNING. */
struct countersource_value {
	uint64_t value, enabled_ns, running_ns;
};

struct countersource {
	/* Returns a descriptor or a negative errno. ctx is the first argument of all. */
	int (*open)(void *ctx, struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
		    unsigned long flags);
	int (*read)(void *ctx, int fd, struct countersource_value *ret);
	int (*control)(void *ctx, int fd, unsigned long request);
	void (*close)(void *ctx, int fd);
	void *ctx;
};

extern const struct countersource countersource_kernel;

#endif
