/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf_ftrace.h - the parsed options of `perf ftrace`. */
#ifndef SONDE_CLI_AS_PERF_FTRACE_H
#define SONDE_CLI_AS_PERF_FTRACE_H

#include "analyse/calltimes.h"
#include "analyse/latency/latency.h"
#include "cli/ask/gather.h"

struct perf_ftrace_options {
	struct gather_options gather; /* must be the first member, for recordopts.h */
	const char *tracer, *tid, *cpus;
	bool system_wide, use_bpf, use_nsec, hide_empty;
	bool has_functions, has_graph; /* -T or -N; -G or -g */
	long long delay_ms, range, min, max;
	const char *list_functions; /* -F: a glob, "*" */
	long long verbose;
	enum calltimes_column sort;
	/* latency and profile */
	struct latency_config config;
	struct latency *latency;
	struct calltimes_config calls_config;
	struct calltimes *calls;
};

#endif
