// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * countjob.c - counts events for `sonde count`, and prints the counts.
 *
 *	gather ──▶ keycount_add ──▶ counttext
 *
 * A file is counted in parts by all CPUs, and the counts of the parts are joined. If the kernel can
 * count a live run by itself, sonde only reads the table (live/kernel/count.c). With -u sonde counts
 * calls of a program's functions, each as one event.
 */
#include "cli/ask/countjob.h"

#include "base/scope.h"
#include "capture/plan.h"
#include "decode/record.h"
#include "live/kernel/count.h"
#include "present/result/counttext.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Adds the events of calls of programs' functions. Each call is one event. */
static int add_calls(struct count_options *o, struct errmsg *err)
{
	if (plan_words_add(&o->gather.names, "user:user_entry*") < 0 ||
	    plan_words_add(&o->gather.names, "user:user_call*") < 0)
		return errmsg_set_errno(err, -ENOMEM, "cannot count");
	return 0;
}

static int open_counts(void *ctx, struct formats *f, struct filter **filters, size_t n_filters,
		       struct errmsg *err)
{
	struct count_options *o = ctx;

	if (o->gather.record.has_user)
		TRY(add_calls(o, err));
	/* replace the definitions of probes by the names of their events */
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

/* --- a file, on all CPUs ---------------------------------------------------------------------- */

/* Counts of a part of the file. */
struct part {
	struct keycount_config config;
	struct keycount *counts;
};

static void release_part(void *state)
{
	struct part *part = state;

	keycount_free(part->counts);
	free(part);
}

static int init_part(void *ctx, struct formats *f, struct filter **filters, size_t n_filters,
		     void **ret_state)
{
	struct part *part = calloc(1, sizeof(*part));
	struct errmsg err = {0};
	int r;

	if (!part)
		return -ENOMEM;
	part->config = ((struct count_options *)ctx)->config;
	part->config.filters = filters;
	part->config.n_filters = n_filters;
	r = keycount_new(&part->counts, f, &part->config, &err);
	if (r >= 0)
		*ret_state = part;
	else
		free(part);
	return r;
}

static const uint8_t *part_events(void *state, size_t *ret_n)
{
	return keycount_events(((struct part *)state)->counts, ret_n);
}

static void add_to_part(void *state, const struct record *rec)
{
	keycount_add(((struct part *)state)->counts, rec);
}

static int join_part(void *ctx, void *state, struct tasks *tasks)
{
	return keycount_join(((struct count_options *)ctx)->counts, ((struct part *)state)->counts);
}

static bool start(void *ctx, bool *ret_uses_names)
{
	*ret_uses_names = keycount_uses_names(((struct count_options *)ctx)->counts);
	return true;
}

static const struct gather_fold count_fold = {.init = init_part,
					      .events = part_events,
					      .add = add_to_part,
					      .join = join_part,
					      .release = release_part,
					      .start = start};

/* --- in the kernel ---------------------------------------------------------------------------- */

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
				.how = o->gather.how,
				.has_filters = o->gather.filters.n,
				.pace = &o->gather.pace,
				.show = show_kernel_counts,
				.ctx = o};

	return count_in_kernel(&job, argv, err);
}

const struct gather_job count_job = {
	.open = open_counts,
	.events = events,
	.add = add,
	.fmt = fmt,
	.close = close_counts,
	.in_kernel = in_kernel,
	.fold = &count_fold,
	.needs = "count needs to know what to count: an event, -e sched_switch",
};
