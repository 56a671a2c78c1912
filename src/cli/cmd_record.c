// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_record.c - `sonde record`: traces a command, or the machine until Ctrl-C, into a trace.dat.
 *
 * The work is in capture/: session.h sets the machine, recording.h writes the file, and whatever
 * happens the journal puts the machine back. Here is the line that shows how it goes; the sentence at
 * the end is outcome.c.
 */
#include "capture/kernel/cost.h"
#include "capture/record/recording.h"
#include "cli/background.h"
#include "cli/bootline.h"
#include "cli/command.h"
#include "inputs/info/filecount.h"
#include "cli/guestrecord.h"
#include "cli/netrecord.h"
#include "cli/outcome.h"
#include "cli/recordrun.h"
#include "cli/statusline.h"
#include "store/live/livefile.h"

#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define TICK_MS	 500
#define PID_FILE "/run/sonde-record.pid"

static const struct option_row rows[] = {
	RECORDOPTS_EVENTS,
	RECORDOPTS_FILE,
	RECORDOPTS_KERNEL,
	RECORDOPTS_RECORDER,
	RECORDOPTS_NETWORK,
	{.kind = OPTION_FLAG,
	 .name = "daemonize",
	 .help = "continue in the background once recording has started (" PID_FILE ")",
	 .offset = RECORDOPTS_AT(daemonize)},
	{.kind = OPTION_FLAG,
	 .name = "profile",
	 .help = "record what 'report --profile' needs: events with stacks, functions at depth 1",
	 .offset = RECORDOPTS_AT(profile)},
	RECORDOPTS_PROFILE,
	{.kind = OPTION_END},
};

/* --- while it runs ----------------------------------------------------------------------------- */

struct watch {
	struct session *s;
	struct recording *rec;
	bool show; /* the line, on a terminal that no command writes to */
	uint64_t events, since_ns;
	struct errmsg err;
};

static double seconds_since(uint64_t ns)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (ts.tv_sec * 1000000000ull + ts.tv_nsec - ns) / 1e9;
}

/* How full the fullest CPUs are; with many CPUs only those that matter fit into the line. */
static void show_status(struct watch *w)
{
	uint64_t events = 0, lost = 0;
	double t = seconds_since(w->s->start_ns), dt = seconds_since(w->since_ns);
	char fill[128] = "", size[32], line[256];
	size_t len = 0;

	for (size_t i = 0; i < w->s->setup->n_buffers; i++) {
		const char *instance = w->s->setup->buffers[i].instance;
		long long kb = tracefs_read_number(&w->s->t, instance, "buffer_size_kb");

		for (unsigned cpu = 0; cpu < w->s->n_cpus; cpu++) {
			struct cpu_stats st;

			if (!session_cpu_stats(w->s, instance, cpu, &st, NULL))
				continue;
			events += st.read_events + st.entries;
			lost += st.overrun + st.commit_overrun + st.dropped;
			if (kb > 0 && len < 60)
				len += snprintf(fill + len, sizeof(fill) - len, " %d%%",
						(int)(st.bytes * 100 / (kb * 1024ull)));
		}
	}
	filecount_size(recording_bytes(w->rec), size, sizeof(size));
	snprintf(line, sizeof(line), "%.1f s  %.0f events/s  %s  lost %llu  buffers%s", t,
		 dt > 0 && events > w->events ? (events - w->events) / dt : 0, size,
		 (unsigned long long)lost, fill);
	statusline_show(line);
	w->events = events;
	w->since_ns += dt * 1e9;
}

static bool tick(void *ctx)
{
	struct watch *w = ctx;

	if (recording_flush(w->rec, &w->err) < 0)
		return false;
	if (w->show && statusline_is_ours())
		show_status(w);
	return true;
}

/* --- hits that are no events ------------------------------------------------------------------- */

struct lost_hits {
	struct session *s;
	uint64_t n_lost; /* events */
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

	(void)tf;
	return (int64_t)setup_tell_lost(lost->s->setup, &arrived, lost->s->config.tell);
}

/* The command has ended; its probes still stand. */
static void count_lost_hits(struct session *s, struct outcome *oc)
{
	struct lost_hits lost = {s, oc->sum.lost};
	int64_t n;

	if (s->has_child || oc->o->max_kb || !oc->sum.counted || !setup_can_lose(s->setup))
		return;
	n = filecount_walk(oc->fd, oc->path, tell_lost, &lost);
	oc->n_missed += n > 0 ? (uint64_t)n : 0;
}

/* The status line may stand there. */
static void tell_over_status(const char *sentence)
{
	statusline_clear();
	recordopts_tell(sentence);
}

/* --- the whole --------------------------------------------------------------------------------- */

static int run(struct session *s, struct recording *rec, struct outcome *oc, struct background *bg,
	       struct errmsg *err)
{
	struct watch w = {
		.s = s,
		.rec = rec,
		.show = !oc->o->quiet && !oc->ran_command && !bg,
	};
	int r = session_start(s, err);
	enum session_end end;

	w.since_ns = s->start_ns;
	if (r >= 0) {
		if (bg)
			background_ready(bg);
		else if (!oc->ran_command && !oc->o->quiet)
			fprintf(stderr, "recording to %s; Ctrl-C ends it\n", oc->path);
		end = session_wait(s, recording_fd(rec), TICK_MS, tick, &w);
		if (end == SESSION_TICK && !err->code)
			*err = w.err;
	}
	if (w.show)
		statusline_clear();
	statusline_end_interrupt(s->signal, oc->ran_command);
	session_stop(s, err);
	oc->n_missed = s->n_missed;
	oc->probe_seconds = oc->o->quiet ? 0 : setup_probe_seconds(s->setup);
	oc->seconds = (s->stop_ns - s->start_ns) / 1e9;
	getrusage(RUSAGE_CHILDREN, &oc->command);
	oc->command_status = s->child_status;
	if (r < 0) {
		recording_free(rec);
		return r;
	}
	oc->fd = recording_dup(rec);
	r = recording_finish(rec, &oc->sum, err);
	if (r >= 0 && !err->code)
		count_lost_hits(s, oc);
	return err->code ? err->code : r;
}

/* A file that cannot be written is told of before anything is set. */
static int check_place(const char *path, struct errmsg *err)
{
	char *copy = strdup(path), *dir = copy ? dirname(copy) : NULL;
	int code = !dir ? -ENOMEM : access(dir, W_OK | X_OK) ? -errno : 0;

	free(copy);
	return code ? errmsg_set_errno(err, code, "cannot write %s", path)
		    : livefile_check_free(path, err);
}

static int record(struct live_request *o, char **argv, struct background *bg, struct errmsg *err)
{
	struct session_config config = {
		.plan = &o->plan,
		.argv = argv,
		.user = o->user,
		.keep = o->keep,
		.all_formats = o->all_formats,
		.tell = o->quiet ? NULL
			: argv	 ? recordopts_tell
				 : tell_over_status,
	};
	struct outcome oc = {.o = o,
			     .fd = -1,
			     .path = o->output ? o->output : "trace.dat",
			     .ran_command = argv != NULL};
	struct recording_config rc;
	struct recording *rec;
	struct session s;
	char clock[64];
	int r = recordopts_check_output(oc.path, err), r2;

	if (r >= 0)
		r = recordopts_get_config(o, oc.path, &rc, err);
	if (r < 0)
		return r;
	if (o->agents && o->agents->n)
		return guestrecord_run(o, &rc, o->agents, argv, bg, err);
	if (o->host || o->vsock)
		return netrecord_run(o, &rc, argv, bg, err);
	r = check_place(oc.path, err);
	if (r < 0)
		return r;
	r = session_open(&s, &config, err);
	if (r >= 0) {
		oc.n_cpus = s.n_cpus;
		session_clock(&s, 0, clock, sizeof(clock));
		oc.event_ns = o->quiet ? 0 : cost_of_event(s.journal, &s.t, clock);
		for (size_t i = 0; i < s.setup->notes.n && !o->quiet; i++)
			fprintf(stderr, "sonde: %s\n", s.setup->notes.texts[i]);
		r = recording_open(&rec, &s, &rc, err);
	}
	if (r >= 0)
		r = run(&s, rec, &oc, bg, err);
	r2 = session_close(&s, err);
	r = r < 0 ? r : r2;
	oc.has_failed = r < 0;
	if (!o->quiet && oc.sum.bytes && r != -ESTALE) /* then it is not at its path */
		outcome_show(&oc);
	if (oc.fd >= 0)
		close(oc.fd);
	return r;
}

int record_run(struct live_request *o, char **argv, struct errmsg *err)
{
	return record(o, argv, NULL, err);
}

/* The same in the background: what is wrong at the beginning is told, and is the exit status. */
static int record_behind(struct live_request *o, char **argv, struct errmsg *err)
{
	struct background bg;
	int status, r = background_start(&bg, geteuid() ? NULL : PID_FILE, &status, err);

	if (r)
		return r < 0 ? r : status;
	r = record(o, argv, &bg, err);
	background_end(&bg);
	return r;
}

static int run_record(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct guest_list guests;
	struct live_request o;
	int n, r = guest_list_take(&guests, cmd->options, &argc, argv, err);

	if (recordopts_init(&o) < 0 && r >= 0)
		r = -ENOMEM;
	o.agents = &guests;
	n = r < 0 ? r : command_parse(cmd, &o, argc, argv, err);
	r = n < 0 ? n : recordopts_check(&o, n > 0, err);
	if (r >= 0 && !guests.n && !plan_does_something(&o.plan))
		r = live_request_add_defaults(&o, err);
	if (r >= 0 && o.boot) {
		r = bootline_print(&o.plan, err);
	} else if (r >= 0) {
		argv[n + 1] = NULL; /* behind the words that were moved to the front */
		argv = n > 0 ? argv + 1 : NULL;
		r = o.daemonize ? record_behind(&o, argv, err) : record(&o, argv, NULL, err);
	}
	live_request_release(&o);
	guest_list_release(&guests);
	return r;
}

const struct command cmd_record = {
	.name = "record",
	.summary = "record events into a trace file",
	.usage = "[options] [COMMAND [ARGUMENT…]]",
	.options = rows,
	.parse_flags = OPTIONS_STOP_AT_ARGUMENT,
	.run = run_record,
	.args = "program",
};
