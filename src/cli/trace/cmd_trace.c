// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_trace.c - `sonde trace`: the system calls of a command, a process, a cgroup, a CPU or the
 * whole machine, with their arguments, as strace prints them.
 *
 *	live     liverun ── calltrace ──▶ lines
 *	-o .dat  record_to_file
 *	FILE     callrun ──▶ lines
 */
#include "analyse/callsummary.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "cli/command.h"
#include "cli/record/recordopts.h"
#include "cli/screen/notes.h"
#include "cli/screen/outcome.h"
#include "cli/screen/output.h"
#include "cli/trace/traceopts.h"
#include "capture/syscalls/systrace.h"
#include "inputs/inputs.h"
#include "live/calls/calltrace.h"
#include "live/calls/livecalls.h"
#include "live/record.h"
#include "present/syscalls/callrun.h"
#include "present/syscalls/callstable.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#define SUMMARY_MAX_BYTES (4u << 20)

#define AT(field)	  offsetof(struct traceopts, field)

static const struct option_row rows[] = {
	ROW_HEADING("what to trace"),
	ROW_CALL('p', "pid", "PID,…", "trace these running processes, with all their threads",
		 recordopts_pid),
	ROW_FLAG('a', "all", "trace all processes", AT(all_tasks)),
	ROW_STRING('G', "cgroup", "DIR", "trace the processes of this cgroup (version 2)",
		   AT(cgroup), .complete = "dir"),
	ROW_STRING(0, "cpu", "LIST", "trace calls that begin on these CPUs: 0,2-3", AT(cpu_list)),
	ROW_FLAG('F', "no-follow", "do not follow children and new threads", AT(no_children)),
	ROW_CALL('f', "follow-forks", NULL, "follow children (default)", traceopts_nothing),
	ROW_STRING('i', "input", "FILE", "show the calls of a recorded file", AT(input),
		   .complete = "file"),
	ROW_HEADING("which calls"),
	ROW_CALL('e', "expr", "CALLS",
		 "only these calls: names, globs, sets as %file, /REGEX; !… all others; "
		 "signal=CHLD, status=failed",
		 traceopts_choose),
	ROW_CALL('P', "trace-path", "PATH", "only calls that use this path", traceopts_path),
	ROW_FLAG('Z', "failed-only", "only calls that fail", AT(lines.only_failed)),
	ROW_FLAG('z', "successful-only", "only calls that succeed", AT(lines.only_ok)),
	ROW_CALL(0, "duration", "MS", "only calls that last at least MS milliseconds",
		 traceopts_duration),
	ROW_HEADING("how calls look"),
	ROW_CALL('t', "time", NULL, "show the time of day; -tt: microseconds; -ttt: since 1970",
		 traceopts_time),
	ROW_FLAG('r', "relative-timestamps", "show the time since the call before",
		 AT(lines.relative)),
	ROW_FLAG('T', "syscall-times", "show how long each call took", AT(lines.durations)),
	ROW_FLAG('n', "syscall-number", "show the number of each call", AT(lines.numbers)),
	ROW_NUMBER('s', "string-limit", "N", "show at most N bytes of strings (default: 32)",
		   AT(string_max)),
	ROW_CALL('y', "decode-fds", NULL, "show paths of descriptors; -yy is the same",
		 traceopts_paths),
	ROW_FLAG('v', "no-abbrev", "show structures and environments completely",
		 AT(lines.text.verbose)),
	ROW_CALL('x', "strings-in-hex", NULL, "show strings that are no text in hex; -xx: all",
		 traceopts_hex),
	ROW_NUMBER(0, "column", "N", "column of results (default: 40)", AT(column)),
	ROW_FLAG(0, "json", "print one JSON object per call, or per row of the summary",
		 AT(lines.json)),
	ROW_STRING(
		'o', "output", "FILE",
		"write to FILE, - is standard output (default with a command: standard error); a "
		"name that ends with .dat gets a trace that all commands read",
		AT(output), .complete = "file"),
	ROW_HEADING("summary"),
	ROW_FLAG('c', "summary-only", "count calls, errors and times; no lines", AT(counts)),
	ROW_FLAG('C', "summary", "lines, then the summary", AT(counts_too)),
	ROW_CALL('S', "summary-sort-by", "KEY",
		 "sort by time (default), calls, errors, name, min, max, avg or nothing",
		 traceopts_sort, .complete = "time calls errors name min max avg nothing"),
	ROW_CALL('w', "summary-wall-clock", NULL,
		 "accepted for compatibility: times are always those from beginning to end",
		 traceopts_nothing),
	ROW_HEADING("the recorder"),
	ROW_NUMBER(0, "ring-size", "KB", "size of the kernel's ring (default: 32768)", AT(ring_kb)),
	ROW_FLAG(0, "no-bpf",
		 "use the kernel's events raw_syscalls: no memory of arguments is copied",
		 AT(no_bpf)),
	ROW_STRING('u', "user", "USER", "run the command as this user", AT(record.user)),
	ROW_CALL('E', "env", "NAME=VALUE",
		 "set a variable in the environment of the command; without =, remove it",
		 traceopts_env),
	ROW_FLAG('q', "quiet", "print no notes", AT(record.quiet)),
	ROW_CALL(0, "verbose", NULL, "report memory that could not be read", recordopts_verbose),
	ROW_END,
};

/* --- output ----------------------------------------------------------------------------------- */

struct place {
	struct output out;
	int fd; /* of -o; -1: a standard one */
};

/* Standard output belongs to the command, if there is one, as under strace. */
static int open_place(struct place *p, const struct traceopts *o, bool has_command,
		      struct errmsg *err)
{
	p->fd = -1;
	if (!o->output && has_command && !o->input) {
		output_open_fd(&p->out, STDERR_FILENO);
		return 0;
	}
	if (!o->output || !strcmp(o->output, "-"))
		return output_open(&p->out, "never", !o->input, err);
	p->fd = open(o->output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (p->fd < 0)
		return errmsg_set_errno(err, -errno, "cannot write %s", o->output);
	output_open_fd(&p->out, p->fd);
	return 0;
}

static void close_place(struct place *p)
{
	output_close(&p->out);
	if (p->fd >= 0)
		close(p->fd);
}

static int write_out(void *ctx, const char *text, size_t len)
{
	return output_write(ctx, text, len);
}

static int print_summary(const struct traceopts *o, struct place *p)
{
	TEXTBUF(text, SUMMARY_MAX_BYTES);

	if (!o->lines.summary)
		return 0;
	if (o->lines.json)
		callstable_fmt_json(o->lines.summary, o->sort, &text);
	else
		callstable_fmt(o->lines.summary, o->sort, &text);
	return output_write(&p->out, text.start, textbuf_len(&text));
}

/* --- three ways ------------------------------------------------------------------------------- */

static int show_file(struct traceopts *o, struct place *p, struct errmsg *err)
{
	struct inputs_path path = {.path = o->input};
	struct inputs_spec spec = {.paths = &path, .n_paths = 1};
	struct inputs in = {0};
	bool damaged;
	int r = inputs_open(&in, &spec, err);

	if (r >= 0)
		r = callrun(&in, &o->lines, write_out, &p->out, err);
	damaged = notes_print_damage(&in, o->record.quiet);
	inputs_close(&in);
	return r < 0 ? r : damaged;
}

/* Without BPF: what the kernel's events have, said once. */
static int do_without(struct traceopts *o, const char *why, bool has_command, struct errmsg *err)
{
	TEXTBUF(text, 2048);

	textbuf_addf(&text,
		     "%s; strings and structures are shown as addresses, from the events "
		     "raw_syscalls",
		     why);
	if (!o->record.quiet)
		o->record.front->tell(textbuf_text(&text));
	return livecalls_do_without(&o->record, has_command, err);
}

/* Opens the run, with the kernel's events if the programs cannot be loaded. */
static int open_run(struct traceopts *o, struct liverun *run, char **argv, struct errmsg *err)
{
	struct errmsg why = {0}, ignored = {0};
	int r;

	if (o->no_bpf) {
		TRY(do_without(o, "BPF programs are not used (--no-bpf)", argv, err));
		return liverun_open(run, &o->record, argv, err);
	}
	r = liverun_open(run, &o->record, argv, &why);
	if (r >= 0)
		return 0;
	/* all but the programs works as it does with other commands */
	if (run->has_session || geteuid() || o->cgroup || o->cpu_list || why.code == -EINVAL)
		return errmsg_set(err, why.code, "%s", why.text);
	liverun_close(run, &ignored);
	*run = (struct liverun){0};
	TRY(do_without(o, why.text, argv, err));
	return liverun_open(run, &o->record, argv, err);
}

static int run_live(struct traceopts *o, struct liverun *run, struct place *p, char **argv,
		    struct errmsg *err)
{
	SCOPED(calltrace_free_scoped) struct calltrace *t = NULL;

	TRY(open_run(o, run, argv, err));
	TRY(calltrace_new(&t, run, &o->lines, p->out.fd, err));
	return calltrace_follow(t, err);
}

static int show_live(struct traceopts *o, struct place *p, char **argv, struct errmsg *err)
{
	struct liverun run = {0};
	struct errmsg ignored = {0};
	int r = run_live(o, &run, p, argv, err);
	int r2 = liverun_close(&run, r == -EPIPE ? &ignored : err);

	if (r < 0 || r2 < 0)
		return r < 0 ? r : r2;
	return argv ? recordopts_exit_status(run.s.child_status) : 0;
}

static int record(struct traceopts *o, char **argv, struct errmsg *err)
{
	struct recording_config config;
	struct record_outcome outcome;
	struct record_watch watch = {0};
	int r = live_request_get_config(&o->record, o->output, &config, err);

	if (r >= 0)
		r = record_to_file(&o->record, &config, argv, &watch, &outcome, err);
	if (r >= 0 && !o->record.quiet)
		outcome_show(&o->record, &outcome);
	return r < 0 ? r : argv ? recordopts_exit_status(outcome.command_status) : 0;
}

static int trace(struct traceopts *o, char **argv, struct errmsg *err)
{
	struct place p;
	int r;

	if (traceopts_records(o) && !o->input)
		return record(o, argv, err);
	if ((o->counts || o->counts_too) && !(o->lines.summary = callsummary_new()))
		return errmsg_set_errno(err, -ENOMEM, "cannot count");
	TRY(open_place(&p, o, argv, err));
	r = o->input ? show_file(o, &p, err) : show_live(o, &p, argv, err);
	if (r >= 0 && print_summary(o, &p) < 0 && !output_is_closed(&p.out))
		r = errmsg_set_errno(err, -EIO, "cannot write the summary");
	close_place(&p);
	return r == -EPIPE ? 0 : r;
}

static int run_trace(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct traceopts o = {.string_max = SYSTRACE_STRING_MAX,
			      .ring_kb = SYSTRACE_RING_BYTES / 1024};
	int n = recordopts_init(&o.record), r;

	if (n >= 0)
		n = command_parse(cmd, &o, argc, argv, err);
	/* `sonde trace FILE`, as other commands have it */
	if (n == 1 && !o.input && !o.all_tasks && !o.record.plan.buffers[0].pids.n &&
	    traceopts_is_trace(argv[1])) {
		o.input = argv[1];
		n = 0;
	}
	r = n < 0 ? n : traceopts_check(&o, n > 0, err);
	if (r >= 0) {
		argv[n + 1] = NULL;
		r = trace(&o, n > 0 ? argv + 1 : NULL, err);
	}
	callsummary_free(o.lines.summary);
	live_request_release(&o.record);
	return r;
}

const struct command cmd_trace = {
	.name = "trace",
	.summary = "show system calls with their arguments, as strace does",
	.usage = "[options] [COMMAND [ARGUMENT…] | FILE]",
	.options = rows,
	.parse_flags = OPTIONS_STOP_AT_ARGUMENT,
	.run = run_trace,
	.args = "program",
};
