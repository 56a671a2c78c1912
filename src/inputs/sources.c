// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sources.c - the buffers of all inputs, as one sequence of records.
 *
 *	file ─┬─ buffer ──▶ source of the sequence
 *	      └─ buffer ──▶ …
 *
 * The order of the sources is part of the result: of two records with the same time, the one of the earlier source
 * comes first.
 */
#include "inputs/sources.h"

#include "base/conveyor.h"
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

/* Is it one of the buffers that are wanted? All are, if none was named. */
static bool is_chosen(const struct word_list *names, const struct tracefile_buffer *b)
{
	for (size_t i = 0; i < names->n; i++)
		if (!strcmp(names->words[i], inputs_is_top(b) ? "-" : b->name))
			return true;
	return !names->n;
}

/* The top buffers of this file, or the others. */
static int add_file(struct inputs_sources *src, struct inputs_file *file, bool top,
		    struct errmsg *err)
{
	int r = 0;

	for (size_t i = 0; i < file->tf->n_buffers && r >= 0; i++) {
		const struct tracefile_buffer *b = &file->tf->buffers[i];

		if (!b->is_text && inputs_is_top(b) == top && is_chosen(&src->in->spec->buffers, b))
			r = add_source(src, file, b, err);
	}
	return r;
}

/* Top buffers of all files first, then their instances, as the merge breaks ties in that order. */
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
	int r;

	*src = (struct inputs_sources){.in = in};
	arena_init(&src->arena, 64 << 20);
	if (any_compressed(in, &n_streams) && n_threads > 1)
		src->unpacker = unpacker_new((n_threads + 1) / 2, n_streams);
	src->seq = sequence_new(config);
	if (!src->seq)
		return errmsg_set_errno(err, -ENOMEM, "cannot report");
	r = add_sources(src, err);
	if (r >= 0 && sequence_start(src->seq) < 0)
		r = errmsg_set_errno(err, -ENOMEM, "cannot report");
	return r;
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

static int set_limits(struct inputs_sources *src, struct errmsg *err)
{
	const struct inputs_spec *spec = src->in->spec;
	enum time_style style = src->n ? src->list[0].time_style : TIME_UNITS;
	uint64_t first = 0, from = 0, to = UINT64_MAX;
	int r = 0;

	sequence_first_ts(src->seq, &first);
	if (spec->from)
		r = timearg_parse("--from", spec->from, style != TIME_UNITS, first, &from, err);
	if (r >= 0 && spec->to)
		r = timearg_parse("--to", spec->to, style != TIME_UNITS, first, &to, err);
	/* a time copied from a line is rounded: it means every event that is shown with it */
	if (style == TIME_MICROSECONDS) {
		from = spec->from && spec->from[0] != '+' && from >= 500 ? from - 500 : from;
		to = spec->to && spec->to[0] != '+' && to < UINT64_MAX - 499 ? to + 499 : to;
	}
	if (r >= 0)
		sequence_set_range(src->seq, from, to);
	if (r >= 0 && from > to)
		r = errmsg_set(err, -EINVAL, "--from %s is later than --to %s", spec->from,
			       spec->to);
	return r;
}

int inputs_sources_set_range(struct inputs_sources *src, struct errmsg *err)
{
	const struct inputs_spec *spec = src->in->spec;
	uint64_t first;

	if (spec->align_ts && !spec->raw_ts && sequence_first_ts(src->seq, &first))
		sequence_shift(src->seq, -first);
	return spec->from || spec->to ? set_limits(src, err) : 0;
}

bool inputs_sources_are_ns(const struct inputs_sources *src)
{
	const char *clock = src->n ? src->list[0].config.buffer->clock : NULL;

	if (clock && !strcmp(clock, "boot"))
		return !src->list[0].config.time.raw;
	return !src->n ||
	       (src->list[0].time_style != TIME_UNITS && !(clock && !strcmp(clock, "uptime")));
}
