// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * gather_file.c - feeds the records of a trace file to a job.
 *
 *	report_open ──▶ sequence ──▶ batches ──▶ job->add      only events that matter
 *
 * One thread: putting records in order and adding them up takes some 40 ns each, and what does not matter is
 * passed over in 15.
 */
#include "cli/gather_int.h"

#include "cli/report_sources.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

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

bool gather_is_in_time(const struct report_sources *src)
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
		r = gather_print_result(job, o, gather_is_in_time(&src), err);
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
