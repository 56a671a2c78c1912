// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * options.c - the options of `sonde report`.
 *
 * The options are those of trace-cmd report, and additional ones at the end. Some depend on the
 * options before them: --ts-offset and --ts2secs belong to the input before them. -F belongs to all
 * inputs or, after an -i, to that input. -v inverts every -F after it.
 */
#include "base/array.h"
#include "base/options.h"
#include "cli/report/report.h"

#include "decode/handlers/plugin_options.h"
#include "inputs/inputs.h"
#include "present/lines.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIST_MAX 65536

static int refuse_more(struct errmsg *err)
{
	return errmsg_set(err, -ENOMEM, "too many values on the command line");
}

int report_add_input(struct report_options *o, const char *path, struct errmsg *err)
{
	if (!ARRAY_ONE_MORE(o->in.paths, o->in.n_paths, LIST_MAX))
		return refuse_more(err);
	o->in.paths[o->in.n_paths++] = (struct inputs_path){.path = path};
	return 0;
}

static int apply_input(void *opts, const char *value, struct errmsg *err)
{
	return report_add_input(opts, value, err);
}

static int apply_filter(void *opts, const char *value, struct errmsg *err)
{
	struct report_options *o = opts;

	if (!ARRAY_ONE_MORE(o->in.filters, o->in.n_filters, LIST_MAX))
		return refuse_more(err);
	o->in.filters[o->in.n_filters++] = (struct inputs_filter){
		.text = value, .reject = o->negate, .input = (int)o->in.n_paths - 1};
	return 0;
}

static int apply_negate(void *opts, const char *value, struct errmsg *err)
{
	struct report_options *o = opts;

	if (o->negate)
		return errmsg_set(err, -EINVAL,
				  "-v can be given only once: it holds for all -F after it");
	o->negate = true;
	return 0;
}

static int add_word(struct word_list *l, const char *word, struct errmsg *err)
{
	if (!ARRAY_ONE_MORE(l->words, l->n, LIST_MAX))
		return refuse_more(err);
	l->words[l->n++] = word;
	return 0;
}

static int apply_raw_events(void *opts, const char *value, struct errmsg *err)
{
	return add_word(&((struct report_options *)opts)->in.raw_events, value, err);
}

static int apply_plain_events(void *opts, const char *value, struct errmsg *err)
{
	return add_word(&((struct report_options *)opts)->in.plain_events, value, err);
}

static int apply_pids(void *opts, const char *value, struct errmsg *err)
{
	return add_word(&((struct report_options *)opts)->in.pids, value, err);
}

static int apply_comms(void *opts, const char *value, struct errmsg *err)
{
	return add_word(&((struct report_options *)opts)->in.comms, value, err);
}

static int apply_buffer(void *opts, const char *value, struct errmsg *err)
{
	return add_word(&((struct report_options *)opts)->in.buffers, value, err);
}

/* Parses "0,2-4:7": numbers and ranges, separated by ',' or ':'. */
static int apply_cpus(void *opts, const char *value, struct errmsg *err)
{
	struct report_options *o = opts;
	const char *s = value;

	do {
		unsigned long a, b;
		char *end;

		while (isspace((unsigned char)*s))
			s++;
		if (!isdigit((unsigned char)*s))
			return errmsg_set(err, -EINVAL, "--cpu needs numbers like 0,2-4, not '%s'",
					  value);
		a = b = strtoul(s, &end, 10);
		if (*end == '-' && isdigit((unsigned char)end[1]))
			b = strtoul(end + 1, &end, 10);
		if (a > (1u << 20) || b > (1u << 20))
			return errmsg_set(err, -EINVAL, "--cpu %s: no machine has so many CPUs",
					  value);
		if (a > b)
			return errmsg_set(err, -EINVAL,
					  "--cpu %s: a range goes from lower to higher", value);
		for (; a <= b; a++) {
			if (!ARRAY_ONE_MORE(o->in.cpus, o->in.n_cpus, LIST_MAX))
				return refuse_more(err);
			o->in.cpus[o->in.n_cpus++] = a;
		}
		s = *end == ',' || *end == ':' ? end + 1 : end;
	} while (*s);
	return 0;
}

static int parse_number(const char *option, const char *value, long long *ret, struct errmsg *err)
{
	char *end;

	errno = 0;
	*ret = strtoll(value, &end, 0);
	if (errno || end == value || *end)
		return errmsg_set(err, -EINVAL, "%s needs a number, not '%s'", option, value);
	return 0;
}

static int apply_ts_offset(void *opts, const char *value, struct errmsg *err)
{
	struct report_options *o = opts;

	if (!o->in.n_paths)
		return errmsg_set(err, -EINVAL, "--ts-offset must come after -i");
	return parse_number("--ts-offset", value, &o->in.paths[o->in.n_paths - 1].ts_offset, err);
}

static int apply_ts2secs(void *opts, const char *value, struct errmsg *err)
{
	struct report_options *o = opts;

	return parse_number(
		"--ts2secs", value,
		o->in.n_paths ? &o->in.paths[o->in.n_paths - 1].ts2secs : &o->in.ts2secs, err);
}

static int apply_plugin_option(void *opts, const char *value, struct errmsg *err)
{
	return plugin_options_apply(&((struct report_options *)opts)->in.plugins, value, err);
}

/*
 * Handles --verbose. Messages of trace-cmd at the level "info" are part of the report: versions,
 * CPUs without data.
 */
static int apply_verbose(void *opts, const char *value, struct errmsg *err)
{
	static const char *const levels[] = {"none", "crit", "err", "warn", "info", "debug", "all"};
	unsigned level = 6;

	if (value && isdigit((unsigned char)*value)) {
		level = atoi(value);
	} else if (value) {
		for (level = 0; level < 7 && strcmp(value, levels[level]); level++)
			;
		if (level == 7)
			return errmsg_set(
				err, -EINVAL,
				"--verbose knows none, crit, err, warn, info, debug, all and "
				"their numbers 0 to 6, not '%s'",
				value);
	}
	((struct report_options *)opts)->verbose = level >= 4;
	return 0;
}

/* Handles --quiet. The last of -q, -V and --debug decides how much is printed. */
static int apply_quiet(void *opts, const char *value, struct errmsg *err)
{
	struct report_options *o = opts;

	o->quiet = true;
	o->verbose = false;
	return 0;
}

static int apply_debug(void *opts, const char *value, struct errmsg *err)
{
	struct report_options *o = opts;

	o->show.debug = o->show.boundary = o->verbose = true;
	return 0;
}

static int set_output(struct report_options *o, enum lines_as as, struct errmsg *err)
{
	if (o->show.as != LINES_TEXT && o->show.as != as)
		return errmsg_set(err, -EINVAL, "--json and --csv exclude each other");
	o->show.as = as;
	return 0;
}

static int apply_json(void *opts, const char *value, struct errmsg *err)
{
	return set_output(opts, LINES_JSON, err);
}

static int apply_csv(void *opts, const char *value, struct errmsg *err)
{
	return set_output(opts, LINES_CSV, err);
}

static int apply_hook(void *opts, const char *value, struct errmsg *err)
{
	return add_word(&((struct report_options *)opts)->profiling.hooks, value, err);
}

#define FLAG(l, n, f, h)     ROW_FLAG(l, n, h, offsetof(struct report_options, f))
#define CALL(l, n, a, fn, h) ROW_CALL(l, n, a, h, fn)

const struct option_row report_rows[] = {
	ROW_CALL('i', "input", "FILE",
		 "read FILE (default: trace.dat); several files are merged by time", apply_input,
		 .complete = "file"),
	ROW_HEADING("which events"),
	CALL(0, "cpu", "LIST", apply_cpus, "show only these CPUs: 0,2-4"),
	CALL(0, "pid", "LIST", apply_pids, "show only events of, or about, these thread ids"),
	CALL('B', "buffer", "NAME", apply_buffer,
	     "show only this instance; - is the top-level buffer; repeatable"),
	CALL(0, "comm", "LIST", apply_comms,
	     "show only events of, or about, tasks with these names"),
	CALL('F', "filter", "FILTER", apply_filter,
	     "show only matching events: EVENTS[:EXPRESSION]"),
	CALL('v', "negate", NULL, apply_negate, "drop the events that the following -F match"),
	FLAG('T', "filter-test", test_filters, "print the parsed filters and exit"),
	FLAG('I', NULL, in.no_irq, "drop events in hard interrupts"),
	FLAG('S', NULL, in.no_softirq, "drop events in soft interrupts"),
	ROW_STRING(0, "from", "TIME",
		   "start at this time: seconds, or +1.5s or +20ms after the first event",
		   offsetof(struct report_options, in.from)),
	ROW_STRING(0, "to", "TIME", "stop at this time", offsetof(struct report_options, in.to)),
	ROW_HEADING("how they look"),
	CALL(0, "json", NULL, apply_json, "print one JSON object per event, with typed fields"),
	CALL(0, "csv", NULL, apply_csv, "print comma-separated values with a header line"),
	FLAG('t', "nanoseconds", in.nanoseconds, "show times in nanoseconds"),
	FLAG('l', NULL, show.latency,
	     "show latency flags: irqs-off, need-resched, interrupt context, preempt depth"),
	FLAG('R', NULL, show.raw, "raw: show every field by name; ignore the event's print format"),
	CALL('r', NULL, "EVENTS", apply_raw_events,
	     "raw, but only for events that match this regex"),
	CALL('n', NULL, "EVENTS", apply_plain_events,
	     "use no plugin for events that match this regex"),
	FLAG('N', NULL, in.no_plugins, "use no plugins"),
	FLAG('L', NULL, in.no_plugins,
	     "use no system-wide plugins; same as -N, because sonde has no others"),
	ROW_CALL('O', NULL, "OPTION", "set a plugin option: [PLUGIN:]NAME[=VALUE]",
		 apply_plugin_option, .complete = "@plugin-option"),
	FLAG('w', NULL, show.wakeup, "show wakeup latencies, and a summary at the end"),
	FLAG(0, "tgid", show.tgid, "show the process id (tgid) where it is known"),
	FLAG(0, "all-names", in.all_names,
	     "scan the whole trace for task names first, so that fewer tasks show as <...>"),
	FLAG(0, "syscall-names", show.syscall_names,
	     "show the names of system calls next to their numbers"),
	FLAG(0, "stacks", show.stacks, "print the stack of each sample below it"),
	FLAG(0, "boundary", show.boundary, "show where sub-buffers start"),
	CALL(0, "debug", NULL, apply_debug, "show the file offset of each event"),
	ROW_STRING(0, "color", "WHEN", "use colours: always, never or auto (on a terminal)",
		   offsetof(struct report_options, colour), .complete = "always never auto"),
	FLAG(0, "no-pager", no_pager, "do not use a pager"),
	ROW_HEADING("time"),
	FLAG(0, "ts-diff", show.ts_diff, "show the time since the previous line"),
	FLAG(0, "ts-check", ts_check, "warn when time goes backwards on a CPU"),
	CALL(0, "ts-offset", "N", apply_ts_offset, "add N to the times of the preceding input"),
	CALL(0, "ts2secs", "HZ", apply_ts2secs,
	     "the clock of the trace counts HZ ticks per second"),
	FLAG(0, "raw-ts", in.raw_ts, "show the times as recorded, without correction"),
	FLAG(0, "align-ts", in.align_ts, "start the times at 0"),
	FLAG(0, "nodate", in.no_date, "ignore the time of day that record --date stored"),
	ROW_HEADING("show where the time went, instead of the events"),
	FLAG(0, "profile", profile,
	     "for each task: time running, blocked and runnable, system calls, functions"),
	FLAG('G', NULL, profiling.global,
	     "account interrupts to the CPU, not to the interrupted task"),
	CALL('H', NULL, "HOOK", apply_hook,
	     "measure a pair of events: START,FIELD[,PIDFIELD]/END,FIELD[,FLAGS]"),
	FLAG(0, "by-comm", profiling.by_comm, "group tasks by name"),
	FLAG(0, "self", profiling.with_own, "include the activity of sonde itself"),
	ROW_HEADING("show facts about the file, instead of the events"),
	FLAG('e', NULL, list.endian, "byte order"),
	FLAG('p', NULL, list.page_size, "sub-buffer size"),
	FLAG('f', NULL, list.functions, "kernel symbols"),
	FLAG('P', NULL, list.printk, "trace_printk() formats"),
	FLAG('E', NULL, list.events, "names of all events that the file describes"),
	FLAG(0, "events", list.formats, "formats of all events that the file describes"),
	ROW_STRING(0, "event", "REGEX",
		   "formats of the events that match: SYSTEM:NAME, or part of a name",
		   offsetof(struct report_options, list.event_regex)),
	FLAG(0, "cpus", list.cpus, "CPUs that have data"),
	FLAG(0, "first-event", list.first_event, "time of the first event of each CPU"),
	FLAG(0, "last-event", list.last_event, "time of the last event of each CPU"),
	FLAG(0, "processes", list.processes, "processes and their command lines"),
	FLAG(0, "stat", list.stat, "buffer statistics of the recording"),
	FLAG(0, "uname", list.uname, "the machine that it was recorded on"),
	FLAG(0, "version", list.version, "the program that recorded it"),
	FLAG(0, "check-events", list.check_events,
	     "check that all event formats can be parsed; see the exit status"),
	ROW_HEADING("other"),
	ROW_STRING(0, "kallsyms", "FILE",
		   "read more kernel symbols from FILE, in the format of /proc/kallsyms",
		   offsetof(struct report_options, in.kallsyms), .complete = "file"),
	CALL('q', "quiet", NULL, apply_quiet, "do not warn about damaged input"),
	ROW_CALL('V', "verbose", "LEVEL",
		 "show file versions and CPUs without data (from level info)", apply_verbose,
		 .arg_optional = true),
	ROW_FLAG(0, "peer-text", "--profile as trace-cmd prints it",
		 offsetof(struct report_options, profiling.peer_text), .hidden = true),
	ROW_END,
};

/* --- checks ----------------------------------------------------------------------------------- */

/* Checks --pid 1,22, which must be numbers. */
static int check_pids(const struct word_list *l, struct errmsg *err)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->words[i][strspn(l->words[i], "0123456789,")])
			return errmsg_set(err, -EINVAL,
					  "--pid needs thread ids like 1,22, not '%s'",
					  l->words[i]);
	return 0;
}

/* Makes the checks that need only the options. */
int report_check_options(const struct report_options *o, struct errmsg *err)
{
	struct filelists_spec lists = o->list;

	lists.check_events = false; /* prints nothing */
	if (o->show.as != LINES_TEXT && filelists_find(&lists) != FILELISTS_NONE)
		return errmsg_set(err, -EINVAL, "--json and --csv are for events, not for lists");
	if (!o->profile && !o->profiling.peer_text &&
	    (o->profiling.global || o->profiling.by_comm || o->profiling.hooks.n))
		return errmsg_set(err, -EINVAL, "-G, -H and --by-comm go with --profile");
	if (o->profile && o->show.as == LINES_CSV)
		return errmsg_set(err, -EINVAL, "--profile has text and --json, but no --csv");
	if (o->in.kallsyms && access(o->in.kallsyms, R_OK) < 0)
		return errmsg_set_errno(err, -errno, "cannot read %s", o->in.kallsyms);
	return check_pids(&o->in.pids, err);
}

void report_options_release(struct report_options *o)
{
	free(o->in.paths);
	free(o->in.filters);
	free(o->in.cpus);
	free(o->in.raw_events.words);
	free(o->in.plain_events.words);
	free(o->in.pids.words);
	free(o->in.comms.words);
	free(o->in.buffers.words);
	free(o->profiling.hooks.words);
}
