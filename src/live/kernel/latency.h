/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * latency.h - the time between two events of the running machine, measured by the kernel: by BPF programs or by hist
 * triggers.
 */
#ifndef SONDE_LIVE_KERNEL_LATENCY_H
#define SONDE_LIVE_KERNEL_LATENCY_H

#include "analyse/latency/latency.h"
#include "live/pace.h"
#include "live/request.h"

/* What was measured so far; belongs to the run. */
struct latency_measured {
	const struct latency_config *config; /* with the events as the trace names them */
	struct latencies *result;	     /* after latencies_finish() */
	const struct latency_counts *counts;
	struct keyreader *keys;
	bool is_bpf;	   /* else hist triggers measured, in microseconds */
	uint64_t n_missed; /* hits that came while another one was looked at there */
	double probe_ns; /* about so much of each is the first probe's own time; 0: not known, or none */
};

/* All stay the caller's. */
struct latency_job {
	struct live_request *request;
	const struct latency_config *config;
	const char *how;	     /* "bpf" or "hist": only so; NULL: the cheapest that works */
	bool has_filters;	     /* some that only the program can check */
	bool wants_worst, in_ns;     /* the longest ones, and nanoseconds, are asked for */
	const char *side_filters[2]; /* "EVENT:FILTER" of each side, if both are one event; NULL */
	struct pace *pace;
	/* is_last: the machine is as it was again. -EPIPE without a sentence: nobody looks at it any more. */
	int (*show)(void *ctx, const struct latency_measured *m, bool is_last, struct errmsg *err);
	void *ctx;
};

/* 1: done; 0: the kernel cannot, nothing has happened. */
int latency_in_kernel(const struct latency_job *job, char **argv, struct errmsg *err);

#endif
