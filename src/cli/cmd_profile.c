// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_profile.c - `sonde profile`: traces a command, or the machine until Ctrl-C, and prints where the
 * time went. No file is written: records are counted while they come, and forgotten.
 *
 *	liverun ──▶ sequence_fill ──▶ profiling_add
 *	after the end: the kernel's settings put back, then profiling_print
 *
 * Memory: livepages has a ceiling and so has a profile. What we cannot follow waits in the kernel's
 * buffer, which counts what it loses; that is told in the end.
 */
#include "analyse/profile/hook.h"
#include "base/clock.h"
#include "base/files/outplace.h"
#include "base/files/trickle.h"
#include "cli/command.h"
#include "live/run.h"
#include "live/source.h"
#include "cli/output.h"
#include "cli/profiling.h"
#include "cli/recordopts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LAST_MS	    1000 /* after a second signal, for what has been read */
#define HOLD_ROUNDS 1	 /* see sequence.h */

struct profile_options {
	struct live_request record; /* first, for recordopts.h */
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
	 .help = "print one JSON object per task",
	 .offset = offsetof(struct profile_options, json)},
	{.kind = OPTION_FLAG,
	 .name = "no-pager",
	 .help = "do not use a pager",
	 .offset = offsetof(struct profile_options, no_pager)},
	RECORDOPTS_KERNEL,
	RECORDOPTS_RECORDER,
	{.kind = OPTION_END},
};

struct profiler {
	const struct live_request *o;
	struct inputs_spec spec; /* all events */
	struct profiling_spec how;
	bool no_pager;
	struct liverun run;
	struct livesource in;
	struct lines lines;
	struct profiling pf;
	struct batch batch;
	uint64_t until_ns;
	struct output out;
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
static int add_hook_events(struct live_request *o, struct errmsg *err)
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
	return tracefs_exists(&p->run.s.t, p->run.s.setup->buffers[0].instance, path);
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

	fputs("profiling:", stderr);
	if (b->tracer)
		fprintf(stderr, " the tracer %s%s", b->tracer, b->n_events ? "," : "");
	list_events(p, true, " ");
	list_events(p, false, "; not in this kernel: ");
	fputs(p->run.s.has_child ? "\n" : "; Ctrl-C ends it and prints the profile\n", stderr);
}

/* --- counting ---------------------------------------------------------------------------------- */

static bool is_late(void *ctx)
{
	struct profiler *p = ctx;

	return clock_now_ns() >= p->until_ns;
}

static int step(void *ctx, uint64_t until_ns, struct errmsg *err)
{
	struct profiler *p = ctx;
	int r;

	p->until_ns = until_ns;
	while ((r = sequence_fill(p->in.src.seq, &p->batch)) > 0)
		profiling_add(&p->pf, &p->batch);
	return r < 0 ? errmsg_set_errno(err, r, "cannot go on profiling") : !is_late(p);
}

static void rename_task(void *ctx, int pid)
{
	struct profiler *p = ctx;

	livesource_rename(&p->in, pid);
}

static bool has_ended(void *ctx)
{
	struct profiler *p = ctx;

	return sequence_has_ended(p->in.src.seq);
}

static uint64_t count_rest(void *ctx)
{
	struct profiler *p = ctx;

	return sequence_count_rest(p->in.src.seq);
}

static const struct liverun_taker counting = {
	.rename = rename_task,
	.step = step,
	.has_ended = has_ended,
	.count_rest = count_rest,
	.rest_text = "events were not counted, as it was ended",
	.lost_text = "the profile lacks them; a larger buffer (-b) or fewer events help",
	.last_ms = LAST_MS,
};

/* --- the whole --------------------------------------------------------------------------------- */

static int open_counting(struct profiler *p, struct errmsg *err)
{
	struct sequence_config sc = inputs_sequence_config(&p->spec);
	struct tracefile *tf = livetrace_file(p->run.lt);
	int r;

	sc.raw = true;
	sc.all_names = true;
	sc.hold_rounds = HOLD_ROUNDS;
	sc.stop = is_late;
	sc.stop_ctx = p;
	r = livesource_open(&p->in, tf, &p->spec, &sc, p->run.s.setup, err);
	if (r >= 0)
		r = lines_init(&p->lines, &p->in.src, true, err);
	if (r >= 0)
		r = profiling_open(&p->pf, &p->how, &p->in.inputs, &p->lines, err);
	p->pf.traced = !p->o->only_named && p->o->plan.n_buffers == 1;
	if (r >= 0 && batch_init(&p->batch) < 0)
		r = errmsg_set_errno(err, -ENOMEM, "cannot profile");
	return r;
}

static int open_output(struct profiler *p, struct errmsg *err)
{
	int fd = STDERR_FILENO;

	if (p->o->output)
		fd = outplace_open_file(p->o->output, OUTPLACE_WRITE, err);
	if (fd < 0)
		return fd;
	output_open_fd(&p->out, fd);
	return 0;
}

static int print(struct profiler *p, struct errmsg *err)
{
	bool own = p->o->output || p->o->to_stderr;
	int r = own ? 0 : output_open(&p->out, "never", p->no_pager, err);

	if (r >= 0)
		r = profiling_print(&p->pf, &p->out, err);
	if (r < 0 && r != -EPIPE && !err->code)
		errmsg_set_errno(err, r, "cannot write the profile");
	if (!own)
		output_close(&p->out);
	return r;
}

static void close_all(struct profiler *p)
{
	struct errmsg ignored = {0};

	profiling_close(&p->pf);
	batch_release(&p->batch);
	lines_release(&p->lines);
	livesource_close(&p->in);
	liverun_close(&p->run, &ignored);
}

static int profile(struct live_request *record, char **argv, struct errmsg *err)
{
	const struct profile_options *o = (const struct profile_options *)record;
	struct profiler p = {.o = record};
	int r = open_output(&p, err), r2 = 0;

	p.no_pager = o->no_pager;
	p.how = (struct profiling_spec){
		.as = o->json ? LINES_JSON : LINES_TEXT,
		.global = record->global_irqs,
		.by_comm = record->by_comm,
		.with_own = record->plan.trace_self,
		.quiet = record->quiet,
		.hooks = {(const char **)record->hooks.words, record->hooks.n}};
	if (r < 0)
		return r;
	r = liverun_open(&p.run, record, argv, err);
	if (r >= 0 && !record->quiet)
		tell_events(&p);
	if (r >= 0)
		r = open_counting(&p, err);
	if (r >= 0)
		r = liverun_follow(&p.run, &counting, &p, err);
	if (r >= 0) { /* else the recorder may still have the instance open */
		r2 = session_restore(&p.run.s, err);
		r = print(&p, err);
	}
	close_all(&p);
	if (record->output && close(p.out.fd) < 0 && r >= 0)
		r = errmsg_set_errno(err, -errno, "cannot write %s", record->output);
	return r < 0 ? r : r2;
}

static int run_profile(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct profile_options o = {0};
	int n, r;

	n = recordopts_init(&o.record);
	if (n >= 0)
		n = command_parse(cmd, &o, argc, argv, err);
	o.record.profile = true;
	r = n < 0 ? n : recordopts_check(&o.record, n > 0, err);
	if (r >= 0)
		r = add_hook_events(&o.record, err);
	return recordopts_carry_out(
		&o.record, r < 0 ? r : n, argv,
		"profile -S traces only what is named: an event, -e sched, or a "
		"tracer, -p function_graph",
		profile, err);
}

const struct command cmd_profile = {
	.name = "profile",
	.summary = "trace, and report where tasks spend their time",
	.usage = "[options] [COMMAND [ARGUMENT…]]",
	.options = rows,
	.parse_flags = OPTIONS_STOP_AT_ARGUMENT,
	.run = run_profile,
	.args = "program",
};
