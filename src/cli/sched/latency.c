// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * latency.c - `sonde sched latency`: how long tasks waited for a CPU.
 *
 *	schedrun ──▶ schedsums ──▶ latencytext
 *
 * The options are those of perf sched latency, and sonde's own for tasks and times. Unlike perf's,
 * rows are sorted by the longest wait.
 */
#include "cli/sched/schedrun.h"

#include "analyse/sched/schedsums.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "cli/sched/sums.h"
#include "present/sched/schedtext.h"

#include <errno.h>

struct latency_options {
	struct sched_options sched; /* must be the first member */
	struct sums_options sums;
	long long n_worst;
};

#define AT(field) offsetof(struct latency_options, field)

static int set_sort(void *opts, const char *value, struct errmsg *err)
{
	return sums_parse_sort(&((struct latency_options *)opts)->sums.view, value, err);
}

static const struct option_row rows[] = {
	SCHEDOPTS_ROWS_SOURCE,
	ROW_HEADING("how the result looks"),
	ROW_FLAG('p', "pids", "one row per task, not per name", AT(sums.by_pid)),
	ROW_CALL('s', "sort", "KEY,…", "sort by max (default), runtime, switch, avg or pid",
		 set_sort, .complete = "max runtime switch avg pid"),
	ROW_NUMBER(0, "worst", "N", "show the N longest waits (default: 5)", AT(n_worst)),
	ROW_FLAG('g', "stacks", "a command is recorded with kernel stacks: the waker's is shown",
		 SCHEDOPTS_AT(wants_stacks)),
	ROW_NUMBER('n', "rows", "N", "show at most N rows", AT(sums.n_rows)),
	SCHEDOPTS_ROWS_RESULT,
	ROW_END,
};

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct latency_options o = {.n_worst = 5};
	SCOPED(sums_run_close) struct sums_run s = {0};
	char **command;
	int n = schedrun_parse(cmd, &o.sched, argc, argv, &command, err);

	TRY(n);
	if (o.n_worst < 0 || o.n_worst > 10000)
		return errmsg_set(err, -EINVAL, "--worst takes a number from 0 to 10000");
	if (!o.sums.view.n_orders)
		TRY(sums_parse_sort(&o.sums.view, "max", err));
	TRY(sums_run(&s, &o.sched, &o.sums, (size_t)o.n_worst, n, command, err));
	if (o.sched.json)
		schedtext_fmt_latency_json(&s.view, &s.run.text);
	else
		schedtext_fmt_latency(&s.view, &s.run.text);
	return schedrun_finish(&s.run, err);
}

const struct command sched_latency = {
	.name = "sched latency",
	.summary = "show how long tasks waited for a CPU, and the longest waits",
	.usage = "[options] [FILE | -- COMMAND [ARGUMENT…]]",
	.options = rows,
	.parse_flags = OPTIONS_STOP_AT_ARGUMENT,
	.args = "program",
	.run = run,
};
