// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_profile.c - `sonde profile`: traces a command, or the machine until Ctrl-C, and prints where
 * the time went.
 *
 * live/profile.h makes the profile. This file has the options and the output: standard output
 * through a pager, standard error, or a file.
 */
#include "base/files/outplace.h"
#include "base/scope.h"
#include "cli/command.h"
#include "cli/screen/output.h"
#include "cli/record/recordopts.h"
#include "live/profile.h"
#include "present/profile/profiling.h"

#include <errno.h>
#include <unistd.h>

struct profile_options {
	struct live_request record; /* must be the first member, for recordopts.h */
	bool json, no_pager;
};

static const struct option_row rows[] = {
	RECORDOPTS_EVENTS,
	RECORDOPTS_PROFILE,
	ROW_HEADING("the result"),
	ROW_STRING('o', "output", "FILE", "write the profile to this file", RECORDOPTS_AT(output),
		   .complete = "file"),
	ROW_FLAG(0, "json", "print one JSON object per task",
		 offsetof(struct profile_options, json)),
	ROW_FLAG(0, "no-pager", "do not use a pager", offsetof(struct profile_options, no_pager)),
	RECORDOPTS_KERNEL,
	RECORDOPTS_RECORDER,
	ROW_END,
};

struct printing {
	const struct live_request *o;
	bool no_pager;
	struct output out;
};

static int open_output(struct printing *p, struct errmsg *err)
{
	int fd = STDERR_FILENO;

	if (p->o->output)
		fd = outplace_open_file(p->o->output, OUTPLACE_WRITE, err);
	TRY(fd);
	output_open_fd(&p->out, fd);
	return 0;
}

static int print(void *ctx, struct profiling *pf, struct errmsg *err)
{
	struct printing *p = ctx;
	bool own = p->o->output || p->o->to_stderr;
	int r = own ? 0 : output_open(&p->out, "never", p->no_pager, err);

	r = r < 0 ? r : profiling_print(pf, output_write_ctx, &p->out, err);
	if (r < 0 && r != -EPIPE && !err->code)
		errmsg_set_errno(err, r, "cannot write the profile");
	if (!own)
		output_close(&p->out);
	return r;
}

static int profile(struct live_request *record, char **argv, struct errmsg *err)
{
	const struct profile_options *o = (const struct profile_options *)record;
	struct profiling_spec how = {
		.as = o->json ? LINES_JSON : LINES_TEXT,
		.global = record->global_irqs,
		.by_comm = record->by_comm,
		.with_own = record->plan.trace_self,
		.tell = live_request_tell(record),
		.hooks = {(const char **)record->hooks.words, record->hooks.n}};
	struct printing p = {.o = record, .no_pager = o->no_pager};
	int r;

	TRY(open_output(&p, err));
	r = live_profile(record, argv, &how, print, &p, err);
	if (record->output && close(p.out.fd) < 0 && r >= 0)
		r = errmsg_set_errno(err, -errno, "cannot write %s", record->output);
	return r;
}

static void release(struct profile_options *o)
{
	live_request_release(&o->record);
}

static int run_profile(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	SCOPED(release) struct profile_options o = {0};
	int n;

	TRY(recordopts_init(&o.record));
	n = command_parse(cmd, &o, argc, argv, err);
	TRY(n);
	o.record.profile = true;
	TRY(recordopts_check(&o.record, n > 0, err));
	TRY(live_profile_add_hooks(&o.record, err));
	return recordopts_carry_out(&o.record, n, argv,
				    "profile -S traces only what is named: an event, -e sched, or "
				    "a tracer, -p function_graph",
				    profile, err);
}

const struct command cmd_profile = {
	.name = "profile",
	.summary = "trace, and report where tasks spend their time",
	.usage = "[options] [COMMAND [ARGUMENT…]]",
	.options = rows,
	.parse_flags = OPTIONS_STOP_AT_ARGUMENT,
	.run = run_profile,
	.args = "program",
};
