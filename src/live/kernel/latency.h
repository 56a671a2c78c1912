/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * latency.h - measures the time between two events of the running machine in the kernel, by BPF
 * programs or by hist triggers.
 */
#ifndef SONDE_LIVE_KERNEL_LATENCY_H
#define SONDE_LIVE_KERNEL_LATENCY_H

#include "analyse/latency/latency.h"
#include "live/pace.h"
#include "live/request.h"

/* The result so far, which belongs to the run. */
struct latency_measured {
	const struct latency_config *config; /* config with the events as the trace names them */
	struct latencies *result;	     /* after latencies_finish() */
	const struct latency_counts *counts;
	struct keyreader *keys;
	bool is_bpf;	   /* if false, hist triggers measured, in microseconds */
	uint64_t n_missed; /* hits during the processing of another hit */
	/* approximate time of the first probe in each duration; 0: unknown, or none */
	double probe_ns;
};

/* The caller owns everything. */
struct latency_job {
	struct live_request *request;
	const struct latency_config *config;
	/* "bpf" or "hist": use only this method; NULL: the cheapest that works */
	const char *how;
	bool has_filters;	 /* there are filters that only the program can check */
	bool wants_worst, in_ns; /* the user requests the longest durations, and nanoseconds */
	/* "EVENT:FILTER" of each side, if both are one event; else NULL */
	const char *side_filters[2];
	struct pace *pace;
	/*
	 * Shows the result. is_last: the settings are restored. Returns -EPIPE without a message if
	 * the reader has closed the output.
	 */
	int (*show)(void *ctx, const struct latency_measured *m, bool is_last, struct errmsg *err);
	void *ctx;
};

/*
 * Runs the job. Returns 1 if it was done, or 0 if the kernel does not support it; then nothing has
 * changed.
 */
int latency_in_kernel(const struct latency_job *job, char **argv, struct errmsg *err);

#endif
