// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * summary.c - `sonde sched summary`: the time of tasks by state, and of CPUs.
 *
 *	schedrun ──▶ schedsums ──▶ summarytext
 *
 * With a range, times are cut at its ends. `sonde states` shows similar sums from the viewer's
 * index, also of several files and guests; this command reads one file once, and needs no index.
 */
#include "cli/sched/sums.h"

#include "base/errmsg.h"
#include "base/scope.h"
#include "present/sched/schedtext.h"

struct summary_options {
	struct sched_options sched; /* must be the first member */
	struct sums_options sums;
};

#define AT(field) offsetof(struct summary_options, field)

static int set_sort(void *opts, const char *value, struct errmsg *err)
{
	return sums_parse_sort(&((struct summary_options *)opts)->sums.view, value, err);
}

static const struct option_row rows[] = {
	SCHEDOPTS_ROWS_SOURCE,
	ROW_HEADING("how the result looks"),
	ROW_FLAG('p', "pids", "one row per task, not per name", AT(sums.by_pid)),
	ROW_CALL('s', "sort", "KEY,…", "sort by runtime (default), switch, avg, max or pid",
		 set_sort, .complete = "runtime switch avg max pid"),
	ROW_FLAG('g', "stacks",
		 "show where tasks slept and were blocked, if kernel stacks were recorded; a "
		 "command is recorded with them",
		 SCHEDOPTS_AT(wants_stacks)),
	ROW_NUMBER('n', "rows", "N", "show at most N rows", AT(sums.n_rows)),
	SCHEDOPTS_ROWS_RESULT,
	ROW_END,
};

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct summary_options o = {0};
	SCOPED(sums_run_close) struct sums_run s = {0};
	char **command;
	int n = schedrun_parse(cmd, &o.sched, argc, argv, &command, err);

	TRY(n);
	if (!o.sums.view.n_orders)
		TRY(sums_parse_sort(&o.sums.view, "runtime", err));
	o.sums.has_places = o.sched.wants_stacks;
	TRY(sums_run(&s, &o.sched, &o.sums, 0, n, command, err));
	if (o.sched.json)
		schedtext_fmt_summary_json(&s.view, &s.run.text);
	else
		schedtext_fmt_summary(&s.view, &s.run.text);
	return schedrun_finish(&s.run, err);
}

const struct command sched_summary = {
	.name = "sched summary",
	.summary = "show the time of tasks by state, and how busy the CPUs were",
	.usage = "[options] [FILE | -- COMMAND [ARGUMENT…]]",
	.options = rows,
	.parse_flags = OPTIONS_STOP_AT_ARGUMENT,
	.args = "program",
	.run = run,
};
