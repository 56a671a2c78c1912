// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_report.c - `sonde report`: the options, and opening the inputs they name.
 *
 * The options are those of trace-cmd report, with what it lacks added at the end. Some depend on what
 * stands before them: --ts-offset and --ts2secs belong to the input before them, -F to all inputs or,
 * after an -i, to that one; -v turns round every -F that follows.
 */
#include "cli/command.h"
#include "cli/report.h"
#include "decode/handlers/plugin_options.h"

#include <ctype.h>
#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <unistd.h>

#define LIST_MAX 65536

/* Appends to an array of rep->… that grows one by one; command lines are short. */
static void *grow(void *array, size_t n, size_t each, struct errmsg *err)
{
	void *p = n < LIST_MAX ? realloc(array, (n + 1) * each) : NULL;

	if (!p)
		errmsg_set(err, -ENOMEM, "too many values on the command line");
	else
		memset((char *)p + n * each, 0, each);
	return p;
}

static int add_input(struct report_options *o, const char *path, struct errmsg *err)
{
	struct report_input *p = grow(o->inputs, o->n_inputs, sizeof(*p), err);

	if (!p)
		return -ENOMEM;
	p[o->n_inputs++].path = path;
	o->inputs = p;
	return 0;
}

static int apply_input(void *opts, const char *value, struct errmsg *err)
{
	return add_input(opts, value, err);
}

static int apply_filter(void *opts, const char *value, struct errmsg *err)
{
	struct report_options *o = opts;
	struct report_filter *p = grow(o->filters, o->n_filters, sizeof(*p), err);

	if (!p)
		return -ENOMEM;
	p[o->n_filters++] = (struct report_filter){
		.text = value, .reject = o->negate, .input = (int)o->n_inputs - 1};
	o->filters = p;
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
	const char **p = grow(l->words, l->n, sizeof(*p), err);

	if (!p)
		return -ENOMEM;
	p[l->n++] = word;
	l->words = p;
	return 0;
}

static int apply_raw_events(void *opts, const char *value, struct errmsg *err)
{
	return add_word(&((struct report_options *)opts)->raw_events, value, err);
}

static int apply_plain_events(void *opts, const char *value, struct errmsg *err)
{
	return add_word(&((struct report_options *)opts)->plain_events, value, err);
}

static int apply_pids(void *opts, const char *value, struct errmsg *err)
{
	return add_word(&((struct report_options *)opts)->pids, value, err);
}

static int apply_comms(void *opts, const char *value, struct errmsg *err)
{
	return add_word(&((struct report_options *)opts)->comms, value, err);
}

static int apply_buffer(void *opts, const char *value, struct errmsg *err)
{
	return add_word(&((struct report_options *)opts)->buffers, value, err);
}

/* "0,2-4:7": numbers and ranges, separated by ',' or ':'. */
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
			uint32_t *p = grow(o->cpus, o->n_cpus, sizeof(*p), err);

			if (!p)
				return -ENOMEM;
			p[o->n_cpus++] = a;
			o->cpus = p;
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

	if (!o->n_inputs)
		return errmsg_set(err, -EINVAL, "--ts-offset must come after -i");
	return parse_number("--ts-offset", value, &o->inputs[o->n_inputs - 1].ts_offset, err);
}

static int apply_ts2secs(void *opts, const char *value, struct errmsg *err)
{
	struct report_options *o = opts;

	return parse_number("--ts2secs", value,
			    o->n_inputs ? &o->inputs[o->n_inputs - 1].ts2secs : &o->ts2secs, err);
}

static int apply_plugin_option(void *opts, const char *value, struct errmsg *err)
{
	return plugin_options_apply(&((struct report_options *)opts)->plugins, value, err);
}

/* What trace-cmd tells at the level "info" goes into the report: versions, CPUs without data. */
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

/* What comes last of -q, -V and --debug decides how much is told. */
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

	o->debug = o->boundary = o->verbose = true;
	return 0;
}

static int set_output(struct report_options *o, enum report_output output, struct errmsg *err)
{
	if (o->output != REPORT_TEXT && o->output != output)
		return errmsg_set(err, -EINVAL, "--json and --csv cannot both be had");
	o->output = output;
	return 0;
}

static int apply_json(void *opts, const char *value, struct errmsg *err)
{
	return set_output(opts, REPORT_JSON, err);
}

static int apply_csv(void *opts, const char *value, struct errmsg *err)
{
	return set_output(opts, REPORT_CSV, err);
}

static int apply_hook(void *opts, const char *value, struct errmsg *err)
{
	return add_word(&((struct report_options *)opts)->hooks, value, err);
}

#define FLAG(l, n, f, h)                                                                   \
	{                                                                                  \
		OPTION_FLAG, l, n, .help = h, .offset = offsetof(struct report_options, f) \
	}
#define CALL(l, n, a, fn, h)                         \
	{                                            \
		OPTION_CALL, l, n, a, h, .apply = fn \
	}

static const struct option_row rows[] = {
	{OPTION_CALL, 'i', "input", "FILE",
	 "read FILE (default: trace.dat); several files are merged by time", .apply = apply_input,
	 .complete = "file"},
	{OPTION_HEADING, .help = "which events"},
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
	FLAG('I', NULL, no_irq, "drop events in hard interrupts"),
	FLAG('S', NULL, no_softirq, "drop events in soft interrupts"),
	{OPTION_STRING, 0, "from", "TIME",
	 "start at this time: seconds, or +1.5s or +20ms after the first event",
	 offsetof(struct report_options, from)},
	{OPTION_STRING, 0, "to", "TIME", "stop at this time", offsetof(struct report_options, to)},
	{OPTION_HEADING, .help = "how they look"},
	CALL(0, "json", NULL, apply_json, "print one JSON object per event, with typed fields"),
	CALL(0, "csv", NULL, apply_csv, "print comma-separated values with a header line"),
	FLAG('t', "nanoseconds", nanoseconds, "show times in nanoseconds"),
	FLAG('l', NULL, latency,
	     "show latency flags: irqs-off, need-resched, interrupt context, preempt depth"),
	FLAG('R', NULL, raw, "raw: show every field by name; ignore the event's print format"),
	CALL('r', NULL, "EVENTS", apply_raw_events,
	     "raw, but only for events that match this regex"),
	CALL('n', NULL, "EVENTS", apply_plain_events,
	     "use no plugin for events that match this regex"),
	FLAG('N', NULL, no_plugins, "use no plugins"),
	FLAG('L', NULL, no_system_plugins,
	     "use no system-wide plugins; same as -N, because sonde has no others"),
	{OPTION_CALL, 'O', NULL, "OPTION", "set a plugin option: [PLUGIN:]NAME[=VALUE]",
	 .apply = apply_plugin_option, .complete = "@plugin-option"},
	FLAG('w', NULL, wakeup, "show wakeup latencies, and a summary at the end"),
	FLAG(0, "tgid", tgid, "show the process id (tgid) where it is known"),
	FLAG(0, "all-names", all_names,
	     "scan the whole trace for task names first, so that fewer tasks show as <...>"),
	FLAG(0, "syscall-names", syscall_names,
	     "show the names of system calls next to their numbers"),
	FLAG(0, "boundary", boundary, "show where sub-buffers start"),
	CALL(0, "debug", NULL, apply_debug, "show the file offset of each event"),
	{OPTION_STRING, 0, "color", "WHEN", "use colours: always, never or auto (on a terminal)",
	 offsetof(struct report_options, colour), .complete = "always never auto"},
	FLAG(0, "no-pager", no_pager, "do not use a pager"),
	{OPTION_HEADING, .help = "time"},
	FLAG(0, "ts-diff", ts_diff, "show the time since the previous line"),
	FLAG(0, "ts-check", ts_check, "warn when time goes backwards on a CPU"),
	CALL(0, "ts-offset", "N", apply_ts_offset, "add N to the times of the preceding input"),
	CALL(0, "ts2secs", "HZ", apply_ts2secs,
	     "the clock of the trace counts HZ ticks per second"),
	FLAG(0, "raw-ts", raw_ts, "show the times as recorded, without correction"),
	FLAG(0, "align-ts", align_ts, "start the times at 0"),
	FLAG(0, "nodate", no_date, "ignore the time of day that record --date stored"),
	{OPTION_HEADING, .help = "show where the time went, instead of the events"},
	FLAG(0, "profile", profile,
	     "for each task: time running, blocked and runnable, system calls, functions"),
	FLAG('G', NULL, profile_global,
	     "account interrupts to the CPU, not to the interrupted task"),
	CALL('H', NULL, "HOOK", apply_hook,
	     "measure a pair of events: START,FIELD[,PIDFIELD]/END,FIELD[,FLAGS]"),
	FLAG(0, "by-comm", by_comm, "group tasks by name"),
	FLAG(0, "self", with_own, "include the activity of sonde itself"),
	{OPTION_HEADING, .help = "show facts about the file, instead of the events"},
	FLAG('e', NULL, endian, "byte order"),
	FLAG('p', NULL, page_size, "sub-buffer size"),
	FLAG('f', NULL, list_functions, "kernel symbols"),
	FLAG('P', NULL, list_printk, "trace_printk() formats"),
	FLAG('E', NULL, list_events, "names of all events that the file describes"),
	FLAG(0, "events", print_events, "formats of all events that the file describes"),
	{OPTION_STRING, 0, "event", "REGEX",
	 "formats of the events that match: SYSTEM:NAME, or part of a name",
	 offsetof(struct report_options, event_regex)},
	FLAG(0, "cpus", list_cpus, "CPUs that have data"),
	FLAG(0, "first-event", first_event, "time of the first event of each CPU"),
	FLAG(0, "last-event", last_event, "time of the last event of each CPU"),
	FLAG(0, "processes", processes, "processes and their command lines"),
	FLAG(0, "stat", stat, "buffer statistics of the recording"),
	FLAG(0, "uname", uname, "the machine that it was recorded on"),
	FLAG(0, "version", version, "the program that recorded it"),
	FLAG(0, "check-events", check_events,
	     "check that all event formats can be parsed; see the exit status"),
	{OPTION_HEADING, .help = "other"},
	{OPTION_STRING, 0, "kallsyms", "FILE",
	 "read more kernel symbols from FILE, in the format of /proc/kallsyms",
	 offsetof(struct report_options, kallsyms), .complete = "file"},
	CALL('q', "quiet", NULL, apply_quiet, "do not warn about damaged input"),
	{OPTION_CALL, 'V', "verbose", "LEVEL",
	 "show file versions and CPUs without data (from level info)", .apply = apply_verbose,
	 .arg_optional = true},
	{OPTION_FLAG, 0, "peer-text", .help = "--profile as trace-cmd prints it",
	 .offset = offsetof(struct report_options, peer_text), .hidden = true},
	{OPTION_END},
};

/* --- opening ----------------------------------------------------------------------------------- */

/* report -r and -n: marks the events whose name or system matches. */
static int mark_events(struct formats *f, const struct word_list *l, bool raw, struct errmsg *err)
{
	for (size_t i = 0; i < l->n; i++) {
		size_t len = strlen(l->words[i]);
		char *anchored = malloc(len + 3);
		regex_t re;
		int r;

		if (!anchored)
			return errmsg_set_errno(err, -ENOMEM, "cannot match '%s'", l->words[i]);
		snprintf(anchored, len + 3, "^%s$", l->words[i]);
		r = regcomp(&re, anchored, REG_ICASE | REG_NOSUB);
		free(anchored);
		if (r)
			return errmsg_set(err, -EINVAL, "'%s' is not a regular expression",
					  l->words[i]);
		for (size_t k = 0; k < f->n_events; k++)
			if (!f->by_id[k]->is_made_up &&
			    (!regexec(&re, f->by_id[k]->name, 0, NULL, 0) ||
			     !regexec(&re, f->by_id[k]->system, 0, NULL, 0)))
				*(raw ? &f->by_id[k]->force_raw : &f->by_id[k]->no_handler) = true;
		regfree(&re);
	}
	return 0;
}

static int open_file(struct report_file *file, const struct report_options *o, struct errmsg *err)
{
	struct formats_config config = {.no_plugins = o->no_plugins || o->no_system_plugins,
					.plugins = o->plugins,
					.kallsyms_path = o->kallsyms};
	int r = tracefile_open(&file->tf, file->input->path, err);

	if (r < 0)
		return r;
	r = formats_new(&file->formats, file->tf, &config, err);
	if (r < 0)
		return r;
	r = tasks_init(&file->tasks, tracefile_text(file->tf, TRACEFILE_CMDLINES));
	if (r < 0)
		return errmsg_set_errno(err, r, "cannot read the command lines of %s",
					file->tf->path);
	tasks_set_processes(&file->tasks, file->formats->processes);
	r = mark_events(file->formats, &o->raw_events, true, err);
	return r < 0 ? r : mark_events(file->formats, &o->plain_events, false, err);
}

/* Events of kvm in the first file may name functions of guests, whose traces the others are. */
static int link_guests(struct report *rep, struct errmsg *err)
{
	struct formats **list = calloc(rep->n_files, sizeof(*list));
	int r = list ? 0 : -ENOMEM;

	for (size_t i = 0; list && i < rep->n_files; i++)
		list[i] = rep->files[i].formats;
	if (!r)
		r = guests_init(&rep->guests, list, rep->n_files);
	for (size_t i = 0; !r && i < rep->n_files; i++)
		list[i]->guests = &rep->guests;
	free(list);
	return r < 0 ? errmsg_set_errno(err, r, "cannot match the guests' traces") : 0;
}

int report_open(struct report *rep, const struct report_options *opts, struct errmsg *err)
{
	rep->opts = opts;
	if (opts->kallsyms && access(opts->kallsyms, R_OK) < 0)
		return errmsg_set_errno(err, -errno, "cannot read the symbols in %s",
					opts->kallsyms);
	rep->files = calloc(opts->n_inputs, sizeof(*rep->files));
	if (!rep->files)
		return errmsg_set_errno(err, -ENOMEM, "cannot open the inputs");
	for (size_t i = 0; i < opts->n_inputs; i++) {
		int r;

		rep->n_files = i + 1;
		rep->files[i].input = &opts->inputs[i];
		r = open_file(&rep->files[i], opts, err);
		if (r < 0)
			return r;
	}
	return rep->n_files > 1 ? link_guests(rep, err) : 0;
}

void report_close(struct report *rep)
{
	for (size_t i = 0; i < rep->n_files; i++) {
		struct report_file *f = &rep->files[i];

		for (size_t k = 0; k < f->n_filters; k++)
			filter_free(f->filters[k]);
		for (size_t k = 0; k < f->n_rejects; k++)
			filter_free(f->rejects[k]);
		free(f->filters);
		free(f->rejects);
		tasks_release(&f->tasks);
		formats_free(f->formats);
		tracefile_close(f->tf);
	}
	guests_release(&rep->guests);
	free(rep->files);
}

bool report_print_damage(const struct report *rep)
{
	bool any = false;

	for (size_t i = 0; i < rep->n_files; i++)
		for (size_t k = 0; rep->files[i].tf && k < rep->files[i].tf->n_damage; k++) {
			if (!rep->opts->quiet)
				fprintf(stderr, "sonde: %s\n", rep->files[i].tf->damage[k]);
			any = true;
		}
	return any;
}

static int report(struct report_options *o, struct errmsg *err)
{
	struct report rep = {0};
	int r = report_open(&rep, o, err);

	if (!r)
		r = report_list(&rep, err);
	for (size_t i = 0; !r && o->output == REPORT_TEXT && i < rep.n_files; i++)
		report_print_version(&rep, i);
	fflush(stdout);
	if (!r)
		r = report_run(&rep, err);
	else if (r == 1)
		r = 0;
	if (r >= 0) {
		fflush(stdout);
		if (report_print_damage(&rep) && !r)
			r = 1;
	}
	report_close(&rep);
	return r;
}

/* --pid 1,22: numbers, and nothing else. */
static int check_pids(const struct word_list *l, struct errmsg *err)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->words[i][strspn(l->words[i], "0123456789,")])
			return errmsg_set(err, -EINVAL,
					  "--pid needs thread ids like 1,22, not '%s'",
					  l->words[i]);
	return 0;
}

/* What can be told from the options alone. */
static int check_options(const struct report_options *o, struct errmsg *err)
{
	bool lists = o->processes || o->list_functions || o->list_printk || o->list_events ||
		     o->print_events || o->list_cpus || o->first_event || o->last_event ||
		     o->endian || o->page_size || o->stat || o->uname || o->version ||
		     o->event_regex;

	if (o->output != REPORT_TEXT && lists)
		return errmsg_set(err, -EINVAL, "--json and --csv are for events, not for lists");
	if (!o->profile && !o->peer_text && (o->profile_global || o->by_comm || o->hooks.n))
		return errmsg_set(err, -EINVAL, "-G, -H and --by-comm go with --profile");
	if (o->profile && o->output == REPORT_CSV)
		return errmsg_set(err, -EINVAL, "--profile has text and --json, but no --csv");
	if (o->kallsyms && access(o->kallsyms, R_OK) < 0)
		return errmsg_set_errno(err, -errno, "cannot read %s", o->kallsyms);
	return check_pids(&o->pids, err);
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct report_options o = {0};
	int n = command_parse(cmd, &o, argc, argv, err), r = n < 0 ? n : 0;

	for (int i = 1; r >= 0 && i <= n; i++)
		r = add_input(&o, argv[i], err);
	if (r >= 0 && !o.n_inputs)
		r = add_input(&o, "trace.dat", err);
	if (r >= 0)
		r = check_options(&o, err);
	if (r >= 0 && o.wakeup && o.n_inputs > 1)
		r = errmsg_set(err, -EINVAL, "report: -w works on one input file only");
	if (r >= 0)
		r = report(&o, err);
	free(o.inputs);
	free(o.filters);
	free(o.cpus);
	free(o.raw_events.words);
	free(o.plain_events.words);
	free(o.pids.words);
	free(o.comms.words);
	free(o.buffers.words);
	free(o.hooks.words);
	return r;
}

const struct command cmd_report = {
	.name = "report",
	.summary = "print the events of a trace file",
	.usage = "[options] [FILE…]",
	.options = rows,
	.args = "file",
	.run = run,
};
