// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * gather_live.c - feeds the events of the running machine to a job, as they come.
 *
 *	liverun ──▶ sequence ──▶ batches ──▶ job->add      on a terminal: job->fmt, again and again
 *	                                       └──▶ job->fmt ──▶ standard output, -o
 *
 * One thread beside the recorder's. After a second signal what has been read is added for a second, then it ends.
 */
#include "cli/gather_int.h"

#include "base/clock.h"
#include "base/files/trickle.h"
#include "cli/liverun.h"
#include "cli/livesource.h"
#include "cli/terminal.h"

#include <errno.h>
#include <stdio.h>

#define LAST_MS	    1000 /* after a second signal, for what has been read */
#define HOLD_ROUNDS 1	 /* see sequence.h */

struct gathering {
	const struct gather_job *job;
	struct gather_options *o;
	struct inputs_spec spec; /* all of it */
	struct liverun run;
	struct livesource in;
	struct gather_filters filters;
	struct batch batch;
	uint64_t until_ns, interval_ns, next_ns;
	bool in_time;
};

static bool is_late(void *ctx)
{
	struct gathering *g = ctx;

	return clock_now_ns() >= g->until_ns;
}

static int show_now(struct gathering *g, struct errmsg *err)
{
	struct textbuf tb;
	int r;

	g->next_ns = clock_now_ns() + g->interval_ns;
	textbuf_init(&tb, TEXT_MAX_BYTES);
	g->o->on_screen = !gather_is_series(g->o);
	r = g->job->fmt(g->job->ctx, g->in_time, gather_is_colour(g->o), &tb, err);
	g->o->on_screen = false;
	if (r >= 0)
		r = gather_show(g->o, &tb) ? 0 : -EPIPE;
	textbuf_release(&tb);
	return r;
}

static int step(void *ctx, uint64_t until_ns, struct errmsg *err)
{
	struct gathering *g = ctx;
	int r;

	g->until_ns = until_ns;
	while ((r = sequence_fill(g->in.src.seq, &g->batch)) > 0) {
		livesource_refresh(&g->in, &g->batch);
		for (size_t i = 0; i < g->batch.n; i++)
			g->job->add(g->job->ctx, &g->batch.records[i]);
	}
	if (r < 0)
		return errmsg_set_errno(err, r, "cannot go on");
	if (g->interval_ns && clock_now_ns() >= g->next_ns) {
		r = show_now(g, err);
		if (r < 0)
			return r;
	}
	return !is_late(g);
}

static void rename_task(void *ctx, int pid)
{
	struct gathering *g = ctx;

	livesource_rename(&g->in, pid);
}

static bool has_ended(void *ctx)
{
	struct gathering *g = ctx;

	return sequence_has_ended(g->in.src.seq);
}

static uint64_t count_rest(void *ctx)
{
	struct gathering *g = ctx;

	return sequence_count_rest(g->in.src.seq);
}

static const uint64_t *n_walked(void *ctx)
{
	const struct gathering *g = ctx;

	return g->in.n_walked;
}

static const struct liverun_taker taking = {
	.rename = rename_task,
	.step = step,
	.has_ended = has_ended,
	.count_rest = count_rest,
	.n_walked = n_walked,
	.rest_text = "events were not counted, as it was ended",
	.lost_text = "the result lacks them; a larger buffer (-b) or fewer events help",
	.last_ms = LAST_MS,
};

static int open_gathering(struct gathering *g, struct errmsg *err)
{
	struct sequence_config sc = inputs_sequence_config(&g->spec);
	const uint8_t *events;
	size_t n_events;
	int r;

	sc.raw = true;
	sc.all_names = true;
	sc.hold_rounds = HOLD_ROUNDS;
	sc.stop = is_late;
	sc.stop_ctx = g;
	r = livesource_open(&g->in, livetrace_file(g->run.lt), &g->spec, &sc, g->run.s.setup, err);
	if (r >= 0)
		r = gather_name_events(g->o, g->run.s.setup, &g->o->names, err);
	if (r >= 0)
		r = gather_make_filters(&g->filters, g->o, g->in.file.formats, false, err);
	if (r >= 0)
		r = g->job->open(g->job->ctx, g->in.file.formats, g->filters.list, g->filters.n,
				 err);
	if (r < 0)
		return r;
	g->in_time = inputs_sources_are_ns(&g->in.src);
	events = g->job->events(g->job->ctx, &n_events);
	sequence_set_events(g->in.src.seq, events, n_events);
	return batch_init(&g->batch) < 0 ? errmsg_set_errno(err, -ENOMEM, "cannot trace") : 0;
}

int gather_live(const struct gather_job *job, struct gather_options *o, char **argv,
		struct errmsg *err)
{
	struct gathering g = {.job = job, .o = o};
	struct errmsg ignored = {0};
	double interval = gather_interval(o, err);
	int r, r2 = 0;

	if (err->code)
		return err->code;
	g.interval_ns = (uint64_t)(interval * 1e9);
	g.run.told = &o->told;
	r = liverun_open_options(&g.run, &o->record, argv, err);
	if (r >= 0) {
		o->probe_ns = setup_first_probe_ns(g.run.s.setup);
		r = open_gathering(&g, err);
	}
	if (r >= 0 && !argv && !o->record.quiet && !g.interval_ns)
		fputs("Ctrl-C ends it and prints the result\n", stderr);
	o->series.start_ns = clock_now_ns();
	g.next_ns = gather_is_series(o) ? o->series.start_ns + g.interval_ns : 0;
	if (r >= 0)
		r = liverun_follow(&g.run, &taking, &g, err);
	o->series.end_ns = clock_now_ns();
	if (r >= 0) /* the recorder has closed its files */
		r2 = session_restore(&g.run.s, err);
	if (r >= 0 && g.interval_ns && !gather_is_series(o))
		terminal_control(stdout, TERMINAL_CLEAR_SCREEN);
	fflush(stdout);
	if (r >= 0)
		r = gather_print_result(job, o, g.in_time, err);
	job->close(job->ctx);
	batch_release(&g.batch);
	gather_release_filters(&g.filters);
	livesource_close(&g.in);
	liverun_close(&g.run, &ignored);
	return r < 0 ? r : r2;
}
