/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pmus.h - the PMUs that the kernel offers in sysfs, and the terms that describe their events.
 *
 * A PMU (performance monitoring unit) is a source of events: the counters of a core, of a memory
 * controller, of an L2 cache. A struct pmu is what its directory says about the PMU itself; events
 * and fields are read when they are named. Threads: nothing is shared.
 */
#ifndef SONDE_CAPTURE_PERF_EVENTS_PMUS_H
#define SONDE_CAPTURE_PERF_EVENTS_PMUS_H

#include "capture/perf/events/perfevents.h"

#define PMU_NAME_MAX 128
#define PMU_PATH_MAX 1024
#define PMU_TEXT_MAX 512

struct pmu {
	char name[PMU_NAME_MAX];
	char dir[PMU_PATH_MAX];
	uint32_t type;
	bool is_core;		    /* the processor's counters: "cpu", or a PMU with a file cpus */
	char cpumask[PMU_TEXT_MAX]; /* "" : none */
	char cpus[PMU_TEXT_MAX];    /* "" : none */
};

struct pmu_list {
	struct pmu *pmus; /* sorted by name */
	size_t n, cap;
};

/* Reads the PMUs of a machine. A machine without the directory has none. Returns -ENOMEM. */
int pmus_read(const char *sysfs, struct pmu_list *ret);
void pmus_release(struct pmu_list *list);

/*
 * Does `name` (len bytes) mean this PMU? By its name, by a glob, without "uncore_", or without the
 * number of one of several alike: "imc" means uncore_imc_0 and uncore_imc_1.
 */
bool pmus_is_meant(const struct pmu *pmu, const char *name, size_t len);

bool pmus_has_event(const struct pmu *pmu, const char *name, size_t len);

/*
 * Puts terms, such as "event=0x3c,umask=1" or "total-requests", into e. pmu: NULL for an event
 * whose terms are of samples only (cycles/period=1000/). Returns a negative errno with a message.
 */
int pmus_parse_terms(const struct pmu *pmu, const char *terms, size_t len,
		     struct perfevents_event *e, struct errmsg *err);

/* Calls visit for every event of the PMU, sorted by name. unit: NULL if the event has none. */
int pmus_each_event(const struct pmu *pmu,
		    int (*visit)(void *ctx, const struct pmu *pmu, const char *event,
				 const char *unit),
		    void *ctx);

#endif
