// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_stream.c - `sonde stream`: traces a command, or the machine until Ctrl-C, and prints the
 * events while they happen.
 *
 *	liverun ── livereport ──▶ lines, on standard output
 *
 * A signal stops tracing at once. Records that were already read are printed for some more
 * milliseconds; the number of the others is reported. When the command ends by itself, all records
 * are printed, however long it takes.
 */
#include "base/options.h"
#include "base/scope.h"
#include "capture/record/livetrace.h"
#include "cli/command.h"
#include "live/report.h"
#include "cli/screen/output.h"
#include "live/run.h"
#include "cli/record/controlopts.h"
#include "cli/record/recordopts.h"
#include "present/lines.h"

#include <errno.h>

#define LAST_MS 40 /* time limit after a signal, for records that were read */

struct stream_options {
	struct live_request record; /* must be the first member, for recordopts.h */
	struct livereport_spec show;
	const char *colour;
};

static int set_output(void *opts, enum lines_as as, struct errmsg *err)
{
	struct stream_options *o = opts;

	if (o->show.show.as != LINES_TEXT && o->show.show.as != as)
		return errmsg_set(err, -EINVAL, "--json and --csv exclude each other");
	o->show.show.as = as;
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

#define SHOW(n, f, h) ROW_FLAG(0, n, h, offsetof(struct stream_options, show.f))

static const struct option_row rows[] = {
	RECORDOPTS_EVENTS,
	RECORDOPTS_ROW_SYSCALLS,
	RECORDOPTS_FUNCTIONS,
	RECORDOPTS_SAMPLES,
	CONTROLOPTS_RULES,
	ROW_HEADING("how events look"),
	ROW_CALL(0, "json", NULL, "print one JSON object per event, with typed fields", apply_json),
	ROW_CALL(0, "csv", NULL, "print comma-separated values with a header line", apply_csv),
	SHOW("nanoseconds", in.nanoseconds, "show times in nanoseconds"),
	SHOW("ts-diff", show.ts_diff, "show the time since the previous line"),
	SHOW("latency", show.latency,
	     "show latency flags: irqs-off, need-resched, interrupt context, preempt depth"),
	SHOW("raw", show.raw, "show every field by name; ignore the event's print format"),
	SHOW("tgid", show.tgid, "show the process id (tgid) where it is known"),
	SHOW("syscall-names", show.syscall_names,
	     "show the names of system calls next to their numbers"),
	ROW_STRING(0, "color", "WHEN", "use colours: always, never or auto (on a terminal)",
		   offsetof(struct stream_options, colour), .complete = "always never auto"),
	ROW_FLAG(0, "date", "show the time of day", RECORDOPTS_AT(date)),
	ROW_STRING(0, "ts-offset", "N", "add N to every timestamp", RECORDOPTS_AT(ts_offset)),
	ROW_FLAG(0, "tsc2nsec", "show times of the x86-tsc clock in nanoseconds",
		 RECORDOPTS_AT(tsc2nsec)),
	RECORDOPTS_KERNEL,
	RECORDOPTS_RECORDER,
	ROW_END,
};

static int print_live(struct stream_options *o, struct liverun *run, char **argv,
		      struct errmsg *err)
{
	SCOPED(livereport_free_scoped) struct livereport *lr = NULL;
	struct output out;

	TRY(liverun_open(run, &o->record, argv, err));
	TRY(output_open(&out, o->colour, true, err));
	output_aim(&out, &o->show);
	TRY(livereport_new(&lr, livetrace_file(run->lt), &o->show, run->s.setup, err));
	return livereport_follow(lr, run,
				 "a larger buffer (-b), fewer events or a faster reader helps",
				 LAST_MS, err);
}

static int stream(struct live_request *record, char **argv, struct errmsg *err)
{
	struct errmsg ignored = {0};
	struct liverun run = {0};
	int r = print_live((struct stream_options *)record, &run, argv, err);
	int r2 = liverun_close(&run, r == -EPIPE ? &ignored : err);

	/* as record does for user functions */
	if (r >= 0 && r2 >= 0 && (record->has_user || (record->samples.is_wanted && argv)))
		return recordopts_exit_status(run.s.child_status);
	return r < 0 ? r : r2;
}

static void release(struct stream_options *o)
{
	live_request_release(&o->record);
}

static int run_stream(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	SCOPED(release) struct stream_options o = {0};
	int n;

	TRY(recordopts_init(&o.record));
	TRY(recordopts_join_user(&argc, argv, err));
	n = command_parse(cmd, &o, argc, argv, err);
	TRY(n);
	TRY(recordopts_check(&o.record, n > 0, err));
	TRY(controlopts_check(&o.record, err));
	return recordopts_carry_out(&o.record, n, argv,
				    "stream needs to know what to print: an event, -e sched, a "
				    "tracer, -p function, a program's functions, -u, or --sample",
				    stream, err);
}

const struct command cmd_stream = {
	.name = "stream",
	.summary = "print events as they happen",
	.usage = "[options] [COMMAND [ARGUMENT…]]",
	.options = rows,
	.parse_flags = OPTIONS_STOP_AT_ARGUMENT,
	.run = run_stream,
	.args = "program",
};
