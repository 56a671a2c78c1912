/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counterset.h - the counters of some events for some tasks and CPUs, open at the same time.
 *
 *	counterset_open       one counter for each event, task and CPU; stopped
 *	counterset_enable     starts all of them (or the command's exec does)
 *	counterset_read       what each has counted so far
 *	counterset_free
 *
 * An event that the machine cannot count stays in the set without counters: has_event() tells. That
 * is no failure, because perf's users name events without knowing the machine.
 *
 * Threads: a set belongs to one.
 */
#ifndef SONDE_CAPTURE_PERF_COUNTERS_COUNTERSET_H
#define SONDE_CAPTURE_PERF_COUNTERS_COUNTERSET_H

#include "capture/perf/counters/countersource.h"
#include "capture/perf/events/perfevents.h"

struct counterset;

struct counterset_config {
	const struct countersource *source; /* NULL: the kernel */
	const struct perfevents *events;
	const int *cpus; /* {-1}: any, with threads */
	size_t n_cpus;
	const pid_t *threads; /* {-1}: all, with CPUs */
	size_t n_threads;
	const int *cgroups; /* descriptors of directories of cgroups, with CPUs; n 0: none */
	size_t n_cgroups;
	bool inherits;	     /* children and new threads, too */
	bool starts_at_exec; /* of threads[0] */
	bool stays_on_cpus;  /* count events of PMUs with a cpumask only for the given CPUs */
};

struct counterset_counter {
	uint32_t event;	 /* index in events */
	uint32_t thread; /* index in threads */
	uint32_t cgroup; /* index in cgroups; 0 without */
	int cpu;	 /* -1: any */
	int fd;		 /* the set's */
};

/*
 * Returns -EACCES, -EPERM (perf_event_paranoid), -EMFILE … with a message. A thread that exits
 * meanwhile is omitted; -ESRCH if none is left.
 */
int counterset_open(struct counterset **ret, const struct counterset_config *config,
		    struct errmsg *err);
void counterset_free(struct counterset *set);

/* only_pmus: only the counters that belong to no task, because exec() starts the others. */
int counterset_enable(struct counterset *set, bool only_pmus, struct errmsg *err);
void counterset_disable(struct counterset *set);

size_t counterset_n(const struct counterset *set);
const struct counterset_counter *counterset_at(const struct counterset *set, size_t i);
/* Returns a negative errno if the counter cannot be read, without a message. */
int counterset_read(const struct counterset *set, size_t i, struct countersource_value *ret);

/* Does the machine count this event? If not, why: the errno of perf_event_open(). */
bool counterset_has_event(const struct counterset *set, size_t event, int *ret_why);
/* Counts only user mode, because the kernel allows no more to this user. */
bool counterset_is_user_only(const struct counterset *set, size_t event);

#endif
