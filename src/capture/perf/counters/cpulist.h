/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpulist.h - lists of CPUs as the kernel writes them, "0-3,8,10-14:2", and where CPUs are.
 *
 * Threads: nothing is shared.
 */
#ifndef SONDE_CAPTURE_PERF_COUNTERS_CPULIST_H
#define SONDE_CAPTURE_PERF_COUNTERS_CPULIST_H

#include <stddef.h>

struct errmsg;

#define CPULIST_MAX 65536

struct cpulist {
	int *cpus; /* in the order of the text */
	size_t n, cap;
};

/* Returns -EINVAL with a message. */
int cpulist_parse(struct cpulist *ret, const char *text, struct errmsg *err);
/* The CPUs that are online. sysfs: "/sys". */
int cpulist_read_online(struct cpulist *ret, const char *sysfs, struct errmsg *err);
void cpulist_release(struct cpulist *list);

/* Where a CPU is; -1: unknown. */
struct cpuplace {
	int socket, die, core, node;
};
void cpuplace_read(struct cpuplace *ret, int cpu, const char *sysfs);

#endif
