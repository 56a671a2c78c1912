// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_counters.c - `sonde counters`: counts events while a command, processes or the machine run.
 *
 *	options ──▶ countrun ──▶ countertext, or perf's columns with -x
 *
 * The result goes to standard output, as the command's own output may do; -o separates them. Notes,
 * such as a machine without hardware counters, go to standard error.
 */
#include "base/files/outplace.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "capture/perf/events/perfevents.h"
#include "cli/command.h"
#include "cli/counters/countopts.h"
#include "live/counters/countrun.h"
#include "present/counters/countertext.h"
#include "present/counters/perfstat.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX_BYTES (64u << 20)

#define NOT_GIVEN      LLONG_MIN

struct counters_options {
	struct countopts count;
	bool is_json, is_list;
	const char *separator, *output;
	long long repeat, interval, intervals, delay, timeout;
	FILE *to;
	bool has_written;
};

static int apply_event(void *opts, const char *value, struct errmsg *err)
{
	return countopts_add_events(&((struct counters_options *)opts)->count, value, err);
}

static int apply_detail(void *opts, const char *value, struct errmsg *err)
{
	((struct counters_options *)opts)->count.detail++;
	return 0;
}

static int set_parts(void *opts, enum countparts parts)
{
	((struct counters_options *)opts)->count.run.parts = parts;
	return 0;
}

#define PARTS(name, PARTS_OF)                                                      \
	static int apply_##name(void *opts, const char *value, struct errmsg *err) \
	{                                                                          \
		return set_parts(opts, COUNTPARTS_##PARTS_OF);                     \
	}
PARTS(cpu, CPU)
PARTS(core, CORE)
PARTS(die, DIE)
PARTS(socket, SOCKET)
PARTS(node, NODE)
PARTS(thread, THREAD)

#define AT(member) offsetof(struct counters_options, member)

static const struct option_row rows[] = {
	ROW_HEADING("what to count"),
	ROW_CALL('e', "event", "EVENT,…",
		 "count these events; groups {A,B}, modifiers :u :k; repeatable", apply_event),
	ROW_CALL('d', "detailed", NULL, "add events of caches; repeat it for more", apply_detail),
	ROW_FLAG(0, "list", "list the events of this machine, and count nothing", AT(is_list)),
	ROW_HEADING("where to count"),
	ROW_FLAG('a', "all", "count on all CPUs, not only the command", AT(count.run.all_tasks)),
	ROW_STRING('C', "cpus", "LIST", "count on these CPUs: 0,2-3", AT(count.run.cpus)),
	ROW_STRING('p', "pid", "PID,…", "count in these processes", AT(count.run.pids)),
	ROW_STRING('t', "tid", "TID,…", "count in these threads", AT(count.run.tids)),
	ROW_STRING('G', "cgroups", "NAME,…", "count each event in each of these cgroups",
		   AT(count.run.cgroups)),
	ROW_FLAG('i', "no-inherit", "do not count in child processes and new threads",
		 AT(count.run.no_inherit)),
	ROW_HEADING("when to count"),
	ROW_NUMBER('r', "repeat", "N", "run the command N times; show mean and deviation",
		   AT(repeat)),
	ROW_NUMBER('I', "interval", "MS", "show counts every MS milliseconds", AT(interval)),
	ROW_NUMBER(0, "count", "N", "end after N intervals", AT(intervals)),
	ROW_NUMBER('D', "delay", "MS", "start to count MS milliseconds after the command",
		   AT(delay)),
	ROW_NUMBER(0, "timeout", "MS", "end the command and the counting after MS milliseconds",
		   AT(timeout)),
	ROW_HEADING("how the result looks"),
	ROW_CALL('A', "per-cpu", NULL, "one row for each CPU", apply_cpu),
	ROW_CALL(0, "per-core", NULL, "one row for each core", apply_core),
	ROW_CALL(0, "per-die", NULL, "one row for each die", apply_die),
	ROW_CALL(0, "per-socket", NULL, "one row for each socket", apply_socket),
	ROW_CALL(0, "per-node", NULL, "one row for each memory node", apply_node),
	ROW_CALL(0, "per-thread", NULL, "one row for each thread", apply_thread),
	ROW_FLAG(0, "no-merge", "do not add up events of PMUs that are alike",
		 AT(count.run.no_merge)),
	ROW_STRING('x', "separator", "TEXT", "print columns separated by TEXT, as perf stat -x",
		   AT(separator)),
	ROW_FLAG(0, "json", "print JSON, one object per line", AT(is_json)),
	ROW_STRING('o', "output", "FILE", "write the result to FILE", AT(output),
		   .complete = "file"),
	ROW_END,
};

static void fmt(const struct counters_options *o, const struct countertable *t, bool is_interval,
		double since_s, struct textbuf *tb)
{
	TEXTBUF(title, TEXT_MAX_BYTES);
	struct countertext text = {.table = t,
				   .has_parts = o->count.run.parts != COUNTPARTS_ALL,
				   .is_interval = is_interval,
				   .since_s = since_s};
	struct perfstat columns = {.table = t,
				   .parts = (enum perfstat_parts)o->count.run.parts,
				   .separator = o->separator,
				   .has_noise = o->repeat > 1,
				   .is_interval = is_interval,
				   .since_s = since_s};

	countopts_fmt_title(&o->count, &title);
	text.what = textbuf_text(&title);
	if (o->separator)
		perfstat_fmt(&columns, tb);
	else if (o->is_json)
		countertext_fmt_json(&text, tb);
	else
		countertext_fmt(&text, tb);
}

static int show(struct counters_options *o, const struct countertable *t, bool is_interval,
		double since_s)
{
	TEXTBUF(tb, TEXT_MAX_BYTES);

	fmt(o, t, is_interval, since_s, &tb);
	fwrite(tb.start, 1, textbuf_len(&tb), o->to);
	return fflush(o->to) < 0 ? -errno : 0;
}

static int show_interval(void *ctx, const struct countertable *t, double since_s)
{
	return show(ctx, t, true, since_s);
}

/* A machine without a PMU says so once; nobody needs a row for each event that is not there. */
static void note(const struct countrun_result *r)
{
	bool has_hidden = false;

	for (size_t i = 0; i < r->n_events; i++)
		has_hidden |= !r->events[i].is_supported && r->events[i].is_optional;
	if (has_hidden && !perfevents_has_hardware(&(struct perfevents_place){0}))
		fputs("sonde: this machine has no hardware counters (a virtual machine without a "
		      "PMU?); "
		      "cycles, instructions and caches are left out\n",
		      stderr);
	if (r->is_user_only)
		fputs("sonde: the kernel allows this user to count in user mode only (see "
		      "/proc/sys/kernel/perf_event_paranoid)\n",
		      stderr);
}

static int check(const struct counters_options *o, bool has_command, struct errmsg *err)
{
	if (o->interval && o->interval < 1)
		return errmsg_set(err, -EINVAL, "-I takes milliseconds, at least 1");
	if (o->intervals && !o->interval)
		return errmsg_set(err, -EINVAL, "--count needs -I");
	if (o->repeat && (!has_command || o->interval))
		return errmsg_set(err, -EINVAL, "-r needs a command and excludes -I");
	if (o->delay < 0 || o->timeout < 0 || o->repeat < 0 || o->intervals < 0)
		return errmsg_set(err, -EINVAL,
				  "-D, -r, --timeout and --count take positive numbers");
	return 0;
}

static int count(struct counters_options *o, char **argv, struct errmsg *err)
{
	struct countrun_front front = {.interval = show_interval, .ctx = o};
	SCOPED(countrun_release) struct countrun_result result = {0};

	TRY(countopts_finish(&o->count, argv, err));
	TRY(countrun(&o->count.run, &front, &result, err));
	if (!o->interval)
		TRY(show(o, result.table, false, 0));
	note(&result);
	return countopts_status(&result);
}

static int run_with(struct counters_options *o, int n, char **argv, struct errmsg *err)
{
	SCOPED(fclose_scoped) FILE *file = NULL;

	TRY(check(o, n > 0, err));
	o->count.run.n_runs = o->repeat ? o->repeat : 1;
	o->count.run.interval_ms = o->interval;
	o->count.run.n_intervals = o->intervals;
	o->count.run.delay_ms = o->delay;
	o->count.run.timeout_ms = o->timeout;
	o->to = stdout;
	if (o->output) {
		int fd = outplace_open_file(o->output, OUTPLACE_WRITE, err);

		TRY(fd);
		file = fdopen(fd, "w");
		if (!file)
			return errmsg_set_errno(err, -ENOMEM, "cannot write to %s", o->output);
		o->to = file;
	}
	argv[n + 1] = NULL;
	return count(o, n ? argv + 1 : NULL, err);
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct counters_options o = {.repeat = NOT_GIVEN, .interval = NOT_GIVEN};
	int n = command_parse(cmd, &o, argc, argv, err), r;

	if (n >= 0 && (!o.repeat || !o.interval))
		n = errmsg_set(err, -EINVAL,
			       o.repeat ? "-I takes milliseconds, at least 1"
					: "-r takes a number of runs, at least 1");
	o.repeat = o.repeat == NOT_GIVEN ? 0 : o.repeat;
	o.interval = o.interval == NOT_GIVEN ? 0 : o.interval;
	if (n >= 0)
		r = o.is_list ? countopts_print_list(err) : run_with(&o, n, argv, err);
	else
		r = n;
	countopts_release(&o.count);
	return r;
}

const struct command cmd_counters = {
	.name = "counters",
	.summary = "count events of the processor and the kernel",
	.usage = "[options] [COMMAND [ARGUMENT…]]",
	.options = rows,
	.parse_flags = OPTIONS_STOP_AT_ARGUMENT,
	.args = "program",
	.run = run,
};
