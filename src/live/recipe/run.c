// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * run.c - traces the events of a recipe, into a file, or live.
 *
 *	recipe_fit ──▶ plan ──▶ session ─┬─▶ recording ──▶ a file ──▶ the answers, from the file
 *	                                 └─▶ livetrace ──▶ lines ──▶ the answers, from the records
 *
 * It ends with the command, after the duration, or with Ctrl-C, whichever comes first. It always
 * prints the answers. A live trace stores nothing: the studies get each record once, just before
 * its line is printed.
 */
#include "live/recipe/run.h"

#include "base/clock.h"
#include "base/scope.h"
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
#define LAST_MS 1000 /* time limit after Ctrl-C, for records that were read */

/* Returns the time at which tracing ends by itself, or 0, and reports it to the user. */
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

/* --- into a file ------------------------------------------------------------------------------ */

struct file_tracing {
	struct session s;
	struct recording *rec;
	uint64_t until_ns;
	struct errmsg err; /* error of a tick */
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

	TRY(r);
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
	int r, r2;

	/* do not use trace.dat, which may be a file of record */
	snprintf(own, sizeof(own), "trace-%.200s.dat", run->recipe->name);
	TRY(live_request_check_output(run->o->output, err));
	r = session_open(&ft.s, &config, err);
	if (r >= 0) {
		live_request_tell_notes(request, &ft.s.setup->notes);
		r = write_file(&ft, run, path, err);
	}
	r2 = session_close(&ft.s, err);
	TRY(r < 0 ? r : r2);
	return recipe_study_file(run, path, err);
}

/* --- live ------------------------------------------------------------------------------------- */

static void see(void *ctx, const struct batch *b)
{
	struct recipe_run *run = ctx;

	for (size_t i = 0; i < b->n; i++)
		recipe_studies_add(&run->studies, &b->records[i]);
}

static int follow(struct recipe_run *run, struct liverun *live, struct livereport *lr,
		  struct errmsg *err)
{
	int r = recipe_studies_start(&run->studies, livereport_formats(lr));

	if (r < 0)
		return errmsg_set_errno(err, r, "cannot show the trace");
	livereport_watch(lr, see, run);
	live->until_ns = find_end(run, live->s.has_child);
	r = livereport_follow(lr, live, "the tables lack them; -o FILE is faster than a screen",
			      LAST_MS, err);
	if (r >= 0)
		r = recipe_studies_finish(&run->studies);
	if (r >= 0)
		r = run->ui->answer(run, err);
	recipe_studies_release(&run->studies); /* the studies point into the formats */
	return r;
}

static int print_lines(struct recipe_run *run, struct liverun *live, struct live_request *request,
		       char **argv, struct errmsg *err)
{
	SCOPED(livereport_free_scoped) struct livereport *lr = NULL;
	struct livereport_spec show = {0};
	int r = liverun_open(live, request, argv, err);

	r = r < 0 ? r : run->ui->open_lines(run, &show, err);
	run->has_lines = true;
	TRY(r);
	TRY(livereport_new(&lr, livetrace_file(live->lt), &show, live->s.setup, err));
	return follow(run, live, lr, err);
}

static int trace_live(struct recipe_run *run, struct live_request *request, char **argv,
		      struct errmsg *err)
{
	struct liverun live = {0};
	struct errmsg ignored = {0};
	int r = print_lines(run, &live, request, argv, err);
	int r2 = liverun_close(&live, r == -EPIPE ? &ignored : err);

	return r < 0 ? r : r2;
}

/* --- both ------------------------------------------------------------------------------------- */

static bool wants_only_command(const struct recipe_run *run)
{
	for (size_t i = 0; i < run->recipe->n_lines; i++)
		if (run->recipe->lines[i].key == RECIPE_ONLY_COMMAND)
			return !strcmp(run->recipe->lines[i].value, "yes");
	return run->o->only_command;
}

/*
 * Selects the functions. The first function of a call graph must be included; otherwise the graph
 * is empty.
 */
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

	plan->only_command = has_command && wants_only_command(run);
	plan->children = plan->only_command;
	plan->trace_self = run->o->with_own;
	TRY(tracefs_open(&t, err));
	TRY(recipe_fit(run->recipe, &t, plan, &run->notes, err));
	if (run->o->pids && plan_words_split(&plan_buffer(plan)->pids, run->o->pids) < 0)
		return errmsg_set_errno(err, -ENOMEM, "cannot take the tasks");
	return choose_functions(run, plan, err);
}

int recipe_record(struct recipe_run *run, char **argv, struct errmsg *err)
{
	bool live = run->recipe->is_live && !run->o->output && !run->o->json;
	SCOPED(live_request_release) struct live_request request = {0};

	TRY(live_request_init(&request, run->ui->front));
	request.quiet = run->o->quiet;
	TRY(make_plan(run, &request.plan, argv, err));
	if (!run->o->quiet)
		tell_notes(run);
	return live ? trace_live(run, &request, argv, err)
		    : trace_to_file(run, &request, argv, err);
}
