// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_stream.c - `sonde stream`: traces a command, or the machine until Ctrl-C, and prints the events
 * while they happen.
 *
 *	liverun ── livereport_step ──▶ lines, on standard output
 *
 * After a signal tracing is off at once, and for some more milliseconds what has been read is printed; what
 * is left after that is counted and told. When the command has ended by itself, everything is printed,
 * however long it takes.
 */
#include "base/options.h"
#include "capture/record/livetrace.h"
#include "cli/command.h"
#include "live/report.h"
#include "cli/screen/output.h"
#include "live/run.h"
#include "cli/record/recordopts.h"
#include "present/lines.h"

#include <errno.h>

#define LAST_MS 40 /* after a signal, for what has been read */

struct stream_options {
	struct live_request record; /* first, for recordopts.h */
	struct livereport_spec show;
	const char *colour;
};

static int set_output(void *opts, enum lines_as as, struct errmsg *err)
{
	struct stream_options *o = opts;

	if (o->show.show.as != LINES_TEXT && o->show.show.as != as)
		return errmsg_set(err, -EINVAL, "--json and --csv cannot both be had");
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

#define SHOW(n, f, h)                                             \
	{                                                         \
		.kind = OPTION_FLAG, .name = n, .help = h,        \
		.offset = offsetof(struct stream_options, show.f) \
	}

static const struct option_row rows[] = {
	RECORDOPTS_EVENTS,
	{.kind = OPTION_HEADING, .help = "how events look"},
	{.kind = OPTION_CALL,
	 .name = "json",
	 .help = "print one JSON object per event, with typed fields",
	 .apply = apply_json},
	{.kind = OPTION_CALL,
	 .name = "csv",
	 .help = "print comma-separated values with a header line",
	 .apply = apply_csv},
	SHOW("nanoseconds", in.nanoseconds, "show times in nanoseconds"),
	SHOW("ts-diff", show.ts_diff, "show the time since the previous line"),
	SHOW("latency", show.latency,
	     "show latency flags: irqs-off, need-resched, interrupt context, preempt depth"),
	SHOW("raw", show.raw, "show every field by name; ignore the event's print format"),
	SHOW("tgid", show.tgid, "show the process id (tgid) where it is known"),
	SHOW("syscall-names", show.syscall_names,
	     "show the names of system calls next to their numbers"),
	{.kind = OPTION_STRING,
	 .name = "color",
	 .arg = "WHEN",
	 .help = "use colours: always, never or auto (on a terminal)",
	 .offset = offsetof(struct stream_options, colour),
	 .complete = "always never auto"},
	{.kind = OPTION_FLAG,
	 .name = "date",
	 .help = "show the time of day",
	 .offset = RECORDOPTS_AT(date)},
	{.kind = OPTION_STRING,
	 .name = "ts-offset",
	 .arg = "N",
	 .help = "add N to every timestamp",
	 .offset = RECORDOPTS_AT(ts_offset)},
	{.kind = OPTION_FLAG,
	 .name = "tsc2nsec",
	 .help = "show times of the x86-tsc clock in nanoseconds",
	 .offset = RECORDOPTS_AT(tsc2nsec)},
	RECORDOPTS_KERNEL,
	RECORDOPTS_RECORDER,
	{.kind = OPTION_END},
};

static int stream(struct live_request *record, char **argv, struct errmsg *err)
{
	struct stream_options *o = (struct stream_options *)record;
	struct liverun_taker printing = livereport_taker;
	struct errmsg ignored = {0};
	struct livereport *lr = NULL;
	struct liverun run = {0};
	struct output out;
	int r = liverun_open(&run, record, argv, err), r2;

	printing.lost_text = "a larger buffer (-b), fewer events or a faster reader helps";
	printing.last_ms = LAST_MS;
	if (r >= 0)
		r = output_open(&out, o->colour, true, err);
	if (r >= 0)
		output_aim(&out, &o->show);
	if (r >= 0)
		r = livereport_new(&lr, livetrace_file(run.lt), &o->show, run.s.setup, err);
	if (r >= 0)
		r = liverun_follow(&run, &printing, lr, err);
	livereport_free(lr);
	r2 = liverun_close(&run, r == -EPIPE ? &ignored : err);
	return r < 0 ? r : r2;
}

static int run_stream(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct stream_options o = {0};
	int n, r;

	n = recordopts_init(&o.record);
	if (n >= 0)
		n = command_parse(cmd, &o, argc, argv, err);
	r = n < 0 ? n : recordopts_check(&o.record, n > 0, err);
	return recordopts_carry_out(&o.record, r < 0 ? r : n, argv,
				    "stream needs to know what to print: an event, -e sched, or a "
				    "tracer, -p function",
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
