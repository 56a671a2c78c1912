/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * write.h - samples as a perf.data, which perf report, perf script and others read.
 *
 * Places become addresses: each file is mapped at an address of its own, the same in all processes.
 * perf then finds functions in the files, as in its own recordings.
 */
#ifndef SONDE_PRESENT_PERFDATA_WRITE_H
#define SONDE_PRESENT_PERFDATA_WRITE_H

#include "format/bytes.h"
#include "store/tracefile.h"

#include <stdbool.h>
#include <stdint.h>

struct sampleinfo;
struct sampleset;
struct textbuf;

/* An event of the kernel: it becomes a sample of a tracepoint. */
struct perfwrite_event {
	char name[128]; /* "sched:sched_switch" */
	uint16_t id;
};
struct perfwrite_record {
	uint64_t ts;
	uint32_t cpu;
	int32_t pid, tid;
	const char *comm;
	struct piece raw;
};

struct perfwrite {
	/* NULL: none */
	const struct sampleset *set; /* with SAMPLESET_TIME, _TASK, _CPU and _EVENT */
	const struct sampleinfo *info;
	const char *clock;    /* of the trace; NULL: unknown */
	const char *uname;    /* "Linux HOST RELEASE …"; NULL: unknown */
	uint64_t kernel_text; /* the address of _text; 0: unknown */
	uint32_t n_cpus;
	const char *const *command; /* of the recording, ended by NULL; NULL: unknown */
	uint64_t rate;		    /* samples a second; 0: unknown */
	const struct perfwrite_event *events;
	size_t n_events;
	/* Visits all records of these events; they may be in any order. */
	void (*each)(void *ctx, void (*visit)(void *to, const struct perfwrite_record *rec),
		     void *to);
	void *ctx;
	struct piece texts[TRACEFILE_TEXT_KINDS]; /* formats of the events */
	size_t *ret_n_samples;			  /* how many were written; NULL: not asked */
	bool is_pipe; /* as perf record -o - writes: it can be read without seeking */
};

/* 0 or -ENOMEM. */
int perfwrite_fmt(const struct perfwrite *w, struct textbuf *tb);

#endif
