// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * writer_v7.c - sections and the chain of options of a version 7 file.
 *
 *	head ─▶ texts │ OPTIONS: where they are, and those given ──┐
 *	        data of a buffer │ OPTIONS: its directory ◀──────────┘ ─┐
 *	        data of a buffer │ OPTIONS: its directory ◀─────────────┘ ─▶ 0
 *	        STRINGS │ a latency text, if there is one
 *
 * trace-cmd writes the same order, except for the latency text. Newer versions of trace-cmd read
 * an uncompressed latency text up to the end of the file, so here it comes last. The description
 * of a section is an offset in the STRINGS, so the STRINGS can be written only after all other
 * sections.
 *
 * Texts are compressed as one piece, sub-buffers in chunks unless they stay uncompressed; options
 * are never compressed. Each section has a flag that shows whether it is compressed.
 */
#include "base/array.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "format/tracedat.h"
#include "store/unpack.h"
#include "store/writer_int.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_compressed(const struct writer *w)
{
	return w->config.compression != COMPRESSION_NONE;
}

/* Returns the position of an equal description, or of a new one. */
static size_t find_string(const struct writer *w, const char *text)
{
	size_t n = textbuf_len(&w->strings), len = strlen(text) + 1;
	const char *p = n ? memmem(w->strings.start, n, text, len) : NULL;

	return p && (p == w->strings.start || !p[-1]) ? (size_t)(p - w->strings.start) : n;
}

/*
 * Returns the offset of a description in the STRINGS. A file that is being recorded writes its last
 * sections more than once, so equal descriptions are shared there. Other files repeat them, like
 * trace-cmd.
 */
uint32_t writer_describe_v7(struct writer *w, const char *description)
{
	size_t at = w->is_live ? find_string(w, description) : textbuf_len(&w->strings);

	if (at < textbuf_len(&w->strings))
		return at;
	textbuf_add(&w->strings, description, strlen(description) + 1);
	return w->strings.overflow ? UINT32_MAX : at;
}

uint32_t writer_describe_buffer_v7(struct writer *w, const char *name)
{
	char description[256];

	snprintf(description, sizeof(description), "buffer flyrecord %s", name);
	return writer_describe_v7(w, description);
}

static void make_section_header(const struct writer *w, uint8_t *to, uint16_t id, bool compressed,
				uint32_t description, uint64_t n_bytes)
{
	writer_put(w, to, id, 2);
	writer_put(w, to + 2, compressed ? SNF_SECTION_COMPRESSED : 0, 2);
	writer_put(w, to + 4, description, 4);
	writer_put(w, to + 8, n_bytes, 8);
}

void writer_add_section_header_v7(const struct writer *w, struct textbuf *tb, uint16_t id,
				  bool compressed, uint32_t description, uint64_t n_bytes)
{
	uint8_t header[SNF_SECTION_HEADER_BYTES];

	make_section_header(w, header, id, compressed, description, n_bytes);
	writer_add_bytes(tb, header, sizeof(header));
}

static void put_section_header(struct writer *w, uint16_t id, bool compressed, uint32_t description,
			       uint64_t n_bytes)
{
	uint8_t header[SNF_SECTION_HEADER_BYTES];

	make_section_header(w, header, id, compressed, description, n_bytes);
	outfile_write(w->out, header, sizeof(header));
}

int writer_head_v7(struct writer *w)
{
	const char *name = compression_name(w->config.compression);
	const char *version = compression_version(w->config.compression);

	outfile_write(w->out, name, strlen(name) + 1);
	outfile_write(w->out, version, strlen(version) + 1);
	w->link_at = outfile_pos(w->out);
	writer_put_number(w, 0, 8);
	return 0;
}

static int put_bytes(void *ctx, const void *data, size_t n_bytes)
{
	struct writer *w = ctx;

	outfile_write(w->out, data, n_bytes);
	return 0;
}

/* Writes a compressed section, and sets its size at the end. */
static int put_packed(struct writer *w, uint16_t id, uint32_t description,
		      const struct piece *pieces, size_t n_pieces, uint64_t n_plain,
		      struct errmsg *err)
{
	uint64_t start = outfile_pos(w->out), n;
	int r;

	put_section_header(w, id, true, description, 0);
	writer_put_number(w, 0, 4);
	writer_put_number(w, n_plain, 4);
	r = pack_pieces(w->config.compression, pieces, n_pieces, put_bytes, w);
	n = outfile_pos(w->out) - start - SNF_SECTION_HEADER_BYTES;
	if (outfile_failure(w->out, err) < 0) /* after a failure the position is meaningless */
		return err->code;
	if (r < 0 || n > UINT32_MAX)
		return errmsg_set_errno(err, r < 0 ? r : -EFBIG, "cannot compress a part of %s",
					w->config.path);
	writer_patch_number(w, start + 8, n, 8);
	writer_patch_number(w, start + SNF_SECTION_HEADER_BYTES, n - 8, 4);
	return 0;
}

static int put_section(struct writer *w, uint16_t id, uint32_t description,
		       const struct piece *pieces, size_t n_pieces, struct errmsg *err)
{
	uint64_t n_bytes = 0;

	for (size_t i = 0; i < n_pieces; i++)
		n_bytes += pieces[i].len;
	if (n_bytes > UINT32_MAX)
		return errmsg_set_errno(err, -EFBIG, "cannot write a part of %s", w->config.path);
	if (is_compressed(w))
		return put_packed(w, id, description, pieces, n_pieces, n_bytes, err);
	put_section_header(w, id, false, description, n_bytes);
	for (size_t i = 0; i < n_pieces; i++)
		outfile_write(w->out, pieces[i].data, pieces[i].len);
	return 0;
}

int writer_section_v7(struct writer *w, uint16_t id, const char *description, struct piece body,
		      struct errmsg *err)
{
	return put_section(w, id, writer_describe_v7(w, description), &body, 1, err);
}

/*
 * --- texts -------------------------------------------------------------------------------------
 */

static const struct {
	uint8_t first_kind, last_kind;
	uint16_t id;
	const char *description;
} text_sections[] = {
	{TRACEFILE_HEADER_PAGE, TRACEFILE_HEADER_EVENT, SNF_OPTION_HEADER_INFO, "headers"},
	{TRACEFILE_FTRACE_FORMATS, TRACEFILE_FTRACE_FORMATS, SNF_OPTION_FTRACE_EVENTS,
	 "ftrace events"},
	{TRACEFILE_EVENT_FORMATS, TRACEFILE_EVENT_FORMATS, SNF_OPTION_EVENT_FORMATS,
	 "events format"},
	{TRACEFILE_KALLSYMS, TRACEFILE_KALLSYMS, SNF_OPTION_KALLSYMS, "kallsyms"},
	{TRACEFILE_PRINTK, TRACEFILE_PRINTK, SNF_OPTION_PRINTK, "printk"},
	{TRACEFILE_CMDLINES, TRACEFILE_CMDLINES, SNF_OPTION_CMDLINES, "command lines"},
};

static int write_text_section(struct writer *w, size_t row, struct errmsg *err)
{
	char prefixes[2][WRITER_PREFIX_MAX_BYTES];
	uint16_t id = text_sections[row].id;
	uint64_t pos = outfile_pos(w->out);
	struct piece pieces[4];
	uint8_t offset[8];
	size_t n = 0;

	for (int kind = text_sections[row].first_kind; kind <= text_sections[row].last_kind;
	     kind++, n += 2) {
		char *prefix = prefixes[n / 2];

		pieces[n] = (struct piece){(const uint8_t *)prefix,
					   writer_text_prefix(w, kind, prefix)};
		pieces[n + 1] = w->texts[kind];
	}
	TRY(put_section(w, id, writer_describe_v7(w, text_sections[row].description), pieces, n,
			err));
	writer_put(w, offset, pos, 8);
	return writer_add_option(w, id, (struct piece){offset, 8}, err);
}

int writer_text_v7(struct writer *w, enum tracefile_text_kind kind, struct errmsg *err)
{
	for (size_t i = 0; i < ARRAY_LEN(text_sections); i++)
		if (kind >= text_sections[i].first_kind && kind <= text_sections[i].last_kind)
			return write_text_section(w, i, err);
	return 0;
}

/*
 * --- options -----------------------------------------------------------------------------------
 */

/* Writes the waiting options as one section; *ret_at is where their data begins. */
static void write_options(struct writer *w, uint64_t *ret_at)
{
	size_t n_bytes = textbuf_len(&w->options);

	if (w->link_at)
		writer_patch_number(w, w->link_at, outfile_pos(w->out), 8);
	put_section_header(w, SNF_SECTION_OPTIONS, false, writer_describe_v7(w, "options"),
			   n_bytes + 14);
	*ret_at = outfile_pos(w->out);
	outfile_write(w->out, w->options.start, n_bytes);
	writer_put_number(w, SNF_OPTION_DONE, 2);
	writer_put_number(w, 8, 4);
	w->link_at = outfile_pos(w->out);
	writer_put_number(w, 0, 8);
	textbuf_clear(&w->options);
}

int writer_metadata_v7(struct writer *w, struct errmsg *err)
{
	struct textbuf given = w->options;
	uint8_t count[4];
	uint64_t at;
	int r = 0;

	/* put the positions of texts before the given options */
	textbuf_init(&w->options, WRITER_OPTIONS_MAX_BYTES);
	for (size_t i = 0; i < ARRAY_LEN(text_sections) && !r; i++)
		if (!w->is_live || text_sections[i].id != SNF_OPTION_CMDLINES)
			r = write_text_section(w, i, err);
	writer_add_bytes(&w->options, given.start, textbuf_len(&given));
	textbuf_release(&given);
	TRY(r);
	writer_put(w, count, w->cpu_count, 4);
	r = writer_add_option(w, SNF_OPTION_CPUCOUNT, (struct piece){count, 4}, err);
	/*
	 * if there is a latency text, the options are written later, together with the option that
	 * points to the text
	 */
	if (!r && !w->has_text)
		write_options(w, &at);
	return r;
}

/*
 * --- buffers -----------------------------------------------------------------------------------
 */

void writer_add_buffer_option_v7(const struct writer *w, struct textbuf *tb,
				 const struct writer_out *b, uint64_t section_at,
				 const struct writer_cpu *cpus, size_t n_cpus)
{
	const char *clock = b->clock ? b->clock : "";

	writer_add_number(w, tb, section_at, 8);
	textbuf_add(tb, b->name, strlen(b->name) + 1);
	textbuf_add(tb, clock, strlen(clock) + 1);
	writer_add_number(w, tb, b->page_size, 4);
	writer_add_number(w, tb, n_cpus, 4);
	for (size_t i = 0; i < n_cpus; i++) {
		writer_add_number(w, tb, cpus[i].cpu, 4);
		writer_add_number(w, tb, cpus[i].offset, 8);
		writer_add_number(w, tb, cpus[i].n_bytes, 8);
	}
}

static int add_buffer_option(struct writer *w, const struct writer_out *b, uint64_t section_at,
			     const struct writer_cpu *cpus, size_t n_cpus, struct errmsg *err)
{
	TEXTBUF(tb, WRITER_OPTIONS_MAX_BYTES);

	writer_add_buffer_option_v7(w, &tb, b, section_at, cpus, n_cpus);
	return tb.overflow ? errmsg_set_errno(err, -ENOMEM, "cannot write %s", w->config.path)
			   : writer_add_option(w, SNF_OPTION_BUFFER, PIECE_OF_TEXT(&tb), err);
}

int writer_buffer_v7(struct writer *w, struct writer_out *b, const struct writer_source *source,
		     struct errmsg *err)
{
	uint64_t start = outfile_pos(w->out), at;
	SCOPED(scope_free) struct writer_cpu *cpus = NULL;
	size_t n_cpus = 0;
	int r;

	put_section_header(w, SNF_OPTION_BUFFER, writer_data_compression(w) != COMPRESSION_NONE,
			   writer_describe_buffer_v7(w, b->name), 0);
	r = writer_copy_pages(w, b, source, &cpus, &n_cpus, err);
	writer_patch_number(w, start + 8, outfile_pos(w->out) - start - SNF_SECTION_HEADER_BYTES,
			    8);
	TRY(r);
	TRY(add_buffer_option(w, b, start, cpus, n_cpus, err));
	write_options(w, &at);
	return 0;
}

/* Adds the option that points to the text, whose position is not known yet. */
static int add_text_option(struct writer *w, size_t *ret_at, struct errmsg *err)
{
	size_t clock_bytes = strlen(w->text_clock) + 1;
	uint8_t data[300] = {0}; /* u64 offset, no name, clock */

	if (clock_bytes > sizeof(data) - 9)
		clock_bytes = sizeof(data) - 9;
	memcpy(data + 9, w->text_clock, clock_bytes - 1);
	*ret_at = textbuf_len(&w->options) + 6;
	return writer_add_option(w, SNF_OPTION_BUFFER_TEXT, (struct piece){data, 9 + clock_bytes},
				 err);
}

static int write_text(struct writer *w, uint32_t description)
{
	uint64_t start = outfile_pos(w->out);
	int r = 0;

	put_section_header(w, SNF_OPTION_BUFFER_TEXT, is_compressed(w), description, 0);
	if (is_compressed(w))
		r = writer_copy_chunks(w, w->text);
	else
		outfile_write(w->out, w->text.data, w->text.len);
	writer_patch_number(w, start + 8, outfile_pos(w->out) - start - SNF_SECTION_HEADER_BYTES,
			    8);
	return r;
}

int writer_finish_v7(struct writer *w, struct errmsg *err)
{
	uint32_t text_description = w->has_text ? writer_describe_v7(w, "buffer latency") : 0,
		 description;
	uint64_t options_at = 0;
	size_t text_at = 0;
	int r;

	if (w->has_text)
		TRY(add_text_option(w, &text_at, err));
	if (textbuf_len(&w->options))
		write_options(w, &options_at);
	description = writer_describe_v7(w, "strings");
	if (w->strings.overflow)
		return errmsg_set_errno(err, -ENOMEM, "cannot write %s", w->config.path);
	TRY(put_section(w, SNF_OPTION_STRINGS, description, &PIECE_OF_TEXT(&w->strings), 1, err));
	if (!w->has_text)
		return 0;
	writer_patch_number(w, options_at + text_at, outfile_pos(w->out), 8);
	r = write_text(w, text_description);
	return r < 0 ? errmsg_set_errno(err, r, "cannot write %s", w->config.path) : 0;
}
