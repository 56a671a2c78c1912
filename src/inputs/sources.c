// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * sources.c - the buffers of all inputs, as one sequence of records.
 *
 *	file ─┬─ buffer ──▶ source of the sequence
 *	      └─ buffer ──▶ …
 *
 * The order of the sources matters: if two records have the same time, the one from the earlier
 * source comes first.
 */
#include "inputs/sources.h"

#include "base/conveyor.h"
#include "base/scope.h"
#include "decode/timearg.h"
#include "store/pagestream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int add_source(struct inputs_sources *src, struct inputs_file *file,
		      const struct tracefile_buffer *b, struct errmsg *err)
{
	struct inputs_source *s = &src->list[src->n++];

	*s = (struct inputs_source){
		.file = file,
		.config = {.tf = file->tf,
			   .formats = file->formats,
			   .tasks = &file->tasks,
			   .buffer = b,
			   .time = inputs_timeconv(src->in, file, b, &src->arena),
			   .filters = file->filters,
			   .n_filters = file->n_filters,
			   .rejects = file->rejects,
			   .n_rejects = file->n_rejects,
			   .names_first = file->names_first,
			   .find_name = src->in->find_name,
			   .find_name_ctx = src->in->find_name_ctx}};
	s->time_style = inputs_time_style(src->in, &s->config.time);
	file->formats->config.time_style = s->time_style;
	if (src->seq && sequence_add_source(src->seq, &s->config, src->unpacker) < 0)
		return errmsg_set_errno(err, -ENOMEM, "cannot read %s", file->tf->path);
	return 0;
}

/* Returns true if the buffer is selected. If the user names none, all are. */
static bool is_chosen(const struct word_list *names, const struct tracefile_buffer *b)
{
	for (size_t i = 0; i < names->n; i++)
		if (!strcmp(names->words[i], inputs_is_top(b) ? "-" : b->name))
			return true;
	return !names->n;
}

/* Adds the top-level buffer of this file, or its other buffers. */
static int add_file(struct inputs_sources *src, struct inputs_file *file, bool top,
		    struct errmsg *err)
{
	for (size_t i = 0; i < file->tf->n_buffers; i++) {
		const struct tracefile_buffer *b = &file->tf->buffers[i];

		if (!b->is_text && inputs_is_top(b) == top && is_chosen(&src->in->spec->buffers, b))
			TRY(add_source(src, file, b, err));
	}
	return 0;
}

/*
 * Adds the top buffers of all files first, then their instances: this order decides between equal
 * times.
 */
static int add_sources(struct inputs_sources *src, struct errmsg *err)
{
	struct inputs *in = src->in;
	size_t n = 0;
	int r = 0;

	for (size_t i = 0; i < in->n_files; i++)
		n += in->files[i].tf->n_buffers;
	src->list = calloc(n + 1, sizeof(*src->list));
	if (!src->list)
		return errmsg_set_errno(err, -ENOMEM, "cannot report");
	for (int top = 1; top >= 0; top--)
		for (size_t i = 0; i < in->n_files && r >= 0; i++)
			r = add_file(src, &in->files[i], top, err);
	if (r >= 0 && !src->n && in->spec->buffers.n)
		r = errmsg_set(err, -ENOENT,
			       "no input has a buffer '%s'; 'sonde list -B -i FILE' names them",
			       in->spec->buffers.words[0]);
	return r;
}

static bool any_compressed(const struct inputs *in, size_t *ret_streams)
{
	bool any = false;

	*ret_streams = 0;
	for (size_t i = 0; i < in->n_files; i++)
		for (size_t k = 0; k < in->files[i].tf->n_buffers; k++) {
			any |= in->files[i].tf->buffers[k].compressed;
			*ret_streams += in->files[i].tf->buffers[k].n_cpus;
		}
	return any;
}

struct sequence_config inputs_sequence_config(const struct inputs_spec *spec)
{
	return (struct sequence_config){.cpus = spec->cpus,
					.n_cpus = spec->n_cpus,
					.no_hardirq = spec->no_irq,
					.no_softirq = spec->no_softirq,
					.to = UINT64_MAX};
}

int inputs_sources_init(struct inputs_sources *src, struct inputs *in,
			const struct sequence_config *config, struct errmsg *err)
{
	unsigned n_threads = conveyor_default_threads();
	size_t n_streams;

	*src = (struct inputs_sources){.in = in};
	arena_init(&src->arena, 64 << 20);
	if (any_compressed(in, &n_streams) && n_threads > 1 && !config->alone)
		src->unpacker = unpacker_new((n_threads + 1) / 2, n_streams);
	src->seq = sequence_new(config);
	if (!src->seq)
		return errmsg_set_errno(err, -ENOMEM, "cannot report");
	TRY(add_sources(src, err));
	if (sequence_start(src->seq) < 0)
		return errmsg_set_errno(err, -ENOMEM, "cannot report");
	return 0;
}

int inputs_sources_list(struct inputs_sources *src, struct inputs *in, struct errmsg *err)
{
	*src = (struct inputs_sources){.in = in};
	arena_init(&src->arena, 64 << 20);
	return add_sources(src, err);
}

void inputs_sources_release(struct inputs_sources *src)
{
	free(src->list);
	sequence_free(src->seq);
	unpacker_free(src->unpacker);
	arena_release(&src->arena);
	*src = (struct inputs_sources){0};
}

/*
 * Returns the first source with events, whose clock is used: an empty buffer may not name its
 * clock. Returns NULL if there is no source.
 */
static const struct inputs_source *first_source(const struct inputs_sources *src)
{
	for (size_t i = 0; i < src->n; i++) {
		const struct tracefile_buffer *b = src->list[i].config.buffer;

		for (size_t k = 0; k < b->n_cpus; k++)
			if (b->cpus[k].n_bytes)
				return &src->list[i];
	}
	return src->n ? &src->list[0] : NULL;
}

int inputs_sources_parse_range(const struct inputs_sources *src, uint64_t first, uint64_t *ret_from,
			       uint64_t *ret_to, struct errmsg *err)
{
	const struct inputs_spec *spec = src->in->spec;
	const struct inputs_source *source = first_source(src);
	enum time_style style = source ? source->time_style : TIME_UNITS;
	uint64_t from = 0, to = UINT64_MAX;

	if (spec->from)
		TRY(timearg_parse("--from", spec->from, style != TIME_UNITS, first, &from, err));
	if (spec->to)
		TRY(timearg_parse("--to", spec->to, style != TIME_UNITS, first, &to, err));
	/*
	 * a time copied from the output is rounded; include every event that is shown with that
	 * time
	 */
	if (style == TIME_MICROSECONDS) {
		from = spec->from && spec->from[0] != '+' && from >= 500 ? from - 500 : from;
		to = spec->to && spec->to[0] != '+' && to < UINT64_MAX - 499 ? to + 499 : to;
	}
	if (from > to)
		return errmsg_set(err, -EINVAL, "--from %s is later than --to %s", spec->from,
				  spec->to);
	*ret_from = from;
	*ret_to = to;
	return 0;
}

static int set_limits(struct inputs_sources *src, struct errmsg *err)
{
	uint64_t first = 0, from, to;

	sequence_first_ts(src->seq, &first);
	TRY(inputs_sources_parse_range(src, first, &from, &to, err));
	sequence_set_range(src->seq, from, to);
	return 0;
}

int inputs_sources_set_range(struct inputs_sources *src, struct errmsg *err)
{
	const struct inputs_spec *spec = src->in->spec;
	uint64_t first;

	if (spec->align_ts && !spec->raw_ts && sequence_first_ts(src->seq, &first))
		sequence_shift(src->seq, -first);
	return spec->from || spec->to ? set_limits(src, err) : 0;
}

int inputs_sources_each(struct inputs_sources *src,
			void (*add)(void *ctx, const struct record *rec), void *ctx,
			struct errmsg *err)
{
	SCOPED(batch_release) struct batch batch = {0};
	int r = batch_init(&batch);

	while (r >= 0 && (r = sequence_fill(src->seq, &batch)) > 0)
		for (size_t i = 0; i < batch.n; i++)
			add(ctx, &batch.records[i]);
	return r < 0 ? errmsg_set_errno(err, r, "cannot read the events of %s",
					src->in->files[0].tf->path)
		     : 0;
}

bool inputs_sources_are_ns(const struct inputs_sources *src)
{
	const struct inputs_source *source = first_source(src);
	const char *clock = source ? source->config.buffer->clock : NULL;

	if (clock && !strcmp(clock, "boot"))
		return !source->config.time.raw;
	return !source ||
	       (source->time_style != TIME_UNITS && !(clock && !strcmp(clock, "uptime")));
}
