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

/* clang-format off */
#define SAMPLEOPTS_ROWS(AT)                                                                        \
	{.kind = OPTION_HEADING, .help = "samples and stacks"},                                    \
	{.kind = OPTION_STRING, .letter = 'e', .name = "event", .arg = "EVENT",                    \
	 .help = "use samples of this event, or the stacks behind events of this name",            \
	 .offset = AT(event)},                                                                     \
	{.kind = OPTION_FLAG, .name = "off-cpu",                                                   \
	 .help = "use the time that tasks wait off the CPU, by the stack that waits",              \
	 .offset = AT(off_cpu)},                                                                   \
	{.kind = OPTION_FLAG, .name = "wakeup",                                                    \
	 .help = "use the time that tasks wait, by the stack that wakes them",                     \
	 .offset = AT(wakeup)},                                                                    \
	{.kind = OPTION_FLAG, .name = "samples",                                                   \
	 .help = "use samples, although the file has recorded calls, too", .offset = AT(only)},    \
	{.kind = OPTION_FLAG, .name = "calls",                                                     \
	 .help = "use calls, although the file has samples, too", .offset = AT(calls)},            \
	{.kind = OPTION_STRING, .name = "comm", .arg = "GLOB",                                     \
	 .help = "use samples of tasks with this name", .offset = AT(comm)},                       \
	{.kind = OPTION_STRING, .name = "cpu", .arg = "N,…",                                       \
	 .help = "use samples of these CPUs: 0,2-3", .offset = AT(cpu_words)},                     \
	{.kind = OPTION_FLAG, .name = "inline",                                                    \
	 .help = "show inlined functions (default of graph and flame)", .offset = AT(inlines)},    \
	{.kind = OPTION_FLAG, .name = "no-inline",                                                 \
	 .help = "do not show inlined functions (default of functions)", .offset = AT(no_inline)}
/* clang-format on */

#endif
