// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report_sources.c - the inputs of a report as one sequence of records, and how their lines look.
 *
 *	file ─┬─ buffer ──▶ source of the sequence, line_source: prefix, way of showing times
 *	      └─ buffer ──▶ …
 *
 * Shared by all that show records in order, from files (report_run.c) and live (livereport.c).
 */
#include "cli/report_sources.h"

#include "base/conveyor.h"
#include "symbols/tables/syscalls.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static enum time_style time_style(const struct report_options *o, const struct timeconv *tc)
{
	return !tc->in_time ? TIME_UNITS : o->nanoseconds ? TIME_NANOSECONDS : TIME_MICROSECONDS;
}

/* The calls of the machine that the last word of the file's uname names. */
static const struct syscall_table *find_syscalls(const struct tracefile *tf)
{
	const struct tracefile_option *o = tracefile_option_find(tf, SNF_OPTION_UNAME);
	size_t len = o ? strnlen((const char *)o->data.data, o->data.len) : 0, start = len;

	while (start && o->data.data[start - 1] != ' ')
		start--;
	return len ? syscalls_for((const char *)o->data.data + start, len - start) : NULL;
}

static int add_source(struct report_sources *rs, struct report_file *file,
		      const struct tracefile_buffer *b, struct errmsg *err)
{
	const struct report_options *o = rs->rep->opts;
	struct timeconv_config tcc = {.raw_ts = o->raw_ts,
				      .no_date = o->no_date,
				      .offset = file->input->ts_offset,
				      .ts2secs = file->input->ts2secs ? file->input->ts2secs
								      : o->ts2secs};
	struct source_config sc = {.tf = file->tf,
				   .formats = file->formats,
				   .tasks = &file->tasks,
				   .buffer = b,
				   .filters = file->filters,
				   .n_filters = file->n_filters,
				   .rejects = file->rejects,
				   .n_rejects = file->n_rejects,
				   .names_first = file->names_first,
				   .find_name = rs->rep->find_name,
				   .find_name_ctx = rs->rep->find_name_ctx};
	struct line_source *ls = &rs->list[rs->n++];

	timeconv_init(&sc.time, file->tf, b->clock, &tcc);
	sc.time.host = time_shift_read(file->tf, &rs->arena); /* a guest's, on the host's clock */
	timeconv_settle(&sc.time);
	*ls = (struct line_source){
		.formats = file->formats,
		.page_size = b->page_size,
		.time_style = time_style(o, &sc.time),
		.diff_in_us = tracefile_option_find(file->tf, SNF_OPTION_TRACECLOCK) &&
			      !o->nanoseconds && !tcc.ts2secs,
		.file = rs->rep->n_files > 1 ? base_name(file->tf->path) : NULL,
		.buffer = report_is_top(b) ? NULL : b->name,
		.syscalls = o->syscall_names || o->profile ? find_syscalls(file->tf) : NULL};
	file->formats->config.time_style = ls->time_style;
	rs->configs[rs->n - 1] = sc;
	if (rs->seq && sequence_add_source(rs->seq, &sc, rs->unpacker) < 0)
		return errmsg_set_errno(err, -ENOMEM, "cannot read %s", file->tf->path);
	return 0;
}

static char *make_prefix(const char *name, size_t width)
{
	char *s = malloc(width + strlen(name) + 3);
	size_t len = strlen(name);

	if (s)
		snprintf(s, width + len + 3, "%*s%s", (int)width, name, name[0] ? ": " : "  ");
	return s;
}

/* The names that stand before each line; none with a single file without instances. */
static int set_prefixes(struct report_sources *rs, const char **names, bool wanted,
			struct errmsg *err)
{
	size_t width = 0;

	for (size_t i = 0; i < rs->n; i++)
		if (strlen(names[i]) > width)
			width = strlen(names[i]);
	rs->prefixes = calloc(rs->n + 1, sizeof(*rs->prefixes));
	for (size_t i = 0; wanted && rs->prefixes && i < rs->n; i++) {
		rs->prefixes[i] = make_prefix(names[i], width);
		rs->list[i].prefix = rs->prefixes[i];
	}
	return rs->prefixes ? 0 : errmsg_set_errno(err, -ENOMEM, "cannot report");
}

/* -B: is it one of those? All are, if none was named. */
static bool is_chosen(const struct word_list *names, const struct tracefile_buffer *b)
{
	for (size_t i = 0; i < names->n; i++)
		if (!strcmp(names->words[i], report_is_top(b) ? "-" : b->name))
			return true;
	return !names->n;
}

/* Top buffers of all files first, then their instances, as the merge breaks ties in that order. */
static int add_sources(struct report_sources *rs, struct errmsg *err)
{
	struct report *rep = rs->rep;
	size_t n = 0;
	bool instances = false;
	const char **names;
	int r = 0;

	for (size_t i = 0; i < rep->n_files; i++)
		n += rep->files[i].tf->n_buffers;
	rs->list = calloc(n + 1, sizeof(*rs->list));
	rs->configs = calloc(n + 1, sizeof(*rs->configs));
	names = calloc(n + 1, sizeof(*names));
	if (!rs->list || !rs->configs || !names) {
		free(names);
		return errmsg_set_errno(err, -ENOMEM, "cannot report");
	}
	for (int top = 1; top >= 0 && r >= 0; top--)
		for (size_t i = 0; i < rep->n_files && r >= 0; i++)
			for (size_t k = 0; k < rep->files[i].tf->n_buffers && r >= 0; k++) {
				const struct tracefile_buffer *b = &rep->files[i].tf->buffers[k];

				if (b->is_text || report_is_top(b) != top ||
				    !is_chosen(&rep->opts->buffers, b))
					continue;
				names[rs->n] = !top ? b->name
					       : rep->n_files > 1
						       ? base_name(rep->files[i].tf->path)
						       : "";
				instances |= !top;
				r = add_source(rs, &rep->files[i], b, err);
			}
	if (r >= 0 && !rs->n && rep->opts->buffers.n)
		r = errmsg_set(err, -ENOENT,
			       "no input has a buffer '%s'; 'sonde list -B -i FILE' names them",
			       rep->opts->buffers.words[0]);
	if (r >= 0)
		r = set_prefixes(rs, names, rep->n_files > 1 || instances, err);
	free(names);
	return r;
}

static bool any_compressed(const struct report *rep, size_t *ret_streams)
{
	bool any = false;

	*ret_streams = 0;
	for (size_t i = 0; i < rep->n_files; i++)
		for (size_t k = 0; k < rep->files[i].tf->n_buffers; k++) {
			any |= rep->files[i].tf->buffers[k].compressed;
			*ret_streams += rep->files[i].tf->buffers[k].n_cpus;
		}
	return any;
}

struct sequence_config report_sequence_config(const struct report_options *o)
{
	return (struct sequence_config){.cpus = o->cpus,
					.n_cpus = o->n_cpus,
					.no_hardirq = o->no_irq,
					.no_softirq = o->no_softirq,
					.raw = o->raw || o->profile || o->output != REPORT_TEXT,
					.all_names = o->output != REPORT_TEXT ||
						     (o->profile && !o->peer_text),
					.tgids = o->tgid,
					.wakeup = o->wakeup,
					.places = o->boundary || o->debug,
					.to = UINT64_MAX};
}

struct line_style report_line_style(const struct report_options *o)
{
	return (struct line_style){.latency = o->latency,
				   .raw = o->raw,
				   .ts_diff = o->ts_diff,
				   .boundary = o->boundary,
				   .debug = o->debug,
				   .tgid = o->tgid};
}

int report_sources_init(struct report_sources *rs, struct report *rep,
			const struct sequence_config *config, struct errmsg *err)
{
	unsigned n_threads = conveyor_default_threads();
	size_t n_streams;
	int r;

	*rs = (struct report_sources){.rep = rep};
	arena_init(&rs->arena, 64 << 20);
	if (any_compressed(rep, &n_streams) && n_threads > 1)
		rs->unpacker = unpacker_new((n_threads + 1) / 2, n_streams);
	rs->seq = sequence_new(config);
	if (!rs->seq)
		return errmsg_set_errno(err, -ENOMEM, "cannot report");
	r = add_sources(rs, err);
	if (r >= 0 && sequence_start(rs->seq) < 0)
		r = errmsg_set_errno(err, -ENOMEM, "cannot report");
	return r;
}

int report_sources_list(struct report_sources *rs, struct report *rep, struct errmsg *err)
{
	*rs = (struct report_sources){.rep = rep};
	arena_init(&rs->arena, 64 << 20);
	return add_sources(rs, err);
}

void report_sources_release(struct report_sources *rs)
{
	for (size_t i = 0; rs->prefixes && i < rs->n; i++)
		free(rs->prefixes[i]);
	free(rs->prefixes);
	free(rs->list);
	free(rs->configs);
	sequence_free(rs->seq);
	unpacker_free(rs->unpacker);
	arena_release(&rs->arena);
	*rs = (struct report_sources){0};
}
