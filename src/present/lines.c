// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lines.c - prepares the format of lines for opened inputs.
 *
 *	source of the inputs ──▶ line_source: prefix, format of times, names for JSON and CSV
 *
 * All code that shows records in order uses it, for files (report) and live (stream).
 */
#include "present/lines.h"

#include "base/errmsg.h"
#include "decode/order/sequence.h"
#include "format/tracedat.h"
#include "present/rows.h"
#include "store/tracefile.h"
#include "symbols/tables/syscalls.h"
#include "timeline/lanes/forms.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sequence_config lines_sequence_config(const struct inputs_spec *spec,
					     const struct lines_spec *show)
{
	struct sequence_config sc = inputs_sequence_config(spec);

	sc.raw = show->raw || show->as != LINES_TEXT;
	sc.all_names = show->as != LINES_TEXT;
	sc.tgids = show->tgid;
	sc.wakeup = show->wakeup;
	sc.places = show->boundary || show->debug;
	return sc;
}

static struct line_source make_source(const struct inputs *in, const struct inputs_source *s,
				      bool syscalls)
{
	const struct inputs_file *file = s->file;
	const struct tracefile_buffer *b = s->config.buffer;
	bool is_scaled = file->input->ts2secs || in->spec->ts2secs;

	return (struct line_source){
		.formats = file->formats,
		.page_size = b->page_size,
		.time_style = s->time_style,
		.diff_in_us = tracefile_option_find(file->tf, SNF_OPTION_TRACECLOCK) &&
			      !in->spec->nanoseconds && !is_scaled,
		.file = in->n_files > 1 ? inputs_file_name(file) : NULL,
		.buffer = inputs_is_top(b) ? NULL : b->name,
		.syscalls = syscalls ? forms_syscalls(file->tf) : NULL};
}

/* Returns the prefix of the lines of a source, or "". */
static const char *prefix_name(const struct inputs *in, const struct inputs_source *s)
{
	if (!inputs_is_top(s->config.buffer))
		return s->config.buffer->name;
	return in->n_files > 1 ? inputs_file_name(s->file) : "";
}

static char *make_prefix(const char *name, size_t width)
{
	size_t len = strlen(name);
	char *s = malloc(width + len + 3);

	if (s)
		snprintf(s, width + len + 3, "%*s%s", (int)width, name, name[0] ? ": " : "  ");
	return s;
}

/* Sets the prefixes. A single file without instances has no prefix. */
static void set_prefixes(struct lines *lines, const struct inputs_sources *src)
{
	bool wanted = src->in->n_files > 1;
	size_t width = 0;

	for (size_t i = 0; i < src->n; i++) {
		size_t len = strlen(prefix_name(src->in, &src->list[i]));

		wanted |= !inputs_is_top(src->list[i].config.buffer);
		if (len > width)
			width = len;
	}
	for (size_t i = 0; wanted && i < src->n; i++) {
		lines->prefixes[i] = make_prefix(prefix_name(src->in, &src->list[i]), width);
		lines->list[i].prefix = lines->prefixes[i];
	}
}

int lines_init(struct lines *lines, const struct inputs_sources *src, bool syscalls,
	       struct errmsg *err)
{
	*lines = (struct lines){.n = src->n,
				.list = calloc(src->n + 1, sizeof(*lines->list)),
				.prefixes = calloc(src->n + 1, sizeof(*lines->prefixes))};
	if (!lines->list || !lines->prefixes)
		return errmsg_set_errno(err, -ENOMEM, "cannot report");
	for (size_t i = 0; i < src->n; i++)
		lines->list[i] = make_source(src->in, &src->list[i], syscalls);
	set_prefixes(lines, src);
	return 0;
}

void lines_release(struct lines *lines)
{
	for (size_t i = 0; lines->prefixes && i < lines->n; i++)
		free(lines->prefixes[i]);
	free(lines->prefixes);
	free(lines->list);
	*lines = (struct lines){0};
}

struct line_style lines_style(const struct lines_spec *show, const struct lines *lines)
{
	return (struct line_style){.sources = lines->list,
				   .n_sources = lines->n,
				   .latency = show->latency,
				   .raw = show->raw,
				   .ts_diff = show->ts_diff,
				   .boundary = show->boundary,
				   .debug = show->debug,
				   .tgid = show->tgid,
				   .stacks = show->stacks};
}

lines_add lines_adder(enum lines_as as)
{
	static const lines_add adders[] = {[LINES_TEXT] = line_printer_add,
					   [LINES_JSON] = rows_add_json,
					   [LINES_CSV] = rows_add_csv};

	return adders[as];
}

void lines_add_empty_cpus(const struct tracefile_buffer *b, struct textbuf *tb)
{
	uint32_t next = 0;

	for (size_t k = 0; k < b->n_cpus; k++) {
		while (next < b->cpus[k].cpu)
			textbuf_addf(tb, "CPU %u is empty\n", next++);
		if (!b->cpus[k].n_bytes)
			textbuf_addf(tb, "CPU %u is empty\n", next);
		next++;
	}
}

/*
 * Returns the width of the names before "cpus=N". As in trace-cmd, the name of an instance affects
 * the width only from the next file on.
 */
static size_t head_width(const struct inputs *in, size_t file)
{
	size_t width = 0;

	for (size_t i = 0; i < in->n_files; i++)
		if (strlen(inputs_file_name(&in->files[i])) > width)
			width = strlen(inputs_file_name(&in->files[i]));
	for (size_t i = 0; i < file; i++)
		for (size_t k = 0; k < in->files[i].tf->n_buffers; k++)
			if (strlen(in->files[i].tf->buffers[k].name) > width)
				width = strlen(in->files[i].tf->buffers[k].name);
	return width;
}

void lines_add_head(const struct inputs *in, size_t file, bool verbose, struct textbuf *tb)
{
	const struct tracefile_buffer *top = inputs_top_buffer(&in->files[file]);

	if (verbose && top)
		lines_add_empty_cpus(top, tb);
	if (in->n_files > 1)
		textbuf_addf(tb, "%*s: ", (int)head_width(in, file),
			     inputs_file_name(&in->files[file]));
	textbuf_addf(tb, "cpus=%u\n", in->files[file].tf->cpu_count);
}
