// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_profile.c - `sonde profile`: traces a command, or the machine until Ctrl-C, and prints where the
 * time went. No file is written: records are counted while they come, and forgotten.
 *
 *	recorder, a thread      kernel ──▶ livepages, some twenty times a second
 *	main thread             session_wait ── every 25 ms ──▶ sequence_fill ──▶ profiling_add
 *	after the end           the rest, the kernel's settings put back, then profiling_print
 *
 * Memory: livepages has a ceiling and so has a profile. What we cannot follow waits in the kernel's
 * buffer, which counts what it loses; that is told in the end.
 */
#include "analyse/profile_hook.h"
#include "base/trickle.h"
#include "capture/livetrace.h"
#include "capture/recording.h"
#include "cli/bootline.h"
#include "cli/command.h"
#include "cli/livesource.h"
#include "cli/output.h"
#include "cli/profiling.h"
#include "cli/recordopts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TICK_MS	    25
#define STEP_MS	    40
#define HOLD_ROUNDS 1 /* see sequence.h */

struct profile_options {
	struct record_options record; /* first, for recordopts.h */
	bool json, no_pager;
};

static const struct option_row rows[] = {
	RECORDOPTS_EVENTS,
	RECORDOPTS_PROFILE,
	{.kind = OPTION_HEADING, .help = "the result"},
	{.kind = OPTION_STRING,
	 .letter = 'o',
	 .name = "output",
	 .arg = "FILE",
	 .help = "write the profile to this file",
	 .offset = RECORDOPTS_AT(output),
	 .complete = "file"},
	{.kind = OPTION_FLAG,
	 .name = "json",
	 .help = "one JSON object for each task, with all numbers",
	 .offset = offsetof(struct profile_options, json)},
	{.kind = OPTION_FLAG,
	 .name = "no-pager",
	 .help = "no pager on a terminal",
	 .offset = offsetof(struct profile_options, no_pager)},
	RECORDOPTS_KERNEL,
	RECORDOPTS_RECORDER,
	{.kind = OPTION_END},
};

struct profiler {
	const struct record_options *o;
	struct report_options show;
	struct session s;
	struct livetrace *lt;
	struct livesource in;
	struct profiling pf;
	struct batch batch;
	uint64_t until_ns;
	struct output out;
	struct errmsg err; /* of a tick */
};

/* --- what is traced ---------------------------------------------------------------------------- */

static int add_half(struct plan *plan, const char *system, const char *event)
{
	char pattern[512];

	snprintf(pattern, sizeof(pattern), "%s%s%s", system ? system : "", system ? ":" : "",
		 event);
	return plan_add_event(plan, pattern, false);
}

/* A hook without its events would measure nothing. */
static int add_hook_events(struct record_options *o, struct errmsg *err)
{
	int r = 0;

	for (size_t i = 0; i < o->hooks.n && r >= 0; i++) {
		struct profile_hook h;

		r = profile_hook_parse(&h, o->hooks.words[i], strlen(o->hooks.words[i]), err);
		if (r < 0)
			return r;
		r = add_half(&o->plan, h.start_system, h.start_event);
		if (r >= 0 && h.stack)
			r = plan_add_trigger(&o->plan, "stacktrace", err);
		if (r >= 0)
			r = add_half(&o->plan, h.end_system, h.end_event);
		profile_hook_release(&h);
		if (r < 0)
			errmsg_set_errno(err, r, "cannot keep the hooks");
	}
	return r;
}

static bool is_in_kernel(const struct profiler *p, const struct plan_event *e)
{
	char path[TRACEFS_PATH_MAX];
	const char *colon = strchr(e->pattern, ':');

	if (!colon || strpbrk(e->pattern, "*?["))
		return true; /* a word of the user's: the setup has told what it thinks of it */
	snprintf(path, sizeof(path), "events/%.*s/%s", (int)(colon - e->pattern), e->pattern,
		 colon + 1);
	return tracefs_exists(&p->s.t, p->s.setup->buffers[0].instance, path);
}

static void list_events(const struct profiler *p, bool there, const char *before)
{
	const struct plan_buffer *b = &p->o->plan.buffers[0];

	for (size_t i = 0; i < b->n_events; i++) {
		const char *name = strchr(b->events[i].pattern, ':');

		if (b->events[i].off || is_in_kernel(p, &b->events[i]) != there)
			continue;
		fprintf(stderr, "%s%s", before, name ? name + 1 : b->events[i].pattern);
		before = ", ";
	}
}

/* Nobody should have to guess what a profile can tell, and what not. */
static void tell_events(const struct profiler *p)
{
	const struct plan_buffer *b = &p->o->plan.buffers[0];

	for (size_t i = 0; i < p->s.setup->notes.n; i++)
		fprintf(stderr, "sonde: %s\n", p->s.setup->notes.texts[i]);
	fputs("profiling:", stderr);
	if (b->tracer)
		fprintf(stderr, " the tracer %s%s", b->tracer, b->n_events ? "," : "");
	list_events(p, true, " ");
	list_events(p, false, "; not in this kernel: ");
	fputs(p->s.has_child ? "\n" : "; Ctrl-C ends it and prints the profile\n", stderr);
}

/* --- counting ---------------------------------------------------------------------------------- */

static bool is_late(void *ctx)
{
	struct profiler *p = ctx;

	return trickle_now_ns() >= p->until_ns;
}

/* 1: all that has come is counted; 0: there was no time for the rest. */
static int step(struct profiler *p, struct errmsg *err)
{
	int r;

	p->until_ns = trickle_now_ns() + STEP_MS * 1000000ull;
	while ((r = sequence_fill(p->in.src.seq, &p->batch)) > 0)
		profiling_add(&p->pf, &p->batch);
	return r < 0 ? errmsg_set_errno(err, r, "cannot go on profiling") : !is_late(p);
}

static bool tick(void *ctx)
{
	struct profiler *p = ctx;

	return step(p, &p->err) >= 0;
}

/* All that was recorded counts, unless somebody loses patience. */
static int count_rest(struct profiler *p, struct errmsg *err)
{
	struct pollfd fd = {p->s.signal_fd, POLLIN, 0};
	int r = 0;

	while (r >= 0 && !(r == 1 && sequence_has_ended(p->in.src.seq))) {
		if (poll(&fd, 1, 0) > 0)
			livetrace_finish(p->lt, 0);
		if (poll(&fd, 1, 0) > 0 && r == 1)
			break;
		if (r == 1)
			usleep(500); /* the recorder is still reading */
		r = step(p, err);
	}
	return r < 0 ? r : 0;
}

static void tell_rest(struct profiler *p)
{
	uint64_t unread, lost, rest = sequence_count_rest(p->in.src.seq);

	livetrace_count(p->lt, &unread, &lost);
	if (rest + unread)
		fprintf(stderr, "sonde: %llu events were not counted, as it was ended\n",
			(unsigned long long)(rest + unread));
	if (lost)
		fprintf(stderr,
			"sonde: %llu events were lost, and the profile lacks them; a larger buffer "
			"(-b) or fewer events help\n",
			(unsigned long long)lost);
}

/* --- the whole --------------------------------------------------------------------------------- */

static int open_all(struct profiler *p, struct errmsg *err)
{
	const struct record_options *o = p->o;
	struct recording_config rc = {.tsc2nsec = o->tsc2nsec,
				      .program = "sonde " SONDE_VERSION,
				      .sleep_us = o->sleep_us,
				      .rt_priority = o->rt_priority,
				      .busy = o->busy};
	struct sequence_config sc = {.hold_rounds = HOLD_ROUNDS, .stop = is_late, .stop_ctx = p};
	int r;

	if (!o->quiet)
		tell_events(p);
	r = livetrace_open(&p->lt, &p->s, &rc, err);
	if (r >= 0)
		r = livesource_open(&p->in, livetrace_file(p->lt), &p->show, &sc, &p->s.t, err);
	if (r >= 0)
		r = profiling_open(&p->pf, &p->in.rep, p->in.src.list, p->in.src.n, err);
	if (r >= 0 && batch_init(&p->batch) < 0)
		r = errmsg_set_errno(err, -ENOMEM, "cannot profile");
	return r;
}

static int run_session(struct profiler *p, struct errmsg *err)
{
	int r = open_all(p, err);

	if (r >= 0)
		r = session_start(&p->s, err);
	if (r < 0)
		return r;
	if (p->s.has_child) /* a fork of ours when the names were read */
		livesource_rename(&p->in, p->s.child.pid);
	session_wait(&p->s, livetrace_fd(p->lt), TICK_MS, tick, p);
	session_stop(&p->s, err);
	livetrace_finish(p->lt, UINT_MAX);
	if (p->err.code)
		*err = p->err;
	r = p->err.code ? p->err.code : count_rest(p, err);
	livetrace_finish(p->lt, 0);
	if (livetrace_end(p->lt, err) < 0 && r >= 0)
		r = err->code;
	if (!p->o->quiet)
		tell_rest(p);
	return r;
}

static int open_output(struct profiler *p, struct errmsg *err)
{
	p->out = (struct output){.fd = STDERR_FILENO};
	if (!p->o->output)
		return 0;
	p->out.fd = open(p->o->output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	return p->out.fd < 0 ? errmsg_set_errno(err, -errno, "cannot write %s", p->o->output) : 0;
}

static int print(struct profiler *p, struct errmsg *err)
{
	bool own = p->o->output || p->o->to_stderr;
	int r = own ? 0 : output_open(&p->out, "never", p->show.no_pager, err);

	if (r >= 0)
		r = profiling_print(&p->pf, &p->out, err);
	if (r < 0 && r != -EPIPE && !err->code)
		errmsg_set_errno(err, r, "cannot write the profile");
	if (!own)
		output_close(&p->out);
	return r;
}

static int profile(const struct profile_options *o, char **argv, struct errmsg *err)
{
	struct session_config config = {.plan = &o->record.plan,
					.argv = argv,
					.user = o->record.user,
					.keep = o->record.keep,
					.all_formats = o->record.all_formats};
	struct profiler p = {.o = &o->record};
	struct errmsg ignored = {0};
	int r = open_output(&p, err), r2;

	p.show = (struct report_options){
		.profile = true,
		.profile_global = o->record.global_irqs,
		.by_comm = o->record.by_comm,
		.quiet = o->record.quiet,
		.output = o->json ? REPORT_JSON : REPORT_TEXT,
		.hooks = {(const char **)o->record.hooks.words, o->record.hooks.n}};
	if (r < 0)
		return r;
	r = session_open(&p.s, &config, err);
	if (r >= 0)
		r = run_session(&p, err);
	r2 = session_restore(&p.s, err);
	if (r >= 0)
		r = print(&p, err);
	profiling_close(&p.pf);
	batch_release(&p.batch);
	livesource_close(&p.in);
	livetrace_close(p.lt, &ignored);
	session_close(&p.s, &ignored);
	if (o->record.output && close(p.out.fd) < 0 && r >= 0)
		r = errmsg_set_errno(err, -errno, "cannot write %s", o->record.output);
	return r < 0 ? r : r2;
}

static int run_profile(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct profile_options o = {0};
	int n, r;

	recordopts_init(&o.record);
	n = command_parse(cmd, &o, argc, argv, err);
	o.record.profile = true;
	r = n < 0 ? n : recordopts_check(&o.record, n > 0, err);
	if (r >= 0)
		r = add_hook_events(&o.record, err);
	if (r >= 0 && !plan_does_something(&o.record.plan))
		r = errmsg_set(err, -EINVAL,
			       "profile -S traces only what is named: an event, -e sched, or a "
			       "tracer, -p function_graph");
	if (r >= 0 && o.record.boot) {
		r = bootline_print(&o.record.plan, err);
	} else if (r >= 0) {
		argv[n + 1] = NULL; /* behind the words that were moved to the front */
		r = profile(&o, n > 0 ? argv + 1 : NULL, err);
	}
	recordopts_release(&o.record);
	return r;
}

const struct command cmd_profile = {
	.name = "profile",
	.summary = "trace, and print where the time of tasks went",
	.usage = "[options] [COMMAND [ARGUMENT…]]",
	.options = rows,
	.parse_flags = OPTIONS_STOP_AT_ARGUMENT,
	.run = run_profile,
};
