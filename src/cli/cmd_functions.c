// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_functions.c - `sonde functions`: how often the functions of the kernel were called and how long they
 * took, of a function_graph trace in a file or of the running machine.
 *
 *	gather ──▶ calltimes_add ──▶ calltimestext
 *
 * Of a file -l and -n choose what is shown. Live they choose what is traced at all, which is much cheaper;
 * then what other functions took belongs to their callers' own time.
 */
#include "analyse/calltimes.h"
#include "base/array.h"
#include "capture/plan.h"
#include "cli/command.h"
#include "cli/ask/gather.h"
#include "decode/record.h"
#include "present/result/calltimestext.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct functions_options {
	struct gather_options gather; /* first */
	struct calltimes_config config;
	const char *by, *sort;
	struct calltimes *calls;
};

#define AT(field) offsetof(struct functions_options, field)

static const struct option_row rows[] = {
	{.kind = OPTION_HEADING, .help = "which functions"},
	{.kind = OPTION_CALL,
	 .letter = 'l',
	 .arg = "FUNCTION",
	 .help = "show only these functions (globs)",
	 .apply = recordopts_function},
	{.kind = OPTION_CALL,
	 .letter = 'n',
	 .arg = "FUNCTION",
	 .help = "do not trace these functions",
	 .apply = recordopts_no_function},
	{.kind = OPTION_CALL,
	 .letter = 'g',
	 .arg = "FUNCTION",
	 .help = "live: trace these functions and everything they call",
	 .apply = recordopts_graph},
	{.kind = OPTION_CALL,
	 .name = "graph-notrace",
	 .arg = "FUNCTION",
	 .help = "live: do not trace these functions or anything they call",
	 .apply = recordopts_no_graph},
	{.kind = OPTION_CALL,
	 .name = "module",
	 .arg = "MODULE",
	 .help = "live: trace only functions of this module",
	 .apply = recordopts_module},
	{.kind = OPTION_NUMBER,
	 .name = "max-graph-depth",
	 .arg = "N",
	 .help = "live: trace at most N nested calls",
	 .offset = RECORDOPTS_AT(plan.graph_depth)},
	{.kind = OPTION_STRING,
	 .letter = 'i',
	 .name = "input",
	 .arg = "FILE",
	 .help = "read a trace file instead of tracing the running system",
	 .offset = GATHER_AT(input),
	 .complete = "file"},
	GATHER_BUFFER,
	GATHER_TASKS,
	{.kind = OPTION_HEADING, .help = "how the result looks"},
	{.kind = OPTION_STRING,
	 .letter = 's',
	 .name = "sort",
	 .arg = "COLUMN",
	 .help = "sort by total (default), self, avg, max, calls or name",
	 .offset = AT(sort),
	 .complete = "total self avg max calls name"},
	{.kind = OPTION_STRING,
	 .name = "by",
	 .arg = "KEY,…",
	 .help = "one row per function and value of these keys: $task, $comm, $pid, $cpu",
	 .offset = AT(by)},
	GATHER_RESULT,
	GATHER_KERNEL,
	{.kind = OPTION_END},
};

/* --- the question ------------------------------------------------------------------------------ */

static int parse_sort(const char *word, enum calltimes_sort *ret, struct errmsg *err)
{
	static const struct {
		const char *word;
		enum calltimes_sort sort;
	} sorts[] = {
		{"total", CALLTIMES_TOTAL}, {"self", CALLTIMES_SELF},	{"avg", CALLTIMES_AVG},
		{"max", CALLTIMES_MAX},	    {"calls", CALLTIMES_CALLS}, {"count", CALLTIMES_CALLS},
		{"name", CALLTIMES_NAME},
	};

	for (size_t i = 0; i < ARRAY_LEN(sorts); i++)
		if (!strcmp(sorts[i].word, word)) {
			*ret = sorts[i].sort;
			return 0;
		}
	return errmsg_set(err, -EINVAL,
			  "functions can be sorted by total, self, avg, max, calls and name, not "
			  "by '%s' (-s)",
			  word);
}

static int parse_by(struct functions_options *o, struct errmsg *err)
{
	for (const char *p = o->by; *p;) {
		size_t len = strcspn(p, ",");

		if (o->config.n_groups == KEYS_MAX - 1 || !len || len >= KEY_WORD_MAX)
			return errmsg_set(err, -EINVAL,
					  "--by takes up to %d of $task, $comm, $pid and $cpu, "
					  "with commas between, not '%s'",
					  KEYS_MAX - 1, o->by);
		snprintf(o->config.groups[o->config.n_groups++], KEY_WORD_MAX, "%.*s", (int)len, p);
		p += len + (p[len] == ',');
	}
	return 0;
}

static int check(struct functions_options *o, struct errmsg *err)
{
	const struct plan_buffer *b = &o->gather.record.plan.buffers[0];
	int r = o->by ? parse_by(o, err) : 0;

	if (r >= 0 && o->sort)
		r = parse_sort(o->sort, &o->config.sort, err);
	o->config.only = (const char *const *)b->functions.words;
	o->config.n_only = b->functions.n;
	o->config.never = (const char *const *)b->no_functions.words;
	o->config.n_never = b->no_functions.n;
	return r;
}

/* --- the answer -------------------------------------------------------------------------------- */

static int open_calls(void *ctx, struct formats *f, struct filter **filters, size_t n_filters,
		      struct errmsg *err)
{
	struct functions_options *o = ctx;

	o->config.with_own = o->gather.record.plan.trace_self;
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

static int fmt(void *ctx, bool in_time, bool colour, struct textbuf *tb, struct errmsg *err)
{
	struct functions_options *o = ctx;
	struct calltimes_view v = {.calls = o->calls,
				   .in_time = in_time,
				   .colour = colour,
				   .n_rows = o->gather.n_rows};

	if (calltimes_finish(o->calls) < 0)
		return errmsg_set_errno(err, -ENOMEM, "cannot sort the functions");
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
				 .fmt = fmt,
				 .close = close_calls,
				 .needs = "functions needs a trace"};
	int n, r;

	n = gather_parse(cmd, &o.gather, argc, argv, err);
	r = n < 0 ? n : check(&o, err);
	if (r >= 0 && !o.gather.input)
		r = recordopts_tracer(&o, "function_graph", err);
	if (r >= 0)
		r = gather_run(&job, &o.gather, n, argv, err);
	gather_release(&o.gather);
	return r;
}

const struct command cmd_functions = {
	.name = "functions",
	.summary = "show how long kernel functions take",
	.usage = "[options] [FILE | COMMAND [ARGUMENT…]]",
	.options = rows,
	.parse_flags = OPTIONS_STOP_AT_ARGUMENT,
	.run = run,
	.args = "program",
};
