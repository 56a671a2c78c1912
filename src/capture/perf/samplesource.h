/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * samplesource.h - perf events that sample, and their rings.
 *
 *	samplesource_open      opens the events of all chosen tasks and CPUs; they do not count yet
 *	samplesource_enable    they count; not for a command, whose exec enables them
 *	samplesource_wait      until a ring has enough, or for a while
 *	samplesource_begin     a round: what the rings have now
 *	samplesource_next      the next record of all rings by time, until the given time
 *	samplesource_end       the kernel may overwrite what was read
 *	samplesource_disable   nothing more comes; read the rest
 *	samplesource_close
 *
 * Open it with all capabilities of root: rings above a limit need them.
 */
#ifndef SONDE_CAPTURE_PERF_SAMPLESOURCE_H
#define SONDE_CAPTURE_PERF_SAMPLESOURCE_H

#include "capture/perf/events/perfevents.h"
#include "capture/perf/perfrecord.h"

struct errmsg;
struct samplesource;

#define SAMPLESOURCE_EVENTS_MAX 64u

enum samplestacks {
	SAMPLESTACKS_FP, /* the kernel follows frame pointers */
	SAMPLESTACKS_DWARF,
	SAMPLESTACKS_LBR,
	SAMPLESTACKS_NONE,
};

struct samplesource_config {
	const struct perfevents *events;
	uint64_t freq;	 /* samples a second of each event; 0: by period */
	uint64_t period; /* 0: by freq */
	enum samplestacks stacks;
	uint32_t stack_bytes; /* of the copies for SAMPLESTACKS_DWARF */
	bool has_off_cpu;
	bool no_inherit; /* not new threads and processes */
	/* who; nothing: all tasks */
	const int *tids;
	size_t n_tids;
	bool is_command; /* tids is a process that has not called exec yet */
	const int *cpus; /* none: all */
	size_t n_cpus;
	size_t ring_bytes; /* 0: choose */
};

/* An event of the source; the one of off-CPU waits is the last. */
struct samplesource_event {
	const char *name;
	struct perfrecord_shape shape;
	bool is_off_cpu;
	uint32_t leader; /* index */
	bool has_leader_sampling;
};

struct samplesource_record {
	const struct perf_event_header *header; /* valid until the next call */
	unsigned cpu;
};

int samplesource_open(struct samplesource **ret, const struct samplesource_config *config,
		      struct errmsg *err);
void samplesource_close(struct samplesource *s);

size_t samplesource_n_events(const struct samplesource *s);
const struct samplesource_event *samplesource_event(const struct samplesource *s, size_t i);
/* The event with that id; -1: unknown. */
int samplesource_find(const struct samplesource *s, uint64_t id);
/* The rights were not enough to sample the kernel. */
bool samplesource_is_only_user(const struct samplesource *s);
size_t samplesource_ring_bytes(const struct samplesource *s);
/* What a sample costs the program, in ns; 0: unknown. */
double samplesource_sample_ns(const struct samplesource *s);
/* Number of tasks that ended before they could be sampled. */
size_t samplesource_n_gone(const struct samplesource *s);

void samplesource_enable(struct samplesource *s);
void samplesource_disable(struct samplesource *s);
/* Returns after timeout_ms, or when a ring wants to be read, or when stop_fd is readable. */
void samplesource_wait(struct samplesource *s, int stop_fd, int timeout_ms);
/* Whether all sampled tasks have ended; always false for CPUs. */
bool samplesource_is_over(const struct samplesource *s);

void samplesource_begin(struct samplesource *s);
/* Returns false if no ring has a record before until_ns. */
bool samplesource_next(struct samplesource *s, uint64_t until_ns, struct samplesource_record *ret);
void samplesource_end(struct samplesource *s);
/*
 * After samplesource_disable() and the last record: makes the kernel report the losses that it has
 * not reported yet. Then there may be more records.
 */
void samplesource_report_losses(struct samplesource *s);

#endif
