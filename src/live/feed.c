// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * feed.c - passes the events of the running machine to a job, as they arrive.
 *
 *	liverun ──▶ sequence ──▶ batches ──▶ job->add      every interval: job->show
 *	at the end: restore the settings ──▶ job->show, the last time
 *
 * It uses one thread beside the recorder's. After a second signal it processes records that were
 * already read, for at most one second, and then ends.
 */
#include "live/feed.h"

#include "base/clock.h"
#include "base/scope.h"
#include "capture/record/livetrace.h"
#include "decode/order/sequence.h"
#include "inputs/sources.h"
#include "live/run.h"
#include "live/source.h"

#include <errno.h>

#define LAST_MS 1000 /* time limit after a second signal, for records that were read */

struct feeding {
	const struct feed_job *job;
	struct inputs_spec spec; /* all events */
	struct liverun run;
	struct livesource in;
	struct batch batch;
	uint64_t next_ns;
	bool in_time;
};

static int show_now(struct feeding *f, struct errmsg *err)
{
	f->next_ns = clock_now_ns() + f->job->pace->interval_ns;
	return f->job->show(f->job->ctx, f->in_time, false, err);
}

static int step(void *ctx, struct errmsg *err)
{
	struct feeding *f = ctx;
	int r;

	livesource_learn(&f->in);
	while ((r = sequence_fill(f->in.src.seq, &f->batch)) > 0) {
		livesource_refresh(&f->in, &f->batch);
		for (size_t i = 0; i < f->batch.n; i++)
			f->job->add(f->job->ctx, &f->batch.records[i]);
	}
	if (r < 0)
		return errmsg_set_errno(err, r, "cannot continue");
	if (f->job->pace->interval_ns && clock_now_ns() >= f->next_ns)
		TRY(show_now(f, err));
	return !livesource_is_late(&f->in);
}

static const struct liverun_taker taking = {
	.step = step,
	.tells_hits = true,
	.rest_text = "events were not counted, as it was ended",
	.lost_text = "the result lacks them; a larger buffer (-b) or fewer events help",
	.last_ms = LAST_MS,
};

static int open_feeding(struct feeding *f, struct errmsg *err)
{
	struct sequence_config sc = inputs_sequence_config(&f->spec);
	const uint8_t *events;
	size_t n_events;

	sc.raw = true;
	sc.all_names = true;
	TRY(livesource_open(&f->in, livetrace_file(f->run.lt), &f->spec, &sc, f->run.s.setup, err));
	TRY(f->job->open(f->job->ctx, f->in.file.formats, f->run.s.setup, err));
	f->in_time = inputs_sources_are_ns(&f->in.src);
	events = f->job->events(f->job->ctx, &n_events);
	sequence_set_events(f->in.src.seq, events, n_events);
	return batch_init(&f->batch) < 0 ? errmsg_set_errno(err, -ENOMEM, "cannot trace") : 0;
}

static int follow(struct feeding *f, struct errmsg *err)
{
	struct pace *pace = f->job->pace;
	int r, r2;

	if (!f->run.s.has_child && !pace->interval_ns)
		live_request_say(f->job->request, "Ctrl-C ends it and prints the result");
	pace->start_ns = clock_now_ns();
	f->next_ns = pace->is_series ? pace->start_ns + pace->interval_ns : 0;
	r = liverun_follow(&f->run, &f->in, &taking, f, err);
	pace->end_ns = clock_now_ns();
	TRY(r);
	r2 = session_restore(&f->run.s, err); /* the recorder has closed its files */
	r = f->job->show(f->job->ctx, f->in_time, true, err);
	return r < 0 ? r : r2;
}

int livefeed_run(const struct feed_job *job, char **argv, struct errmsg *err)
{
	struct feeding f = {.job = job, .spec = {.short_names = job->request->short_names}};
	struct errmsg ignored = {0};
	int r = liverun_open(&f.run, job->request, argv, err);

	r = r < 0 ? r : open_feeding(&f, err);
	r = r < 0 ? r : follow(&f, err);
	if (job->ret_status)
		*job->ret_status = f.run.s.child_status;
	job->close(job->ctx);
	batch_release(&f.batch);
	livesource_close(&f.in);
	liverun_close(&f.run, &ignored);
	return r;
}
