/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sched.h - declarations that the files of `sonde as perf sched` share. */
#ifndef SONDE_CLI_AS_SCHED_SCHED_H
#define SONDE_CLI_AS_SCHED_SCHED_H

#include "analyse/sched/perfsched.h"
#include "analyse/sched/schedsums.h"
#include "base/errmsg.h"
#include "cli/as/perf_words.h"
#include "cli/sched/schedrun.h"
#include "present/sched/timehisttext.h"

struct perf_sched_options {
	struct sched_options sched; /* must be the first member */
	struct perf_words words[2]; /* of perf sched, and of its sub-command */
	unsigned n_words;
	bool exact; /* count as perf does, with its errors */
	bool dump, force, verbose;
	/* latency */
	bool by_pid;
	const char *sort;
	long long profile_cpu;
	struct schedsums_view view;
	/* timehist */
	struct timehist_config hist;
	bool summary, with_summary, idle, no_stacks;
	long long n_frames;
	const char *time, *vmlinux, *kallsyms, *symfs;
	/* map */
	bool compact;
	const char *color_pids, *color_cpus;
};

/* A file that is read with perf's rules. */
struct perf_sched_run {
	struct schedrun run;
	const struct perf_sched_options *o;
	struct schedsums *sums;
	struct perfsched *perf;
	struct timehist hist;
};

/* Opens the file, with perf's message if it cannot. Close it after a failure, too. */
int perf_sched_open(struct perf_sched_run *r, const struct perf_sched_options *o,
		    const struct schedflow_ops *ops, struct errmsg *err);
void perf_sched_close(struct perf_sched_run *r);
/* Gives tasks the names that they had last, for tables at the end. */
void perf_sched_take_names(struct perf_sched_run *r);
unsigned perf_sched_n_cpus(const struct perf_sched_run *r);
/* Operations of the flow for all reports. */
void perf_sched_add_migration(void *ctx, const struct sched_event *ev, struct sched_task *t,
			      struct sched_task *by);
void perf_sched_add_runtime(void *ctx, const struct sched_event *ev, struct sched_task *t);

int perf_sched_latency(struct perf_sched_options *o, struct errmsg *err);
int perf_sched_timehist(struct perf_sched_options *o, struct errmsg *err);
int perf_sched_map(struct perf_sched_options *o, struct errmsg *err);
/* argv[0] is "record" */
int perf_sched_record(int argc, char **argv, struct errmsg *err);

#endif
