/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * samplechoice.h - what to sample and how, as the options of commands say it.
 *
 * Each function takes the text of an option and returns 0, or a negative errno with a sentence.
 * samplechoice_release() frees it; zeros are an empty choice.
 */
#ifndef SONDE_CAPTURE_PERF_SAMPLECHOICE_H
#define SONDE_CAPTURE_PERF_SAMPLECHOICE_H

#include "capture/perf/sampling.h"

struct errmsg;

struct samplechoice {
	bool is_wanted;
	struct perfevents events;
	uint64_t rate, period;
	bool has_stacks;
	enum samplestacks stacks;
	uint32_t stack_bytes;
	bool has_off_cpu;
	uint64_t off_cpu_min_ns;
	bool no_inherit;
	bool is_everywhere; /* all processes, even if a command runs */
	bool only_threads;  /* -P names threads, not processes */
	int *pids, *tids, *cpus;
	size_t n_pids, n_tids, n_cpus;
	uint64_t ring_bytes;
	struct perfevents counters; /* --counters */
	unsigned counter_ms;
	bool has_samples; /* not only counters */
};

/*
 * "997": a rate; "cache-misses": an event; "cache-misses,1000": with a period. NULL or "": default.
 */
int samplechoice_sample(struct samplechoice *c, const char *text, struct errmsg *err);
int samplechoice_event(struct samplechoice *c, const char *text, struct errmsg *err);
int samplechoice_rate(struct samplechoice *c, const char *text, struct errmsg *err);
int samplechoice_period(struct samplechoice *c, const char *text, struct errmsg *err);
/* Events that are counted beside the recording; "50": milliseconds between two values. */
int samplechoice_counters(struct samplechoice *c, const char *text, struct errmsg *err);
int samplechoice_counter_interval(struct samplechoice *c, const char *text, struct errmsg *err);
/* fp, dwarf, dwarf,BYTES, lbr, none */
int samplechoice_stacks(struct samplechoice *c, const char *text, struct errmsg *err);
/* "100us", "1ms", "2s", "500" (ns); NULL: all */
int samplechoice_off_cpu(struct samplechoice *c, const char *text, struct errmsg *err);
/* "17,18" */
int samplechoice_pids(struct samplechoice *c, const char *text, struct errmsg *err);
int samplechoice_tids(struct samplechoice *c, const char *text, struct errmsg *err);
/* "0,2-5" */
int samplechoice_cpus(struct samplechoice *c, const char *text, struct errmsg *err);
/* "512K", "4M": bytes of a CPU's ring */
int samplechoice_ring(struct samplechoice *c, const char *text, struct errmsg *err);
void samplechoice_release(struct samplechoice *c);

/* The config refers to the choice. */
void samplechoice_config(struct samplechoice *c, struct sampling_config *ret);

#endif
