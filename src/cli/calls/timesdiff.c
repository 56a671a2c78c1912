// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * timesdiff.c - sums the calls of another trace, and prints the differences.
 *
 *	callrun_open ─▶ calltimes ─▶ calldiff ─▶ calltimestext
 *
 * The first trace was summed by the command. The other stays open until the output is complete, so
 * that -o cannot overwrite what is still being read.
 */
#include "cli/calls/timesdiff.h"

#include "analyse/calls/calldiff.h"
#include "analyse/calltimes.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "decode/record.h"
#include "inputs/taskwalk.h"

#include <errno.h>

static void visit_other(void *ctx, const struct record *rec)
{
	calltimes_add(ctx, rec);
}

static int read_other(struct timesdiff *d, const struct calltimes_config *config,
		      struct calltimes **ret, struct errmsg *err)
{
	struct taskwalk_spec spec = {.visit = visit_other, .run = calltimes_run};

	TRY(callrun_open(&d->run, &d->options, d->path, err));
	TRY(calltimes_new(ret, callrun_formats(&d->run), config, err));
	spec.ctx = *ret;
	spec.events = calltimes_events(*ret, &spec.n_events);
	TRY(callrun_walk(&d->run, spec, err));
	calltimes_end(*ret);
	if (calltimes_finish(*ret) < 0)
		return errmsg_set_errno(err, -ENOMEM, "cannot sort the functions");
	return 0;
}

int timesdiff_fmt(struct timesdiff *d, const struct calltimes_view *v,
		  const struct calltimes_config *config, enum gather_output form,
		  struct textbuf *tb, struct errmsg *err)
{
	SCOPED(calltimes_free_scoped) struct calltimes *other = NULL;
	SCOPED(calldiff_release) struct calldiff diff = {0};

	TRY(read_other(d, config, &other, err));
	if (calldiff_init(&diff, v->calls, other, config->sort) < 0)
		return errmsg_set_errno(err, -ENOMEM, "cannot compare the traces");
	if (form == GATHER_JSON)
		calltimestext_fmt_diff_json(v, &diff, tb);
	else if (form == GATHER_CSV)
		calltimestext_fmt_diff_csv(v, &diff, tb);
	else
		calltimestext_fmt_diff(v, &diff, tb);
	return 0;
}
