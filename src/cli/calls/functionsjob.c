// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * functionsjob.c - sums the calls of functions for `sonde functions`, and prints the sums.
 *
 *	gather ──▶ calltimes_add, calltimes_run ──▶ calltimes_join ──▶ calltimestext
 *
 * A file is summed in parts by all CPUs, unless keys of tasks are wanted: then one walk in the order
 * of time knows the names. With --diff, timesdiff.c sums the other file and prints both.
 */
#include "cli/calls/functionsjob.h"

#include "analyse/calltimes.h"
#include "base/scope.h"
#include "cli/calls/functionopts.h"
#include "decode/record.h"
#include "present/result/calltimestext.h"
#include "symbols/tasks.h"

#include <errno.h>

static int open_calls(void *ctx, struct formats *f, struct filter **filters, size_t n_filters,
		      struct errmsg *err)
{
	struct functions_options *o = ctx;

	o->config.with_own = o->gather.record.plan.trace_self;
	o->config.from = o->gather.from_ns;
	o->config.to = o->gather.to_ns;
	return calltimes_new(&o->calls, f, &o->config, err);
}

static const uint8_t *events(void *ctx, size_t *ret_n)
{
	return calltimes_events(((struct functions_options *)ctx)->calls, ret_n);
}

static void add(void *ctx, const struct record *rec)
{
	calltimes_add(((struct functions_options *)ctx)->calls, rec);
}

static void run_calls(void *ctx, struct walker *w, struct record *rec, uint64_t offset,
		      uint64_t before)
{
	calltimes_run(((struct functions_options *)ctx)->calls, w, rec, offset, before);
}

static int fmt(void *ctx, bool in_time, bool colour, struct textbuf *tb, struct errmsg *err)
{
	struct functions_options *o = ctx;
	struct calltimes_view v = {.calls = o->calls,
				   .in_time = in_time,
				   .colour = colour,
				   .sources = o->sources,
				   .n_rows = o->gather.n_rows,
				   .columns = o->columns};

	o->diff.options.quiet = o->gather.record.quiet;
	o->diff.options.short_names = o->gather.record.short_names;
	if (o->gather.input || (o->gather.record.has_user && o->gather.is_last))
		calltimes_end(o->calls);
	if (calltimes_finish(o->calls) < 0)
		return errmsg_set_errno(err, -ENOMEM, "cannot sort the functions");
	if (o->diff.path)
		return timesdiff_fmt(&o->diff, &v, &o->config, o->gather.output, tb, err);
	if (o->gather.output == GATHER_JSON)
		calltimestext_fmt_json(&v, tb);
	else if (o->gather.output == GATHER_CSV)
		calltimestext_fmt_csv(&v, tb);
	else
		calltimestext_fmt(&v, tb);
	return 0;
}

static void close_calls(void *ctx)
{
	struct functions_options *o = ctx;

	calltimes_free(o->calls);
	o->calls = NULL;
}

/* --- a file, on all CPUs ---------------------------------------------------------------------- */

static void release_part(void *state)
{
	calltimes_free(state);
}

static int init_part(void *ctx, struct formats *f, struct filter **filters, size_t n_filters,
		     void **ret_state)
{
	struct functions_options *o = ctx;
	struct errmsg err = {0};
	struct calltimes *part;
	int r;

	TRY(calltimes_new(&part, f, &o->config, &err));
	r = calltimes_make_part(part);
	if (r < 0)
		calltimes_free(part);
	else
		*ret_state = part;
	return r;
}

static const uint8_t *part_events(void *state, size_t *ret_n)
{
	return calltimes_events(state, ret_n);
}

static void add_to_part(void *state, const struct record *rec)
{
	calltimes_add(state, rec);
}

static int join_part(void *ctx, void *state, struct tasks *tasks)
{
	return calltimes_join(((struct functions_options *)ctx)->calls, state, tasks);
}

static bool start(void *ctx, bool *ret_uses_names)
{
	*ret_uses_names = false;
	return !((struct functions_options *)ctx)->config.n_groups;
}

static const struct gather_fold functions_fold = {.init = init_part,
						  .events = part_events,
						  .add = add_to_part,
						  .run = calltimes_run,
						  .join = join_part,
						  .release = release_part,
						  .start = start};

const struct gather_job functions_job = {
	.open = open_calls,
	.events = events,
	.add = add,
	.run = run_calls,
	.fmt = fmt,
	.close = close_calls,
	.fold = &functions_fold,
	.needs = "functions needs a trace",
};
