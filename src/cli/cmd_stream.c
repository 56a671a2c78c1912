// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_stream.c - `sonde stream`: traces a command, or the machine until Ctrl-C, and prints the events
 * while they happen.
 *
 *	main thread     session_wait ── every 25 ms ──▶ livereport_step, for 40 ms at most
 *	recorder        kernel ──▶ livepages, some twenty times a second
 *
 * So a signal is heard within 40 ms, whatever the load and however slow our reader is. Then tracing is
 * switched off, and for some more milliseconds what has been read is printed; what is left after that is
 * counted and told. When the command has ended by itself, everything is printed, however long it takes.
 */
#include "base/trickle.h"
#include "capture/livetrace.h"
#include "capture/recording.h"
#include "cli/bootline.h"
#include "cli/command.h"
#include "cli/livereport.h"
#include "cli/recordopts.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TICK_MS	      25
#define STEP_MS	      40
#define LAST_READ_MS  20 /* after a signal: what is left in the kernel's buffers … */
#define LAST_PRINT_MS 40 /* … and what has been read */

struct stream_options {
	struct record_options record; /* first, for recordopts.h */
	struct report_options show;
};

static int set_output(void *opts, enum report_output output, struct errmsg *err)
{
	struct stream_options *o = opts;

	if (o->show.output != REPORT_TEXT && o->show.output != output)
		return errmsg_set(err, -EINVAL, "--json and --csv cannot both be had");
	o->show.output = output;
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
	 .help = "one JSON object per event, with typed fields",
	 .apply = apply_json},
	{.kind = OPTION_CALL,
	 .name = "csv",
	 .help = "comma-separated values, a header line first",
	 .apply = apply_csv},
	SHOW("nanoseconds", nanoseconds, "show times in nanoseconds"),
	SHOW("ts-diff", ts_diff, "show the time since the line before"),
	SHOW("latency", latency, "latency format: with irqs-off, need-resched and so on"),
	SHOW("raw", raw, "every field by name, not the event's print format"),
	SHOW("tgid", tgid, "a column with the process id, where it is known"),
	SHOW("syscall-names", syscall_names, "name system calls where the kernel has only numbers"),
	{.kind = OPTION_STRING,
	 .name = "color",
	 .arg = "WHEN",
	 .help = "colours: always, never or auto (a terminal)",
	 .offset = offsetof(struct stream_options, show.colour),
	 .complete = "always never auto"},
	{.kind = OPTION_FLAG,
	 .name = "date",
	 .help = "show events by the time of day",
	 .offset = RECORDOPTS_AT(date)},
	{.kind = OPTION_STRING,
	 .name = "ts-offset",
	 .arg = "N",
	 .help = "a number that is added to every time stamp",
	 .offset = RECORDOPTS_AT(ts_offset)},
	{.kind = OPTION_FLAG,
	 .name = "tsc2nsec",
	 .help = "show the times of a counter in nanoseconds",
	 .offset = RECORDOPTS_AT(tsc2nsec)},
	RECORDOPTS_KERNEL,
	RECORDOPTS_RECORDER,
	{.kind = OPTION_END},
};

struct stream {
	const struct stream_options *o;
	struct session s;
	struct livetrace *lt;
	struct livereport *lr;
	bool no_reader;
	struct errmsg err; /* of a tick */
};

static uint64_t in_ms(unsigned ms)
{
	return trickle_now_ns() + ms * 1000000ull;
}

/* --- while it runs ----------------------------------------------------------------------------- */

static bool tick(void *ctx)
{
	struct stream *st = ctx;
	int r = livereport_step(st->lr, in_ms(STEP_MS), &st->err);

	st->no_reader = r == -EPIPE;
	return r >= 0;
}

/* --- the end ----------------------------------------------------------------------------------- */

/* True: somebody has lost patience. */
static bool wait_for_signal(const struct session *s, int ms)
{
	struct pollfd p = {s->signal_fd, POLLIN, 0};

	return poll(&p, 1, ms) > 0;
}

/* Prints what is left; all of it, or until until_ns. */
static int print_rest(struct stream *st, uint64_t until_ns, struct errmsg *err)
{
	int r = 0;

	while (r >= 0 && trickle_now_ns() < until_ns) {
		uint64_t step_ns = in_ms(STEP_MS);

		r = livereport_step(st->lr, step_ns < until_ns ? step_ns : until_ns, err);
		if (r == 1 && livereport_has_ended(st->lr))
			break;
		if (until_ns == UINT64_MAX && wait_for_signal(&st->s, r == 1)) {
			livetrace_finish(st->lt, 0);
			until_ns = in_ms(LAST_PRINT_MS);
		} else if (r == 1) {
			usleep(500); /* the recorder is still reading */
		}
	}
	return r;
}

static void tell_rest(struct stream *st)
{
	uint64_t unread, lost, rest = livereport_count_rest(st->lr);

	livetrace_count(st->lt, &unread, &lost);
	if (st->o->record.quiet)
		return;
	if (rest + unread)
		fprintf(stderr, "sonde: %llu more events had happened when it was ended\n",
			(unsigned long long)(rest + unread));
	if (lost)
		fprintf(stderr,
			"sonde: %llu events were lost; a larger buffer (-b), fewer events or a "
			"faster reader helps\n",
			(unsigned long long)lost);
}

static int finish(struct stream *st, enum session_end end, struct errmsg *err)
{
	bool at_once = end == SESSION_SIGNAL || end == SESSION_FAILURE;
	int r = 0;

	livetrace_finish(st->lt, st->no_reader ? 0 : at_once ? LAST_READ_MS : UINT_MAX);
	if (!st->no_reader && !st->err.code)
		r = print_rest(st, at_once ? in_ms(LAST_PRINT_MS) : UINT64_MAX, err);
	livetrace_finish(st->lt, 0);
	livetrace_end(st->lt, err);
	if (!st->no_reader && r != -EPIPE)
		tell_rest(st);
	return err->code ? err->code : st->no_reader ? -EPIPE : r < 0 ? r : 0;
}

/* --- the whole --------------------------------------------------------------------------------- */

static int open_all(struct stream *st, struct errmsg *err)
{
	const struct record_options *o = &st->o->record;
	struct recording_config rc = {.ts_offset = o->ts_offset,
				      .date = o->date,
				      .tsc2nsec = o->tsc2nsec,
				      .program = "sonde " SONDE_VERSION,
				      .sleep_us = o->sleep_us,
				      .rt_priority = o->rt_priority,
				      .busy = o->busy};
	int r;

	for (size_t i = 0; i < st->s.setup->notes.n && !o->quiet; i++)
		fprintf(stderr, "sonde: %s\n", st->s.setup->notes.texts[i]);
	r = livetrace_open(&st->lt, &st->s, &rc, err);
	return r < 0 ? r
		     : livereport_new(&st->lr, livetrace_file(st->lt), &st->o->show, &st->s.t, err);
}

static int stream(const struct stream_options *o, char **argv, struct errmsg *err)
{
	struct session_config config = {.plan = &o->record.plan,
					.argv = argv,
					.user = o->record.user,
					.keep = o->record.keep,
					.all_formats = o->record.all_formats};
	struct stream st = {.o = o};
	struct errmsg ignored = {0};
	int r = session_open(&st.s, &config, err), r2;

	if (r >= 0)
		r = open_all(&st, err);
	if (r >= 0)
		r = session_start(&st.s, err);
	if (r >= 0) {
		enum session_end end;

		if (st.s.has_child) /* a fork of ours when the names were read */
			livereport_rename(st.lr, st.s.child.pid);
		end = session_wait(&st.s, livetrace_fd(st.lt), TICK_MS, tick, &st);
		if (st.err.code && !err->code)
			*err = st.err;
		session_stop(&st.s, err);
		r = finish(&st, end, err);
	}
	livereport_free(st.lr);
	livetrace_close(st.lt, r < 0 ? &ignored : err);
	r2 = session_close(&st.s, err);
	return r < 0 ? r : r2;
}

static int run_stream(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct stream_options o = {0};
	int n, r;

	recordopts_init(&o.record);
	n = command_parse(cmd, &o, argc, argv, err);
	r = n < 0 ? n : recordopts_check(&o.record, n > 0, err);
	if (r >= 0 && !plan_does_something(&o.record.plan))
		r = errmsg_set(err, -EINVAL,
			       "stream needs to know what to print: an event, -e sched, or a "
			       "tracer, -p function");
	if (r >= 0 && o.record.boot) {
		r = bootline_print(&o.record.plan, err);
	} else if (r >= 0) {
		argv[n + 1] = NULL; /* behind the words that were moved to the front */
		r = stream(&o, n > 0 ? argv + 1 : NULL, err);
	}
	recordopts_release(&o.record);
	return r;
}

const struct command cmd_stream = {
	.name = "stream",
	.summary = "print what happens while it happens",
	.usage = "[options] [COMMAND [ARGUMENT…]]",
	.options = rows,
	.parse_flags = OPTIONS_STOP_AT_ARGUMENT,
	.run = run_stream,
};
