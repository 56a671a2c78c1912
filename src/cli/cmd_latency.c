// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_latency.c - `sonde latency`: measures the time between two points of a trace file or of the
 * running system.
 *
 *	-e A -e B    from one event to the other
 *	-e A         from each event to the next one of the same kind
 *	-T FUNCTION  from the entry of a function to its return; with -u by the program's own hooks
 *
 * This file reads the question; ask/latencyjob.c answers it.
 */
#include "analyse/latency/latency.h"
#include "base/options.h"
#include "base/scope.h"
#include "cli/ask/latencyjob.h"
#include "cli/command.h"
#include "live/latencyplan.h"

#include <errno.h>
#include <stddef.h>

#define WORST_DEFAULT 5
#define NOT_GIVEN     INT64_MIN

static int apply_function(void *opts, const char *value, struct errmsg *err)
{
	struct latency_options *o = opts;

	if (o->config.function)
		return errmsg_set(err, -EINVAL,
				  "latency measures one function (-T) or several by a glob: "
				  "'vfs_*'");
	o->config.function = value;
	return 0;
}

static int apply_by_cpu(void *opts, const char *value, struct errmsg *err)
{
	((struct latency_options *)opts)->config.match = LATENCY_BY_CPU;
	return 0;
}

static int apply_by_thread(void *opts, const char *value, struct errmsg *err)
{
	((struct latency_options *)opts)->config.match = LATENCY_BY_THREAD;
	return 0;
}

static int apply_by_field(void *opts, const char *value, struct errmsg *err)
{
	return latency_parse_fields(&((struct latency_options *)opts)->config, value, err);
}

#define AT(field) offsetof(struct latency_options, field)

static const struct option_row rows[] = {
	ROW_HEADING("what to measure"),
	ROW_CALL('e', "event", "EVENT",
		 "measure from the first -e to the second: EVENT, SYSTEM:EVENT, or both as A,B",
		 gather_event),
	GATHER_FILTER,
	ROW_CALL('T', "function", "FUNCTION",
		 "measure from the entry of this function to its return", apply_function),
	ROW_CALL(0, "by-thread", NULL, "pair events of the same thread (default)", apply_by_thread),
	ROW_CALL(0, "by-cpu", NULL, "pair events on the same CPU", apply_by_cpu),
	ROW_CALL(0, "by-field", "FIELD",
		 "pair events with equal fields: FIELD or A.FIELD=B.FIELD; several with commas",
		 apply_by_field),
	GATHER_SOURCE,
	RECORDOPTS_ROW_PROBE,
	RECORDOPTS_ROWS_LOOKUP,
	GATHER_TASKS,
	GATHER_USER,
	RECORDOPTS_ROWS_USER_VALUES,
	ROW_HEADING("how the result looks"),
	ROW_STRING(0, "by", "KEY,…",
		   "one row per value of these keys: fields, $comm, $pid, $task, $cpu, $syscall, "
		   "$func",
		   AT(by)),
	ROW_NUMBER(0, "worst", "N",
		   "list the N longest and where they are in the trace (default: 5)", AT(n_worst)),
	ROW_FLAG('n', "use-nsec", "show the histogram in nanoseconds, not microseconds",
		 AT(use_nsec)),
	ROW_NUMBER(
		0, "bucket-range", "N",
		"use buckets of width N (default: each bucket is twice as wide as the one before)",
		AT(range)),
	ROW_NUMBER(0, "min-latency", "N", "with --bucket-range: end of the first bucket", AT(min)),
	ROW_NUMBER(0, "max-latency", "N", "with --bucket-range: start of the last bucket", AT(max)),
	GATHER_HOW("measure"),
	GATHER_RESULT,
	GATHER_KERNEL,
	ROW_END,
};

/* --- the question ----------------------------------------------------------------------------- */

static int check(struct latency_options *o, struct errmsg *err)
{
	if (o->gather.record.has_user && !o->config.function)
		return errmsg_set(err, -EINVAL,
				  "with -u, -T names the function to measure: -u -T work");
	TRY(latency_set_points(&o->config, o->gather.events.words, o->gather.events.n, err));
	o->worst_asked = o->n_worst != NOT_GIVEN;
	TRY(latency_set_worst(&o->config, o->worst_asked ? o->n_worst : WORST_DEFAULT, err));
	if (o->by)
		TRY(latency_parse_groups(&o->config, o->by, err));
	if (!o->range)
		return errmsg_set(err, -EINVAL,
				  "--bucket-range is the width of a bucket, 1 or more");
	return latency_scale_set(&o->config.scale, o->use_nsec,
				 o->range == NOT_GIVEN ? 0 : o->range, o->min, o->max, err);
}

static int measure(struct latency_options *o, struct gather_job *job, int n, char **argv,
		   struct errmsg *err)
{
	TRY(n);
	TRY(check(o, err));
	if (o->gather.record.has_user)
		TRY(gather_choose_function(&o->gather, &o->config.function, err));
	else if (!o->gather.input)
		TRY(latencyplan_add_function(&o->plan, err));
	o->gather.condition = o->plan.condition;
	TRY(latencyplan_split_filters(&o->plan, err));
	return gather_run(job, &o->gather, n, argv, err);
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct latency_options o = {.n_worst = NOT_GIVEN, .range = NOT_GIVEN};
	struct gather_job job = latency_job;
	int n = gather_parse(cmd, &o.gather, argc, argv, err), r;

	job.ctx = &o;
	o.plan = (struct latencyplan){.plan = &o.gather.record.plan,
				      .config = &o.config,
				      .names = &o.gather.names,
				      .has_keys = o.by,
				      .add_event = gather_event,
				      .ctx = &o};
	r = measure(&o, &job, n, argv, err);
	if (r < 0 && !o.gather.input)
		latencyplan_suggest_probes(&o.plan, err);
	latencyplan_release(&o.plan);
	gather_release(&o.gather);
	return r;
}

const struct command cmd_latency = {
	.name = "latency",
	.summary = "measure the time between two events or in a function",
	.usage = "[options] [FILE | COMMAND [ARGUMENT…]]",
	.options = rows,
	.parse_flags = OPTIONS_STOP_AT_ARGUMENT,
	.run = run,
	.args = "program",
};
