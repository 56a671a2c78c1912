/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counttarget.h - the threads, CPUs and cgroups whose events are counted, and the part of the
 * result to which each belongs. Internal to live/counters.
 */
#ifndef SONDE_LIVE_COUNTERS_COUNTTARGET_H
#define SONDE_LIVE_COUNTERS_COUNTTARGET_H

#include "capture/perf/counters/cpulist.h"
#include "live/counters/countrun.h"

#include <sys/types.h>

struct counttarget {
	struct cpulist cpus;	 /* {-1}: any */
	struct cpuplace *places; /* of each CPU by number */
	int n_places;
	pid_t *threads; /* {-1}: all */
	size_t n_threads, cap_threads;
	/* processes and threads that are watched: when all have exited, the run ends */
	struct countwatch {
		pid_t pid;
		int fd; /* -1: none, so /proc is checked now and then */
	} * watches;
	size_t n_watches, cap_watches;
	int *cgroup_fds;
	char **cgroup_names;
	size_t n_cgroups;
	bool is_wide; /* whole CPUs, not tasks */
};

/* child: the command's process, or 0. Returns a negative errno with a message. */
int counttarget_init(struct counttarget *t, const struct countrun_config *config, pid_t child,
		     struct errmsg *err);
void counttarget_release(struct counttarget *t);

/* Finds the part of a counter. Returns its index in the table, or a negative errno. */
int counttarget_part(const struct counttarget *t, enum countparts parts, struct countertable *table,
		     int cpu, size_t thread);

#endif
