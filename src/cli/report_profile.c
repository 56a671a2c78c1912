// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report_profile.c - `sonde report --profile`: where the time of tasks went, instead of the events.
 *
 *	sequence_fill ──▶ [batch] ──▶ profile_add
 *	   one thread   (conveyor.h)   another one, in order
 *
 * Every buffer of every file has a profile of its own: two buffers may hold the same events. Hooks come
 * from the command line (-H) and from the files that were recorded with some.
 */
#include "analyse/profile.h"
#include "base/conveyor.h"
#include "cli/output.h"
#include "cli/report.h"
#include "present/line.h"
#include "present/profilejson.h"
#include "present/profilepeer.h"
#include "present/profiletext.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS	       4
#define TEXT_BYTES     (256u << 10) /* written when there is so much */
#define TEXT_MAX_BYTES (256u << 20)

struct run {
	struct report *rep;
	struct sequence *seq;
	struct output *out;
	const struct line_source *sources;
	size_t n_sources;
	struct profile **profiles;
	struct profile_hook *hooks; /* -H, then those of all files */
	size_t n_hooks, n_asked;
	size_t *first_hook; /* of a file, and one more */
	struct profile_hook *list;
	struct batch batches[SLOTS];
	bool any; /* something is printed */
	struct textbuf tb;
};

/* --- hooks ------------------------------------------------------------------------------------ */

static int add_hook(struct run *run, const char *text, size_t len, struct errmsg *err)
{
	struct profile_hook *more;
	int r;

	if (run->n_hooks == PROFILE_HOOKS_MAX)
		return errmsg_set(err, -E2BIG, "there are more than %d hooks", PROFILE_HOOKS_MAX);
	more = realloc(run->hooks, (run->n_hooks + 1) * sizeof(*more));
	if (!more)
		return errmsg_set_errno(err, -ENOMEM, "cannot read hooks");
	run->hooks = more;
	r = profile_hook_parse(&more[run->n_hooks], text, len, err);
	if (r >= 0)
		run->n_hooks++;
	return r;
}

/* The hooks that a file was recorded with; one that cannot be read is damage. */
static void add_file_hooks(struct run *run, struct tracefile *tf)
{
	for (size_t i = 0; i < tf->n_options; i++) {
		const struct tracefile_option *o = &tf->options[i];
		struct errmsg err = {0};

		if (o->id != SNF_OPTION_HOOK)
			continue;
		if (add_hook(run, (const char *)o->data.data,
			     strnlen((const char *)o->data.data, o->data.len), &err) < 0)
			tracefile_add_damage(tf, "%s: %s", tf->path, err.text);
		else
			run->hooks[run->n_hooks - 1].may_be_absent = true;
	}
}

static int gather_hooks(struct run *run, struct errmsg *err)
{
	const struct report_options *o = run->rep->opts;
	int r = 0;

	for (size_t i = 0; r >= 0 && i < o->hooks.n; i++)
		r = add_hook(run, o->hooks.words[i], strlen(o->hooks.words[i]), err);
	if (r < 0)
		return r;
	run->n_asked = run->n_hooks;
	for (size_t i = 0; i < run->n_hooks; i++)
		run->hooks[i].may_be_absent = o->peer_text;
	for (size_t i = 0; i < run->rep->n_files; i++) {
		run->first_hook[i] = run->n_hooks;
		add_file_hooks(run, run->rep->files[i].tf);
	}
	run->first_hook[run->rep->n_files] = run->n_hooks;
	return 0;
}

/* --- profiles --------------------------------------------------------------------------------- */

static size_t file_of(const struct run *run, size_t source)
{
	size_t i = 0;

	while (i + 1 < run->rep->n_files &&
	       run->rep->files[i].formats != run->sources[source].formats)
		i++;
	return i;
}

static bool is_filtered(const struct report_options *o)
{
	return o->n_filters || o->pids.n || o->comms.n || o->n_cpus || o->no_irq || o->no_softirq;
}

/* A hook of the file, on an event that the file does not describe. */
static void tell_absent(const struct run *run, struct formats *f, const struct profile_hook *h)
{
	bool start = formats_find_name(f, h->start_system, h->start_event);

	if (run->rep->opts->quiet || !h->may_be_absent)
		return;
	if (!start || !formats_find_name(f, h->end_system, h->end_event))
		fprintf(stderr,
			"sonde: the hook %s..%s is left out: the trace knows no event '%s'\n",
			h->start_event, h->end_event, start ? h->end_event : h->start_event);
}

static int make_profile(struct run *run, size_t source, struct errmsg *err)
{
	const struct report_options *o = run->rep->opts;
	size_t file = file_of(run, source), n = 0;
	struct profile_config config = {.global = o->profile_global,
					.by_comm = o->by_comm,
					.as_trace_cmd = o->peer_text,
					.filtered = is_filtered(o),
					.hooks = run->list};

	for (size_t i = 0; i < run->n_asked; i++)
		run->list[n++] = run->hooks[i];
	for (size_t i = run->first_hook[file]; i < run->first_hook[file + 1]; i++)
		run->list[n++] = run->hooks[i];
	config.n_hooks = n;
	for (size_t i = 0; i < n; i++)
		tell_absent(run, run->rep->files[file].formats, &run->list[i]);
	return profile_new(&run->profiles[source], run->rep->files[file].formats,
			   &run->rep->files[file].tasks, &config, err);
}

static int prepare(struct run *run, struct errmsg *err)
{
	int r;

	run->profiles = calloc(run->n_sources + 1, sizeof(*run->profiles));
	run->first_hook = calloc(run->rep->n_files + 1, sizeof(*run->first_hook));
	run->list = calloc(PROFILE_HOOKS_MAX, sizeof(*run->list));
	if (!run->profiles || !run->first_hook || !run->list)
		return errmsg_set_errno(err, -ENOMEM, "cannot profile");
	r = gather_hooks(run, err);
	for (size_t i = 0; r >= 0 && i < run->n_sources; i++)
		r = make_profile(run, i, err);
	return r;
}

static int fill_batch(void *ctx, void *item)
{
	struct run *run = ctx;

	return output_is_closed(run->out) ? 0 : sequence_fill(run->seq, item);
}

static void work_batch(void *ctx, void *item, unsigned thread)
{
	/* there is nothing to do out of order */
}

static int drain_batch(void *ctx, void *item)
{
	struct run *run = ctx;
	const struct batch *b = item;

	for (size_t i = 0; i < b->n; i++)
		profile_add(run->profiles[b->records[i].source], &b->records[i]);
	output_progress(run->out, b->progress);
	return 0;
}

static int add_records(struct run *run, struct errmsg *err)
{
	void *items[SLOTS];
	unsigned n_threads = conveyor_default_threads();
	struct conveyor_job job = {.ctx = run,
				   .items = items,
				   .n_items = SLOTS,
				   .n_threads = n_threads < 2 ? 1 : 2,
				   .fill = fill_batch,
				   .work = work_batch,
				   .drain = drain_batch};
	int r = 0;

	for (size_t i = 0; i < SLOTS && r >= 0; i++) {
		items[i] = &run->batches[i];
		r = batch_init(&run->batches[i]);
	}
	if (r >= 0)
		r = conveyor_run(&job);
	for (size_t i = 0; i < run->n_sources && r >= 0; i++)
		r = profile_finish(run->profiles[i]);
	return r < 0 ? errmsg_set_errno(err, r, "cannot profile") : 0;
}

/* --- printing --------------------------------------------------------------------------------- */

static int flush(struct run *run, size_t from_bytes, struct errmsg *err)
{
	int r;

	if (run->tb.overflow)
		return errmsg_set(err, -EFBIG, "the profile of a task is too large to print");
	if (textbuf_len(&run->tb) < from_bytes)
		return 0;
	r = output_write(run->out, run->tb.start, textbuf_len(&run->tb));
	textbuf_clear(&run->tb);
	return r;
}

static void add_task(struct run *run, size_t source, const struct profile_task *t)
{
	const struct line_source *ls = &run->sources[source];
	const struct profile_style style = {.time_style = ls->time_style,
					    .syscalls = ls->syscalls,
					    .file = ls->file,
					    .buffer = ls->buffer};
	struct profile *p = run->profiles[source];

	if (run->rep->opts->peer_text)
		profilepeer_fmt_task(p, t, &run->tb);
	else if (run->rep->opts->output == REPORT_JSON)
		profilejson_fmt_task(p, t, &style, &run->tb);
	else
		profiletext_fmt_task(p, t, &style, &run->tb);
}

static void add_head(struct run *run, size_t source)
{
	const struct line_source *ls = &run->sources[source];
	const struct report_file *file = &run->rep->files[file_of(run, source)];
	const struct profile_style style = {.time_style = ls->time_style,
					    .syscalls = ls->syscalls,
					    .file = file->tf->path,
					    .buffer = ls->buffer,
					    .filtered = is_filtered(run->rep->opts)};

	if (run->rep->opts->peer_text)
		return;
	if (run->rep->opts->output == REPORT_JSON)
		profilejson_fmt_head(run->profiles[source], &style, &run->tb);
	else
		profiletext_fmt_head(run->profiles[source], &style, run->any, &run->tb);
	run->any = true;
}

static bool has_events(const struct run *run, size_t source)
{
	uint64_t first, last;

	return profile_range(run->profiles[source], &first, &last);
}

static int print_source(struct run *run, size_t source, struct errmsg *err)
{
	size_t n;
	const struct profile_task *const *tasks = profile_tasks(run->profiles[source], &n);
	int r = 0;

	if (!has_events(run, source) && run->n_sources > 1)
		return 0;
	add_head(run, source);
	for (size_t i = 0; i < n && r >= 0 && !output_is_closed(run->out); i++) {
		add_task(run, source, tasks[i]);
		r = flush(run, TEXT_BYTES, err);
	}
	if (r >= 0 && !run->rep->opts->peer_text && run->rep->opts->output == REPORT_TEXT)
		profiletext_fmt_tail(run->profiles[source], &run->tb);
	return r;
}

static void print_peer_heads(struct run *run)
{
	for (size_t i = 0; i < run->n_hooks; i++)
		profilepeer_fmt_hook(&run->hooks[i], &run->tb);
	for (size_t i = 0; i < run->rep->n_files; i++)
		report_add_head(run->rep, i, &run->tb);
}

static int print_all(struct run *run, struct errmsg *err)
{
	bool peer = run->rep->opts->peer_text;
	int r = 0;

	textbuf_init(&run->tb, TEXT_MAX_BYTES);
	if (peer)
		print_peer_heads(run);
	/* trace-cmd puts every file before those it read so far */
	for (size_t i = 0; r >= 0 && i < run->n_sources; i++)
		r = print_source(run, peer ? run->n_sources - 1 - i : i, err);
	if (r >= 0)
		r = flush(run, 0, err);
	textbuf_release(&run->tb);
	return r;
}

static int check_sources(const struct run *run, struct errmsg *err)
{
	for (size_t i = 0; i < run->rep->n_files; i++)
		for (size_t k = 0; k < run->rep->files[i].tf->n_buffers; k++)
			if (run->rep->files[i].tf->buffers[k].is_text)
				return errmsg_set(
					err, -ENOTSUP,
					"%s holds the text of a latency tracer, which has no "
					"events to profile; 'sonde report' prints it",
					run->rep->files[i].tf->path);
	return 0;
}

int report_profile(struct report *rep, struct sequence *seq, const struct line_source *sources,
		   size_t n_sources, struct output *out, struct errmsg *err)
{
	struct run run = {
		.rep = rep, .seq = seq, .out = out, .sources = sources, .n_sources = n_sources};
	int r = check_sources(&run, err);

	if (r >= 0)
		r = prepare(&run, err);
	if (r >= 0)
		r = add_records(&run, err);
	if (r >= 0)
		r = print_all(&run, err);
	for (size_t i = 0; run.profiles && i < n_sources; i++)
		profile_free(run.profiles[i]);
	for (size_t i = 0; i < SLOTS; i++)
		batch_release(&run.batches[i]);
	for (size_t i = 0; i < run.n_hooks; i++)
		profile_hook_release(&run.hooks[i]);
	free(run.profiles);
	free(run.hooks);
	free(run.first_hook);
	free(run.list);
	return r;
}
