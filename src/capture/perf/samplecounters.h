/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * samplecounters.h - counters beside a recording: their values as events perf:counter.
 *
 *	samplecounters_open    the counters, stopped; a command's exec starts those of the command
 *	samplecounters_start   starts the others
 *	samplecounters_read    now and then: one event for each counter, if its time has come
 *	samplecounters_free
 *
 * Threads: opened by one, then read by another.
 */
#ifndef SONDE_CAPTURE_PERF_SAMPLECOUNTERS_H
#define SONDE_CAPTURE_PERF_SAMPLECOUNTERS_H

#include "capture/perf/events/perfevents.h"

struct errmsg;
struct samplecounters;
struct samplepages;

#define SAMPLECOUNTERS_MS 100u /* between two values, if nothing is said */

struct samplecounters_config {
	const struct perfevents *events;
	uint32_t first_number; /* of the events, in the trace */
	unsigned interval_ms;  /* 0: SAMPLECOUNTERS_MS */
	const int *tids;       /* none: all tasks, on each CPU */
	size_t n_tids;
	bool is_command; /* tids is a process that has not called exec yet */
	const int *cpus; /* none: all that are online */
	size_t n_cpus;
	bool no_inherit;
};

int samplecounters_open(struct samplecounters **ret, const struct samplecounters_config *config,
			struct errmsg *err);
int samplecounters_start(struct samplecounters *c, struct errmsg *err);
/*
 * now_ns: of the trace's clock. is_last: also if it is not time yet. The number of events, or
 * -errno.
 */
int samplecounters_read(struct samplecounters *c, struct samplepages *pages, uint64_t now_ns,
			bool is_last);
unsigned samplecounters_interval_ms(const struct samplecounters *c);
/* c may be NULL. */
void samplecounters_free(struct samplecounters *c);

#endif
