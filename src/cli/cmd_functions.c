// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_functions.c - `sonde functions`: counts and times function calls, of programs and the kernel
 * in a file, or of the kernel of the running machine.
 *
 *	calls of a file, or live    cli/calls/functionsjob.c
 *	samples of a file           cli/samples/samplefunctions.c
 *
 * This file reads the question; cli/calls/functionopts.h says what the options mean together. Without
 * anything to trace, and without FILE, it reads trace.dat if that exists.
 */
#include "base/scope.h"
#include "capture/plan.h"
#include "cli/command.h"
#include "cli/ask/gather.h"
#include "cli/calls/functionopts.h"
#include "cli/calls/functionsjob.h"
#include "cli/samples/samplefunctions.h"

#include <errno.h>

#define AT(field)	  offsetof(struct functions_options, field)
#define SAMPLES_AT(field) offsetof(struct functions_options, samples.field)

static const struct option_row rows[] = {
	ROW_HEADING("which functions"),
	ROW_CALL('l', NULL, "FUNCTION", "show only these functions (globs)", recordopts_function),
	ROW_CALL('n', NULL, "FUNCTION", "do not trace these functions", recordopts_no_function),
	ROW_CALL('g', NULL, "FUNCTION", "live: trace these functions and everything they call",
		 recordopts_graph),
	ROW_CALL(0, "graph-notrace", "FUNCTION",
		 "live: do not trace these functions or anything they call", recordopts_no_graph),
	ROW_CALL(0, "module", "MODULE", "live: trace only functions of this module",
		 recordopts_module),
	ROW_NUMBER(0, "max-graph-depth", "N", "live: trace at most N nested calls",
		   RECORDOPTS_AT(plan.graph_depth)),
	ROW_STRING('i', "input", "FILE", "read a trace file instead of tracing the running system",
		   GATHER_AT(input), .complete = "file"),
	GATHER_BUFFER,
	ROW_STRING(0, "from", "TIME",
		   "of a file: start at this time, as report shows it, or +1.5s after the first "
		   "event",
		   GATHER_AT(from)),
	ROW_STRING(0, "to", "TIME", "of a file: stop at this time", GATHER_AT(to)),
	GATHER_TASKS,
	GATHER_USER,
	RECORDOPTS_ROW_KERNEL_DEPTH,
	SAMPLEOPTS_ROWS(SAMPLES_AT),
	ROW_STRING(0, "percent-limit", "PERCENT", "of samples: leave out rows with a smaller share",
		   AT(percent)),
	ROW_HEADING("how the result looks"),
	ROW_STRING(
		's', "sort", "COLUMN",
		"sort by total (default), self, avg, min, max, stdv, p50 … p99.9, calls, name or "
		"module; several with commas; samples by self (default), total, samples, name",
		AT(sort),
		.complete = "total self avg min max stdv p50 p90 p95 p99 p99.9 self-avg self-min "
			    "self-max self-stdv calls name module"),
	ROW_STRING('f', "output-fields", "FIELD,…",
		   "show these columns, named as for -s; + in front adds to the usual ones; all",
		   AT(fields)),
	ROW_FLAG(0, "srcline", "of a file: show the file and line where each function begins",
		 AT(sources)),
	ROW_FLAG(0, "short-names",
		 "names of C++ and Rust without template arguments: std::map::find",
		 RECORDOPTS_AT(short_names)),
	ROW_STRING(0, "by", "KEY,…",
		   "one row per function and value of these keys: $task, $comm, $pid, $cpu; of "
		   "samples only these keys: function, file, line, task, comm, process, cpu",
		   AT(by)),
	ROW_STRING(0, "diff", "OTHER",
		   "of a file: show what OTHER has more or less than FILE, largest change first",
		   AT(diff.path), .complete = "file"),
	GATHER_RESULT,
	GATHER_KERNEL,
	ROW_END,
};

static int show_samples(struct functions_options *o, struct errmsg *err)
{
	const struct plan_words *only = &o->gather.record.plan.buffers[0].functions;
	const struct plan_words *never = &o->gather.record.plan.buffers[0].no_functions;
	struct samplefunctions f = {.samples = &o->samples,
				    .gather = &o->gather,
				    .by = o->by,
				    .sort = o->sort,
				    .min_percent = o->percent,
				    .only = (const char *const *)only->words,
				    .n_only = only->n,
				    .never = (const char *const *)never->words,
				    .n_never = never->n,
				    .lines = o->sources};

	return samplefunctions_run(&f, err);
}

static void release(struct functions_options *o)
{
	callrun_close(&o->diff.run);
	plan_words_release(&o->only);
	plan_words_release(&o->never);
	gather_release(&o->gather);
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	SCOPED(release) struct functions_options o = {0};
	struct gather_job job = functions_job;
	int n = gather_parse(cmd, &o.gather, argc, argv, err);
	bool of_samples;

	job.ctx = &o;
	TRY(n);
	if (functionopts_are_about_file(&o, n))
		o.gather.input = FUNCTIONOPTS_FILE;
	TRY(sampleopts_settle(&o.samples, err));
	of_samples = !n && o.gather.input && !o.diff.path &&
		     sampleopts_are_meant(&o.samples, o.gather.input);
	TRY(functionopts_refuse(&o, of_samples, err));
	if (of_samples)
		return show_samples(&o, err);
	TRY(functionopts_check(&o, err));
	TRY(functionopts_check_file(&o, err));
	TRY(functionopts_choose_tracer(&o, err));
	job.by_task = !o.config.n_groups;
	return gather_run(&job, &o.gather, n, argv, err);
}

const struct command cmd_functions = {
	.name = "functions",
	.summary = "show how long functions take",
	.usage = "[options] [FILE | COMMAND [ARGUMENT…]]",
	.options = rows,
	.parse_flags = OPTIONS_STOP_AT_ARGUMENT,
	.run = run,
	.args = "program",
};
