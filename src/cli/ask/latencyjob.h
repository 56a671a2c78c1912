/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * latencyjob.h - the answer of `sonde latency`: measures in a file, in the running system, or lets
 * the kernel measure.
 */
#ifndef SONDE_CLI_ASK_LATENCYJOB_H
#define SONDE_CLI_ASK_LATENCYJOB_H

#include "analyse/latency/latency.h"
#include "cli/ask/gather.h"
#include "live/latencyplan.h"

struct latency_options {
	struct gather_options gather; /* must be the first member */
	struct latency_config config;
	const char *by;
	long long n_worst, range, min, max;
	bool use_nsec, worst_asked;
	struct latencyplan plan;
	struct latency *latency;
};

/* ctx is a struct latency_options. */
extern const struct gather_job latency_job;

#endif
