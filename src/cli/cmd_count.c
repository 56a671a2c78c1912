// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_count.c - `sonde count`: how often events come, for each value of some keys; of a trace file or of the
 * running machine.
 *
 *	gather ──▶ keycount_add ──▶ counttext
 *
 * Live, where the kernel has histograms, it counts by itself and only the table is read (kernel/count.c).
 */
#include "analyse/keycount.h"
#include "base/options.h"
#include "cli/command.h"
#include "decode/record.h"
#include "live/kernel/count.h"
#include "cli/ask/gather.h"
#include "present/result/counttext.h"

#include <errno.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define INTERVAL_S 2

struct count_options {
	struct gather_options gather; /* first */
	struct keycount_config config;
	struct keycount *counts;
	uint64_t n_no_row; /* of the result that was printed last */
	bool has_cut;	   /* … it has texts that were cut */
	const char *sum;   /* field; NULL: none */
	const char *how;   /* bpf, hist, program; NULL: the cheapest that works */
};

static int apply_by(void *opts, const char *value, struct errmsg *err)
{
	return keycount_parse_words(&((struct count_options *)opts)->config, value, err);
}

static int apply_sum(void *opts, const char *value, struct errmsg *err)
{
	((struct count_options *)opts)->sum = value;
	return 0;
}

static int apply_how(void *opts, const char *value, struct errmsg *err)
{
	struct count_options *o = opts;

	if (strcmp(value, "bpf") && strcmp(value, "hist") && strcmp(value, "program"))
		return errmsg_set(err, -EINVAL, "--how is bpf, hist or program, not '%s'", value);
	o->how = value;
	o->gather.in_program = !strcmp(value, "program");
	return 0;
}

static const struct option_row rows[] = {
	{.kind = OPTION_HEADING, .help = "what to count"},
	{.kind = OPTION_CALL,
	 .letter = 'e',
	 .name = "event",
	 .arg = "EVENT",
	 .help = "count this event: SYSTEM, SYSTEM:EVENT, EVENT or a glob; repeatable",
	 .apply = gather_event},
	GATHER_FILTER,
	GATHER_SOURCE,
	RECORDOPTS_ROW_PROBE,
	RECORDOPTS_ROWS_LOOKUP,
	GATHER_TASKS,
	{.kind = OPTION_HEADING, .help = "how the result looks"},
	{.kind = OPTION_CALL,
	 .name = "by",
	 .arg = "KEY,…",
	 .help = "one row per value of these keys: fields, $comm, $pid, $task, $cpu, $event, "
		 "$syscall, $func; for ranges: FIELD.log2, FIELD.buckets=N",
	 .apply = apply_by},
	{.kind = OPTION_CALL,
	 .name = "sum",
	 .arg = "FIELD",
	 .help = "show sum, average, minimum and maximum of this field in each row",
	 .apply = apply_sum},
	{OPTION_FLAG, 0, "each", NULL,
	 "with -I: show each interval separately, not the total so far",
	 offsetof(struct count_options, config.is_each)},
	GATHER_IN_PROGRAM,
	{.kind = OPTION_CALL,
	 .name = "how",
	 .arg = "WAY",
	 .help = "live: count only this way: bpf, hist or program",
	 .apply = apply_how,
	 .complete = "bpf hist program"},
	GATHER_RESULT,
	GATHER_KERNEL,
	{.kind = OPTION_END},
};

static int open_counts(void *ctx, struct formats *f, struct filter **filters, size_t n_filters,
		       struct errmsg *err)
{
	struct count_options *o = ctx;

	/* what was written as a probe has the name of an event by now */
	o->config.events = (const char *const *)o->gather.names.words;
	o->config.n_events = o->gather.names.n;
	o->config.filters = filters;
	o->config.n_filters = n_filters;
	o->config.with_own = o->gather.record.plan.trace_self;
	return keycount_new(&o->counts, f, &o->config, err);
}

static const uint8_t *events(void *ctx, size_t *ret_n)
{
	return keycount_events(((struct count_options *)ctx)->counts, ret_n);
}

static void add(void *ctx, const struct record *rec)
{
	keycount_add(((struct count_options *)ctx)->counts, rec);
}

static int count_fmt(struct count_options *o, struct keycount *counts, enum count_way way,
		     uint64_t n_missed, bool colour, struct textbuf *tb, struct errmsg *err)
{
	static const char *const ways[] = {
		[COUNT_IN_PROGRAM] = NULL, [COUNT_BY_HIST] = "hist", [COUNT_BY_BPF] = "BPF"};
	struct count_view v = {.counts = counts,
			       .in_kernel = ways[way],
			       .n_missed = n_missed,
			       .only_in = gather_only_in(&o->gather),
			       .colour = colour,
			       .n_rows = o->gather.n_rows};
	struct winsize size;

	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		v.width = size.ws_col;
	if (keycount_finish(counts) < 0)
		return errmsg_set_errno(err, -ENOMEM, "cannot sort the counts");
	o->n_no_row = keycount_n_dropped(counts);
	o->has_cut = keycount_keys(counts)->has_cut;
	if (o->gather.output == GATHER_JSON)
		counttext_fmt_json(&v, tb);
	else if (o->gather.output == GATHER_CSV)
		counttext_fmt_csv(&v, tb);
	else
		counttext_fmt(&v, tb);
	return 0;
}

static int fmt(void *ctx, bool in_time, bool colour, struct textbuf *tb, struct errmsg *err)
{
	struct count_options *o = ctx;

	return count_fmt(o, o->counts, COUNT_IN_PROGRAM, 0, colour, tb, err);
}

static void close_counts(void *ctx)
{
	struct count_options *o = ctx;

	keycount_free(o->counts);
	o->counts = NULL;
}

struct kernel_counts {
	struct count_options *o;
	struct keycount *counts;
	enum count_way way;
	uint64_t n_missed;
};

static int fmt_kernel_counts(void *ctx, bool colour, struct textbuf *tb, struct errmsg *err)
{
	struct kernel_counts *k = ctx;

	return count_fmt(k->o, k->counts, k->way, k->n_missed, colour, tb, err);
}

static int show_kernel_counts(void *ctx, struct keycount *counts, enum count_way way,
			      uint64_t n_missed, bool is_last, struct errmsg *err)
{
	struct count_options *o = ctx;
	struct kernel_counts k = {o, counts, way, n_missed};

	return gather_present(&o->gather, is_last, fmt_kernel_counts, &k, err);
}

static int in_kernel(void *ctx, char **argv, struct errmsg *err)
{
	struct count_options *o = ctx;
	struct count_job job = {.request = &o->gather.record,
				.config = &o->config,
				.how = o->how,
				.has_filters = o->gather.filters.n,
				.pace = &o->gather.pace,
				.show = show_kernel_counts,
				.ctx = o};

	return count_in_kernel(&job, argv, err);
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct count_options o = {.gather.interval_default = INTERVAL_S};
	struct gather_job job = {.ctx = &o,
				 .open = open_counts,
				 .events = events,
				 .add = add,
				 .fmt = fmt,
				 .close = close_counts,
				 .in_kernel = in_kernel,
				 .needs = "count needs to know what to count: an event, -e "
					  "sched_switch"};
	int n, r;

	n = gather_parse(cmd, &o.gather, argc, argv, err);
	r = n < 0 ? n : 0;
	if (r >= 0 && !o.gather.events.n)
		r = errmsg_set(err, -EINVAL, "%s", job.needs);
	if (r >= 0 && o.gather.events.n > KEYCOUNT_EVENTS_MAX)
		r = errmsg_set(err, -E2BIG, "count takes up to %d events (-e)",
			       KEYCOUNT_EVENTS_MAX);
	if (r >= 0 && o.sum)
		r = keycount_parse_sum(&o.config, o.sum, err);
	if (r >= 0 && o.config.is_each && !o.gather.interval)
		r = errmsg_set(err, -EINVAL, "--each goes with an interval: -I SECONDS");
	if (r >= 0)
		r = gather_join_filters(&o.gather, err);
	if (r >= 0)
		r = gather_run(&job, &o.gather, n, argv, err);
	if (r >= 0 && o.n_no_row && o.gather.output == GATHER_CSV) /* which has no place for it */
		fprintf(stderr,
			"sonde: %llu of the events are in no row: there are too many values, and "
			"the "
			"rows are of those that came first\n",
			(unsigned long long)o.n_no_row);
	if (r >= 0 && o.has_cut)
		fprintf(stderr,
			"sonde: texts that end in … were cut by the kernel, and rows that "
			"differ behind that are one; --how program keeps up to 4095 bytes\n");
	gather_release(&o.gather);
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
