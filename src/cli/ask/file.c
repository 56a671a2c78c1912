// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * file.c - feeds the records of a trace file to a job.
 *
 *	inputs_open ──▶ sequence ──▶ batches ──▶ job->add      only relevant events
 *
 * Sorting and adding takes about 40 ns per record, and skipping an irrelevant one 15 ns. If the job
 * has a fold, all CPUs do this (inputs/scan.h), otherwise one thread. A job that needs only the
 * order of each task's events (gather_job.by_task) gets them without the sequence.
 */
#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "cli/ask/gather_int.h"
#include "cli/screen/notes.h"
#include "decode/order/sequence.h"
#include "inputs/scan.h"
#include "inputs/sources.h"
#include "inputs/taskwalk.h"
#include "live/eventfilters.h"
#include "store/tracefile.h"
#include "symbols/tasks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int print_result(const struct gather_job *job, struct gather_options *o, bool in_time,
			struct errmsg *err)
{
	SCOPED(textbuf_release) struct textbuf tb;

	textbuf_init(&tb, TEXT_MAX_BYTES);
	if (job->fmt(job->ctx, in_time, gather_is_colour(o), &tb, err) < 0)
		return errmsg_code(err);
	return gather_print(o, &tb, err);
}

static int walk(const struct gather_job *job, struct inputs_sources *src, const uint8_t *events,
		size_t n_events, struct errmsg *err)
{
	struct taskwalk_spec spec = {.events = events,
				     .n_events = n_events,
				     .to = UINT64_MAX,
				     .visit = job->add,
				     .run = job->run,
				     .ctx = job->ctx};
	int r = taskwalk(src, &spec);

	return r < 0 ? errmsg_set_errno(err, r, "cannot read the events") : 0;
}

/* --- on all CPUs ------------------------------------------------------------------------------ */

struct folding {
	const struct gather_job *job;
	const struct gather_options *o;
};

/* The state of a worker: the job's, with the filters that it uses. */
struct folded {
	const struct gather_fold *fold;
	struct eventfilters filters;
	void *state;
};

static void release_fold(void *state)
{
	struct folded *w = state;

	if (w->state)
		w->fold->release(w->state);
	eventfilters_release(&w->filters);
	free(w);
}

static int init_fold(void *ctx, struct formats *f, void **ret_state)
{
	const struct folding *folding = ctx;
	struct folded *w = calloc(1, sizeof(*w));
	int r;

	if (!w)
		return -ENOMEM;
	w->fold = folding->job->fold;
	r = gather_copy_filters(&w->filters, folding->o, f);
	if (r >= 0)
		r = w->fold->init(folding->job->ctx, f, w->filters.list, w->filters.n, &w->state);
	if (r >= 0)
		*ret_state = w;
	else
		release_fold(w);
	return r;
}

static const uint8_t *fold_events(void *state, size_t *ret_n)
{
	return ((struct folded *)state)->fold->events(((struct folded *)state)->state, ret_n);
}

static void add_to_fold(void *state, const struct record *rec)
{
	((struct folded *)state)->fold->add(((struct folded *)state)->state, rec);
}

static void run_fold(void *state, struct walker *w, struct record *rec, uint64_t offset,
		     uint64_t before)
{
	struct folded *folded = state;

	folded->fold->run(folded->state, w, rec, offset, before);
}

static int join_fold(void *ctx, void *state, struct tasks *tasks)
{
	const struct gather_job *job = ((struct folding *)ctx)->job;

	return job->fold->join(job->ctx, ((struct folded *)state)->state, tasks);
}

/*
 * Makes the result with all CPUs. Returns 1 if done. Returns 0 if one thread has to do it; then the
 * job is open again, and empty.
 */
static int fold(const struct gather_job *job, const struct gather_options *o,
		struct inputs_sources *src, const struct sequence_config *sc,
		const struct eventfilters *filters, struct errmsg *err)
{
	struct folding folding = {job, o};
	struct scan_fold how = {.ctx = &folding,
				.init = init_fold,
				.events = fold_events,
				.add = add_to_fold,
				.run = job->fold->run ? run_fold : NULL,
				.join = join_fold,
				.release = release_fold};

	if (!job->fold->start(job->ctx, &how.uses_names))
		return 0;
	how.uses_names |= filters->n > 0;
	if (scan_run(src, src->seq ? sc : NULL, &how))
		return 1;
	job->close(job->ctx);
	TRY(job->open(job->ctx, src->in->files[0].formats, filters->list, filters->n, err));
	return 0;
}

static bool has_data(const struct tracefile_buffer *b)
{
	return ARRAY_ANY(b->n_cpus, i, b->cpus[i].n_bytes);
}

/*
 * Warns about several buffers: the same event may be in several of them, and counts in each. "user"
 * has only calls of programs, which are in no other.
 */
static void tell_buffers(const struct gather_options *o, const struct inputs_sources *src)
{
	char names[160] = "";
	size_t n = 0, len = 0;

	for (size_t i = 0; i < src->n; i++) {
		const struct tracefile_buffer *b = src->list[i].config.buffer;

		if (!has_data(b) || !strcmp(b->name, "user"))
			continue;
		if (len < sizeof(names))
			len += snprintf(names + len, sizeof(names) - len, "%s%s", n ? ", " : "",
					inputs_is_top(b) ? "-" : b->name);
		n++;
	}
	if (n > 1 && !o->buffers.n && !o->record.quiet)
		fprintf(stderr,
			"sonde: %s has %zu buffers with events, which are taken together; -B NAME "
			"chooses: %s\n",
			o->input, n, names);
}

/* Copies the names that the user wrote: events of a file have these names. */
static int name_events(struct gather_options *o, struct errmsg *err)
{
	for (size_t i = 0; i < o->events.n && i < o->record.plan.buffers[0].n_events; i++)
		if (gather_keep_word(&o->names, o->events.words[i], err) < 0)
			return errmsg_code(err);
	return 0;
}

static int gather_events(const struct gather_job *job, struct gather_options *o,
			 struct inputs_sources *src, const struct sequence_config *sc,
			 const struct eventfilters *filters, struct errmsg *err)
{
	bool can_fold = job->fold && !o->from && !o->to;
	const uint8_t *events;
	size_t n_events;
	int r;

	TRY(job->open(job->ctx, src->in->files[0].formats, filters->list, filters->n, err));
	r = can_fold ? fold(job, o, src, sc, filters, err) : 0;
	TRY(r);
	events = job->events(job->ctx, &n_events);
	if (src->seq)
		sequence_set_events(src->seq, events, n_events);
	if (!r)
		TRY(src->seq ? inputs_sources_each(src, job->add, job->ctx, err)
			     : walk(job, src, events, n_events, err));
	return print_result(job, o, inputs_sources_are_ns(src), err);
}

static int gather_sources(const struct gather_job *job, struct gather_options *o,
			  struct inputs_sources *src, const struct sequence_config *sc,
			  struct errmsg *err)
{
	SCOPED(eventfilters_release) struct eventfilters filters = {0};
	struct formats *formats = src->in->files[0].formats;
	int r;

	if (!src->n)
		return errmsg_set(err, -ENODATA, "there are no events in %s", o->input);
	tell_buffers(o, src);
	if (name_events(o, err) < 0 || gather_init_filters(&filters, o, true, formats, err) < 0)
		return errmsg_code(err);
	r = gather_events(job, o, src, sc, &filters, err);
	job->close(job->ctx);
	return r;
}

static int find_range(struct gather_options *o, const struct inputs_sources *src,
		      struct errmsg *err)
{
	struct taskwalk_spec walk;

	TRY(taskwalk_set_range(&walk, src, err));
	o->from_ns = walk.from;
	o->to_ns = walk.to;
	return 0;
}

int gather_file(const struct gather_job *job, struct gather_options *o, struct errmsg *err)
{
	struct inputs_path path = {.path = o->input};
	struct inputs_spec spec = {.paths = &path,
				   .n_paths = 1,
				   .short_names = o->record.short_names,
				   .buffers = {(const char **)o->buffers.words, o->buffers.n}};
	SCOPED(inputs_close) struct inputs in = {0};
	SCOPED(inputs_sources_release) struct inputs_sources src = {0};
	struct sequence_config sc = inputs_sequence_config(&spec);
	int r;

	sc.raw = true;	     /* records are not printed */
	sc.all_names = true; /* use all names in the trace */
	if (inputs_open(&in, &spec, err) < 0 ||
	    (job->by_task ? inputs_sources_list(&src, &in, err)
			  : inputs_sources_init(&src, &in, &sc, err)) < 0)
		return errmsg_code(err);
	/* not before: a job with a range needs what is outside of it, too */
	spec.from = o->from;
	spec.to = o->to;
	if (o->from || o->to)
		TRY(find_range(o, &src, err));
	r = gather_sources(job, o, &src, &sc, err);
	return r >= 0 && notes_print_damage(&in, o->record.quiet) ? 1 : r;
}
