// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sched.c - `perf sched`: options and sub-commands of perf 6.1.
 *
 *	perf sched [-i FILE] record|latency|timehist|map|script [options]
 *
 * The text is perf's. The numbers are corrected where perf's are wrong (doc/deviations.md);
 * --exact counts as perf does. replay is refused: it runs a load, which sonde does not do.
 */
#include "cli/as/sched/sched.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "cli/as/perf.h"
#include "cli/as/perf_words.h"
#include "cli/sched/sums.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define AT(field) offsetof(struct perf_sched_options, field)

static int set_verbose(void *opts, const char *value, struct errmsg *err)
{
	((struct perf_sched_options *)opts)->verbose = true;
	return 0;
}

/* Options of perf sched itself, which its sub-commands accept, too, but do not list. */
#define PARENT(...)                                                                          \
	ROW_FLAG('D', "dump-raw-trace", "dump raw trace in ASCII", AT(dump), __VA_ARGS__),   \
		ROW_FLAG('f', "force", "don't complain, do it", AT(force), __VA_ARGS__),     \
		ROW_STRING('i', "input", "file", "input file name", SCHEDOPTS_AT(input),     \
			   __VA_ARGS__),                                                     \
		ROW_CALL('v', "verbose", NULL, "be more verbose (show symbol address, etc)", \
			 set_verbose, __VA_ARGS__),                                          \
		ROW_FLAG(0, "exact", "count as perf does, with its errors", AT(exact),       \
			 .hidden = true),                                                    \
		ROW_END

static const struct option_row sched_rows[] = {
	PARENT(.hidden = false),
};

static const struct option_row latency_rows[] = {
	ROW_NUMBER('C', "CPU", "n", "CPU to profile on", AT(profile_cpu)),
	ROW_FLAG('p', "pids", "latency stats per pid instead of per comm", AT(by_pid)),
	ROW_STRING('s', "sort", "key[,key2...]", "sort by key(s): runtime, switch, avg, max",
		   AT(sort)),
	PARENT(.hidden = true),
};

static const struct option_row map_rows[] = {
	ROW_STRING(0, "color-cpus", "cpus", "highlight given CPUs in map", AT(color_cpus)),
	ROW_STRING(0, "color-pids", "pids", "highlight given pids in map", AT(color_pids)),
	ROW_FLAG(0, "compact", "map output in compact mode", AT(compact)),
	ROW_CALL(0, "cpus", "cpus", "display given CPUs in map", schedopts_cpus),
	PARENT(.hidden = true),
};

static const struct option_row timehist_rows[] = {
	ROW_CALL('C', "cpu", "cpu", "list of cpus to profile", schedopts_cpus),
	ROW_FLAG('g', "call-graph", "Display call chains if present (default on)", AT(hist.stacks)),
	ROW_FLAG('I', "idle-hist", "Show idle events only", AT(idle)),
	ROW_STRING('k', "vmlinux", "file", "vmlinux pathname", AT(vmlinux)),
	ROW_FLAG('M', "migrations", "Show migration events", AT(hist.migrations)),
	ROW_FLAG('n', "next", "Show next task", AT(hist.next)),
	ROW_CALL('p', "pid", "pid[,pid...]", "analyze events only for given process id(s)",
		 schedopts_pid),
	ROW_FLAG('s', "summary", "Show only syscall summary with statistics", AT(summary)),
	ROW_FLAG('S', "with-summary", "Show all syscalls and summary with statistics",
		 AT(with_summary)),
	ROW_CALL('t', "tid", "tid[,tid...]", "analyze events only for given thread id(s)",
		 schedopts_tid),
	ROW_FLAG('V', "cpu-visual", "Add CPU visual", AT(hist.visual)),
	ROW_FLAG('w', "wakeups", "Show wakeup events", AT(hist.wakeups)),
	ROW_STRING(0, "kallsyms", "file", "kallsyms pathname", AT(kallsyms)),
	ROW_NUMBER(0, "max-stack", "n", "Maximum number of functions to display backtrace.",
		   AT(n_frames)),
	ROW_FLAG(0, "state", "Show task state when sched-out", AT(hist.state)),
	ROW_STRING(0, "symfs", "directory",
		   "Look for files with symbols relative to this directory", AT(symfs)),
	ROW_STRING(0, "time", "str", "Time span for analysis (start,stop)", AT(time)),
	ROW_FLAG(0, "no-call-graph", "Do not display call chains", AT(no_stacks), .hidden = true),
	PARENT(.hidden = true),
};

static const char *const sched_lines[] = {
	"perf sched [<options>] {record|latency|map|replay|script|timehist}", NULL};
static const char *const latency_lines[] = {"perf sched latency [<options>]", NULL};
static const char *const map_lines[] = {"perf sched map [<options>]", NULL};
static const char *const timehist_lines[] = {"perf sched timehist [<options>]", NULL};

static const struct sub {
	const char *name;
	struct perf_usage usage;
	int (*run)(struct perf_sched_options *o, struct errmsg *err);
} subs[] = {
	{"latency", {latency_lines, latency_rows, ""}, perf_sched_latency},
	{"lat", {latency_lines, latency_rows, ""}, perf_sched_latency},
	{"timehist", {timehist_lines, timehist_rows, ""}, perf_sched_timehist},
	{"map", {map_lines, map_rows, ""}, perf_sched_map},
};

static int settle_sort(struct perf_sched_options *o, const struct sub *sub, struct errmsg *err)
{
	if (sums_parse_sort(&o->view, o->sort ? o->sort : "avg,max,switch,runtime", err) >= 0)
		return 0;
	fprintf(stderr, "  Error: Unknown --sort key: `%s'\n", o->sort);
	*err = (struct errmsg){0};
	fputc('\n', stderr);
	perf_usage_print(&sub->usage, NULL, stderr);
	return -1;
}

/* Parses the words of a sub-command, or prints its usage. Returns PERF_USAGE then, 0 otherwise. */
static int parse(struct perf_sched_options *o, const struct perf_usage *u, int argc, char **argv,
		 int *ret_n, struct errmsg *err)
{
	struct perf_words *w = &o->words[o->n_words];
	bool help = false;

	if (!perf_words_take(w, u, argc, argv))
		return PERF_USAGE;
	o->n_words++;
	*ret_n = w->wants_help ? 0
			       : options_parse(u->rows, o, w->argc, w->argv,
					       OPTIONS_STOP_AT_ARGUMENT, &help, err);
	if (w->wants_help || help) {
		perf_usage_print(u, NULL, stdout);
		return PERF_USAGE;
	}
	for (int i = 0; i < *ret_n; i++)
		argv[1 + i] = w->argv[1 + i];
	return 0;
}

/* The summary alone has no lines to which these would add. */
static bool refuses_lines(const struct perf_sched_options *o, const struct sub *sub)
{
	const char *letters = o->hist.wakeups ? o->hist.next ? "swn" : "sw" : "sn";

	if (!o->summary || (!o->hist.wakeups && !o->hist.next))
		return false;
	fputs(" Error: -s and -[n|w] are mutually exclusive.\n", stderr);
	perf_usage_print(&sub->usage, letters, stderr);
	return true;
}

static int run_sub(struct perf_sched_options *o, const struct sub *sub, int argc, char **argv,
		   struct errmsg *err)
{
	int n = 0;

	if (parse(o, &sub->usage, argc, argv, &n, err))
		return PERF_USAGE;
	if (n < 0)
		return n;
	if (n) {
		perf_usage_print(&sub->usage, NULL, stderr);
		return PERF_USAGE;
	}
	if (settle_sort(o, sub, err) < 0)
		return PERF_USAGE;
	if (refuses_lines(o, sub))
		return PERF_INVALID;
	return sub->run(o, err);
}

static int run(struct perf_sched_options *o, int argc, char **argv, struct errmsg *err)
{
	static const struct perf_usage usage = {sched_lines, sched_rows, ""};
	const char *sub;
	int n = 0;

	if (parse(o, &usage, argc, argv, &n, err))
		return PERF_USAGE;
	if (n < 0)
		return n;
	sub = n ? argv[1] : "";
	if (!strncmp(sub, "rec", 3))
		return perf_sched_record(n, argv + 1, err);
	if (!strcmp(sub, "script"))
		return perf_call("script", n, argv + 1, err);
	if (!strcmp(sub, "replay"))
		return errmsg_set(err, -ENOSYS,
				  "sonde does not replay the load of a recording: perf sched "
				  "record, latency, timehist, map and script work");
	for (size_t i = 0; i < ARRAY_LEN(subs); i++)
		if (!strcmp(sub, subs[i].name))
			return run_sub(o, &subs[i], n, argv + 1, err);
	perf_usage_print(&usage, NULL, stderr);
	return PERF_USAGE;
}

int perf_sched(int argc, char **argv, struct errmsg *err)
{
	struct perf_sched_options o = {.sched = {.input = "perf.data",
						 .self = true,
						 .no_pager = true,
						 .quiet = true,
						 .colour = "never"},
				       .profile_cpu = -1,
				       .n_frames = 5};
	int r = run(&o, argc, argv, err);

	for (unsigned i = 0; i < o.n_words; i++)
		perf_words_release(&o.words[i]);
	return r;
}
