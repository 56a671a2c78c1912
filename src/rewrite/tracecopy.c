// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tracecopy.c - copies all contents of a trace that the target can store to a writer.
 *
 * Option data is copied unchanged: the file keeps its byte order. Options that contain offsets are
 * written anew:
 *
 *	texts (16–21), buffers (3, 22), CPU count (8)     from the contents of the writer
 *	others that point to a section of their own id    with a copy of that section (BTF, modules,
 *	                                                  unknown ids); version 6 has no
 *	                                                  sections and drops them
 *
 * Only the clock is stored differently by the two versions. Version 6 has a TRACECLOCK option,
 * which may be empty, and a clock after each table of CPUs only if there is that option. Version 7
 * stores a clock with each buffer, and may also have the option. Only the option determines whether
 * trace-cmd prints times as seconds. So it is neither added nor removed; only its value is filled
 * in.
 *
 * In a truncated file, the count before the formats (u32 count, then texts) is larger than their
 * number. They are counted again; otherwise everything after them in a version 6 file would be
 * misread.
 */
#include "rewrite/tracecopy.h"

#include "base/array.h"
#include "base/conveyor.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "decode/walker.h"
#include "format/tracedat.h"
#include "store/pagebuilder.h"
#include "store/pagestream.h"
#include "store/writer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FORMATS_MAX_BYTES (1u << 30)

int tracecopy_init(struct tracecopy *tc, struct tracefile *tf, int version, struct errmsg *err)
{
	memset(tc, 0, offsetof(struct tracecopy, formats));
	tc->left_out[0] = 0;
	tc->tf = tf;
	tc->version = version;
	textbuf_init(&tc->formats[0], FORMATS_MAX_BYTES);
	textbuf_init(&tc->formats[1], FORMATS_MAX_BYTES);
	tc->unpacker = unpacker_new(conveyor_default_threads() > 1, 2);
	return tc->unpacker ? 0 : errmsg_set_errno(err, -ENOMEM, "cannot copy %s", tf->path);
}

void tracecopy_release(struct tracecopy *tc)
{
	unpacker_free(tc->unpacker);
	textbuf_release(&tc->formats[0]);
	textbuf_release(&tc->formats[1]);
}

struct writer_config tracecopy_config(const struct tracecopy *tc, const char *path,
				      enum compression compression)
{
	const struct tracefile *tf = tc->tf;
	uint32_t page_size = tf->page_size;
	bool is_packed = tf->version == 6;

	/* version 6 has only one size, so smaller sub-buffers are padded */
	for (size_t i = 0; tc->version == 6 && i < tf->n_buffers; i++)
		if (tf->buffers[i].page_size > page_size)
			page_size = tf->buffers[i].page_size;
	for (size_t i = 0; i < tf->n_buffers; i++)
		is_packed |= tf->buffers[i].compressed;
	return (struct writer_config){.path = path,
				      .version = tc->version,
				      .compression = compression,
				      .plain_data = !is_packed,
				      .big_endian = tf->big_endian,
				      .long_size = tf->writer_long_size,
				      .page_size = page_size,
				      .is_copy = true};
}

enum compression tracecopy_compression(const struct tracefile *tf)
{
	return tf->compression == COMPRESSION_UNKNOWN ? COMPRESSION_ZSTD : tf->compression;
}

/* --- texts ------------------------------------------------------------------------------------ */

/* Copies the whole texts of a sequence. *ret_whole is false if some are missing. */
static void copy_texts(struct byte_reader *r, struct textbuf *out, bool *ret_whole)
{
	uint32_t n = byte_reader_take_number(r, 4), kept = 0;
	size_t count_at = textbuf_len(out);
	const uint8_t *start = r->pos;

	textbuf_add(out, "\0\0\0", 4);
	while (kept < n) {
		const uint8_t *before = r->pos;

		byte_reader_take(r, byte_reader_take_number(r, 8));
		if (r->failed) {
			r->pos = before;
			break;
		}
		kept++;
	}
	*ret_whole &= kept == n;
	textbuf_add(out, (const char *)start, r->pos - start);
	if (!out->overflow) {
		n = r->swap ? __builtin_bswap32(kept) : kept;
		memcpy(out->start + count_at, &n, 4);
	}
}

static struct piece sound_ftrace_formats(struct piece raw, bool swap, struct textbuf *out)
{
	struct byte_reader r = {raw.data, raw.data + raw.len, swap, false};
	bool whole = true;

	if (!raw.len)
		return raw;
	copy_texts(&r, out, &whole);
	return whole ? raw : PIECE_OF_TEXT(out);
}

static struct piece sound_event_formats(struct piece raw, bool swap, struct textbuf *out)
{
	struct byte_reader r = {raw.data, raw.data + raw.len, swap, false};
	uint32_t n = byte_reader_take_number(&r, 4), kept = 0;
	bool whole = true;

	if (!raw.len)
		return raw;
	textbuf_add(out, "\0\0\0", 4);
	while (kept < n && whole) {
		const char *name = byte_reader_take_string(&r);

		if (r.failed || byte_reader_left(&r) < 4)
			break;
		textbuf_add(out, name, strlen(name) + 1);
		copy_texts(&r, out, &whole);
		kept++;
	}
	if (whole && kept == n)
		return raw;
	if (out->overflow)
		return (struct piece){0};
	n = swap ? __builtin_bswap32(kept) : kept;
	memcpy(out->start, &n, 4);
	return PIECE_OF_TEXT(out);
}

static int copy_all_texts(struct tracecopy *tc, struct writer *w, struct errmsg *err)
{
	for (int kind = 0; kind < TRACEFILE_TEXT_KINDS; kind++) {
		struct piece text = tracefile_text(tc->tf, kind);

		if (kind == TRACEFILE_FTRACE_FORMATS)
			text = sound_ftrace_formats(text, tc->tf->swap, &tc->formats[0]);
		if (kind == TRACEFILE_EVENT_FORMATS)
			text = sound_event_formats(text, tc->tf->swap, &tc->formats[1]);
		TRY(writer_add_text(w, kind, text, err));
	}
	return 0;
}

/* --- options ---------------------------------------------------------------------------------- */

static int copy_section(struct tracecopy *tc, struct writer *w, const struct tracefile_section *s,
			struct errmsg *err)
{
	static const struct {
		uint16_t id;
		const char *name;
	} names[] = {{SNF_OPTION_BTF, "BTF"}, {SNF_OPTION_MODULES, "modules"}};
	const char *name = "section";
	struct errmsg why = {0};
	struct piece body;
	SCOPED(scope_free) void *heap = NULL;

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (names[i].id == s->id)
			name = names[i].name;
	if (tc->version == 6) {
		size_t used = strlen(tc->left_out);

		snprintf(tc->left_out + used, sizeof(tc->left_out) - used, "%s%s %u",
			 used ? ", " : "", name, s->id);
		return 0;
	}
	if (tracefile_section_body(tc->tf, s, &body, &heap, &why) < 0) {
		tracefile_add_damage(tc->tf, "%s", why.text);
		return 0;
	}
	return writer_add_section(w, s->id, name, body, err);
}

static int copy_clock(struct tracecopy *tc, struct writer *w, const struct tracefile_option *o,
		      struct errmsg *err)
{
	const struct tracefile_buffer *top = tc->tf->n_buffers ? &tc->tf->buffers[0] : NULL;
	char clock[128];
	int n;

	/* trace-cmd would search for the clock in the text */
	if (tc->version == 6 && tracecopy_latency(tc->tf))
		return 0;
	if (o->data.len || tc->version == 6)
		return writer_add_option(w, o->id, o->data, err);
	n = snprintf(clock, sizeof(clock), "[%.100s]", top && top->clock ? top->clock : "local");
	return writer_add_option(w, o->id, (struct piece){(uint8_t *)clock, n + 1}, err);
}

static int copy_options(struct tracecopy *tc, struct writer *w, struct errmsg *err)
{
	const struct tracefile *tf = tc->tf;

	for (size_t i = 0; i < tf->n_options; i++) {
		const struct tracefile_option *o = &tf->options[i];
		const struct tracefile_section *s;

		if (writer_makes_option(o->id))
			continue;
		s = tracefile_option_section(tf, o);
		if (s)
			TRY(copy_section(tc, w, s, err));
		else if (o->id == SNF_OPTION_TRACECLOCK)
			TRY(copy_clock(tc, w, o, err));
		else
			TRY(writer_add_option(w, o->id, o->data, err));
	}
	return 0;
}

static int copy_metadata(struct tracecopy *tc, struct writer *w, struct errmsg *err)
{
	/* if the number is implausible, use the CPUs that have data */
	uint32_t n_cpus = tc->tf->cpu_count <= WRITER_CPUS_MAX ? tc->tf->cpu_count : 0;
	int r = copy_all_texts(tc, w, err);

	for (size_t i = 0; i < tc->tf->n_buffers; i++)
		if (tc->tf->buffers[i].max_cpus > n_cpus)
			n_cpus = tc->tf->buffers[i].max_cpus;
	writer_set_cpu_count(w, n_cpus);
	return r < 0 ? r : copy_options(tc, w, err);
}

/* --- pages ------------------------------------------------------------------------------------ */

struct page_source {
	struct tracecopy *tc;
	const struct tracefile_buffer *buffer;
	struct page_layout layout;
	struct pagestream *ps;
	size_t cpu; /* index of the CPU */
	struct pagebuilder builder;
};

static void note_damage(struct page_source *src, const struct page *page)
{
	tracefile_add_damage(
		src->tc->tf,
		"%s: a sub-buffer of CPU %u at byte %llu is truncated or damaged; some of its "
		"events are missing",
		src->tc->tf->path, src->buffer->cpus[src->cpu].cpu,
		(unsigned long long)pagestream_offset(src->ps, page));
}

/* Returns the page, or its undamaged part, or an empty piece. */
static struct piece sound_page(struct page_source *src, const struct page *page)
{
	struct piece whole = {page->data, page->len};
	const uint8_t *good;
	struct walked rec;
	struct walker w;

	if (page->len == src->buffer->page_size && !src->tc->repair)
		return whole;
	if (!walker_start(&w, page->data, page->len, &src->layout)) {
		note_damage(src, page);
		return (struct piece){0};
	}
	good = w.start;
	while (walker_next(&w, &rec))
		good = w.pos;
	if (!w.damaged && page->len == src->buffer->page_size)
		return whole;
	if (w.damaged)
		note_damage(src, page);
	return pagebuilder_trim(&src->builder, page->data, good - w.start, w.missed);
}

static int next_page(void *ctx, uint32_t *ret_cpu, struct piece *ret_page)
{
	struct page_source *src = ctx;

	while (src->cpu < src->buffer->n_cpus) {
		struct page page;
		int r;

		if (!src->ps)
			src->ps = pagestream_new(src->tc->tf, src->buffer, src->cpu,
						 src->tc->unpacker);
		if (!src->ps)
			return -ENOMEM;
		r = pagestream_next(src->ps, &page);
		TRY(r);
		if (r) {
			*ret_page = sound_page(src, &page);
			*ret_cpu = src->buffer->cpus[src->cpu].cpu;
			if (ret_page->len)
				return 1;
			continue;
		}
		pagestream_free(src->ps);
		src->ps = NULL;
		src->cpu++;
	}
	return 0;
}

static int copy_buffer(struct tracecopy *tc, struct writer *w, const struct tracefile_buffer *b,
		       int index, struct errmsg *err)
{
	const struct tracefile *tf = tc->tf;
	struct page_source src = {
		.tc = tc,
		.buffer = b,
		.layout = {tf->swap, tf->big_endian, tf->long_size, tf->data_offset},
		.builder = {.swap = tf->swap,
			    .big_endian = tf->big_endian,
			    .long_size = tf->long_size,
			    .data_offset = tf->data_offset,
			    .page_size = b->page_size},
	};
	int r = pagebuilder_init(&src.builder);

	if (r < 0)
		return errmsg_set_errno(err, r, "cannot copy %s", tf->path);
	r = writer_write_buffer(w, index, &(struct writer_source){&src, next_page}, err);
	pagestream_free(src.ps);
	pagebuilder_release(&src.builder);
	return r;
}

const struct tracefile_buffer *tracecopy_latency(const struct tracefile *tf)
{
	return ARRAY_FIND(tf->buffers, tf->n_buffers, i, tf->buffers[i].is_text);
}

int tracecopy_all_buffers(void *ctx, struct tracecopy *tc, struct writer *w, struct errmsg *err)
{
	const struct tracefile *tf = tc->tf;
	const struct tracefile_buffer *text = tracecopy_latency(tf);
	int first = -1, r = 0;

	for (size_t i = 0; i < tf->n_buffers && r >= 0; i++) {
		const struct tracefile_buffer *b = &tf->buffers[i];

		if (b->is_text)
			continue;
		r = writer_add_buffer(w, &(struct writer_buffer){b->name, b->clock, b->page_size},
				      err);
		first = first < 0 ? r : first;
	}
	if (r >= 0 && text)
		r = writer_add_latency(w, text->clock, text->text, err);
	for (size_t i = 0; i < tf->n_buffers && r >= 0; i++)
		if (!tf->buffers[i].is_text)
			r = copy_buffer(tc, w, &tf->buffers[i], first++, err);
	return r < 0 ? r : 0;
}

int tracecopy_write(struct tracecopy *tc, const struct writer_config *config, tracecopy_fill *fill,
		    void *ctx, struct errmsg *err)
{
	SCOPED(writer_free_scoped) struct writer *w = NULL;

	TRY(writer_open(&w, config, err));
	TRY(copy_metadata(tc, w, err));
	TRY(fill(ctx, tc, w, err));
	return writer_close(TAKE(w), err);
}
