// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_record.c - `sonde record`: traces a command, or the machine until Ctrl-C, into a trace.dat.
 *
 * live/record.h records; live/remote does so over the network and with guests. This file has the
 * status line; outcome.c prints the last message.
 */
#include "base/options.h"
#include "base/scope.h"
#include "capture/record/recording.h"
#include "cli/record/background.h"
#include "cli/record/controlopts.h"
#include "cli/command.h"
#include "cli/record/guestwords.h"
#include "live/remote/network.h"
#include "cli/screen/outcome.h"
#include "cli/record/recordrun.h"
#include "cli/screen/statusline.h"
#include "inputs/info/filecount.h"
#include "live/record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PID_FILE "/run/sonde-record.pid"

static const struct option_row rows[] = {
	RECORDOPTS_EVENTS,
	RECORDOPTS_ROW_SYSCALLS,
	RECORDOPTS_FUNCTIONS,
	RECORDOPTS_SAMPLES,
	CONTROLOPTS,
	RECORDOPTS_FILE,
	RECORDOPTS_KERNEL,
	RECORDOPTS_RECORDER,
	RECORDOPTS_NETWORK,
	ROW_FLAG(0, "daemonize",
		 "continue in the background once recording has started (" PID_FILE ")",
		 RECORDOPTS_AT(daemonize)),
	ROW_FLAG(0, "wait-children",
		 "do not end with the command, but with the last program that it has started",
		 RECORDOPTS_AT(waits_children)),
	ROW_FLAG(0, "pass-status", "end with the command's exit status", RECORDOPTS_AT(pass_status),
		 .hidden = true),
	ROW_FLAG(0, "profile",
		 "record what 'report --profile' needs: events with stacks, functions at depth 1",
		 RECORDOPTS_AT(profile)),
	RECORDOPTS_PROFILE,
	ROW_END,
};

/* --- while it runs ---------------------------------------------------------------------------- */

/* Shows how full the buffers are. With many CPUs only the first ones fit into the line. */
static void show_status(const struct record_status *s)
{
	char fill[128] = "", size[32], line[256];
	size_t len = 0;

	for (size_t i = 0; i < s->n_fill && len < 60; i++)
		len += snprintf(fill + len, sizeof(fill) - len, " %d%%", s->fill_percent[i]);
	filecount_size(s->n_bytes, size, sizeof(size));
	snprintf(line, sizeof(line), "%.1f s  %.0f events/s  %s  lost %llu  buffers%s", s->seconds,
		 s->events_per_second, size, (unsigned long long)s->n_lost, fill);
	statusline_show(line);
}

/* Clears the status line, and then prints a message. */
static void tell_over_status(const char *sentence)
{
	statusline_clear();
	recordopts_tell(sentence);
}

/* --- the whole -------------------------------------------------------------------------------- */

static int record_file(struct live_request *o, const struct recording_config *rc, char **argv,
		       struct errmsg *err)
{
	bool has_status = !o->quiet && !argv && !o->begun;
	struct record_watch watch = {.wants_status = has_status ? statusline_is_ours : NULL,
				     .show_status = show_status,
				     .end_status = has_status ? statusline_clear : NULL,
				     .tell = argv ? NULL : tell_over_status};
	struct record_outcome oc;
	int r = record_to_file(o, rc, argv, &watch, &oc, err);

	/* after -ESTALE the file is not at its path */
	if (!o->quiet && oc.sum.bytes && r != -ESTALE)
		outcome_show(o, &oc);
	if (oc.fd >= 0)
		close(oc.fd);
	/* the recording was asked to end; the command ends with us, so we wait for it */
	if (oc.running)
		waitpid(oc.running, &oc.command_status, 0);
	/* a user who traces functions of a program expects the program's exit status */
	return r >= 0 && (o->has_user || o->samples.is_wanted || o->pass_status) && argv
		       ? recordopts_exit_status(oc.command_status)
		       : r;
}

static void show_host(int fd, const char *path, const struct recording_sum *sum)
{
	outcome_show_file(fd, path, sum->events, sum->lost);
}

static const struct guest_report guest_report = {.guest = outcome_show_guest, .host = show_host};

int record_run(struct live_request *o, char **argv, struct errmsg *err)
{
	const char *path = o->output ? o->output : "trace.dat";
	struct recording_config rc;
	struct netrecord_sent sent;
	int r;

	if (live_request_check_output(path, err) < 0 ||
	    live_request_get_config(o, path, &rc, err) < 0)
		return errmsg_code(err);
	if (o->agents && o->agents->n)
		return guestrecord_run(o, &rc, o->agents, argv, o->quiet ? NULL : &guest_report,
				       err);
	if (!o->host && !o->vsock)
		return record_file(o, &rc, argv, err);
	r = netrecord_run(o, &rc, argv, &sent, err);
	if (r >= 0 && !o->quiet)
		outcome_show_sent(&sent);
	return r;
}

static void begun(void *ctx)
{
	background_ready(ctx);
}

/* Records in the background. A failure at the start is reported, also as the exit status. */
static int record_behind(struct live_request *o, char **argv, struct errmsg *err)
{
	struct background bg;
	int status, r = background_start(&bg, geteuid() ? NULL : PID_FILE, &status, err);

	if (r)
		return r < 0 ? r : status;
	o->begun = begun;
	o->begun_ctx = &bg;
	r = record_run(o, argv, err);
	background_end(&bg);
	return r;
}

/*
 * Returns true if -v before all events may mean --verbose: a new instance has no events to disable.
 */
static bool only_disables(const struct plan *p)
{
	for (size_t i = 0; i < p->n_buffers; i++) {
		const struct plan_buffer *b = &p->buffers[i];

		if (b->tracer || b->is_removed)
			return false;
		for (size_t k = 0; k < b->n_events; k++)
			if (!b->events[k].off)
				return false;
	}
	return !p->use_top && !p->probes.n;
}

static int run_record(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	SCOPED(guest_list_release) struct guest_list guests = {0};
	SCOPED(live_request_release) struct live_request o = {0};
	int n;

	TRY(guest_list_take(&guests, cmd->options, &argc, argv, err));
	TRY(recordopts_join_user(&argc, argv, err));
	TRY(recordopts_init(&o));
	o.agents = &guests;
	n = command_parse(cmd, &o, argc, argv, err);
	TRY(n);
	TRY(recordopts_check(&o, n > 0, err));
	TRY(controlopts_check(&o, err));
	if (!guests.n && !plan_does_something(&o.plan) &&
	    ((!o.has_user && !o.syscalls && !o.samples.is_wanted) || o.plan.probes.n))
		TRY(live_request_add_defaults(&o, err));
	if (o.has_negated && !o.quiet && only_disables(&o.plan))
		o.front->tell("-v leaves out the events (-e) that come after it, and none comes "
			      "before it: nothing is recorded (--verbose explains the overhead)");
	if (o.boot)
		return recordopts_print_bootline(&o.plan, err);
	argv[n + 1] = NULL; /* after the words that were moved to the front */
	argv = n > 0 ? argv + 1 : NULL;
	return o.daemonize ? record_behind(&o, argv, err) : record_run(&o, argv, err);
}

const struct command cmd_record = {
	.name = "record",
	.summary = "record events into a trace file",
	.usage = "[options] [COMMAND [ARGUMENT…]]",
	.options = rows,
	.parse_flags = OPTIONS_STOP_AT_ARGUMENT,
	.run = run_record,
	.args = "program",
};
