/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sampling_int.h - what the files of a sampling share. sampling.c has the overview.
 */
#ifndef SONDE_CAPTURE_PERF_SAMPLING_INT_H
#define SONDE_CAPTURE_PERF_SAMPLING_INT_H

#include "base/map.h"
#include "capture/perf/codefiles.h"
#include "capture/perf/placenames.h"
#include "capture/perf/samplecounters.h"
#include "capture/perf/samplepages.h"
#include "capture/perf/sampletasks.h"
#include "capture/perf/sampling.h"
#include "capture/perf/spaces.h"
#include "store/events/sampleevents.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>

struct sampling {
	struct sampling_config config;
	struct perfevents own_events;
	bool is_clock;
	int command; /* pid; 0: none */
	int *tids;
	size_t n_tids, cap_tids;
	bool is_filtered;    /* the source has all threads: those of others are dropped */
	struct map children; /* processes of the chosen ones, for is_filtered */
	struct samplesource *source;
	struct codefiles *files;
	struct spaces *spaces;
	struct sampletasks *tasks;
	struct placenames *names;
	struct placenames_recent recent;
	struct samplecounters *counters; /* NULL: none */
	struct samplepages *pages;
	/* the sample that is being made */
	struct sampleevents_sample sample;
	size_t n_stack;
	struct unwinder *unwinder; /* NULL: not needed yet */
	uint64_t inner; /* the address before, in a program's own code; 0: in sonde's, or none */
	sampling_finder *find_hook; /* NULL: sonde has put no code into programs */
	void *find_ctx;
	struct map waits;	 /* threads that have left their CPU, by tid (offcpu.c) */
	struct map group_values; /* the last values of counters, by id (samplegroup.c) */
	/* the file */
	struct livefile *file;
	int buffer;
	unsigned n_cpus;
	/* the thread */
	pthread_t thread;
	bool has_thread;
	int stop_fds[2], failure_fds[2], error;
	atomic_bool is_stopping, is_over;
	_Atomic uint64_t n_samples, n_lost, n_counted;
	uint64_t n_waits, n_throttled, n_cut, n_odd, reader_ns;
};

/* --- samplestack.c --- */

/* Adds a place to s->sample. pid: of the process, -1: the kernel. */
void samplestack_add(struct sampling *s, int pid, uint64_t address, bool is_return);
/* Adds the frames of the user's stack, by its copy. */
void samplestack_unwind(struct sampling *s, const struct perfrecord_sample *p);
/* Adds the callers that the processor has recorded. */
void samplestack_add_branches(struct sampling *s, const struct perfrecord_sample *p);
void samplestack_release(struct sampling *s);

/* --- offcpu.c --- */

/* A thread leaves its CPU, with the stack of s->sample. */
void offcpu_leave(struct sampling *s, const struct perfrecord_sample *p, uint32_t event);
/* A thread leaves or comes. */
int offcpu_take_switch(struct sampling *s, const struct samplesource_record *rec);
void offcpu_release(struct sampling *s);

/* --- samplegroup.c --- */

/* The members of the leader's group, as samples with the same stack. */
int samplegroup_put(struct sampling *s, const struct perfrecord_sample *p, uint32_t leader,
		    unsigned cpu);

#endif
