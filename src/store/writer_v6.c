// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * writer_v6.c - the fixed order of a version 6 file; tracefile_v6.c shows it.
 *
 * The number of CPUs and the names of all instances are before the first data, which is why buffers
 * are announced. Every table of CPUs has a row for each CPU of the machine, even without data, and
 * is filled when its data is written; so is the position of an instance in its BUFFER option. (The
 * format can give an instance another number of CPUs, but trace-cmd then uses that number for the
 * top buffer, too, so sonde does not use it.)
 *
 * A clock follows a table if the file has a TRACECLOCK option. With a latency text there must be
 * no such option, because trace-cmd would look for the clock in the text.
 */
#include "base/errmsg.h"
#include "base/scope.h"
#include "format/tracedat.h"
#include "store/writer_int.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void add_buffer_options(struct writer *w)
{
	for (size_t i = 0; i < w->n_buffers; i++) {
		struct writer_out *b = &w->buffers[i];
		size_t name_bytes = strlen(b->name) + 1;

		if (name_bytes == 1)
			continue;
		writer_add_number(w, &w->options, SNF_OPTION_BUFFER, 2);
		writer_add_number(w, &w->options, 8 + name_bytes, 4);
		b->option_at = textbuf_len(&w->options);
		writer_add_number(w, &w->options, 0, 8);
		textbuf_add(&w->options, b->name, name_bytes);
	}
}

int writer_metadata_v6(struct writer *w, struct errmsg *err)
{
	char prefix[WRITER_PREFIX_MAX_BYTES];

	for (int kind = 0; kind < TRACEFILE_TEXT_KINDS; kind++) {
		outfile_write(w->out, prefix, writer_text_prefix(w, kind, prefix));
		if (kind == TRACEFILE_CMDLINES)
			w->cmdlines_at = outfile_pos(w->out);
		outfile_write(w->out, w->texts[kind].data, w->texts[kind].len);
	}
	if (w->cmdlines_room > w->texts[TRACEFILE_CMDLINES].len)
		outfile_skip(w->out, w->cmdlines_room - w->texts[TRACEFILE_CMDLINES].len);
	writer_put_number(w, w->cpu_count, 4);
	outfile_write(w->out, SNF_TAG_OPTIONS, SNF_TAG_BYTES);
	add_buffer_options(w);
	if (w->options.overflow)
		return errmsg_set_errno(err, -ENOMEM, "cannot store the options of %s",
					w->config.path);
	w->options_at = outfile_pos(w->out);
	outfile_write(w->out, w->options.start, textbuf_len(&w->options));
	writer_put_number(w, SNF_OPTION_DONE, 2);
	if (w->has_text) {
		outfile_write(w->out, SNF_TAG_LATENCY, SNF_TAG_BYTES);
		outfile_write(w->out, w->text.data, w->text.len);
	}
	return 0;
}

/*
 * Sets the rows of the table, in CPU order. CPUs without data get an offset where data could begin.
 */
static int patch_table(struct writer *w, uint64_t table_at, const struct writer_cpu *cpus,
		       size_t n_cpus, uint64_t no_data_at)
{
	SCOPED(scope_free) uint8_t *table = malloc((size_t)w->cpu_count * 16 + 1);

	if (!table)
		return -ENOMEM;
	for (uint32_t cpu = 0; cpu < w->cpu_count; cpu++) {
		writer_put(w, table + cpu * (size_t)16, no_data_at, 8);
		writer_put(w, table + cpu * (size_t)16 + 8, 0, 8);
	}
	for (size_t i = 0; i < n_cpus; i++) {
		writer_put(w, table + cpus[i].cpu * (size_t)16, cpus[i].offset, 8);
		writer_put(w, table + cpus[i].cpu * (size_t)16 + 8, cpus[i].n_bytes, 8);
	}
	outfile_patch(w->out, table_at, table, (size_t)w->cpu_count * 16);
	return 0;
}

const char *writer_clock_v6(const struct writer_out *b)
{
	return b->clock && *b->clock ? b->clock : "local";
}

int writer_buffer_v6(struct writer *w, struct writer_out *b, const struct writer_source *source,
		     struct errmsg *err)
{
	const char *clock = writer_clock_v6(b);
	SCOPED(scope_free) struct writer_cpu *cpus = NULL;
	uint64_t table_at, data_at;
	size_t n_cpus = 0;
	int r;

	if (*b->name)
		writer_patch_number(w, w->options_at + b->option_at, outfile_pos(w->out), 8);
	outfile_write(w->out, SNF_TAG_FLY, SNF_TAG_BYTES);
	table_at = outfile_pos(w->out);
	outfile_skip(w->out, (uint64_t)w->cpu_count * 16);
	if (w->has_clock_option) {
		writer_put_number(w, strlen(clock) + 2, 8);
		outfile_write(w->out, "[", 1);
		outfile_write(w->out, clock, strlen(clock));
		outfile_write(w->out, "]", 1);
	}
	data_at = outfile_pos(w->out);
	r = writer_copy_pages(w, b, source, &cpus, &n_cpus, err);
	if (!r && n_cpus && cpus[n_cpus - 1].cpu >= w->cpu_count)
		r = errmsg_set(err, -ERANGE, "%s: there is data of CPU %u, but only %u CPUs",
			       w->config.path, cpus[n_cpus - 1].cpu, w->cpu_count);
	if (!r && patch_table(w, table_at, cpus, n_cpus, data_at) < 0)
		r = errmsg_set_errno(err, -ENOMEM, "cannot write %s", w->config.path);
	return r;
}
