// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recipe_run.c - traces as a recipe says: into a file, or live.
 *
 *	recipe_fit ──▶ plan ──▶ session ─┬─▶ recording ──▶ trace.dat ──▶ the questions, of the file
 *	                                 └─▶ livetrace ──▶ lines ──▶ the questions, of what went by
 *
 * It ends with the command, after the duration, or with Ctrl-C, whichever comes first; the answers are
 * printed in every case. In a live trace nothing is kept: the studies see each record once, just before
 * its line is printed.
 */
#include "cli/recipe_run.h"

#include "base/trickle.h"
#include "capture/livetrace.h"
#include "capture/recording.h"
#include "cli/livereport.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define TICK_MS	     100
#define LIVE_TICK_MS 25
#define LIVE_STEP_MS 40

struct tracing {
	struct recipe_run *run;
	struct session s;
	struct recording *rec;
	struct livetrace *lt;
	struct livereport *lr;
	uint64_t until_ns; /* 0: no end */
	struct errmsg err; /* of a tick */
};

static bool is_over(const struct tracing *tr)
{
	return tr->until_ns && trickle_now_ns() >= tr->until_ns;
}

static void set_end(struct tracing *tr, bool has_command)
{
	long long s = tr->run->o->seconds;

	if (s < 0) /* a command ends by itself */
		s = has_command ? 0 : tr->run->recipe->duration_s;
	tr->until_ns = s ? trickle_now_ns() + s * 1000000000ull : 0;
	if (!tr->run->o->quiet && !has_command)
		fprintf(stderr,
			s ? "sonde: tracing for %lld s; Ctrl-C ends it\n"
			  : "sonde: tracing; Ctrl-C ends it\n",
			s);
}

static void tell_notes(const struct recipe_run *run, const struct setup *setup)
{
	const char *p = run->notes.start, *end = run->notes.pos;

	while (p && p < end) {
		int len = strcspn(p, "\n");

		fprintf(stderr, "sonde: %.*s\n", len, p);
		p += len + 1;
	}
	for (size_t i = 0; i < setup->notes.n; i++)
		fprintf(stderr, "sonde: %s\n", setup->notes.texts[i]);
}

/* --- into a file ------------------------------------------------------------------------------- */

static bool tick_file(void *ctx)
{
	struct tracing *tr = ctx;

	return recording_flush(tr->rec, &tr->err) >= 0 && !is_over(tr);
}

static int trace_to_file(struct tracing *tr, bool has_command, struct errmsg *err)
{
	const char *path = tr->run->o->output ? tr->run->o->output : "trace.dat";
	struct recording_config rc = {.path = path,
				      .version = 7,
				      .compression = COMPRESSION_NONE,
				      .hooks = &(struct plan_words){0},
				      .program = "sonde " SONDE_VERSION};
	struct recording_sum sum = {0};
	int r = recording_open(&tr->rec, &tr->s, &rc, err);

	if (r < 0)
		return r;
	r = session_start(&tr->s, err);
	if (r < 0) {
		recording_free(tr->rec);
		return r;
	}
	set_end(tr, has_command);
	session_wait(&tr->s, recording_fd(tr->rec), TICK_MS, tick_file, tr);
	session_stop(&tr->s, err);
	r = recording_finish(tr->rec, &sum, err);
	if (tr->err.code && !err->code)
		*err = tr->err;
	if (!tr->run->o->quiet)
		fprintf(stderr, "sonde: %llu events in %s%s; 'sonde report' shows them\n",
			(unsigned long long)sum.events, path,
			sum.lost ? ", and some were lost" : "");
	return err->code ? err->code : r;
}

/* --- live -------------------------------------------------------------------------------------- */

static void see(void *ctx, const struct batch *b)
{
	struct recipe_run *run = ctx;

	for (size_t i = 0; i < b->n; i++)
		recipe_studies_add(&run->studies, &b->records[i]);
}

static bool tick_live(void *ctx)
{
	struct tracing *tr = ctx;
	uint64_t until_ns = trickle_now_ns() + LIVE_STEP_MS * 1000000ull;

	return livereport_step(tr->lr, until_ns, &tr->err) >= 0 && !is_over(tr);
}

static void print_rest(struct tracing *tr, struct errmsg *err)
{
	uint64_t until_ns = trickle_now_ns() + 1000000000ull;
	int r = 0;

	livetrace_finish(tr->lt, LIVE_STEP_MS);
	while (r >= 0 && trickle_now_ns() < until_ns) {
		r = livereport_step(tr->lr, until_ns, err);
		if (r == 1 && livereport_has_ended(tr->lr))
			break;
		usleep(500); /* the recorder is still reading */
	}
	livetrace_finish(tr->lt, 0);
	livetrace_end(tr->lt, err);
}

static int trace_live(struct tracing *tr, bool has_command, struct errmsg *err)
{
	struct recording_config rc = {.program = "sonde " SONDE_VERSION};
	struct report_options show = {.colour = tr->run->o->colour};
	struct errmsg ignored = {0};
	int r = livetrace_open(&tr->lt, &tr->s, &rc, err);

	if (r >= 0)
		r = livereport_new(&tr->lr, livetrace_file(tr->lt), &show, &tr->s.t, err);
	if (r >= 0)
		r = recipe_studies_start(&tr->run->studies, livereport_formats(tr->lr));
	if (r >= 0) {
		livereport_watch(tr->lr, see, tr->run);
		r = session_start(&tr->s, err);
	}
	if (r >= 0) {
		set_end(tr, has_command);
		session_wait(&tr->s, livetrace_fd(tr->lt), LIVE_TICK_MS, tick_live, tr);
		session_stop(&tr->s, err);
		print_rest(tr, err);
		r = recipe_studies_finish(&tr->run->studies);
	}
	if (r >= 0 && tr->err.code && tr->err.code != -EPIPE)
		r = errmsg_set(err, tr->err.code, "%s", tr->err.text);
	if (r >= 0 && !tr->run->o->json)
		puts("");
	fflush(stdout);
	if (r >= 0)
		r = recipe_print(tr->run, err);
	recipe_studies_release(&tr->run->studies); /* they point into the formats */
	livereport_free(tr->lr);
	livetrace_close(tr->lt, r < 0 ? &ignored : err);
	return r < 0 ? errmsg_set_errno(err, r, "cannot show the trace") : r;
}

/* --- both -------------------------------------------------------------------------------------- */

static bool wants_only_command(const struct recipe_run *run)
{
	for (size_t i = 0; i < run->recipe->n_lines; i++)
		if (run->recipe->lines[i].key == RECIPE_ONLY_COMMAND)
			return !strcmp(run->recipe->lines[i].value, "yes");
	return run->o->only_command;
}

static int make_plan(struct recipe_run *run, struct plan *plan, bool has_command,
		     struct errmsg *err)
{
	struct tracefs t;
	int r = tracefs_open(&t, err);

	if (r >= 0)
		r = recipe_fit(run->recipe, &t, plan, &run->notes, err);
	if (r >= 0 && run->o->pids && plan_words_split(&plan_buffer(plan)->pids, run->o->pids) < 0)
		r = errmsg_set_errno(err, -ENOMEM, "cannot take the tasks");
	plan->only_command = has_command && wants_only_command(run);
	plan->children = plan->only_command;
	return r;
}

int recipe_record(struct recipe_run *run, char **argv, struct errmsg *err)
{
	bool live = run->recipe->is_live && !run->o->output && !run->o->json;
	struct tracing tr = {.run = run};
	struct plan plan;
	struct session_config config = {.plan = &plan, .argv = argv};
	int r, r2;

	plan_init(&plan);
	r = make_plan(run, &plan, argv, err);
	if (r >= 0) {
		r = session_open(&tr.s, &config, err);
		if (r >= 0 && !run->o->quiet)
			tell_notes(run, tr.s.setup);
		if (r >= 0)
			r = live ? trace_live(&tr, argv, err) : trace_to_file(&tr, argv, err);
		r2 = session_close(&tr.s, err);
		r = r < 0 ? r : r2;
	}
	plan_release(&plan);
	if (r < 0 || live)
		return r;
	return recipe_study_file(run, run->o->output ? run->o->output : "trace.dat", err);
}
