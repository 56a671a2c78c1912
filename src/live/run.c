// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * run.c - tracing whose records are taken while they come.
 *
 *	recorder, a thread      kernel ──▶ livepages, some twenty times a second
 *	main thread             session_wait ── every 25 ms ──▶ step, for 40 ms at most
 *	after the end           step, until nothing is left or patience is
 *
 * So a signal is heard within 40 ms, whatever the load and however slow our reader is. When the command
 * has ended by itself everything is taken, however long it takes, unless a signal comes meanwhile. What is
 * left behind is counted and told, and so is what the kernel lost.
 */
#include "live/run.h"

#include "base/clock.h"
#include "capture/record/recording.h"
#include "decode/order/sequence.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#define TICK_MS 25
#define STEP_MS 40

static uint64_t in_ms(unsigned ms)
{
	return clock_now_ns() + ms * 1000000ull;
}

/* --- while it runs ----------------------------------------------------------------------------- */

static bool tick(void *ctx)
{
	struct liverun *run = ctx;
	int r = run->taker->step(run->ctx, in_ms(STEP_MS), &run->err);

	run->no_reader = r == -EPIPE;
	return r >= 0 && !(run->until_ns && clock_now_ns() >= run->until_ns);
}

/* --- the end ----------------------------------------------------------------------------------- */

/* True: somebody has lost patience. */
static bool wait_for_signal(const struct session *s, int ms)
{
	struct pollfd p = {s->signal_fd, POLLIN, 0};

	return poll(&p, 1, ms) > 0;
}

/* Takes what is left; all of it, or until until_ns. */
static int take_rest(struct liverun *run, uint64_t until_ns, struct errmsg *err)
{
	int r = 0;

	while (r >= 0 && clock_now_ns() < until_ns) {
		uint64_t step_ns = in_ms(STEP_MS);

		r = run->taker->step(run->ctx, step_ns < until_ns ? step_ns : until_ns, err);
		if (r == 1 && run->taker->has_ended(run->ctx))
			break;
		if (until_ns == UINT64_MAX && wait_for_signal(&run->s, r == 1)) {
			livetrace_finish(run->lt, 0);
			until_ns = in_ms(run->taker->last_ms);
		} else if (r == 1) {
			usleep(500); /* the recorder is still reading */
		}
	}
	return r;
}

static void tell_rest(struct liverun *run)
{
	uint64_t unread, lost, rest = run->taker->count_rest(run->ctx);
	void (*tell)(const char *) = live_request_tell(run->request);
	char text[256];

	livetrace_count(run->lt, &unread, &lost);
	if (!tell)
		return;
	if (rest + unread) {
		snprintf(text, sizeof(text), "%llu %s", (unsigned long long)(rest + unread),
			 run->taker->rest_text);
		tell(text);
	}
	if (lost) {
		snprintf(text, sizeof(text), "%llu events were lost; %s", (unsigned long long)lost,
			 run->taker->lost_text);
		tell(text);
	}
}

static uint64_t count_walked(void *ctx, unsigned id)
{
	const uint64_t *n_walked = ctx;

	return id < SEQUENCE_IDS ? n_walked[id] : 0;
}

/* Hits that the kernel dropped; what was not taken may be among the events. */
static void tell_lost_hits(struct liverun *run)
{
	const uint64_t *n_walked = run->taker->n_walked ? run->taker->n_walked(run->ctx) : NULL;
	struct setup_arrived arrived = {.count = count_walked, .ctx = (void *)n_walked};
	uint64_t unread, lost;

	if (!n_walked || run->s.has_child || run->request->quiet)
		return;
	livetrace_count(run->lt, &unread, &lost);
	arrived.n_lost = unread + lost;
	setup_tell_lost(run->s.setup, &arrived, run->s.config.tell);
}

static int finish(struct liverun *run, enum session_end end, struct errmsg *err)
{
	const struct liverun_taker *taker = run->taker;
	bool soon = (taker->at_once && end == SESSION_SIGNAL) || end == SESSION_FAILURE;
	int r = 0;

	livetrace_finish(run->lt, run->no_reader ? 0 : soon ? taker->last_ms / 2 : UINT_MAX);
	if (!run->no_reader && !run->err.code)
		r = take_rest(run, soon ? in_ms(taker->last_ms) : UINT64_MAX, err);
	livetrace_finish(run->lt, 0);
	livetrace_end(run->lt, err);
	if (!run->no_reader && r != -EPIPE)
		tell_rest(run);
	if (!run->no_reader && r >= 0 && !soon)
		tell_lost_hits(run);
	return err->code ? err->code : run->no_reader ? -EPIPE : r < 0 ? r : 0;
}

int liverun_follow(struct liverun *run, const struct liverun_taker *taker, void *ctx,
		   struct errmsg *err)
{
	enum session_end end;
	int r = session_start(&run->s, err);

	if (r < 0)
		return r;
	run->taker = taker;
	run->ctx = ctx;
	if (run->s.has_child) /* a fork of ours when the names were read */
		taker->rename(ctx, run->s.child.pid);
	end = session_wait(&run->s, livetrace_fd(run->lt), TICK_MS, tick, run);
	run->request->front->end_interrupt(run->s.signal, run->s.config.argv);
	if (run->err.code && !err->code)
		*err = run->err;
	session_stop(&run->s, err);
	return finish(run, end, err);
}

/* --- open and close ---------------------------------------------------------------------------- */

int liverun_open(struct liverun *run, struct live_request *o, char **argv, struct errmsg *err)
{
	struct session_config session = {.plan = &o->plan,
					 .argv = argv,
					 .user = o->user,
					 .keep = o->keep,
					 .all_formats = o->all_formats,
					 .tell = live_request_tell(o)};
	struct recording_config recording = {.ts_offset = o->ts_offset,
					     .date = o->date,
					     .tsc2nsec = o->tsc2nsec,
					     .program = "sonde " SONDE_VERSION,
					     .sleep_us = o->sleep_us,
					     .rt_priority = o->rt_priority,
					     .busy = o->busy};
	int r;

	run->request = o;
	o->plan.tell_names = true;
	r = session_open(&run->s, &session, err);
	if (r < 0)
		return r;
	live_request_tell_notes(o, &run->s.setup->notes);
	return livetrace_open(&run->lt, &run->s, &recording, err);
}

int liverun_close(struct liverun *run, struct errmsg *err)
{
	int r = livetrace_close(run->lt, err);
	int r2 = session_close(&run->s, err);

	run->lt = NULL;
	return r < 0 ? r : r2;
}
