// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_functions.c - `sonde functions`: counts and times function calls, of programs and the kernel
 * in a file, or of the kernel of the running machine.
 *
 *	gather ──▶ calltimes_add ──▶ calltimestext
 *
 * cli/calls/functionopts.h says what the options mean together; samples of a file are shown by
 * cli/samples/samplefunctions.h.
 */
#include "analyse/calltimes.h"
#include "base/scope.h"
#include "capture/plan.h"
#include "cli/command.h"
#include "cli/ask/gather.h"
#include "cli/calls/functionopts.h"
#include "cli/samples/samplefunctions.h"
#include "decode/record.h"
#include "present/result/calltimestext.h"
#include "symbols/tasks.h"

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

/* --- the answer ------------------------------------------------------------------------------- */

static int open_calls(void *ctx, struct formats *f, struct filter **filters, size_t n_filters,
		      struct errmsg *err)
{
	struct functions_options *o = ctx;

	o->config.with_own = o->gather.record.plan.trace_self;
	o->config.from = o->gather.from_ns;
	o->config.to = o->gather.to_ns;
	return calltimes_new(&o->calls, f, &o->config, err);
}

static const uint8_t *events(void *ctx, size_t *ret_n)
{
	return calltimes_events(((struct functions_options *)ctx)->calls, ret_n);
}

static void add(void *ctx, const struct record *rec)
{
	calltimes_add(((struct functions_options *)ctx)->calls, rec);
}

static void run_calls(void *ctx, struct walker *w, struct record *rec, uint64_t offset,
		      uint64_t before)
{
	calltimes_run(((struct functions_options *)ctx)->calls, w, rec, offset, before);
}

static int fmt(void *ctx, bool in_time, bool colour, struct textbuf *tb, struct errmsg *err)
{
	struct functions_options *o = ctx;
	struct calltimes_view v = {.calls = o->calls,
				   .in_time = in_time,
				   .colour = colour,
				   .sources = o->sources,
				   .n_rows = o->gather.n_rows,
				   .columns = o->columns};

	o->diff.options.quiet = o->gather.record.quiet;
	o->diff.options.short_names = o->gather.record.short_names;
	if (o->gather.input || (o->gather.record.has_user && o->gather.is_last))
		calltimes_end(o->calls);
	if (calltimes_finish(o->calls) < 0)
		return errmsg_set_errno(err, -ENOMEM, "cannot sort the functions");
	if (o->diff.path)
		return timesdiff_fmt(&o->diff, &v, &o->config, o->gather.output, tb, err);
	if (o->gather.output == GATHER_JSON)
		calltimestext_fmt_json(&v, tb);
	else if (o->gather.output == GATHER_CSV)
		calltimestext_fmt_csv(&v, tb);
	else
		calltimestext_fmt(&v, tb);
	return 0;
}

static void close_calls(void *ctx)
{
	struct functions_options *o = ctx;

	calltimes_free(o->calls);
	o->calls = NULL;
}

/* --- a file, on all CPUs ---------------------------------------------------------------------- */

static void release_part(void *state)
{
	calltimes_free(state);
}

static int init_part(void *ctx, struct formats *f, struct filter **filters, size_t n_filters,
		     void **ret_state)
{
	struct functions_options *o = ctx;
	struct errmsg err = {0};
	struct calltimes *part;
	int r;

	TRY(calltimes_new(&part, f, &o->config, &err));
	r = calltimes_make_part(part);
	if (r < 0)
		calltimes_free(part);
	else
		*ret_state = part;
	return r;
}

static const uint8_t *part_events(void *state, size_t *ret_n)
{
	return calltimes_events(state, ret_n);
}

static void add_to_part(void *state, const struct record *rec)
{
	calltimes_add(state, rec);
}

static int join_part(void *ctx, void *state, struct tasks *tasks)
{
	return calltimes_join(((struct functions_options *)ctx)->calls, state, tasks);
}

static bool start(void *ctx, bool *ret_uses_names)
{
	*ret_uses_names = false;
	return !((struct functions_options *)ctx)->config.n_groups;
}

static const struct gather_fold functions_fold = {.init = init_part,
						  .events = part_events,
						  .add = add_to_part,
						  .run = calltimes_run,
						  .join = join_part,
						  .release = release_part,
						  .start = start};

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

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct functions_options o = {0};
	struct gather_job job = {.ctx = &o,
				 .open = open_calls,
				 .events = events,
				 .add = add,
				 .run = run_calls,
				 .fmt = fmt,
				 .close = close_calls,
				 .fold = &functions_fold,
				 .needs = "functions needs a trace"};
	bool of_samples;
	int n, r;

	n = gather_parse(cmd, &o.gather, argc, argv, err);
	if (n >= 0 && functionopts_are_about_file(&o, n))
		o.gather.input = FUNCTIONOPTS_FILE;
	r = n < 0 ? n : sampleopts_settle(&o.samples, err);
	of_samples = r >= 0 && !n && o.gather.input && !o.diff.path &&
		     sampleopts_are_meant(&o.samples, o.gather.input);
	if (r >= 0)
		r = functionopts_refuse(&o, of_samples, err);
	if (r >= 0 && of_samples) {
		r = show_samples(&o, err);
		gather_release(&o.gather);
		return r;
	}
	if (r >= 0)
		r = functionopts_check(&o, err);
	if (r >= 0)
		r = functionopts_check_file(&o, err);
	if (r >= 0)
		r = functionopts_choose_tracer(&o, err);
	job.by_task = !o.config.n_groups;
	if (r >= 0)
		r = gather_run(&job, &o.gather, n, argv, err);
	callrun_close(&o.diff.run);
	plan_words_release(&o.only);
	plan_words_release(&o.never);
	gather_release(&o.gather);
	return r;
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
