/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * count.h - events of the running machine, counted by the kernel: by BPF programs or by hist triggers.
 */
#ifndef SONDE_LIVE_KERNEL_COUNT_H
#define SONDE_LIVE_KERNEL_COUNT_H

#include "analyse/keycount.h"
#include "live/pace.h"
#include "live/request.h"

enum count_way { COUNT_IN_PROGRAM, COUNT_BY_HIST, COUNT_BY_BPF };

/* All stay the caller's. */
struct count_job {
	struct live_request *request;
	const struct keycount_config *config;
	const char *how;  /* "bpf" or "hist": only so; NULL: the cheapest that works */
	bool has_filters; /* some that only the program can check */
	struct pace *pace;
	/*
	 * Shows the counts so far; is_last: the machine is as it was again. n_missed: hits that came while another one was
	 * counted there. -EPIPE without a sentence: nobody looks at it any more.
	 */
	int (*show)(void *ctx, struct keycount *counts, enum count_way way, uint64_t n_missed,
		    bool is_last, struct errmsg *err);
	void *ctx;
};

/* 1: done; 0: the kernel cannot, nothing has happened. */
int count_in_kernel(const struct count_job *job, char **argv, struct errmsg *err);

#endif
