// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * writer.c - the parts of writing a trace.dat that both versions share.
 *
 *	writer.c        the input: texts, options, buffers; the order of parts; the end
 *	writer_v6.c     the fixed order of version 6, tables of CPUs
 *	writer_v7.c     sections, the chain of options, descriptions
 *	writer_data.c   sub-buffers, plain or compressed, to the file
 *	outfile.c       bytes to the disk, and the name at the end
 *
 * Owns: the output, copies of options and names. Options are kept in their file form (u16 id, u32
 * size, data) until they are written. The output remembers a write error, so code that writes
 * small parts ignores results; writer_close() checks.
 */
#include "base/array.h"
#include "base/scope.h"
#include "format/tracedat.h"
#include "store/writer_int.h"

#include "base/shortage.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void writer_put(const struct writer *w, void *p, uint64_t v, unsigned size)
{
	uint16_t v2 = v;
	uint32_t v4 = v;

	switch (size) {
	case 1:
		*(uint8_t *)p = v;
		break;
	case 2:
		v2 = w->swap ? __builtin_bswap16(v2) : v2;
		memcpy(p, &v2, 2);
		break;
	case 4:
		v4 = w->swap ? __builtin_bswap32(v4) : v4;
		memcpy(p, &v4, 4);
		break;
	case 8:
		v = w->swap ? __builtin_bswap64(v) : v;
		memcpy(p, &v, 8);
		break;
	}
}

void writer_put_number(struct writer *w, uint64_t v, unsigned size)
{
	char bytes[8];

	writer_put(w, bytes, v, size);
	outfile_write(w->out, bytes, size);
}

void writer_patch_number(struct writer *w, uint64_t pos, uint64_t v, unsigned size)
{
	char bytes[8];

	writer_put(w, bytes, v, size);
	outfile_patch(w->out, pos, bytes, size);
}

void writer_add_number(const struct writer *w, struct textbuf *tb, uint64_t v, unsigned size)
{
	char *p = textbuf_reserve(tb, 8);

	writer_put(w, p, v, size);
	textbuf_commit(tb, p + size);
}

void writer_add_bytes(struct textbuf *tb, const void *data, size_t n_bytes)
{
	if (n_bytes)
		textbuf_add(tb, data, n_bytes);
}

void writer_align(struct writer *w, uint32_t align)
{
	uint64_t over = outfile_pos(w->out) % align;

	if (over)
		outfile_skip(w->out, align - over);
}

/*
 * --- texts -------------------------------------------------------------------------------------
 */

size_t writer_text_prefix(const struct writer *w, enum tracefile_text_kind kind, char *buf)
{
	static const struct {
		const char *tag;
		unsigned tag_bytes : 4, length_bytes : 4;
	} rows[TRACEFILE_TEXT_KINDS] = {
		[TRACEFILE_HEADER_PAGE] = {"header_page", 12, 8},
		[TRACEFILE_HEADER_EVENT] = {"header_event", 13, 8},
		[TRACEFILE_KALLSYMS] = {"", 0, 4},
		[TRACEFILE_PRINTK] = {"", 0, 4},
		[TRACEFILE_CMDLINES] = {"", 0, 8},
	};
	size_t n = rows[kind].tag_bytes;
	uint64_t len = w->texts[kind].len;

	if (n)
		memcpy(buf, rows[kind].tag, n);
	/* formats include their count; an empty text needs the count 0 */
	if (!rows[kind].length_bytes) {
		writer_put(w, buf, 0, 4);
		return len ? 0 : 4;
	}
	if (kind == TRACEFILE_CMDLINES && len < w->cmdlines_room)
		len = w->cmdlines_room;
	writer_put(w, buf + n, len, rows[kind].length_bytes);
	return n + rows[kind].length_bytes;
}

int writer_add_text(struct writer *w, enum tracefile_text_kind kind, struct piece text,
		    struct errmsg *err)
{
	if (kind != TRACEFILE_CMDLINES && text.len > UINT32_MAX)
		return errmsg_set(err, -EFBIG,
				  "%s: a text of %zu bytes does not fit into a trace file",
				  w->config.path, text.len);
	w->texts[kind] = text;
	w->text_given[kind] = true;
	if (!w->metadata_written)
		return 0;
	if (w->config.version == 6)
		return errmsg_set(err, -EINVAL,
				  "%s: version 6 does not accept a text after "
				  "the first data",
				  w->config.path);
	return writer_text_v7(w, kind, err);
}

/*
 * --- options and sections ----------------------------------------------------------------------
 */

int writer_add_option(struct writer *w, uint16_t id, struct piece data, struct errmsg *err)
{
	if (w->config.version == 6 && w->metadata_written)
		return errmsg_set(err, -EINVAL,
				  "%s: version 6 does not accept an option after the first data",
				  w->config.path);
	w->has_clock_option |= id == SNF_OPTION_TRACECLOCK;
	writer_add_number(w, &w->options, id, 2);
	writer_add_number(w, &w->options, data.len, 4);
	writer_add_bytes(&w->options, data.data, data.len);
	if (data.len > UINT32_MAX || w->options.overflow)
		return errmsg_set_errno(err, -ENOMEM, "cannot store the options of %s",
					w->config.path);
	return 0;
}

int writer_add_section(struct writer *w, uint16_t id, const char *description, struct piece body,
		       struct errmsg *err)
{
	uint64_t pos = outfile_pos(w->out);
	uint8_t offset[8];

	if (w->config.version == 6)
		return errmsg_set(err, -ENOTSUP, "%s: version 6 has no sections", w->config.path);
	TRY(writer_section_v7(w, id, description, body, err));
	writer_put(w, offset, pos, 8);
	return writer_add_option(w, id, (struct piece){offset, 8}, err);
}

/*
 * --- buffers -----------------------------------------------------------------------------------
 */

void writer_set_cpu_count(struct writer *w, uint32_t n_cpus)
{
	w->cpu_count = n_cpus < WRITER_CPUS_MAX ? n_cpus : WRITER_CPUS_MAX;
}

int writer_add_buffer(struct writer *w, const struct writer_buffer *buffer, struct errmsg *err)
{
	struct writer_out *b;

	if (!ARRAY_ONE_MORE(w->buffers, w->n_buffers, WRITER_BUFFERS_MAX))
		return errmsg_set_errno(err, -ENOMEM, "cannot store the buffers of %s",
					w->config.path);
	b = &w->buffers[w->n_buffers];
	*b = (struct writer_out){
		.name = strdup(buffer->name),
		.clock = buffer->clock ? strdup(buffer->clock) : NULL,
		.page_size = w->config.version == 6 ? w->config.page_size : buffer->page_size,
	};
	if (!b->name || (buffer->clock && !b->clock)) {
		free(b->name);
		free(b->clock);
		return errmsg_set_errno(err, -ENOMEM, "cannot store the buffers of %s",
					w->config.path);
	}
	return w->n_buffers++;
}

/* Adds an empty top buffer if there is none: trace-cmd does not open a file without one. */
static int writer_add_missing_top(struct writer *w, struct errmsg *err)
{
	for (size_t i = 0; i < w->n_buffers; i++)
		if (!*w->buffers[i].name)
			return 0;
	if (w->has_text)
		return 0;
	return writer_add_buffer(
		w, &(struct writer_buffer){.name = "", .page_size = w->config.page_size}, err);
}

int writer_metadata(struct writer *w, struct errmsg *err)
{
	int r = 0;

	if (w->metadata_written)
		return 0;
	TRY(writer_add_missing_top(w, err));
	r = w->config.version == 6 ? writer_metadata_v6(w, err) : writer_metadata_v7(w, err);
	w->metadata_written = true;
	return r < 0 ? r : outfile_failure(w->out, err);
}

static int write_buffer(struct writer *w, struct writer_out *b, const struct writer_source *source,
			struct errmsg *err)
{
	int r = w->config.version == 6 ? writer_buffer_v6(w, b, source, err)
				       : writer_buffer_v7(w, b, source, err);

	b->is_written = true;
	return r < 0 ? r : outfile_failure(w->out, err);
}

static int no_pages(void *ctx, uint32_t *ret_cpu, struct piece *ret_page)
{
	return 0;
}

static const struct writer_source empty_source = {.next = no_pages};

int writer_write_buffer(struct writer *w, int index, const struct writer_source *source,
			struct errmsg *err)
{
	int r = writer_metadata(w, err);
	struct writer_out *b = &w->buffers[index];

	/* version 6 has the top buffer's table at a fixed place */
	for (size_t i = 0; !r && w->config.version == 6 && *b->name && i < w->n_buffers; i++)
		if (!*w->buffers[i].name && !w->buffers[i].is_written)
			r = write_buffer(w, &w->buffers[i], &empty_source, err);
	return r < 0 ? r : write_buffer(w, b, source, err);
}

int writer_add_latency(struct writer *w, const char *clock, struct piece text, struct errmsg *err)
{
	w->text = text;
	w->has_text = true;
	free(w->text_clock);
	w->text_clock = strdup(clock ? clock : "");
	if (!w->text_clock)
		return errmsg_set_errno(err, -ENOMEM, "cannot write %s", w->config.path);
	if (w->config.version == 6 && w->n_buffers)
		return errmsg_set(err, -ENOTSUP,
				  "%s: version 6 cannot hold a latency text and other buffers; use "
				  "version 7",
				  w->config.path);
	return 0;
}

/*
 * --- life --------------------------------------------------------------------------------------
 */

static struct writer *writer_new(const struct writer_config *config)
{
	struct writer *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->config = *config;
	w->swap = config->big_endian != bytes_host_is_big();
	textbuf_init(&w->options, WRITER_OPTIONS_MAX_BYTES);
	textbuf_init(&w->strings, WRITER_STRINGS_MAX_BYTES);
	return w;
}

int writer_open(struct writer **ret_writer, const struct writer_config *config, struct errmsg *err)
{
	struct writer *w = writer_new(config);
	int r = 0;

	if (!w)
		return errmsg_set_errno(err, -ENOMEM, "cannot write %s", config->path);
	r = outfile_open(&w->out, config->path, err);
	if (r < 0) {
		writer_free(w);
		return r;
	}
	outfile_write(w->out, SNF_MAGIC, SNF_MAGIC_BYTES);
	outfile_write(w->out, config->version == 6 ? "6" : "7", 2);
	writer_put_number(w, config->big_endian, 1);
	writer_put_number(w, config->long_size, 1);
	writer_put_number(w, config->page_size, 4);
	if (config->version == 7)
		writer_head_v7(w);
	*ret_writer = w;
	return 0;
}

int writer_reopen(struct writer **ret_writer, const struct writer_config *config,
		  struct outplace *place, struct errmsg *err)
{
	SCOPED(writer_free_scoped) struct writer *w = writer_new(config);

	if (!w)
		return errmsg_set_errno(err, -ENOMEM, "cannot write %s", config->path);
	w->metadata_written = true;
	TRY(outfile_reopen(&w->out, config->path, place, err));
	*ret_writer = TAKE(w);
	return 0;
}

static int write_rest(struct writer *w, struct errmsg *err)
{
	int r = writer_metadata(w, err);

	/*
	 * buffers without data, in the order of announcement: in version 6 the top-level buffer
	 * must be first
	 */
	for (size_t i = 0; i < w->n_buffers && r >= 0; i++)
		if (!w->buffers[i].is_written)
			r = writer_write_buffer(w, i, &empty_source, err);
	if (r >= 0 && w->config.version == 7)
		r = writer_finish_v7(w, err);
	return r < 0 ? r : 0;
}

int writer_close(struct writer *w, struct errmsg *err)
{
	SCOPED(writer_free_scoped) struct writer *closing = w;

	TRY(write_rest(w, err));
	if (w->config.is_copy)
		TRY(shortage_check(err, "cannot write %s", w->config.path));
	return outfile_commit(TAKE(w->out), err);
}

void writer_free(struct writer *w)
{
	if (!w)
		return;
	outfile_free(w->out);
	for (size_t i = 0; i < w->n_buffers; i++) {
		free(w->buffers[i].name);
		free(w->buffers[i].clock);
	}
	free(w->buffers);
	free(w->text_clock);
	textbuf_release(&w->options);
	textbuf_release(&w->strings);
	free(w);
}
