/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * countjob.h - the answer of `sonde count`: counts in a file, in the running system, or lets the
 * kernel count.
 */
#ifndef SONDE_CLI_ASK_COUNTJOB_H
#define SONDE_CLI_ASK_COUNTJOB_H

#include "analyse/keycount.h"
#include "cli/ask/gather.h"

#include <stdbool.h>
#include <stdint.h>

struct count_options {
	struct gather_options gather; /* must be the first member */
	struct keycount_config config;
	struct keycount *counts;
	uint64_t n_no_row; /* number of hits without a row in the last result */
	bool has_cut;	   /* the last result has truncated texts */
	const char *sum;   /* field; NULL: none */
};

/* ctx is a struct count_options. */
extern const struct gather_job count_job;

#endif
