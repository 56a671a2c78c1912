/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sampleopts.h - the options of commands that show samples, and the file that they read.
 *
 * A command has a struct sample_options somewhere in its options; the macros make rows for it.
 */
#ifndef SONDE_CLI_SAMPLES_SAMPLEOPTS_H
#define SONDE_CLI_SAMPLES_SAMPLEOPTS_H

#include "base/options.h"
#include "inputs/samples/sampleread.h"

#include <stdbool.h>

#define SAMPLEOPTS_CPUS_MAX 1024

struct sample_options {
	const char *event, *comm, *cpu_words;
	bool only, calls; /* samples or calls of a file that has both */
	bool off_cpu, wakeup, inlines, no_inline, lines;
	uint32_t cpus[SAMPLEOPTS_CPUS_MAX];
	size_t n_cpus;
};

/* Parses the list of CPUs, and refuses options that exclude each other. -EINVAL with a message. */
int sampleopts_settle(struct sample_options *o, struct errmsg *err);
/*
 * Does the file's answer come from samples or stacks? By the options, or because it is a file of
 * folded stacks or a trace with samples and without recorded calls.
 */
bool sampleopts_are_meant(const struct sample_options *o, const char *path);
struct sampleread_spec sampleopts_spec(const struct sample_options *o, const char *path);
/* Prints what the result lacks. Returns the exit status. */
int sampleopts_finish(const struct sampleread *r, const struct sample_options *o, bool quiet);

#define SAMPLEOPTS_ROWS(AT)                                                                       \
	ROW_HEADING("samples and stacks"),                                                        \
		ROW_STRING('e', "event", "EVENT",                                                 \
			   "use samples of this event, or the stacks behind events of this name", \
			   AT(event)),                                                            \
		ROW_FLAG(0, "off-cpu",                                                            \
			 "use the time that tasks wait off the CPU, by the stack that waits",     \
			 AT(off_cpu)),                                                            \
		ROW_FLAG(0, "wakeup",                                                             \
			 "use the time that tasks wait, by the stack that wakes them",            \
			 AT(wakeup)),                                                             \
		ROW_FLAG(0, "samples", "use samples, although the file has recorded calls, too",  \
			 AT(only)),                                                               \
		ROW_FLAG(0, "calls", "use calls, although the file has samples, too", AT(calls)), \
		ROW_STRING(0, "comm", "GLOB", "use samples of tasks with this name", AT(comm)),   \
		ROW_STRING(0, "cpu", "N,…", "use samples of these CPUs: 0,2-3", AT(cpu_words)),   \
		ROW_FLAG(0, "inline", "show inlined functions (default of graph and flame)",      \
			 AT(inlines)),                                                            \
		ROW_FLAG(0, "no-inline", "do not show inlined functions (default of functions)",  \
			 AT(no_inline))

#endif
