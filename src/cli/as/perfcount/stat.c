// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stat.c - `perf stat`: perf's options for the same run as `sonde counters`, perf's text.
 *
 * The options are those of perf 6.1. The result goes to standard error, or to -o FILE with a
 * headline. The exit status is the command's. Metrics by name (-M), top-down levels, transactions
 * and I/O statistics need perf's tables of each processor and are refused by name.
 *
 * Difference: events of an uncore PMU are counted on the whole machine if a command is given, where
 * perf says "not supported".
 */
#include "base/scope.h"
#include "base/textbuf.h"
#include "base/files/outplace.h"
#include "cli/as/perf.h"
#include "cli/as/perfcount/perfcount.h"
#include "cli/as/perf_words.h"
#include "cli/counters/countopts.h"
#include "live/counters/countrun.h"
#include "present/counters/perfstat.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <spawn.h>

#define TEXT_MAX_BYTES (64u << 20)

struct stat_options {
	struct countopts count;
	bool is_json, appends, syncs, is_quiet, ignored;
	const char *separator, *output, *before, *after;
	long long repeat, interval, intervals, delay, timeout, log_fd;
	bool has_repeat;
	unsigned n_shown;
	FILE *to;
};

static int apply_event(void *opts, const char *value, struct errmsg *err)
{
	struct errmsg why = {0};

	if (countopts_add_events(&((struct stat_options *)opts)->count, value, &why) >= 0)
		return 0;
	fprintf(stderr,
		"event syntax error: '%s'\n%*s\\___ %s\nRun 'perf list' for a list of valid "
		"events\n",
		value, 21, "", why.text);
	errmsg_set(err, -EPIPE, "%s", why.text);
	err->reason = PERF_USAGE; /* show the row of -e only */
	return -EPIPE;
}

static int apply_detail(void *opts, const char *value, struct errmsg *err)
{
	((struct stat_options *)opts)->count.detail++;
	return 0;
}

static int apply_verbose(void *opts, const char *value, struct errmsg *err)
{
	return 0;
}

static int apply_repeat(void *opts, const char *value, struct errmsg *err)
{
	struct stat_options *o = opts;
	char *end;

	o->has_repeat = true;
	o->repeat = strtoll(value, &end, 10);
	if (*end || o->repeat < 0)
		return errmsg_set(err, -EINVAL, "Run count must be a positive number");
	return 0;
}

static int apply_separator(void *opts, const char *value, struct errmsg *err)
{
	((struct stat_options *)opts)->separator = strcmp(value, "\\t") == 0 ? "\t" : value;
	return 0;
}

static int refuse(void *opts, const char *value, struct errmsg *err)
{
	return errmsg_set(
		err, -ENOTSUP,
		"sonde has no metrics by name, transactions, top-down levels or I/O statistics: "
		"name the events with -e");
}

#define PARTS(name, PARTS_OF)                                                           \
	static int apply_##name(void *opts, const char *value, struct errmsg *err)      \
	{                                                                               \
		((struct stat_options *)opts)->count.run.parts = COUNTPARTS_##PARTS_OF; \
		return 0;                                                               \
	}
PARTS(cpu, CPU)
PARTS(core, CORE)
PARTS(die, DIE)
PARTS(socket, SOCKET)
PARTS(node, NODE)
PARTS(thread, THREAD)

#define AT(member) offsetof(struct stat_options, member)

static const struct option_row rows[] = {
	ROW_FLAG('a', "all-cpus", "system-wide collection from all CPUs", AT(count.run.all_tasks)),
	ROW_CALL('A', "no-aggr", NULL, "disable CPU count aggregation", apply_cpu),
	ROW_FLAG('B', "big-num", "print large numbers with thousands' separators", AT(ignored)),
	ROW_STRING('C', "cpu", "cpu", "list of cpus to monitor in system-wide", AT(count.run.cpus)),
	ROW_NUMBER('D', "delay", "n", "ms to wait before starting measurement after program start",
		   AT(delay)),
	ROW_CALL('d', "detailed", NULL, "detailed run - start a lot of events", apply_detail),
	ROW_CALL('e', "event", "event", "event selector. use 'perf list' to list available events",
		 apply_event),
	ROW_STRING('G', "cgroup", "name", "monitor event in cgroup name only",
		   AT(count.run.cgroups)),
	ROW_NUMBER('I', "interval-print", "n", "print counts at regular interval in ms",
		   AT(interval)),
	ROW_FLAG('i', "no-inherit", "child tasks do not inherit counters",
		 AT(count.run.no_inherit)),
	ROW_FLAG('j', "json-output", "print counts in JSON format", AT(is_json)),
	ROW_CALL('M', "metrics", "list", "monitor specified metrics or metric groups", refuse),
	ROW_FLAG('n', "null", "null run - dont start any counters", AT(count.is_null)),
	ROW_STRING('o', "output", "file", "output file name", AT(output)),
	ROW_STRING('p', "pid", "pid", "stat events on existing process id", AT(count.run.pids)),
	ROW_CALL('r', "repeat", "n", "repeat command and print average + stddev", apply_repeat),
	ROW_FLAG('S', "sync", "call sync() before starting a run", AT(syncs)),
	ROW_STRING('t', "tid", "tid", "stat events on existing thread id", AT(count.run.tids)),
	ROW_CALL('T', "transaction", NULL, "hardware transaction statistics", refuse),
	ROW_CALL('v', "verbose", NULL, "be more verbose", apply_verbose),
	ROW_CALL('x', "field-separator", "separator", "print counts with custom separator",
		 apply_separator),
	ROW_FLAG(0, "all-kernel", "Configure all used events to run in kernel space.",
		 AT(count.is_all_kernel)),
	ROW_FLAG(0, "all-user", "Configure all used events to run in user space.",
		 AT(count.is_all_user)),
	ROW_FLAG(0, "append", "append to the output file", AT(appends)),
	ROW_STRING(0, "for-each-cgroup", "name", "expand events for each cgroup",
		   AT(count.run.cgroups)),
	ROW_FLAG(0, "hybrid-merge", "Merge identical named hybrid events", AT(ignored)),
	ROW_NUMBER(0, "interval-count", "n", "print counts for fixed number of times",
		   AT(intervals)),
	ROW_CALL(0, "iostat", "default", "measure I/O performance metrics", refuse,
		 .arg_optional = true),
	ROW_NUMBER(0, "log-fd", "n", "log output to fd, instead of stderr", AT(log_fd)),
	ROW_FLAG(0, "no-big-num", "print large numbers without separators", AT(ignored)),
	ROW_FLAG(0, "no-csv-summary", "don't print 'summary' for CSV summary output", AT(ignored)),
	ROW_FLAG(0, "no-merge", "Do not merge identical named events", AT(count.run.no_merge)),
	ROW_CALL(0, "per-core", NULL, "aggregate counts per physical processor core", apply_core),
	ROW_CALL(0, "per-die", NULL, "aggregate counts per processor die", apply_die),
	ROW_CALL(0, "per-node", NULL, "aggregate counts per numa node", apply_node),
	ROW_CALL(0, "per-socket", NULL, "aggregate counts per processor socket", apply_socket),
	ROW_CALL(0, "per-thread", NULL, "aggregate counts per thread", apply_thread),
	ROW_STRING(0, "post", "command", "command to run after to the measured command", AT(after)),
	ROW_STRING(0, "pre", "command", "command to run prior to the measured command", AT(before)),
	ROW_FLAG(0, "quiet", "don't print any output, messages or warnings", AT(is_quiet)),
	ROW_FLAG(0, "scale", "Use --no-scale to disable counter scaling", AT(ignored)),
	ROW_CALL(0, "topdown", NULL, "measure top-down statistics", refuse),
	ROW_NUMBER(0, "timeout", "n",
		   "stop workload and print counts after a timeout period in ms (>= 10ms)",
		   AT(timeout)),
	ROW_END,
};

static const char *const usage_lines[] = {"perf stat [<options>] [<command>]", NULL};
static const struct perf_usage usage = {usage_lines, rows, ""};

static int show(struct stat_options *o, const struct countertable *t, bool is_interval,
		double since_s)
{
	TEXTBUF(title, TEXT_MAX_BYTES);
	TEXTBUF(tb, TEXT_MAX_BYTES);
	struct perfstat form = {.table = t,
				.parts = (enum perfstat_parts)o->count.run.parts,
				.separator = o->separator,
				.is_json = o->is_json,
				.has_noise = o->has_repeat && o->repeat != 1,
				.is_interval = is_interval,
				.since_s = since_s,
				.n_interval = o->n_shown++};

	if (o->is_quiet)
		return 0;
	countopts_fmt_title(&o->count, &title);
	form.title = textbuf_text(&title);
	perfstat_fmt(&form, &tb);
	fwrite(tb.start, 1, textbuf_len(&tb), o->to);
	return fflush(o->to) < 0 ? -errno : 0;
}

static int show_interval(void *ctx, const struct countertable *t, double since_s)
{
	return show(ctx, t, true, since_s);
}

static void show_enabled(void *ctx)
{
	fputs("Events enabled\n", stderr);
}

/* --pre and --post: commands of the user, for a shell. */
static int run_shell(const char *command)
{
	char *const argv[] = {(char *)"sh", (char *)"-c", (char *)command, NULL};
	int status = 0;
	pid_t pid;

	if (!command)
		return 0;
	if (posix_spawn(&pid, "/bin/sh", NULL, NULL, argv, environ))
		return -EINVAL;
	if (TEMP_FAILURE_RETRY(waitpid(pid, &status, 0)) < 0)
		return -EINVAL;
	return status ? -EINVAL : 0;
}

static int count(struct stat_options *o, char **argv, struct errmsg *err)
{
	struct countrun_front front = {
		.interval = show_interval, .delay_ends = show_enabled, .ctx = o};
	SCOPED(countrun_release) struct countrun_result result = {0};
	int r;

	TRY(countopts_finish(&o->count, argv, err));
	if (o->syncs)
		sync();
	TRY(run_shell(o->before));
	if (o->delay)
		fputs("Events disabled\n", stderr);
	r = countrun(&o->count.run, &front, &result, err);
	if (r < 0 && result.has_command_failed) {
		err->code = -EPIPE; /* said here */
		fprintf(stderr, "Workload failed: %s\n", strerror(-r));
		return PERF_FAILED;
	}
	TRY(r);
	TRY(run_shell(o->after));
	if (WIFSIGNALED(result.status))
		fprintf(stderr, "%s: %s\n", argv[0], strsignal(WTERMSIG(result.status)));
	if (!o->interval)
		TRY(show(o, result.table, false, 0));
	return WIFSIGNALED(result.status) ? 0 /* as perf */ : countopts_status(&result);
}

/* perf begins a file with the time. */
static int open_output(struct stat_options *o, FILE **ret_file, struct errmsg *err)
{
	time_t now = time(NULL);
	char text[64] = "";
	int fd;

	o->to = stderr;
	if (o->log_fd) {
		fd = dup((int)o->log_fd);
		if (fd < 0)
			return errmsg_set_errno(err, -errno, "Failed opening logfd");
	} else if (o->output && strcmp(o->output, "-") != 0) {
		fd = outplace_open_file(o->output, o->appends ? OUTPLACE_APPEND : OUTPLACE_WRITE,
					err);
		TRY(fd);
	} else {
		if (o->output)
			o->to = stdout;
		return 0;
	}
	*ret_file = fdopen(fd, "w");
	if (!*ret_file)
		return -ENOMEM;
	o->to = *ret_file;
	if (o->output)
		fprintf(o->to, "# started on %s\n", ctime_r(&now, text));
	return 0;
}

/* `perf stat record` and `report`: counts in a perf.data. */
static bool is_subcommand(const char *word)
{
	return !strcmp(word, "record") || !strcmp(word, "report");
}

static int run(struct stat_options *o, int n, char **argv, struct errmsg *err)
{
	SCOPED(fclose_scoped) FILE *file = NULL;

	if (n && is_subcommand(argv[1]))
		return errmsg_set(
			err, -ENOTSUP,
			"perf stat %s is not supported: -o FILE writes the counts as text, "
			"'sonde record --counters' into a trace",
			argv[1]);
	argv[n + 1] = NULL;
	if (o->timeout && o->timeout < 10)
		return errmsg_set(err, -EINVAL, "timeout must be >= 10ms.");
	if (o->interval && o->interval < 10 && o->interval < 1)
		return errmsg_set(err, -EINVAL, "print interval must be >= 1ms.");
	o->count.run.n_runs = o->has_repeat ? o->repeat : 1;
	o->count.run.interval_ms = o->interval;
	o->count.run.n_intervals = o->intervals;
	o->count.run.delay_ms = o->delay;
	o->count.run.timeout_ms = o->timeout;
	TRY(open_output(o, &file, err));
	return count(o, n ? argv + 1 : NULL, err);
}

int perf_stat(int argc, char **argv, struct errmsg *err)
{
	struct stat_options o = {0};
	bool help = false;
	int n = options_parse(rows, &o, argc, argv, OPTIONS_STOP_AT_ARGUMENT, &help, err), r;

	if (help) {
		perf_usage_print(&usage, NULL, stdout);
		r = PERF_USAGE;
	} else if (n < 0) {
		if (err->code != -EPIPE)
			fprintf(stderr, "  Error: %s\n", err->text);
		perf_usage_print(&usage, err->reason ? "e" : NULL, stderr);
		err->code = -EPIPE;
		r = PERF_USAGE;
	} else {
		r = run(&o, n, argv, err);
	}
	countopts_release(&o.count);
	return r;
}
