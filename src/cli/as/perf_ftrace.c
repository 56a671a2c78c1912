// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf_ftrace.c - `perf ftrace [trace|latency|profile]`: translates perf's options into sonde's
 * plan.
 *
 *	trace      the tracer's own text, as the kernel prints it (perf_ftrace_trace.c)
 *	latency    the time in a function, or between two events, as a histogram: gather, latency,
 *	           latencyperf
 *	profile    functions with their times: gather, calltimes, calltimestext
 *
 * The options are those of perf 6.16, which has all of the older ones. The default is trace. With a
 * command, only that command is traced, unless -a is given; without one, the whole machine.
 *
 * Differences from perf: sonde uses an instance of its own if the kernel can, restores all settings
 * at the end, accepts latency -e without BPF, and counts a duration in the correct bucket.
 */
#include "cli/as/perf_ftrace.h"

#include "base/array.h"
#include "base/scope.h"
#include "capture/tracefs/tracefs.h"
#include "cli/as/perf.h"
#include "decode/formats/formats.h"
#include "present/result/calltimestext.h"
#include "present/result/latencyperf.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS_MAX_BYTES (64u << 20)
#define CPUS_MAX	    8192

/* --- values ----------------------------------------------------------------------------------- */

static int add_option(struct perf_ftrace_options *o, const char *word, struct errmsg *err)
{
	return recordopts_option(o, word, err);
}

static int apply_function(void *opts, const char *value, struct errmsg *err)
{
	((struct perf_ftrace_options *)opts)->has_functions = true;
	return recordopts_function(opts, value, err);
}

static int apply_no_function(void *opts, const char *value, struct errmsg *err)
{
	((struct perf_ftrace_options *)opts)->has_functions = true;
	return recordopts_no_function(opts, value, err);
}

static int apply_graph(void *opts, const char *value, struct errmsg *err)
{
	((struct perf_ftrace_options *)opts)->has_graph = true;
	return recordopts_graph(opts, value, err);
}

static int apply_no_graph(void *opts, const char *value, struct errmsg *err)
{
	((struct perf_ftrace_options *)opts)->has_graph = true;
	return recordopts_no_graph(opts, value, err);
}

/* Parses "4M", a number with its unit, as perf requires it. */
static int apply_size(void *opts, const char *value, struct errmsg *err)
{
	static const char units[] = "BKMG";
	char *end;
	unsigned long long n = strtoull(value, &end, 10);
	const char *unit = *end ? strchr(units, *end) : NULL;
	char kb[32];

	if (end == value || !unit || end[1] || n > 1ull << 40)
		return errmsg_set(err, -EINVAL,
				  "-m takes a size with its unit, B, K, M or G, not '%s'", value);
	n <<= 10 * (unit - units);
	if (n < 1024)
		return errmsg_set(err, -EINVAL, "buffer size too small, must larger than 1KB.");
	snprintf(kb, sizeof(kb), "%llu", n >> 10);
	return recordopts_size(opts, kb, err);
}

/* Words of --func-opts and --graph-opts, and the corresponding options of the kernel. */
static const struct tracer_option {
	const char *word;
	const char *kernel[3];
	bool of_graph, has_number;
} tracer_options[] = {
	{"call-graph", {"func_stack_trace"}},
	{"irq-info", {"irq-info"}},
	{"args", {"funcgraph-args"}, .of_graph = true},
	{"retval", {"funcgraph-retval"}, .of_graph = true},
	{"retval-hex", {"funcgraph-retval", "funcgraph-retval-hex"}, .of_graph = true},
	{"retaddr", {"funcgraph-retaddr"}, .of_graph = true},
	{"nosleep-time", {"nosleep-time"}, .of_graph = true},
	{"noirqs", {"nofuncgraph-irqs"}, .of_graph = true},
	{"verbose", {"funcgraph-proc", "funcgraph-abstime", "latency-format"}, .of_graph = true},
	{"tail", {"funcgraph-tail"}, .of_graph = true},
	{"thresh", .of_graph = true, .has_number = true},
	{"depth", .of_graph = true, .has_number = true},
};

static int apply_number(struct perf_ftrace_options *o, const char *word, const char *text,
			struct errmsg *err)
{
	char *end;
	long long n = strtoll(text, &end, 10);

	if (end == text || *end || n < 0)
		return errmsg_set(err, -EINVAL, "'%s' takes a number, not '%s'", word, text);
	if (!strcmp(word, "depth"))
		o->gather.record.plan.graph_depth = n;
	else if (n)
		o->gather.record.plan.threshold_us = n;
	return 0;
}

static int apply_tracer_option(struct perf_ftrace_options *o, const char *text, bool graph,
			       struct errmsg *err)
{
	size_t len = strcspn(text, "=");
	const struct tracer_option *row = NULL;
	int r = 0;

	for (size_t i = 0; i < ARRAY_LEN(tracer_options) && !row; i++)
		if (tracer_options[i].of_graph == graph && strlen(tracer_options[i].word) == len &&
		    !strncmp(tracer_options[i].word, text, len))
			row = &tracer_options[i];
	if (!row || row->has_number != (text[len] == '='))
		return errmsg_set(err, -EINVAL, "Unknown option: %s", text);
	if (row->has_number)
		return apply_number(o, row->word, text + len + 1, err);
	for (size_t i = 0; i < 3 && row->kernel[i] && r >= 0; i++)
		r = add_option(o, row->kernel[i], err);
	return r;
}

static int apply_tracer_options(void *opts, const char *value, bool graph, struct errmsg *err)
{
	char *copy = strdup(value), *rest = copy, *word;
	int r = copy ? 0 : errmsg_set_errno(err, -ENOMEM, "cannot keep the options");

	while (r >= 0 && (word = strsep(&rest, ",")))
		r = apply_tracer_option(opts, word, graph, err);
	free(copy);
	return r;
}

static int apply_func_opts(void *opts, const char *value, struct errmsg *err)
{
	return apply_tracer_options(opts, value, false, err);
}

static int apply_graph_opts(void *opts, const char *value, struct errmsg *err)
{
	return apply_tracer_options(opts, value, true, err);
}

static int apply_sort(void *opts, const char *value, struct errmsg *err)
{
	static const struct {
		const char *word;
		enum calltimes_column sort;
	} sorts[] = {{"total", CALLTIMES_TOTAL},
		     {"avg", CALLTIMES_AVG},
		     {"max", CALLTIMES_MAX},
		     {"count", CALLTIMES_CALLS},
		     {"name", CALLTIMES_NAME}};

	for (size_t i = 0; i < ARRAY_LEN(sorts); i++)
		if (!strcmp(sorts[i].word, value)) {
			((struct perf_ftrace_options *)opts)->sort = sorts[i].sort;
			return 0;
		}
	return errmsg_set(err, -EINVAL, "Unknown sort key: %s", value);
}

static int apply_list(void *opts, const char *value, struct errmsg *err)
{
	((struct perf_ftrace_options *)opts)->list_functions = value ? value : "*";
	return 0;
}

static int apply_verbose(void *opts, const char *value, struct errmsg *err)
{
	((struct perf_ftrace_options *)opts)->verbose++;
	return 0;
}

/* --- rows ------------------------------------------------------------------------------------- */

#define AT(field) offsetof(struct perf_ftrace_options, field)

#define COMMON                                                                                \
	ROW_CALL('p', "pid", "pid", "Trace on existing process id", recordopts_pid),          \
		ROW_CALL(0, "tid", "tid", "Trace on existing thread id (exclusive to --pid)", \
			 recordopts_pid),                                                     \
		ROW_CALL('v', "verbose", NULL, "Be more verbose", apply_verbose),             \
		ROW_FLAG('a', "all-cpus", "System-wide collection from all CPUs",             \
			 AT(system_wide)),                                                    \
		ROW_STRING('C', "cpu", "cpu", "List of cpus to monitor", AT(cpus)), ROW_END

#define FUNCTIONS                                                                               \
	ROW_CALL('T', "trace-funcs", "func", "Trace given functions using function tracer",     \
		 apply_function),                                                               \
		ROW_CALL('N', "notrace-funcs", "func", "Do not trace given functions",          \
			 apply_no_function),                                                    \
		ROW_CALL('G', "graph-funcs", "func",                                            \
			 "Trace given functions using function_graph tracer", apply_graph),     \
		ROW_CALL('g', "nograph-funcs", "func", "Set nograph filter on given functions", \
			 apply_no_graph),                                                       \
		ROW_CALL('m', "buffer-size", "size",                                            \
			 "Size of per cpu buffer, needs to use a B, K, M or G suffix.",         \
			 apply_size)

static const struct option_row trace_rows[] = {
	ROW_STRING('t', "tracer", "tracer", "Tracer to use: function_graph(default) or function",
		   AT(tracer)),
	ROW_CALL('F', "funcs", "[FILTER]", "Show available functions to filter", apply_list,
		 .arg_optional = true),
	FUNCTIONS,
	ROW_CALL(0, "func-opts", "options",
		 "Function tracer options, available options: call-graph,irq-info",
		 apply_func_opts),
	ROW_CALL(0, "graph-opts", "options",
		 "Graph tracer options, available options: "
		 "args,retval,retval-hex,retaddr,nosleep-time,noirqs,verbose,thresh=<n>,depth=<n>",
		 apply_graph_opts),
	ROW_FLAG(0, "inherit", "Trace children processes", RECORDOPTS_AT(plan.children)),
	ROW_NUMBER('D', "delay", "n",
		   "Number of milliseconds to wait before starting tracing after program start",
		   AT(delay_ms)),
	COMMON,
};

static const struct option_row latency_rows[] = {
	ROW_CALL('T', "trace-funcs", "func", "Show latency of given function", apply_function),
	ROW_CALL('e', "events", "event1,event2", "Show latency between the two events",
		 gather_event),
	ROW_FLAG('b', "use-bpf", "Use BPF to measure function latency (sonde needs none)",
		 AT(use_bpf)),
	ROW_FLAG('n', "use-nsec", "Use nano-second histogram", AT(use_nsec)),
	ROW_NUMBER(0, "bucket-range", "n",
		   "Bucket range in ms or ns (-n/--use-nsec), default is log2() mode", AT(range)),
	ROW_NUMBER(0, "min-latency", "n",
		   "Minimum latency (1st bucket). Works only with --bucket-range.", AT(min)),
	ROW_NUMBER(0, "max-latency", "n",
		   "Maximum latency (last bucket). Works only with --bucket-range.", AT(max)),
	ROW_FLAG(0, "hide-empty", "Hide empty buckets in the histogram", AT(hide_empty)),
	COMMON,
};

static const struct option_row profile_rows[] = {
	FUNCTIONS,
	ROW_CALL('s', "sort", "key", "Sort result by key: total (default), avg, max, count, name.",
		 apply_sort),
	ROW_CALL(
		0, "graph-opts", "options",
		"Graph tracer options, available options: nosleep-time,noirqs,thresh=<n>,depth=<n>",
		apply_graph_opts),
	COMMON,
};

/* --- the plan --------------------------------------------------------------------------------- */

/* Converts "0,2-3" to a mask in hex. */
static int set_cpus(struct perf_ftrace_options *o, struct errmsg *err)
{
	uint8_t mask[CPUS_MAX / 8] = {0};
	char text[CPUS_MAX / 4 + 1];
	size_t len = 0;

	if (!o->cpus)
		return 0;
	for (const char *p = o->cpus; *p; p += *p == ',') {
		char *end;
		unsigned long from = strtoul(p, &end, 10), to = from;

		if (end != p && *end == '-')
			to = strtoul(p = end + 1, &end, 10);
		if (end == p || (*end && *end != ',') || from > to || to >= CPUS_MAX)
			return errmsg_set(err, -EINVAL, "Invalid CPU list: %s", o->cpus);
		for (; from <= to; from++)
			mask[from / 8] |= 1 << from % 8;
		p = end;
	}
	for (size_t i = CPUS_MAX / 8; i-- > 0;)
		if (len || mask[i])
			len += snprintf(text + len, sizeof(text) - len, "%02x", mask[i]);
	return recordopts_cpumask(o, len ? text : "0", err);
}

/* Makes the plan. children_how is perf's own method or, where it has none, ours. */
static int make_plan(struct perf_ftrace_options *o, const char *tracer, const char *children_how,
		     bool has_command, struct errmsg *err)
{
	struct plan *plan = &o->gather.record.plan;
	int r = tracer ? recordopts_tracer(o, tracer, err) : 0;

	if (r >= 0)
		r = set_cpus(o, err);
	plan->children_how = children_how;
	plan->only_command = has_command && !o->system_wide && !o->cpus && !plan->buffers[0].pids.n;
	plan->children &= plan->only_command || plan->buffers[0].pids.n;
	return r;
}

static int list_functions(const char *pattern, struct errmsg *err)
{
	struct tracefs t;
	TEXTBUF(text, FUNCTIONS_MAX_BYTES);
	int r;

	TRY(tracefs_open(&t, err));
	r = tracefs_read_text(&t, "", "available_filter_functions", &text, err);
	for (char *p = text.start; r >= 0 && p && *p;) {
		size_t len = strcspn(p, "\n"), name = strcspn(p, " \t\n");
		char kept = p[name];
		bool matches;

		p[name] = 0;
		matches = !fnmatch(pattern, p, 0);
		p[name] = kept;
		if (matches)
			printf("%.*s\n", (int)len, p);
		p += len + !!p[len];
	}
	return r < 0 ? r : 0;
}

static int run_trace(struct perf_ftrace_options *o, char **argv, struct errmsg *err)
{
	const char *tracer = o->tracer		? o->tracer
			     : o->has_graph	? "function_graph"
			     : o->has_functions ? "function"
						: "function_graph";
	int r;

	/* the pattern may be the next word */
	if (o->list_functions)
		return list_functions(
			argv && !strcmp(o->list_functions, "*") ? argv[0] : o->list_functions, err);
	/* as in perf, the options that name functions take precedence over -t */
	if (o->has_graph || o->has_functions)
		tracer = o->has_graph ? "function_graph" : "function";
	r = make_plan(o, tracer, "with --inherit", argv, err);
	return r < 0 ? r : perf_ftrace_trace(o, argv, err);
}

/* --- latency ---------------------------------------------------------------------------------- */

static int open_latency(void *ctx, struct formats *f, struct filter **filters, size_t n_filters,
			struct errmsg *err)
{
	struct perf_ftrace_options *o = ctx;

	if (o->gather.names.n == 2) {
		o->config.from = o->gather.names.words[0];
		o->config.to = o->gather.names.words[1];
	}
	return latency_new(&o->latency, f, &o->config, err);
}

static const uint8_t *latency_wants(void *ctx, size_t *ret_n)
{
	return latency_events(((struct perf_ftrace_options *)ctx)->latency, ret_n);
}

static void add_latency(void *ctx, const struct record *rec)
{
	latency_add(((struct perf_ftrace_options *)ctx)->latency, rec);
}

static int fmt_latency(void *ctx, bool in_time, bool colour, struct textbuf *tb, struct errmsg *err)
{
	struct perf_ftrace_options *o = ctx;

	if (latency_finish(o->latency) < 0)
		return errmsg_set_errno(err, -ENOMEM, "cannot sort the latencies");
	latencyperf_fmt(latency_result(o->latency), o->hide_empty, tb);
	return 0;
}

static void close_latency(void *ctx)
{
	struct perf_ftrace_options *o = ctx;

	latency_free(o->latency);
	o->latency = NULL;
}

/* Makes perf's own checks, with its messages. */
static int check_latency(const struct perf_ftrace_options *o, size_t n_functions,
			 struct errmsg *err)
{
	if (!n_functions && !o->gather.events.n)
		return errmsg_set(err, -EINVAL, "Should provide a function or events to measure");
	if (n_functions && o->gather.events.n)
		return errmsg_set(err, -EINVAL, "Please specify either of function or events");
	if (o->gather.events.n && o->gather.events.n != 2)
		return errmsg_set(err, -EINVAL, "latency is measured between two events: -e A,B");
	if (o->range && o->max && o->max < (o->min ? o->min : o->range) + o->range)
		return errmsg_set(err, -EINVAL,
				  "--max-latency must be larger than min-latency + bucket-range");
	return latency_scale_check(o->range, o->min, o->max, err);
}

/* Adjusts the scale: perf rounds the number of steps down, so the last step is longer. */
static void settle_scale(struct perf_ftrace_options *o)
{
	struct latency_scale *s = &o->config.scale;

	*s = (struct latency_scale){.unit_ns = o->use_nsec ? 1 : 1000,
				    .range = o->range,
				    .min = o->min ? o->min : o->range};
	if (o->range && o->max)
		s->max = s->min + (o->max - s->min) / o->range * o->range;
	latency_scale_settle(s);
}

static int run_latency(struct perf_ftrace_options *o, char **argv, struct errmsg *err)
{
	struct gather_job job = {.ctx = o,
				 .open = open_latency,
				 .events = latency_wants,
				 .add = add_latency,
				 .fmt = fmt_latency,
				 .close = close_latency};
	const struct plan_words *functions = &o->gather.record.plan.buffers[0].functions;
	int r;

	TRY(check_latency(o, functions->n, err));
	settle_scale(o);
	if (functions->n)
		o->config.function = functions->words[functions->n - 1];
	r = make_plan(o, functions->n ? "function_graph" : NULL, "in 'sonde latency -c'", argv,
		      err);
	return r < 0 ? r : gather_live(&job, &o->gather, argv, err);
}

/* --- profile ---------------------------------------------------------------------------------- */

static int open_calls(void *ctx, struct formats *f, struct filter **filters, size_t n_filters,
		      struct errmsg *err)
{
	struct perf_ftrace_options *o = ctx;

	return calltimes_new(&o->calls, f, &o->calls_config, err);
}

static const uint8_t *calls_want(void *ctx, size_t *ret_n)
{
	return calltimes_events(((struct perf_ftrace_options *)ctx)->calls, ret_n);
}

static void add_call(void *ctx, const struct record *rec)
{
	calltimes_add(((struct perf_ftrace_options *)ctx)->calls, rec);
}

static int fmt_calls(void *ctx, bool in_time, bool colour, struct textbuf *tb, struct errmsg *err)
{
	struct perf_ftrace_options *o = ctx;
	struct calltimes_view v = {.calls = o->calls, .in_time = in_time};

	if (calltimes_finish(o->calls) < 0)
		return errmsg_set_errno(err, -ENOMEM, "cannot sort the functions");
	calltimestext_fmt_perf(&v, tb);
	return 0;
}

static void close_calls(void *ctx)
{
	struct perf_ftrace_options *o = ctx;

	calltimes_free(o->calls);
	o->calls = NULL;
}

static int run_profile(struct perf_ftrace_options *o, char **argv, struct errmsg *err)
{
	struct gather_job job = {.ctx = o,
				 .open = open_calls,
				 .events = calls_want,
				 .add = add_call,
				 .fmt = fmt_calls,
				 .close = close_calls};
	int r = make_plan(o, "function_graph", "in 'sonde functions -c'", argv, err);

	o->calls_config.sort = o->sort;
	return r < 0 ? r : gather_live(&job, &o->gather, argv, err);
}

/* --- the door --------------------------------------------------------------------------------- */

static const struct sub_command {
	const char *name;
	const struct option_row *rows;
	int (*run)(struct perf_ftrace_options *o, char **argv, struct errmsg *err);
} sub_commands[] = {
	{"trace", trace_rows, run_trace},
	{"latency", latency_rows, run_latency},
	{"profile", profile_rows, run_profile},
};

static int print_help(const struct sub_command *sub)
{
	TEXTBUF(tb, 1 << 20);

	textbuf_add_str(&tb,
			"\n Usage: perf ftrace [<options>] [<command>]\n"
			"    or: perf ftrace [<options>] -- [<command>] [<options>]\n"
			"    or: perf ftrace {trace|latency|profile} [<options>] [<command>]\n"
			"    or: perf ftrace {trace|latency|profile} [<options>] -- [<command>] "
			"[<options>]\n\n");
	options_fmt_help(sub->rows, &tb);
	fwrite(tb.start, 1, textbuf_len(&tb), stdout);
	return 129; /* the status of perf's usage */
}

int perf_ftrace(int argc, char **argv, struct errmsg *err)
{
	struct perf_ftrace_options o = {.gather.no_pager = true, .gather.colour = "never"};
	const struct sub_command *sub = &sub_commands[0];
	bool help = false;
	int n, r;

	for (size_t i = 0; argc > 1 && i < ARRAY_LEN(sub_commands); i++)
		if (!strcmp(argv[1], sub_commands[i].name)) {
			sub = &sub_commands[i];
			argc--;
			argv++;
			break;
		}
	n = recordopts_init(&o.gather.record);
	if (n >= 0)
		n = options_parse(sub->rows, &o, argc, argv, OPTIONS_STOP_AT_ARGUMENT, &help, err);
	if (help) {
		r = print_help(sub);
	} else {
		r = n;
		if (n >= 0) {
			argv[n + 1] = NULL;
			r = sub->run(&o, n ? argv + 1 : NULL, err);
		}
	}
	gather_release(&o.gather);
	return r;
}
