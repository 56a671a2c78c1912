/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * count.h - counts events of the running machine in the kernel, by BPF programs or by hist
 * triggers.
 */
#ifndef SONDE_LIVE_KERNEL_COUNT_H
#define SONDE_LIVE_KERNEL_COUNT_H

#include "analyse/keycount.h"
#include "live/pace.h"
#include "live/request.h"

enum count_way { COUNT_IN_PROGRAM, COUNT_BY_HIST, COUNT_BY_BPF };

/* The caller owns everything. */
struct count_job {
	struct live_request *request;
	const struct keycount_config *config;
	const char *how;  /* "bpf" or "hist": use only this method; NULL: the cheapest that works */
	bool has_filters; /* there are filters that only the program can check */
	struct pace *pace;
	/*
	 * Shows the counts so far. is_last: the settings are restored. n_missed: hits during the
	 * counting of another hit. Returns -EPIPE without a message if the reader has closed the
	 * output.
	 */
	int (*show)(void *ctx, struct keycount *counts, enum count_way way, uint64_t n_missed,
		    bool is_last, struct errmsg *err);
	void *ctx;
};

/*
 * Runs the job. Returns 1 if it was done, or 0 if the kernel does not support it; then nothing has
 * changed.
 */
int count_in_kernel(const struct count_job *job, char **argv, struct errmsg *err);

#endif
