/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * count.h - what the files of `sonde count` share.
 */
#ifndef SONDE_CLI_COUNT_H
#define SONDE_CLI_COUNT_H

#include "analyse/keycount.h"
#include "cli/gather.h"

struct count_options {
	struct gather_options gather; /* first */
	struct keycount_config config;
	struct keycount *counts;
	uint64_t n_no_row; /* of the result that was printed last */
	bool has_cut;	   /* … it has texts that were cut */
	const char *sum;   /* field; NULL: none */
	const char *how;   /* bpf, hist, program; NULL: the cheapest that works */
};

enum count_way { COUNT_IN_PROGRAM, COUNT_BY_HIST, COUNT_BY_BPF };

/* The counts so far as text, JSON or CSV. */
int count_fmt(struct count_options *o, struct keycount *counts, enum count_way way,
	      uint64_t n_missed, bool colour, struct textbuf *tb, struct errmsg *err);

/* Live, counted by the kernel. 1: done; 0: the kernel cannot, nothing has happened. */
int count_in_kernel(struct count_options *o, char **argv, struct errmsg *err);

#endif
