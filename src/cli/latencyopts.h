/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * latencyopts.h - what the files of `sonde latency` share.
 */
#ifndef SONDE_CLI_LATENCYOPTS_H
#define SONDE_CLI_LATENCYOPTS_H

#include "analyse/latency/latency.h"
#include "cli/gather.h"

struct latency_view;

struct latency_options {
	struct gather_options gather; /* first */
	struct latency_config config;
	const char *by;
	long long n_worst, range, min, max;
	bool use_nsec, worst_asked;
	const char *how;       /* bpf, hist, program; NULL: the cheapest that works */
	char *side_filters[2]; /* of -e E -f A -e E -f B, which the program tells apart; NULL */
	struct filter *filters[2];
	struct latency *latency;
	struct latency_call
		*calls; /* of a pattern of functions; NULL: one function, or two events */
};

void latency_fmt_view(const struct latency_options *o, const struct latency_view *v,
		      struct textbuf *tb);

/* Live, measured by the kernel. 1: done; 0: the kernel cannot, nothing has happened. */
int latency_in_kernel(struct latency_options *o, char **argv, struct errmsg *err);

#endif
