// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * run.c - traces, and processes the records while they arrive.
 *
 *	recorder, a thread      kernel ──▶ livepages, some twenty times a second
 *	main thread             session_wait ── every 25 ms ──▶ step, for 40 ms at most
 *	after the end           step, until no records are left, or until a signal or the time limit
 *
 * So a signal takes effect within 40 ms, even under load and with a slow reader. When the command
 * has ended by itself, all records are taken, unless a signal arrives. sonde counts and reports the
 * records that were not taken and those that the kernel lost.
 */
#include "live/run.h"

#include "base/clock.h"
#include "base/scope.h"
#include "capture/calls/usertrace.h"
#include "capture/record/recording.h"
#include "decode/order/sequence.h"
#include "live/calls/livecalls.h"
#include "live/sources/samples.h"
#include "live/source.h"
#include "live/sources/userfunctions.h"

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

/* --- while it runs ---------------------------------------------------------------------------- */

static int step(struct liverun *run, uint64_t until_ns, struct errmsg *err)
{
	run->in->until_ns = until_ns;
	return run->taker->step(run->ctx, err);
}

static bool tick(void *ctx)
{
	struct liverun *run = ctx;
	int r = step(run, in_ms(STEP_MS), &run->err);

	run->no_reader = r == -EPIPE;
	return r >= 0 && !(run->until_ns && clock_now_ns() >= run->until_ns) &&
	       !(run->user && usertrace_have_ended(run->user)) &&
	       !(run->samples && !run->s.has_child && sampling_is_over(run->samples));
}

/* --- the end ---------------------------------------------------------------------------------- */

/* Returns true if a signal arrived. */
static bool wait_for_signal(const struct session *s, int ms)
{
	struct pollfd p = {s->signal_fd, POLLIN, 0};

	return poll(&p, 1, ms) > 0;
}

/* Takes the remaining records, until until_ns at the latest. */
static int take_rest(struct liverun *run, uint64_t until_ns, struct errmsg *err)
{
	int r = 0;

	while (r >= 0 && clock_now_ns() < until_ns) {
		uint64_t step_ns = in_ms(STEP_MS);

		r = step(run, step_ns < until_ns ? step_ns : until_ns, err);
		if (r == 1 && sequence_has_ended(run->in->src.seq))
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
	uint64_t unread, lost, rest = run->taker->count_rest ? run->taker->count_rest(run->ctx) : 0;
	void (*tell)(const char *) = live_request_tell(run->request);
	char text[256];

	rest += sequence_count_rest(run->in->src.seq);
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

/* Reports hits that the kernel dropped. Records that were not taken may be among them. */
static void tell_lost_hits(struct liverun *run)
{
	struct setup_arrived arrived = {.count = count_walked, .ctx = run->in->n_walked};
	uint64_t unread, lost;

	if (!run->taker->tells_hits || !arrived.ctx || run->s.has_child || run->request->quiet)
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

int liverun_follow(struct liverun *run, struct livesource *in, const struct liverun_taker *taker,
		   void *ctx, struct errmsg *err)
{
	enum session_end end;

	TRY(session_start(&run->s, err));
	run->taker = taker;
	run->in = in;
	run->ctx = ctx;
	if (run->s.has_child) /* when the names were read, the child still had sonde's name */
		livesource_rename(in, run->s.child.pid);
	end = session_wait(&run->s, livetrace_fd(run->lt), TICK_MS, tick, run);
	if (run->user)
		usertrace_leave(run->user);
	if (run->syscalls)
		systrace_leave(run->syscalls);
	run->request->front->end_interrupt(run->s.signal, run->s.config.argv);
	if (run->err.code && !err->code)
		*err = run->err;
	session_stop(&run->s, err);
	return finish(run, end, err);
}

/* --- open and close --------------------------------------------------------------------------- */

/* Opens the session: with the kernel, or, for user functions alone, without it. */
static int open_session(struct liverun *run, const struct session_config *config,
			struct errmsg *err)
{
	if (userfunctions_are_alone(run->request) || livecalls_are_alone(run->request) ||
	    samples_are_alone(run->request))
		return session_open_alone(&run->s, config, err);
	TRY(session_open(&run->s, config, err));
	live_request_tell_notes(run->request, &run->s.setup->notes);
	return 0;
}

/* The command is about to run. */
static void begin_calls(void *ctx)
{
	struct liverun *run = ctx;

	livecalls_begin(run->syscalls, &run->s, &run->err);
}

static int prepare_samples(struct session *s, void *ctx, struct errmsg *err)
{
	const struct liverun *run = ctx;

	return samples_prepare(s, run->samples, err);
}

int liverun_open(struct liverun *run, struct live_request *o, char **argv, struct errmsg *err)
{
	struct session_config session = live_request_session(o, argv);
	struct recording_config recording = {.ts_offset = o->ts_offset,
					     .date = o->date,
					     .tsc2nsec = o->tsc2nsec,
					     .program = "sonde " SONDE_VERSION,
					     .sleep_us = o->sleep_us,
					     .rt_priority = o->rt_priority,
					     .busy = o->busy};

	run->request = o;
	run->s.signal_fd = -1;
	o->plan.tell_names = true;
	if (o->has_user) {
		TRY(userfunctions_open(&run->user, o, argv, err));
		session.env = usertrace_env(run->user);
		recording.user = run->user;
	}
	if (o->samples.is_wanted) {
		TRY(samples_open(&run->samples, o, argv, true, err));
		session.prepare = prepare_samples;
		session.prepare_ctx = run;
		recording.samples = run->samples;
		if (run->user)
			userfunctions_connect(run->user, run->samples);
	}
	if (o->syscalls) {
		TRY(livecalls_open(&run->syscalls, o, argv, err));
		session.begin = begin_calls;
		session.powers |= livecalls_powers();
		session.prepare_ctx = run;
		recording.syscalls = run->syscalls;
	}
	run->has_session = true;
	TRY(open_session(run, &session, err));
	run->s.setup->user = run->user;
	run->s.setup->samples = run->samples;
	return livetrace_open(&run->lt, &run->s, &recording, err);
}

/* Says what was not traced, and ends the trace of user functions. */
static void close_user(struct liverun *run, bool has_run)
{
	struct errmsg ignored = {0};
	struct usertrace_sum sum;

	if (!run->user)
		return;
	usertrace_stop(run->user, &ignored);
	usertrace_get_sum(run->user, &sum);
	if (has_run)
		userfunctions_tell_missing(run->request, run->user, &sum);
	if (run->samples)
		sampling_set_finder(run->samples, NULL, NULL);
	usertrace_close(run->user);
	run->user = NULL;
}

static void close_samples(struct liverun *run, bool has_run)
{
	struct sampling_sum sum;

	if (!run->samples)
		return;
	sampling_get_sum(run->samples, &sum);
	if (has_run)
		samples_tell(run->request, &sum);
	sampling_close(run->samples);
	run->samples = NULL;
}

int liverun_close(struct liverun *run, struct errmsg *err)
{
	bool has_run = run->taker;
	int r = livetrace_close(run->lt, err);
	int r2 = run->has_session ? session_close(&run->s, err) : 0;

	run->lt = NULL;
	close_user(run, has_run && !err->code);
	if (run->syscalls && has_run && !err->code)
		livecalls_tell_missing(run->request, run->syscalls);
	close_samples(run, has_run && !err->code);
	systrace_close(run->syscalls);
	run->syscalls = NULL;
	return r < 0 ? r : r2;
}
