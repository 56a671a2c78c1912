// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_count.c - `sonde count`: counts events for each value of some keys, in a trace file or on the
 * running machine.
 *
 *	-e sched_switch --by prev_state    what to count, and a row per value
 *	--sum FIELD                        sum, average, minimum and maximum in each row
 *
 * Without --by there is one row per event. This file reads the question; ask/countjob.c answers it.
 */
#include "analyse/keycount.h"
#include "base/options.h"
#include "base/scope.h"
#include "cli/ask/countjob.h"
#include "cli/command.h"
#include "live/eventfilters.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>

#define INTERVAL_S 2

static int apply_by(void *opts, const char *value, struct errmsg *err)
{
	return keycount_parse_words(&((struct count_options *)opts)->config, value, err);
}

static const struct option_row rows[] = {
	ROW_HEADING("what to count"),
	ROW_CALL('e', "event", "EVENT",
		 "count this event: SYSTEM, SYSTEM:EVENT, EVENT or a glob; repeatable",
		 gather_event),
	GATHER_FILTER,
	GATHER_SOURCE,
	RECORDOPTS_ROW_PROBE,
	RECORDOPTS_ROWS_LOOKUP,
	GATHER_TASKS,
	GATHER_USER,
	RECORDOPTS_ROWS_USER_VALUES,
	ROW_HEADING("how the result looks"),
	ROW_CALL(0, "by", "KEY,…",
		 "one row per value of these keys: fields, $comm, $pid, $task, $cpu, $event, "
		 "$syscall, $func; for ranges: FIELD.log2, FIELD.buckets=N",
		 apply_by),
	ROW_STRING(0, "sum", "FIELD",
		   "show sum, average, minimum and maximum of this field in each row",
		   offsetof(struct count_options, sum)),
	ROW_FLAG(0, "each", "with -I: show each interval separately, not the total so far",
		 offsetof(struct count_options, config.is_each)),
	GATHER_HOW("count"),
	GATHER_RESULT,
	GATHER_KERNEL,
	ROW_END,
};

static int check(struct count_options *o, const char *needs, struct errmsg *err)
{
	bool is_user = o->gather.record.has_user;

	if (!o->gather.events.n && !is_user)
		return errmsg_set(err, -EINVAL, "%s%s", needs,
				  o->gather.input ? "" : ", or a program's functions, -u");
	if (o->gather.events.n > KEYCOUNT_EVENTS_MAX)
		return errmsg_set(err, -E2BIG, "count takes up to %d events (-e)",
				  KEYCOUNT_EVENTS_MAX);
	o->config.is_joint = is_user && !o->gather.events.n;
	if (is_user && !o->config.n_words)
		keycount_put_first(&o->config, "$func");
	if (o->sum)
		TRY(keycount_parse_sum(&o->config, o->sum, err));
	if (o->config.is_each && !o->gather.interval)
		return errmsg_set(err, -EINVAL, "--each goes with an interval: -I SECONDS");
	return eventfilters_join(&o->gather.record.plan.buffers[0], err);
}

static void release(struct count_options *o)
{
	gather_release(&o->gather);
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	SCOPED(release) struct count_options o = {.gather.interval_default = INTERVAL_S};
	struct gather_job job = count_job;
	int n = gather_parse(cmd, &o.gather, argc, argv, err), r;

	job.ctx = &o;
	TRY(n);
	TRY(check(&o, job.needs, err));
	r = gather_run(&job, &o.gather, n, argv, err);
	TRY(r);
	/* CSV has no place for this message */
	if (o.n_no_row && o.gather.output == GATHER_CSV)
		fprintf(stderr,
			"sonde: %llu events are in no row: there are too many values, and only the "
			"first ones have a row\n",
			(unsigned long long)o.n_no_row);
	if (o.has_cut)
		fprintf(stderr,
			"sonde: the kernel truncated texts that end in …, so rows that differ only "
			"after that are one row; --how program keeps up to 4095 bytes\n");
	return r;
}

const struct command cmd_count = {
	.name = "count",
	.summary = "count events by the values of their fields",
	.usage = "[options] [FILE | COMMAND [ARGUMENT…]]",
	.options = rows,
	.parse_flags = OPTIONS_STOP_AT_ARGUMENT,
	.run = run,
	.args = "program",
};
