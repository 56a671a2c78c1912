// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_functions.c - `sonde functions`: counts and times function calls, of programs and the kernel
 * in a file, or of the kernel of the running machine.
 *
 *	gather ──▶ calltimes_add ──▶ calltimestext
 *
 * For a file, -l and -n select what is shown. For a live run they select what is traced, which is
 * much cheaper; then the time of other functions counts as self time of their callers. With -u, -u
 * itself selects what is traced, and -l and -n what is shown.
 */
#include "analyse/calls/calldiff.h"
#include "analyse/calltimes.h"
#include "base/scope.h"
#include "capture/plan.h"
#include "cli/command.h"
#include "cli/ask/gather.h"
#include "cli/calls/callopts.h"
#include "decode/record.h"
#include "inputs/taskwalk.h"
#include "live/request.h"
#include "present/result/calltimestext.h"

#include <errno.h>
#include <unistd.h>

#define DEFAULT_FILE "trace.dat"

struct functions_options {
	struct gather_options gather; /* must be the first member */
	struct calltimes_config config;
	const char *by, *sort, *fields, *diff;
	struct calltimes_columns columns;
	bool sources;
	struct calltimes *calls;
	struct plan_words only, never;	   /* with -u: -l and -n, which the kernel does not get */
	struct call_options other_options; /* options of `other`, which keeps a pointer to them */
	/* trace of --diff, open until the output is complete, so that it is not overwritten */
	struct callrun other;
};

#define AT(field) offsetof(struct functions_options, field)

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
	ROW_HEADING("how the result looks"),
	ROW_STRING(
		's', "sort", "COLUMN",
		"sort by total (default), self, avg, min, max, stdv, p50 … p99.9, calls, name or "
		"module; several with commas",
		AT(sort),
		.complete = "total self avg min max stdv p50 p90 p95 p99 p99.9 self-avg self-min "
			    "self-max self-stdv calls name module"),
	ROW_STRING('f', "output-fields", "FIELD,…",
		   "show these columns, named as for -s; + in front adds to the usual ones; all",
		   AT(fields)),
	ROW_FLAG(0, "srcline", "of a file: show the file and line where each function begins",
		 AT(sources)),
	ROW_STRING(0, "by", "KEY,…",
		   "one row per function and value of these keys: $task, $comm, $pid, $cpu",
		   AT(by)),
	ROW_STRING(0, "diff", "OTHER",
		   "of a file: show what OTHER has more or less than FILE, largest change first",
		   AT(diff), .complete = "file"),
	GATHER_RESULT,
	GATHER_KERNEL,
	ROW_END,
};

/* --- the question ----------------------------------------------------------------------------- */

static void set_shown(struct functions_options *o, const struct plan_words *only,
		      const struct plan_words *never)
{
	o->config.only = (const char *const *)only->words;
	o->config.n_only = only->n;
	o->config.never = (const char *const *)never->words;
	o->config.n_never = never->n;
}

static int check(struct functions_options *o, struct errmsg *err)
{
	struct plan_buffer *b = &o->gather.record.plan.buffers[0];
	int r = o->by ? calltimes_parse_groups(&o->config, o->by, err) : 0;

	if (r >= 0 && o->sort)
		r = calltimes_sort_parse("-s", o->sort, &o->config, err);
	if (r >= 0 && o->fields)
		r = calltimes_columns_parse("-f", o->fields, &o->columns, err);
	for (size_t i = 0; i < o->columns.n; i++)
		calltimes_column_need(o->columns.list[i], &o->config);
	if (o->gather.record.has_user) {
		o->only = b->functions;
		o->never = b->no_functions;
		b->functions = b->no_functions = (struct plan_words){0};
	}
	set_shown(o, o->gather.record.has_user ? &o->only : &b->functions,
		  o->gather.record.has_user ? &o->never : &b->no_functions);
	return r;
}

/* Is nothing said about what to trace? */
static bool is_about_file(const struct functions_options *o, int n_words)
{
	const struct live_request *req = &o->gather.record;
	const struct plan_buffer *b = &req->plan.buffers[0];

	return !n_words && !o->gather.input && !req->has_user && !b->functions.n &&
	       !b->no_functions.n && !b->graph_functions.n && !b->no_graph_functions.n &&
	       !b->modules.n && !b->pids.n && !req->plan.graph_depth && !o->gather.interval &&
	       !access(DEFAULT_FILE, F_OK);
}

/* Chooses the tracer of a live run: none for functions of programs alone. */
static int choose_tracer(struct functions_options *o, struct errmsg *err)
{
	const struct live_request *req = &o->gather.record;
	const struct plan_buffer *b = &req->plan.buffers[0];

	if (o->gather.input)
		return 0;
	if (req->has_user && !req->has_kernel_depth &&
	    (b->graph_functions.n || b->no_graph_functions.n || b->modules.n ||
	     req->plan.graph_depth))
		return errmsg_set(err, -EINVAL,
				  "-g, --graph-notrace, --module and --max-graph-depth are for "
				  "functions of the kernel; with -u add --kernel-depth N, or "
				  "leave them out");
	if (!req->has_user && req->has_kernel_depth)
		return errmsg_set(err, -EINVAL,
				  "--kernel-depth is for functions of programs (-u); use "
				  "--max-graph-depth");
	return req->has_user ? 0 : recordopts_tracer(o, "function_graph", err);
}

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

static void visit_other(void *ctx, const struct record *rec)
{
	calltimes_add(ctx, rec);
}

/* Sums the calls of the other trace. */
static int read_other(struct functions_options *o, struct calltimes **ret, struct errmsg *err)
{
	struct callrun *run = &o->other;
	struct taskwalk_spec spec = {.visit = visit_other, .run = calltimes_run};
	int r = callrun_open(run, &o->other_options, o->diff, err);

	if (r >= 0)
		r = calltimes_new(ret, callrun_formats(run), &o->config, err);
	TRY(r);
	spec.ctx = *ret;
	spec.events = calltimes_events(*ret, &spec.n_events);
	TRY(callrun_walk(run, spec, err));
	calltimes_end(*ret);
	if (calltimes_finish(*ret) < 0)
		return errmsg_set_errno(err, -ENOMEM, "cannot sort the functions");
	return 0;
}

static int fmt_diff(struct functions_options *o, const struct calltimes_view *v, struct textbuf *tb,
		    struct errmsg *err)
{
	struct calltimes *other = NULL;
	struct calldiff d = {0};
	int r;

	o->other_options.quiet = o->gather.record.quiet;
	r = read_other(o, &other, err);
	if (r >= 0 && calldiff_init(&d, o->calls, other, o->config.sort) < 0)
		r = errmsg_set_errno(err, -ENOMEM, "cannot compare the traces");
	if (r >= 0 && o->gather.output == GATHER_JSON)
		calltimestext_fmt_diff_json(v, &d, tb);
	else if (r >= 0 && o->gather.output == GATHER_CSV)
		calltimestext_fmt_diff_csv(v, &d, tb);
	else if (r >= 0)
		calltimestext_fmt_diff(v, &d, tb);
	calldiff_release(&d);
	calltimes_free(other);
	return r;
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

	if (o->gather.input || (o->gather.record.has_user && o->gather.is_last))
		calltimes_end(o->calls);
	if (calltimes_finish(o->calls) < 0)
		return errmsg_set_errno(err, -ENOMEM, "cannot sort the functions");
	if (o->diff)
		return fmt_diff(o, &v, tb, err);
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
				 .needs = "functions needs a trace"};
	int n, r;

	n = gather_parse(cmd, &o.gather, argc, argv, err);
	if (n >= 0 && is_about_file(&o, n))
		o.gather.input = DEFAULT_FILE;
	r = n < 0 ? n : check(&o, err);
	if (r >= 0 && o.diff && (!o.gather.input || o.config.n_groups))
		r = errmsg_set(err, -EINVAL, "--diff compares two files, without --by");
	if (r >= 0 && o.sources && (!o.gather.input || o.diff))
		r = errmsg_set(err, -EINVAL,
			       "--srcline shows source lines of one file; record the program first "
			       "(sonde record -u)");
	if (r >= 0 && (o.gather.from || o.gather.to) && !o.gather.input)
		r = errmsg_set(err, -EINVAL, "--from and --to are for a file");
	if (r >= 0 && (o.gather.from || o.gather.to) && o.diff)
		r = errmsg_set(err, -EINVAL,
			       "--diff compares whole files, without --from and --to");
	if (r >= 0)
		r = choose_tracer(&o, err);
	job.by_task = !o.config.n_groups;
	if (r >= 0)
		r = gather_run(&job, &o.gather, n, argv, err);
	callrun_close(&o.other);
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
