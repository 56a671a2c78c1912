// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * run.c - traces as a recipe says: into a file, or live.
 *
 *	recipe_fit ──▶ plan ──▶ session ─┬─▶ recording ──▶ a file ──▶ the questions, of the file
 *	                                 └─▶ livetrace ──▶ lines ──▶ the questions, of what went by
 *
 * It ends with the command, after the duration, or with Ctrl-C, whichever comes first; the answers are
 * printed in every case. In a live trace nothing is kept: the studies see each record once, just before
 * its line is printed.
 */
#include "live/recipe/run.h"

#include "base/clock.h"
#include "capture/record/recording.h"
#include "decode/order/sequence.h"
#include "live/report.h"
#include "live/request.h"
#include "live/run.h"
#include "store/tracefile.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define TICK_MS 100
#define LAST_MS 1000 /* after Ctrl-C, for what has been read */

/* When it ends by itself, 0: not at all. Says so. */
static uint64_t find_end(const struct recipe_run *run, bool has_command)
{
	long long s = run->o->seconds;
	char text[80];

	if (s < 0) /* a command ends by itself */
		s = has_command ? 0 : run->recipe->duration_s;
	snprintf(text, sizeof(text),
		 s ? "tracing for %lld s; Ctrl-C ends it" : "tracing; Ctrl-C ends it", s);
	if (!run->o->quiet && !has_command)
		run->ui->front->tell(text);
	return s ? clock_now_ns() + s * 1000000000ull : 0;
}

static void tell_notes(const struct recipe_run *run)
{
	const char *p = run->notes.start, *end = run->notes.pos;
	char text[1024];

	while (p && p < end) {
		int len = strcspn(p, "\n");

		snprintf(text, sizeof(text), "%.*s", len, p);
		run->ui->front->tell(text);
		p += len + 1;
	}
}

/* --- into a file ------------------------------------------------------------------------------- */

struct file_tracing {
	struct session s;
	struct recording *rec;
	uint64_t until_ns;
	struct errmsg err; /* of a tick */
};

static bool tick_file(void *ctx)
{
	struct file_tracing *ft = ctx;

	return recording_flush(ft->rec, &ft->err) >= 0 &&
	       !(ft->until_ns && clock_now_ns() >= ft->until_ns);
}

static int write_file(struct file_tracing *ft, const struct recipe_run *run, const char *path,
		      struct errmsg *err)
{
	struct recording_config rc = {.path = path,
				      .version = 7,
				      .compression = COMPRESSION_ZSTD,
				      .plain_data = true,
				      .hooks = &(struct plan_words){0},
				      .program = "sonde " SONDE_VERSION};
	struct recording_sum sum = {0};
	int r = recording_open(&ft->rec, &ft->s, &rc, err), fd;

	if (r < 0)
		return r;
	r = session_start(&ft->s, err);
	if (r < 0) {
		recording_free(ft->rec);
		return r;
	}
	ft->until_ns = find_end(run, ft->s.has_child);
	session_wait(&ft->s, recording_fd(ft->rec), TICK_MS, tick_file, ft);
	run->ui->front->end_interrupt(ft->s.signal, ft->s.config.argv);
	session_stop(&ft->s, err);
	fd = recording_dup(ft->rec);
	r = recording_finish(ft->rec, &sum, err);
	if (ft->err.code && !err->code)
		*err = ft->err;
	if (!run->o->quiet)
		run->ui->recorded(fd, path, &sum);
	if (fd >= 0)
		close(fd);
	return err->code ? err->code : r;
}

static int trace_to_file(struct recipe_run *run, struct live_request *request, char **argv,
			 struct errmsg *err)
{
	struct session_config config = {.plan = &request->plan, .argv = argv};
	char own[NAME_MAX];
	const char *path = run->o->output ? run->o->output : own;
	struct file_tracing ft = {0};
	int r = live_request_check_output(run->o->output, err), r2;

	/* not trace.dat: nobody asked to replace what record wrote */
	snprintf(own, sizeof(own), "trace-%.200s.dat", run->recipe->name);
	if (r < 0)
		return r;
	r = session_open(&ft.s, &config, err);

	if (r >= 0)
		live_request_tell_notes(request, &ft.s.setup->notes);
	if (r >= 0)
		r = write_file(&ft, run, path, err);
	r2 = session_close(&ft.s, err);
	r = r < 0 ? r : r2;
	return r < 0 ? r : recipe_study_file(run, path, err);
}

/* --- live -------------------------------------------------------------------------------------- */

static void see(void *ctx, const struct batch *b)
{
	struct recipe_run *run = ctx;

	for (size_t i = 0; i < b->n; i++)
		recipe_studies_add(&run->studies, &b->records[i]);
}

static int follow(struct recipe_run *run, struct liverun *live, struct livereport *lr,
		  struct errmsg *err)
{
	struct liverun_taker printing = livereport_taker;
	int r = recipe_studies_start(&run->studies, livereport_formats(lr));

	if (r < 0)
		return errmsg_set_errno(err, r, "cannot show the trace");
	printing.lost_text = "the tables lack them; -o FILE is faster than a screen";
	printing.last_ms = LAST_MS;
	livereport_watch(lr, see, run);
	live->until_ns = find_end(run, live->s.has_child);
	r = liverun_follow(live, &printing, lr, err);
	if (r >= 0)
		r = recipe_studies_finish(&run->studies);
	if (r >= 0)
		r = run->ui->answer(run, err);
	recipe_studies_release(&run->studies); /* they point into the formats */
	return r;
}

static int trace_live(struct recipe_run *run, struct live_request *request, char **argv,
		      struct errmsg *err)
{
	struct livereport_spec show = {0};
	struct liverun live = {0};
	struct livereport *lr = NULL;
	struct errmsg ignored = {0};
	int r = liverun_open(&live, request, argv, err), r2;

	if (r >= 0)
		r = run->ui->open_lines(run, &show, err);
	run->has_lines = true;
	if (r >= 0)
		r = livereport_new(&lr, livetrace_file(live.lt), &show, live.s.setup, err);
	if (r >= 0)
		r = follow(run, &live, lr, err);
	livereport_free(lr);
	r2 = liverun_close(&live, r == -EPIPE ? &ignored : err);
	return r < 0 ? r : r2;
}

/* --- both -------------------------------------------------------------------------------------- */

static bool wants_only_command(const struct recipe_run *run)
{
	for (size_t i = 0; i < run->recipe->n_lines; i++)
		if (run->recipe->lines[i].key == RECIPE_ONLY_COMMAND)
			return !strcmp(run->recipe->lines[i].value, "yes");
	return run->o->only_command;
}

/* Where a call graph begins must be among them, or nothing is seen of it. */
static int choose_functions(const struct recipe_run *run, struct plan *plan, struct errmsg *err)
{
	const struct plan_words *lists[] = {&run->o->functions,
					    &plan_buffer(plan)->graph_functions};
	const char *tracer = plan_buffer(plan)->tracer;

	if (!run->o->functions.n)
		return 0;
	for (size_t i = 0; i < 2 && tracer; i++)
		for (size_t j = 0; j < lists[i]->n; j++)
			if (plan_words_add(&plan_buffer(plan)->functions, lists[i]->words[j]) < 0)
				return errmsg_set_errno(err, -ENOMEM, "cannot take the functions");
	return 0;
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
	if (r >= 0)
		r = choose_functions(run, plan, err);
	plan->only_command = has_command && wants_only_command(run);
	plan->children = plan->only_command;
	plan->trace_self = run->o->with_own;
	return r;
}

int recipe_record(struct recipe_run *run, char **argv, struct errmsg *err)
{
	bool live = run->recipe->is_live && !run->o->output && !run->o->json;
	struct live_request request;
	int r = live_request_init(&request, run->ui->front);

	request.quiet = run->o->quiet;
	if (r >= 0)
		r = make_plan(run, &request.plan, argv, err);
	if (r >= 0 && !run->o->quiet)
		tell_notes(run);
	if (r >= 0)
		r = live ? trace_live(run, &request, argv, err)
			 : trace_to_file(run, &request, argv, err);
	live_request_release(&request);
	return r;
}
