// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * gather.c - feeds the records of a file or of the running machine to a job, and prints its result.
 *
 *	file    report_open ──▶ sequence ──▶ batches ──▶ job->add       only events that matter
 *	live    liverun ─────▶ sequence ──▶ batches ──▶ job->add       and on a terminal: job->fmt, redrawn
 *	                                                     └──▶ job->fmt ──▶ standard output, -o
 *
 * One thread: putting records in order and adding them up takes some 40 ns each, and what does not matter is
 * passed over in 15.
 *
 * A word that is no option is the command to trace, unless it is a trace file that cannot be run: then that
 * is read.
 */
#include "cli/gather_int.h"

#include "base/files/trickle.h"
#include "cli/command.h"
#include "cli/liverun.h"
#include "cli/livesource.h"
#include "cli/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LAST_MS	    1000 /* after a second signal, for what has been read */
#define HOLD_ROUNDS 1	 /* see sequence.h */

/* --- results ------------------------------------------------------------------------------------ */

static int print_result(const struct gather_job *job, struct gather_options *o, bool in_time,
			struct errmsg *err)
{
	struct textbuf tb;
	int r;

	textbuf_init(&tb, TEXT_MAX_BYTES);
	r = job->fmt(job->ctx, in_time, gather_is_colour(o), &tb, err);
	if (r >= 0)
		r = gather_print(o, &tb, err);
	textbuf_release(&tb);
	return r;
}

/* "sonde_12/vfs_read", which is probe:vfs_read in the trace. */
static int name_event(struct plan_words *names, struct setup *setup, const struct plan_event *e,
		      struct errmsg *err)
{
	const char *pattern = setup_event(setup, e)->pattern, *rest = strpbrk(pattern, ":/");
	char *name = NULL, system[TRACEFS_NAME_MAX];
	int r;

	if (!rest)
		return gather_keep_word(names, pattern, err);
	snprintf(system, sizeof(system), "%.*s", (int)(rest - pattern), pattern);
	if (asprintf(&name, "%s:%s", setup_name_of_system(setup, system),
		     setup_name_of_event(setup, system, rest + 1)) < 0)
		return errmsg_set_errno(err, -ENOMEM, "cannot keep the names of events");
	r = gather_keep_word(names, name, err);
	free(name);
	return r;
}

int gather_name_events(const struct gather_options *o, struct setup *setup,
		       struct plan_words *names, struct errmsg *err)
{
	const struct plan_buffer *b = &o->record.plan.buffers[0];
	int r = 0;

	/* a pattern of a program has become several events in the plan */
	for (size_t i = 0; setup && i < b->n_events && r >= 0; i++)
		r = name_event(names, setup, &b->events[i], err);
	for (size_t i = 0; !setup && i < o->events.n && i < b->n_events && r >= 0; i++)
		r = gather_keep_word(names, o->events.words[i], err);
	return r;
}

/* --- a file ------------------------------------------------------------------------------------ */

static int feed(const struct gather_job *job, struct sequence *seq, struct errmsg *err)
{
	struct batch batch;
	int r = batch_init(&batch);

	while (r >= 0 && (r = sequence_fill(seq, &batch)) > 0)
		for (size_t i = 0; i < batch.n; i++)
			job->add(job->ctx, &batch.records[i]);
	batch_release(&batch);
	return r < 0 ? errmsg_set_errno(err, r, "cannot read the events") : 0;
}

/*
 * Whether times are nanoseconds. A report takes uptime for time and boot for none, as trace-cmd does; but the former counts
 * clock ticks, and the latter nanoseconds.
 */
static bool is_in_time(const struct report_sources *src)
{
	const char *clock = src->n ? src->configs[0].buffer->clock : NULL;

	if (clock && !strcmp(clock, "boot"))
		return !src->configs[0].time.raw;
	return !src->n ||
	       (src->list[0].time_style != TIME_UNITS && !(clock && !strcmp(clock, "uptime")));
}

static bool has_data(const struct tracefile_buffer *b)
{
	for (size_t i = 0; i < b->n_cpus; i++)
		if (b->cpus[i].n_bytes)
			return true;
	return false;
}

/* The same event may be in several of them: it is a record in each. */
static void tell_buffers(const struct gather_options *o, const struct report_sources *src)
{
	char names[160] = "";
	size_t n = 0, len = 0;

	for (size_t i = 0; i < src->n; i++) {
		const struct tracefile_buffer *b = src->configs[i].buffer;

		if (!has_data(b))
			continue;
		if (len < sizeof(names))
			len += snprintf(names + len, sizeof(names) - len, "%s%s", n ? ", " : "",
					report_is_top(b) ? "-" : b->name);
		n++;
	}
	if (n > 1 && !o->buffers.n && !o->record.quiet)
		fprintf(stderr,
			"sonde: %s has %zu buffers with events, which are taken together; -B NAME "
			"chooses: %s\n",
			o->input, n, names);
}

static int gather_report(const struct gather_job *job, struct gather_options *o, struct report *rep,
			 struct errmsg *err)
{
	struct sequence_config sc = report_sequence_config(rep->opts);
	struct gather_filters filters = {0};
	struct report_sources src;
	const uint8_t *events;
	size_t n_events;
	int r = report_sources_init(&src, rep, &sc, err);

	if (r >= 0 && !src.n)
		r = errmsg_set(err, -ENODATA, "there are no events in %s", o->input);
	if (r >= 0)
		tell_buffers(o, &src);
	if (r >= 0)
		r = gather_name_events(o, NULL, &o->names, err);
	if (r >= 0)
		r = gather_make_filters(&filters, o, rep->files[0].formats, true, err);
	if (r >= 0)
		r = job->open(job->ctx, rep->files[0].formats, filters.list, filters.n, err);
	if (r >= 0) {
		events = job->events(job->ctx, &n_events);
		sequence_set_events(src.seq, events, n_events);
		r = feed(job, src.seq, err);
	}
	if (r >= 0)
		r = print_result(job, o, is_in_time(&src), err);
	job->close(job->ctx);
	gather_release_filters(&filters);
	report_sources_release(&src);
	return r;
}

int gather_file(const struct gather_job *job, struct gather_options *o, struct errmsg *err)
{
	struct report_input input = {.path = o->input};
	/* as JSON is made: raw fields, and every name that the trace tells */
	struct report_options opts = {.inputs = &input,
				      .n_inputs = 1,
				      .output = REPORT_JSON,
				      .buffers = {(const char **)o->buffers.words, o->buffers.n},
				      .quiet = o->record.quiet};
	struct report rep = {0};
	int r = report_open(&rep, &opts, err);

	if (r >= 0)
		r = gather_report(job, o, &rep, err);
	if (r >= 0 && report_print_damage(&rep))
		r = 1;
	report_close(&rep);
	return r;
}

/* --- the running machine ----------------------------------------------------------------------- */

struct gathering {
	const struct gather_job *job;
	struct gather_options *o;
	struct report_options show;
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

	return trickle_now_ns() >= g->until_ns;
}

static int show_now(struct gathering *g, struct errmsg *err)
{
	struct textbuf tb;
	int r;

	g->next_ns = trickle_now_ns() + g->interval_ns;
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
	if (g->interval_ns && trickle_now_ns() >= g->next_ns) {
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
	struct sequence_config sc = {.hold_rounds = HOLD_ROUNDS, .stop = is_late, .stop_ctx = g};
	const uint8_t *events;
	size_t n_events;
	int r = livesource_open(&g->in, livetrace_file(g->run.lt), &g->show, &sc, g->run.s.setup,
				err);

	if (r >= 0)
		r = gather_name_events(g->o, g->run.s.setup, &g->o->names, err);
	if (r >= 0)
		r = gather_make_filters(&g->filters, g->o, g->in.file.formats, false, err);
	if (r >= 0)
		r = g->job->open(g->job->ctx, g->in.file.formats, g->filters.list, g->filters.n,
				 err);
	if (r < 0)
		return r;
	g->in_time = is_in_time(&g->in.src);
	events = g->job->events(g->job->ctx, &n_events);
	sequence_set_events(g->in.src.seq, events, n_events);
	return batch_init(&g->batch) < 0 ? errmsg_set_errno(err, -ENOMEM, "cannot trace") : 0;
}

int gather_live(const struct gather_job *job, struct gather_options *o, char **argv,
		struct errmsg *err)
{
	struct gathering g = {
		.job = job, .o = o, .show = {.output = REPORT_JSON, .quiet = o->record.quiet}};
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
	o->series.start_ns = trickle_now_ns();
	g.next_ns = gather_is_series(o) ? o->series.start_ns + g.interval_ns : 0;
	if (r >= 0)
		r = liverun_follow(&g.run, &taking, &g, err);
	o->series.end_ns = trickle_now_ns();
	if (r >= 0) /* the recorder has closed its files */
		r2 = session_restore(&g.run.s, err);
	if (r >= 0 && g.interval_ns && !gather_is_series(o))
		terminal_control(stdout, TERMINAL_CLEAR_SCREEN);
	fflush(stdout);
	if (r >= 0)
		r = print_result(job, o, g.in_time, err);
	job->close(job->ctx);
	batch_release(&g.batch);
	gather_release_filters(&g.filters);
	livesource_close(&g.in);
	liverun_close(&g.run, &ignored);
	return r < 0 ? r : r2;
}

/* --- both -------------------------------------------------------------------------------------- */

static bool is_trace_file(const char *path)
{
	static const char magic[] = "\x17\x08\x44tracing";
	char head[sizeof(magic) - 1];
	int fd = access(path, X_OK) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	bool is = fd >= 0 && TEMP_FAILURE_RETRY(read(fd, head, sizeof(head))) == sizeof(head) &&
		  !memcmp(head, magic, sizeof(head));

	if (fd >= 0)
		close(fd);
	return is;
}

int gather_parse(const struct command *cmd, struct gather_options *o, int argc, char **argv,
		 struct errmsg *err)
{
	int n = recordopts_init(&o->record);

	if (n < 0)
		return n;
	n = command_parse(cmd, o, argc, argv, err);
	if (n < 1 || o->input || !is_trace_file(argv[1]))
		return n;
	o->input = argv[1];
	return n > 1 ? command_parse(cmd, o, n, argv + 1, err) : 0;
}

int gather_run(const struct gather_job *job, struct gather_options *o, int n, char **argv,
	       struct errmsg *err)
{
	int r;

	if (o->input) {
		if (n > 0)
			return errmsg_set(err, -EINVAL,
					  "'%s' is one word too many: a file is read (-i), no "
					  "command is run",
					  o->input == argv[1] ? argv[2] : argv[1]);
		return gather_file(job, o, err);
	}
	if (o->buffers.n)
		return errmsg_set(err, -EINVAL,
				  "-B chooses a buffer of a file (-i), and there is "
				  "none");
	if (o->record.plan.only_command && n < 1)
		return errmsg_set(err, -EINVAL, "--only-command needs a command to trace");
	r = recordopts_check(&o->record, n > 0, err);
	if (r >= 0 && !plan_does_something(&o->record.plan))
		r = errmsg_set(err, -EINVAL, "%s", job->needs);
	if (r < 0)
		return r;
	argv[n + 1] = NULL; /* behind the words that were moved to the front */
	r = job->in_kernel ? job->in_kernel(job->ctx, n > 0 ? argv + 1 : NULL, err) : 0;
	if (r)
		return r < 0 ? r : 0;
	return gather_live(job, o, n > 0 ? argv + 1 : NULL, err);
}
