// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * profile.c - `sonde report --profile`: prints where the time of tasks went, instead of the events.
 *
 *	sequence_fill ──▶ [batch] ──▶ profiling_add
 *	   one thread   (conveyor.h)   another one, in order
 */
#include "base/conveyor.h"
#include "base/scope.h"
#include "cli/screen/output.h"
#include "cli/report/report.h"
#include "decode/order/sequence.h"
#include "inputs/sources.h"
#include "present/profile/profiling.h"

#define SLOTS 4

struct run {
	struct profiling pf;
	struct sequence *seq;
	struct output *out;
	struct batch batches[SLOTS];
};

static int fill_batch(void *ctx, void *item)
{
	struct run *run = ctx;

	return output_is_closed(run->out) ? 0 : sequence_fill(run->seq, item);
}

static void work_batch(void *ctx, void *item, unsigned thread)
{
	/* no work can be done out of order */
}

static int drain_batch(void *ctx, void *item)
{
	struct run *run = ctx;
	const struct batch *b = item;

	profiling_add(&run->pf, b);
	output_progress(run->out, b->progress);
	return 0;
}

static int add_records(struct run *run, struct errmsg *err)
{
	void *items[SLOTS];
	unsigned n_threads = conveyor_default_threads();
	struct conveyor_job job = {.ctx = run,
				   .items = items,
				   .n_items = SLOTS,
				   .n_threads = n_threads < 2 ? 1 : 2,
				   .fill = fill_batch,
				   .work = work_batch,
				   .drain = drain_batch};
	int r = 0;

	for (size_t i = 0; i < SLOTS && r >= 0; i++) {
		items[i] = &run->batches[i];
		r = batch_init(&run->batches[i]);
	}
	if (r >= 0)
		r = conveyor_run(&job);
	return r < 0 ? errmsg_set_errno(err, r, "cannot profile") : 0;
}

static void run_release(struct run *run)
{
	profiling_close(&run->pf);
	for (size_t i = 0; i < SLOTS; i++)
		batch_release(&run->batches[i]);
}

int report_profile(struct report *rep, const struct inputs_sources *src, const struct lines *lines,
		   struct output *out, struct errmsg *err)
{
	SCOPED(run_release) struct run run = {.seq = src->seq, .out = out};

	TRY(profiling_open(&run.pf, &rep->opts->profiling, &rep->in, lines, err));
	TRY(add_records(&run, err));
	return profiling_print(&run.pf, output_write_ctx, out, err);
}
