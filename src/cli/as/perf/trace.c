// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trace.c - `perf trace`: perf's options on top of `sonde trace`, with perf's lines and tables.
 *
 *	options ──▶ traceopts ──▶ liverun, calltrace ──▶ calllines, perflines ──▶ standard error, -o
 *	-i FILE  ──▶ inputs, callrun ─────────────────────┘
 *	record   ──▶ perf record -e raw_syscalls:*
 *
 * Without a command and a target the whole machine is traced. The exit status is 0 whatever the
 * command's is, as perf's. Strings and structures are those that sonde's BPF programs copied: perf
 * as distributions build it shows addresses.
 */
#include "base/array.h"
#include "base/errmsg.h"
#include "base/files/outplace.h"
#include "base/options.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "capture/syscalls/systrace.h"
#include "cli/as/perf.h"
#include "cli/as/perf_words.h"
#include "cli/as/perfcount/perfcount.h"
#include "cli/record/recordopts.h"
#include "cli/trace/traceopts.h"
#include "inputs/inputs.h"
#include "live/calls/calltrace.h"
#include "live/names.h"
#include "present/syscalls/callrun.h"
#include "present/syscalls/perflines.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TABLES_MAX_BYTES (64u << 20)
#define RECORD_WORDS_MAX 256
#define CHOICE_MAX_BYTES (1u << 20)

struct trace_options {
	struct traceopts o; /* first: its callbacks get it */
	struct perflines_spec perf;
	const char *output;
	bool tables_only, tables_too, no_syscalls, ignored;
	long long max_events, unused;
	int hidden[CALLLINES_PIDS_MAX];
};

/* -e open,close,sched:sched_switch: names with a colon are events, the others system calls. */
static int apply_event(void *opts, const char *value, struct errmsg *err)
{
	SCOPED(scope_free) char *copy = strdup(value);
	TEXTBUF(calls, CHOICE_MAX_BYTES);
	struct trace_options *t = opts;
	struct errmsg why = {0};
	char *rest = copy, *word;

	if (!copy)
		return errmsg_set_errno(err, -ENOMEM, "cannot keep the events");
	while ((word = strsep(&rest, ","))) {
		if (strchr(word, ':')) {
			TRY(recordopts_event(opts, word, err));
			t->perf.events = true;
		} else {
			textbuf_addf(&calls, "%s%s", textbuf_len(&calls) ? "," : "", word);
		}
	}
	if (textbuf_len(&calls) && traceopts_choose(opts, textbuf_text(&calls), &why) < 0)
		return errmsg_set(err, -EINVAL, "event syntax error: '%s'\n%*s\\___ %s", value, 21,
				  "", why.text);
	return 0;
}

static int apply_tid(void *opts, const char *value, struct errmsg *err)
{
	((struct traceopts *)opts)->no_children = true;
	return recordopts_pid(opts, value, err);
}

static int apply_filter_pids(void *opts, const char *value, struct errmsg *err)
{
	struct trace_options *t = opts;
	struct calllines_spec *l = &t->o.lines;
	const char *p = value;

	for (;;) {
		char *end;
		long pid = strtol(p, &end, 10);

		if (end == p || (*end && *end != ',') || pid <= 0)
			return errmsg_set(err, -EINVAL,
					  "--filter-pids takes numbers of processes, not '%s'",
					  value);
		if (l->n_hidden_pids == CALLLINES_PIDS_MAX)
			return errmsg_set(err, -E2BIG, "at most %d processes (--filter-pids)",
					  CALLLINES_PIDS_MAX);
		t->hidden[l->n_hidden_pids++] = (int)pid;
		if (!*end)
			return 0;
		p = end + 1;
	}
}

static int refuse_faults(void *opts, const char *value, struct errmsg *err)
{
	return errmsg_set(err, -EINVAL,
			  "-F: sonde trace shows system calls only; 'sonde sample -e %s -c 1' "
			  "records page faults with their places",
			  !strcmp(value, "maj")	  ? "major-faults"
			  : !strcmp(value, "min") ? "minor-faults"
						  : "page-faults");
}

static int refuse_stacks(void *opts, const char *value, struct errmsg *err)
{
	return errmsg_set(err, -EINVAL,
			  "sonde does not record stacks of system calls; 'sonde record --syscalls "
			  "--sample' records both");
}

static int refuse_sched(void *opts, const char *value, struct errmsg *err)
{
	return errmsg_set(err, -EINVAL,
			  "--sched: 'sonde record --syscalls -e sched' and 'sonde sched' show it");
}

#define AT(field) offsetof(struct trace_options, field)

static const struct option_row rows[] = {
	ROW_FLAG('a', "all-cpus", "system-wide collection from all CPUs", AT(o.all_tasks)),
	ROW_STRING('C', "cpu", "cpu", "list of cpus to monitor", AT(o.cpu_list)),
	ROW_CALL('e', "event", "event", "event/syscall selector", apply_event),
	ROW_FLAG('f', "force", "don't complain, do it", AT(ignored)),
	ROW_CALL('F', "pf", "all|maj|min", "Trace pagefaults", refuse_faults),
	ROW_STRING('G', "cgroup", "name", "monitor event in cgroup name only", AT(o.cgroup)),
	ROW_STRING('i', "input", "file", "Analyze events in file", AT(o.input)),
	ROW_NUMBER('m', "mmap-pages", "pages", "number of mmap data pages", AT(unused)),
	ROW_STRING('o', "output", "file", "output file name", AT(output)),
	ROW_CALL('p', "pid", "pid", "trace events on existing process id", recordopts_pid),
	ROW_FLAG('s', "summary", "Show only syscall summary with statistics", AT(tables_only)),
	ROW_FLAG('S', "with-summary", "Show all syscalls and summary with statistics",
		 AT(tables_too)),
	ROW_CALL('t', "tid", "tid", "trace events on existing thread id", apply_tid),
	ROW_FLAG('T', "time", "Show full timestamp, not time relative to first start",
		 AT(perf.full_time)),
	ROW_FLAG('v', "verbose", "be more verbose", AT(ignored)),
	ROW_CALL(0, "call-graph", "record_mode[,record_size]", "setup and enables call-graph",
		 refuse_stacks),
	ROW_FLAG(0, "comm", "show the thread COMM next to its id", AT(ignored)),
	ROW_CALL(0, "duration", "float", "show only events with duration > N.M ms",
		 traceopts_duration),
	ROW_FLAG(0, "errno-summary", "Show errno stats per syscall, use with -s or -S",
		 AT(perf.errnos)),
	ROW_CALL(0, "expr", "expr", "list of syscalls/events to trace", apply_event),
	ROW_FLAG(0, "failure", "Show only syscalls that failed", AT(o.lines.only_failed)),
	ROW_CALL(0, "filter", "filter", "event filter", recordopts_filter),
	ROW_CALL(0, "filter-pids", "CSV list of pids", "pids to filter", apply_filter_pids),
	ROW_CALL(0, "kernel-syscall-graph", NULL,
		 "Show the kernel callchains on the syscall exit path", refuse_stacks),
	ROW_NUMBER(0, "max-events", "n",
		   "Set the maximum number of events to print, exit after that is reached.",
		   AT(max_events)),
	ROW_FLAG(0, "no-inherit", "child tasks do not inherit counters", AT(o.no_children)),
	ROW_CALL(0, "sched", NULL, "show blocking scheduler events", refuse_sched),
	ROW_FLAG(0, "sort-events", "Sort batch of events before processing", AT(ignored)),
	ROW_FLAG(0, "syscalls", "Trace syscalls", AT(ignored)),
	ROW_FLAG(0, "no-syscalls", "", AT(no_syscalls), .hidden = true),
	ROW_END,
};

static int write_out(void *ctx, const char *text, size_t len)
{
	return fwrite(text, 1, len, ctx) == len ? 0 : -errno;
}

static int show_file(struct trace_options *t, FILE *to, struct errmsg *err)
{
	struct inputs_path path = {.path = t->o.input};
	struct inputs_spec spec = {.paths = &path, .n_paths = 1};
	struct inputs in = {0};
	TEXTBUF(tables, TABLES_MAX_BYTES);
	int r = inputs_open(&in, &spec, err);

	t->o.lines.tables = t->tables_only || t->tables_too ? &tables : NULL;
	if (r >= 0)
		r = callrun(&in, &t->o.lines, write_out, to, err);
	inputs_close(&in);
	if (r >= 0 && textbuf_len(&tables))
		r = write_out(to, tables.start, textbuf_len(&tables));
	return r;
}

static int follow(struct trace_options *t, struct liverun *run, FILE *to, char **argv,
		  struct errmsg *err)
{
	SCOPED(calltrace_free_scoped) struct calltrace *trace = NULL;
	TEXTBUF(tables, TABLES_MAX_BYTES);
	int r;

	t->o.lines.tables = t->tables_only || t->tables_too ? &tables : NULL;
	TRY(liverun_open(run, &t->o.record, argv, err));
	TRY(calltrace_new(&trace, run, &t->o.lines, fileno(to), err));
	r = calltrace_follow(trace, err);
	if (r >= 0 && textbuf_len(&tables))
		r = write_out(to, tables.start, textbuf_len(&tables));
	return r;
}

static int show_live(struct trace_options *t, FILE *to, char **argv, struct errmsg *err)
{
	struct liverun run = {0};
	struct errmsg ignored = {0};
	int r = follow(t, &run, to, argv, err);
	int r2 = liverun_close(&run, r < 0 ? &ignored : err);

	if (r == -EPIPE) /* --max-events, or nobody reads */
		return 0;
	return r < 0 ? r : r2;
}

/* The kernel records the events of the tasks whose system calls are traced. */
static int settle_events(struct trace_options *t, bool has_command, struct errmsg *err)
{
	struct traceopts *o = &t->o;
	struct plan *plan = &o->record.plan;

	/* as in perf: -e with events only leaves out system calls */
	if (t->no_syscalls || (t->perf.events && !o->has_calls)) {
		memset(o->calls, 0, sizeof(o->calls));
		memset(o->calls_32, 0, sizeof(o->calls_32));
		o->has_calls = o->lines.no_calls = true;
	}
	if (!t->perf.events)
		return 0;
	if (o->input || o->cpu_list || o->cgroup)
		return errmsg_set(err, -EINVAL,
				  "perf trace -e EVENT cannot be combined with -%c here; 'sonde "
				  "record --syscalls -e EVENT' and 'sonde report' show both",
				  o->input	? 'i'
				  : o->cpu_list ? 'C'
						: 'G');
	plan->only_command = has_command && !o->all_tasks;
	plan->children =
		!o->all_tasks && !o->no_children && (has_command || plan->buffers[0].pids.n);
	return 0;
}

static int trace(struct trace_options *t, char **argv, struct errmsg *err)
{
	SCOPED(fclose_scoped) FILE *file = NULL;
	struct traceopts *o = &t->o;

	if (!argv && !o->input && !o->all_tasks && !o->cpu_list && !o->cgroup &&
	    !o->record.plan.buffers[0].pids.n)
		o->all_tasks = true;
	t->perf.find_name = o->input ? NULL : livenames_ask;
	t->perf.max_lines = t->max_events > 0 ? (uint64_t)t->max_events : 0;
	o->lines.perf = &t->perf;
	o->lines.hidden_pids = t->hidden;
	o->lines.no_signals = true;
	o->counts = t->tables_only; /* no lines */
	o->counts_too = t->tables_too;
	o->record.quiet = true;
	TRY(settle_events(t, argv, err));
	TRY(traceopts_check(o, argv, err));
	if (t->output) {
		int fd = outplace_open_file(t->output, OUTPLACE_WRITE, err);

		TRY(fd);
		file = fdopen(fd, "w");
		if (!file)
			return errmsg_set_errno(err, -errno, "cannot write %s", t->output);
	}
	return o->input ? show_file(t, file ? file : stdout, err)
			: show_live(t, file ? file : stderr, argv, err);
}

/* `perf trace record …` is a recording of the kernel's events of system calls. */
static int record(int argc, char **argv, struct errmsg *err)
{
	char *words[RECORD_WORDS_MAX] = {(char *)"record", (char *)"-e", (char *)"raw_syscalls:*"};

	if ((size_t)argc + 3 >= ARRAY_LEN(words))
		return errmsg_set(err, -E2BIG, "perf trace record: too many words");
	memcpy(words + 3, argv + 2, (size_t)(argc - 2) * sizeof(*words));
	return perf_call("record", argc + 1, words, err);
}

int perf_trace(int argc, char **argv, struct errmsg *err)
{
	static const char *const lines[] = {"perf trace [<options>] [<command>]",
					    "perf trace [<options>] -- <command> [<options>]",
					    "perf trace record [<options>] [<command>]", NULL};
	const struct perf_usage usage = {lines, rows, ""};
	struct trace_options t = {
		.o = {.string_max = SYSTRACE_STRING_MAX, .ring_kb = SYSTRACE_RING_BYTES / 1024}};
	bool help = false;
	int n, r = recordopts_init(&t.o.record);

	if (argc > 1 && !strcmp(argv[1], "record")) {
		live_request_release(&t.o.record);
		return record(argc, argv, err);
	}
	n = r < 0 ? r : options_parse(rows, &t, argc, argv, OPTIONS_STOP_AT_ARGUMENT, &help, err);
	if (help || (n < 0 && r >= 0)) {
		if (n < 0)
			fprintf(stderr, "  Error: %s\n", err->text);
		perf_usage_print(&usage, help ? NULL : "e", help ? stdout : stderr);
		err->code = n < 0 ? -EPIPE : err->code;
		r = PERF_USAGE;
	} else if (r >= 0) {
		argv[n + 1] = NULL;
		r = trace(&t, n > 0 ? argv + 1 : NULL, err);
		err->code = r < 0 && err->code == -EINVAL ? -ENOTSUP : err->code; /* 255 */
	}
	live_request_release(&t.o.record);
	return r;
}
