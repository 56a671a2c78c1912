// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_start.c - `sonde start` and `sonde set`: change the kernel's tracing settings permanently.
 *
 * start begins from a clean top level (or instance), set changes only the given settings. No
 * program reads the buffers: the newest events stay in them, for show, extract and snapshot. `sonde
 * reset` ends the trace. After a failure, start restores the state after boot, and set the previous
 * settings (setup.h).
 */
#include "cli/kernel/start.h"

#include "base/scope.h"
#include "capture/record/child.h"
#include "capture/setup/setup.h"
#include "cli/command.h"
#include "cli/record/recordopts.h"
#include "live/request.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

struct start_options {
	struct live_request record;
	bool fork;
};

static const struct option_row start_rows[] = {
	RECORDOPTS_EVENTS,
	RECORDOPTS_KERNEL,
	ROW_FLAG('K', NULL, "keep the current settings and add to them",
		 RECORDOPTS_AT(plan.keep_before)),
	ROW_STRING(0, "user", "USER", "run the command as this user", RECORDOPTS_AT(user)),
	ROW_FLAG(0, "fork", "do not wait for the command to end",
		 offsetof(struct start_options, fork)),
	ROW_FLAG(0, "profile", "trace the events that 'report --profile' needs",
		 RECORDOPTS_AT(profile)),
	ROW_END,
};

static const struct option_row set_rows[] = {
	RECORDOPTS_EVENTS,
	RECORDOPTS_KERNEL,
	ROW_END,
};

static int remove_instances(const struct plan *plan, const struct tracefs *t, struct errmsg *err)
{
	for (size_t i = 0; i < plan->n_buffers; i++)
		if (plan->buffers[i].is_removed &&
		    tracefs_find_instance(t, plan->buffers[i].name, err) < 0)
			return errmsg_code(err);
	for (size_t i = 0; i < plan->n_buffers; i++)
		if (plan->buffers[i].is_removed &&
		    tracefs_remove_instance(t, plan->buffers[i].name, err) < 0)
			return errmsg_code(err);
	return 0;
}

int start_command(struct setup *s, const struct live_request *o, char **argv, bool fork,
		  struct errmsg *err)
{
	struct child child;
	int r = child_start(&child, &(struct child_config){.argv = argv, .user = o->user}, err);

	TRY(r);
	if (o->plan.only_command)
		r = setup_set_pid(s, child.pid, err);
	if (r >= 0)
		r = setup_start(s, err);
	if (r < 0) {
		child_cancel(&child);
		return r;
	}
	r = child_go(&child, argv[0], err);
	if (r >= 0)
		setup_settle(s);
	if (r < 0 || !fork)
		child_end(&child);
	return r;
}

static int start(struct start_options *o, char **argv, bool is_set, struct errmsg *err)
{
	struct plan *plan = &o->record.plan;
	struct setup *s = NULL;
	struct tracefs t;
	int r;

	TRY(tracefs_open(&t, err));
	TRY(remove_instances(plan, &t, err));
	if (plan->n_buffers == 2 && plan->buffers[1].is_removed && !plan->buffers[0].n_events &&
	    !plan->buffers[0].tracer)
		return 0; /* only set -v -B NAME */
	r = setup_apply(&s, plan, &t, NULL, err);
	for (size_t i = 0; r >= 0 && i < s->notes.n; i++)
		fprintf(stderr, "sonde: %s\n", s->notes.texts[i]);
	if (r >= 0)
		r = argv     ? start_command(s, &o->record, argv, o->fork, err)
		    : is_set ? 0
			     : setup_start(s, err);
	if (r < 0 && s)
		setup_take_back(s);
	setup_free(s);
	return r;
}

static void release(struct start_options *o)
{
	live_request_release(&o->record);
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	bool is_set = cmd->options == set_rows;
	SCOPED(release) struct start_options o = {0};
	int n;

	TRY(recordopts_init(&o.record));
	o.record.plan.keep_before = is_set;
	n = command_parse(cmd, &o, argc, argv, err);
	TRY(n);
	TRY(recordopts_check(&o.record, n > 0, err));
	o.record.plan.put_back = o.record.plan.keep_before;
	if (is_set && argc < 2)
		return errmsg_set(err, -EINVAL,
				  "set needs a setting to change; 'sonde set --help' lists them");
	if (is_set && n > 0)
		return errmsg_set(err, -EINVAL, "set runs no command, but '%s' is given", argv[1]);
	if (o.record.boot)
		return recordopts_print_bootline(&o.record.plan, err);
	argv[n + 1] = NULL;
	return start(&o, n > 0 ? argv + 1 : NULL, is_set, err);
}

const struct command cmd_start = {
	.name = "start",
	.summary = "start tracing into the kernel's buffers, without a file",
	.usage = "[options] [COMMAND [ARGUMENT…]]",
	.options = start_rows,
	.parse_flags = OPTIONS_STOP_AT_ARGUMENT,
	.run = run,
	.args = "program",
};

const struct command cmd_set = {
	.name = "set",
	.summary = "change settings of a running trace",
	.usage = "[options]",
	.options = set_rows,
	.parse_flags = OPTIONS_STOP_AT_ARGUMENT,
	.run = run,
};
