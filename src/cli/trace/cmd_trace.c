// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_trace.c - `sonde trace`: the system calls of a command, a process, a cgroup, a CPU or the
 * whole machine, with their arguments, as strace prints them.
 *
 * The rows of its options, and their check. traceopts.c says what they mean, showing.c carries them
 * out.
 */
#include "analyse/callsummary.h"
#include "base/options.h"
#include "capture/syscalls/systrace.h"
#include "cli/command.h"
#include "cli/record/recordopts.h"
#include "cli/trace/showing.h"
#include "cli/trace/traceopts.h"
#include "live/request.h"

#include <stddef.h>

#define AT(field) offsetof(struct traceopts, field)

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
	ROW_CALL('y', "decode-fds", NULL,
		 "show paths of descriptors; -yy: also devices, protocols and addresses of sockets",
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
		r = trace_show(&o, n > 0 ? argv + 1 : NULL, err);
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
