// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * record.c - records into a file, from the first check to the restored settings.
 *
 *  check the place ─▶ session_open ─▶ recording_open ─▶ run ─▶ recording_finish ─▶ session_close
 *                                                        └── every half second: flush, status
 *
 * capture does the work: session.h sets up the machine, recording.h writes the file, and the
 * journal always restores the settings. This file has the order of the steps, and the numbers for
 * the message at the end.
 */
#include "live/record.h"

#include "analyse/tally.h"
#include "base/clock.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "capture/kernel/cost.h"
#include "capture/calls/usertrace.h"
#include "capture/record/endsignals.h"
#include "inputs/info/filecount.h"
#include "live/orders.h"
#include "live/sources/sources.h"
#include "live/sources/userfunctions.h"
#include "store/live/livefile.h"

#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TICK_MS 500

/* --- while it runs ---------------------------------------------------------------------------- */

struct running {
	struct session *s;
	struct recording *rec;
	const struct record_watch *watch;
	uint64_t events, since_ns;
	struct errmsg err;
};

static double seconds_since(uint64_t ns)
{
	return (clock_now_ns() - ns) / 1e9;
}

static void show_status(struct running *run)
{
	double dt = seconds_since(run->since_ns);
	struct record_status status = {.seconds = seconds_since(run->s->start_ns),
				       .n_bytes = recording_bytes(run->rec)};
	uint64_t events = 0;

	for (size_t i = 0; i < run->s->setup->n_buffers; i++) {
		const char *instance = run->s->setup->buffers[i].instance;
		long long kb = tracefs_read_number(&run->s->t, instance, "buffer_size_kb");

		for (unsigned cpu = 0; cpu < run->s->n_cpus; cpu++) {
			struct cpu_stats st;

			if (!session_cpu_stats(run->s, instance, cpu, &st, NULL))
				continue;
			events += st.read_events + st.entries;
			status.n_lost += st.overrun + st.commit_overrun + st.dropped;
			if (kb > 0 && status.n_fill < RECORD_STATUS_CPUS)
				status.fill_percent[status.n_fill++] =
					(int)(st.bytes * 100 / (kb * 1024ull));
		}
	}
	if (dt > 0 && events > run->events)
		status.events_per_second = (events - run->events) / dt;
	run->watch->show_status(&status);
	run->events = events;
	run->since_ns += dt * 1e9;
}

static bool tick(void *ctx)
{
	struct running *run = ctx;

	if (recording_flush(run->rec, &run->err) < 0)
		return false;
	if (run->watch->wants_status && run->watch->wants_status())
		show_status(run);
	return true;
}

/* --- hits that are no events ------------------------------------------------------------------ */

struct lost_hits {
	struct session *s;
	uint64_t n_lost; /* number of events */
};

static uint64_t count_id(void *ctx, unsigned id)
{
	const struct tally *t = ctx;

	return id < t->layout.n_ids ? t->by_id[id].n : 0;
}

static int64_t tell_lost(void *ctx, const struct tracefile *tf, const struct info_counts *counts)
{
	const struct lost_hits *lost = ctx;
	struct setup_arrived arrived = {
		.count = count_id, .ctx = (void *)&counts->tally, .n_lost = lost->n_lost};

	return (int64_t)setup_tell_lost(lost->s->setup, &arrived, lost->s->config.tell);
}

/* Called when the command has ended, but its probes still exist. */
static void count_lost_hits(const struct live_request *o, struct session *s,
			    struct record_outcome *oc)
{
	struct lost_hits lost = {s, oc->sum.lost};
	int64_t n;

	if (s->has_child || o->max_kb || !oc->sum.counted || !setup_can_lose(s->setup))
		return;
	n = filecount_walk(oc->fd, oc->path, tell_lost, &lost);
	oc->n_missed += n > 0 ? (uint64_t)n : 0;
}

/* --- the whole -------------------------------------------------------------------------------- */

static int wait_for_end(struct live_request *o, struct running *run, struct usertrace *user,
			const struct record_outcome *oc, struct errmsg *err)
{
	struct session *s = run->s;
	struct orders orders = {
		.session = s, .user = user, .path = oc->path, .argv = s->config.argv};
	int r = session_start(s, err);

	run->since_ns = s->start_ns;
	if (r >= 0) {
		if (o->begun)
			o->begun(o->begun_ctx);
		else if (!oc->ran_command)
			live_request_say(o, "recording to %s; Ctrl-C ends it", oc->path);
		orders_open(&orders);
		if (session_wait(s, recording_fd(run->rec), TICK_MS, tick, run) == SESSION_TICK &&
		    !err->code)
			*err = run->err;
		orders_close(&orders);
	}
	if (run->watch->end_status)
		run->watch->end_status();
	o->front->end_interrupt(s->signal, oc->ran_command);
	session_stop(s, err);
	return r;
}

static int run(struct live_request *o, struct session *s, struct recording *rec,
	       struct usertrace *user, const struct record_watch *watch, struct record_outcome *oc,
	       struct errmsg *err)
{
	struct running running = {.s = s, .rec = rec, .watch = watch};
	int r = wait_for_end(o, &running, user, oc, err);

	oc->n_missed = s->n_missed;
	oc->probe_seconds = o->quiet ? 0 : setup_probe_seconds(s->setup);
	oc->seconds = (s->stop_ns - s->start_ns) / 1e9;
	getrusage(RUSAGE_CHILDREN, &oc->command);
	oc->command_status = s->child_status;
	if (s->signal == ENDSIGNALS_ASKED && s->has_child)
		oc->running = s->child.pid;
	if (r < 0) {
		recording_free(rec);
		return r;
	}
	oc->fd = recording_dup(rec);
	r = recording_finish(rec, &oc->sum, err);
	if (r >= 0 && !err->code)
		count_lost_hits(o, s, oc);
	return err->code ? err->code : r;
}

/* Reports a file that cannot be written before any setting changes. */
static int check_place(const char *path, struct errmsg *err)
{
	SCOPED(scope_free) char *copy = strdup(path);
	const char *dir = copy ? dirname(copy) : NULL;
	int code = !dir ? -ENOMEM : access(dir, W_OK | X_OK) ? -errno : 0;

	return code ? errmsg_set_errno(err, code, "cannot write %s", path)
		    : livefile_check_free(path, err);
}

/* Records events of the kernel, with the other sources. */
static int record_kernel(struct livesources *ls, char **argv, const struct record_watch *watch,
			 struct record_outcome *oc, struct errmsg *err)
{
	struct live_request *o = ls->o;
	struct session_config sc = live_request_session(o, argv);
	struct recording *rec;
	struct session s;
	char clock[64];
	int r, r2;

	livesources_hook(ls, &sc, &s, err);
	if (sc.tell && watch->tell)
		sc.tell = watch->tell;
	r = session_open(&s, &sc, err);
	if (r >= 0) {
		oc->n_cpus = s.n_cpus;
		session_clock(&s, 0, clock, sizeof(clock));
		oc->event_ns = o->quiet ? 0 : cost_of_event(s.journal, &s.t, clock);
		live_request_tell_notes(o, &s.setup->notes);
		r = recording_open(&rec, &s, &ls->config, err);
		if (r >= 0)
			r = run(o, &s, rec, ls->config.user, watch, oc, err);
	}
	r2 = session_close(&s, err);
	return r < 0 ? r : r2;
}

int record_to_file(struct live_request *o, const struct recording_config *config, char **argv,
		   const struct record_watch *watch, struct record_outcome *ret_outcome,
		   struct errmsg *err)
{
	struct livesources ls = {.o = o};
	int r = check_place(config->path, err);

	*ret_outcome = (struct record_outcome){.path = config->path, .fd = -1, .ran_command = argv};
	if (r >= 0)
		r = livesources_open(&ls, o, config, argv, ret_outcome, err);
	if (r >= 0)
		r = livesources_are_alone(o)
			    ? userfunctions_record(o, &ls.config, argv, ret_outcome, err)
			    : record_kernel(&ls, argv, watch, ret_outcome, err);
	ret_outcome->has_failed = r < 0;
	livesources_close(&ls, ret_outcome);
	return r;
}
