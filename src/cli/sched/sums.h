/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sums.h - what `sched latency`, `sched summary` and `as perf sched latency` share: the sums of a
 * file.
 */
#ifndef SONDE_CLI_SCHED_SUMS_H
#define SONDE_CLI_SCHED_SUMS_H

#include "analyse/sched/schedsums.h"
#include "base/errmsg.h"
#include "cli/sched/schedrun.h"
#include "present/sched/schedtext.h"

struct sums_options {
	bool by_pid;
	long long n_rows; /* 0: all */
	bool has_places;
	struct schedsums_view view;
};

struct sums_run {
	struct schedrun run;
	struct schedsums *sums;
	struct sched_view view;
};

/* Parses "max,runtime" for --sort. */
int sums_parse_sort(struct schedsums_view *view, const char *value, struct errmsg *err);
/* Reads everything. Close it after a failure, too. */
int sums_run(struct sums_run *s, const struct sched_options *o, struct sums_options *so,
	     size_t n_worst, int n_words, char **command, struct errmsg *err);
void sums_run_close(struct sums_run *s);

#endif
