// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * file.c - feeds the records of a trace file to a job.
 *
 *	inputs_open ──▶ sequence ──▶ batches ──▶ job->add      only events that matter
 *
 * One thread: putting records in order and adding them up takes some 40 ns each, and what does not matter is
 * passed over in 15.
 */
#include "base/errmsg.h"
#include "cli/ask/gather_int.h"

#include "decode/order/sequence.h"
#include "inputs/sources.h"
#include "cli/screen/notes.h"
#include "store/tracefile.h"

#include <errno.h>
#include <stdio.h>

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

static bool has_data(const struct tracefile_buffer *b)
{
	for (size_t i = 0; i < b->n_cpus; i++)
		if (b->cpus[i].n_bytes)
			return true;
	return false;
}

/* The same event may be in several of them: it is a record in each. */
static void tell_buffers(const struct gather_options *o, const struct inputs_sources *src)
{
	char names[160] = "";
	size_t n = 0, len = 0;

	for (size_t i = 0; i < src->n; i++) {
		const struct tracefile_buffer *b = src->list[i].config.buffer;

		if (!has_data(b))
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

/* Events of a file are named as they were written. */
static int name_events(struct gather_options *o, struct errmsg *err)
{
	int r = 0;

	for (size_t i = 0; i < o->events.n && i < o->record.plan.buffers[0].n_events && r >= 0; i++)
		r = gather_keep_word(&o->names, o->events.words[i], err);
	return r;
}

static int gather_inputs(const struct gather_job *job, struct gather_options *o, struct inputs *in,
			 struct errmsg *err)
{
	struct sequence_config sc = inputs_sequence_config(in->spec);
	struct gather_filters filters = {0};
	struct inputs_sources src;
	const uint8_t *events;
	size_t n_events;
	int r;

	sc.raw = true;	     /* no text is made of them */
	sc.all_names = true; /* every name that the trace tells */
	r = inputs_sources_init(&src, in, &sc, err);
	if (r >= 0 && !src.n)
		r = errmsg_set(err, -ENODATA, "there are no events in %s", o->input);
	if (r >= 0)
		tell_buffers(o, &src);
	if (r >= 0)
		r = name_events(o, err);
	if (r >= 0)
		r = gather_make_filters(&filters, o, in->files[0].formats, true, err);
	if (r >= 0)
		r = job->open(job->ctx, in->files[0].formats, filters.list, filters.n, err);
	if (r >= 0) {
		events = job->events(job->ctx, &n_events);
		sequence_set_events(src.seq, events, n_events);
		r = feed(job, src.seq, err);
	}
	if (r >= 0)
		r = print_result(job, o, inputs_sources_are_ns(&src), err);
	job->close(job->ctx);
	gather_release_filters(&filters);
	inputs_sources_release(&src);
	return r;
}

int gather_file(const struct gather_job *job, struct gather_options *o, struct errmsg *err)
{
	struct inputs_path path = {.path = o->input};
	struct inputs_spec spec = {.paths = &path,
				   .n_paths = 1,
				   .buffers = {(const char **)o->buffers.words, o->buffers.n}};
	struct inputs in = {0};
	int r = inputs_open(&in, &spec, err);

	if (r >= 0)
		r = gather_inputs(job, o, &in, err);
	if (r >= 0 && notes_print_damage(&in, o->record.quiet))
		r = 1;
	inputs_close(&in);
	return r;
}
