// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * tracefile_v7.c - sections and the chain of options of a version 7 file.
 *
 *	head ─▶ [OPTIONS] ─▶ [OPTIONS] ─▶ 0        each ends with DONE: offset of the next, or 0
 *	          │ KALLSYMS at …   │ BUFFER: section offset, name, clock, page size, CPUs with data
 *	          ▼                 ▼
 *	       [section]          [section with sub-buffers]
 *
 * The chain is followed first, because it determines which sections are used. Then all sections
 * are walked from the head on: this finds the STRINGS (nothing points to them), and `dump` needs
 * the list. If the chain is broken (trace-cmd writes a buffer's directory after its data, so a
 * truncated file has none), recover.c finds the buffers among the sections.
 *
 * The walk ends at a section whose stated size is 0 or exceeds the file.
 */
#include "base/array.h"
#include "format/tracedat.h"
#include "store/tracefile_int.h"
#include "store/unpack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CHAIN_MAX 65536 /* maximum of option sections; usually there is one per buffer */

static bool section_at(const struct tracefile *tf, uint64_t offset, struct tracefile_section *ret)
{
	struct byte_reader r = {.end = tf->map.data + tf->map.len, .swap = tf->swap};

	if (offset > tf->map.len || tf->map.len - offset < SNF_SECTION_HEADER_BYTES)
		return false;
	r.pos = tf->map.data + offset;
	ret->offset = offset;
	ret->id = byte_reader_take_number(&r, 2);
	ret->flags = byte_reader_take_number(&r, 2);
	ret->description = byte_reader_take_number(&r, 4);
	ret->n_bytes = byte_reader_take_number(&r, 8);
	return true;
}

static struct piece section_stored(const struct tracefile *tf, const struct tracefile_section *s)
{
	uint64_t start = s->offset + SNF_SECTION_HEADER_BYTES, left = tf->map.len - start;

	return (struct piece){tf->map.data + start, s->n_bytes < left ? s->n_bytes : left};
}

int tracefile_section_body(const struct tracefile *tf, const struct tracefile_section *section,
			   struct piece *ret_body, void **ret_heap, struct errmsg *err)
{
	struct piece stored = section_stored(tf, section);
	struct byte_reader r = {stored.data, stored.data + stored.len, tf->swap, false};
	uint32_t n_packed, n_plain;
	void *heap;

	*ret_heap = NULL;
	if (!(section->flags & SNF_SECTION_COMPRESSED)) {
		*ret_body = stored;
		return 0;
	}
	n_packed = byte_reader_take_number(&r, 4);
	n_plain = byte_reader_take_number(&r, 4);
	if (r.failed || n_packed > byte_reader_left(&r) || n_plain > UNPACK_MAX_BYTES)
		return errmsg_set(err, -EBADMSG,
				  "the section at byte %llu of %s is truncated or damaged",
				  (unsigned long long)section->offset, tf->path);
	heap = malloc((size_t)n_plain + 1);
	if (!heap)
		return errmsg_set_errno(err, -ENOMEM, "cannot uncompress a section of %s",
					tf->path);
	if (unpack(tf->compression, byte_reader_take_piece(&r, n_packed), heap, n_plain) < 0) {
		free(heap);
		return errmsg_set(err, -EBADMSG,
				  "the section at byte %llu of %s cannot be uncompressed "
				  "(%s)",
				  (unsigned long long)section->offset, tf->path,
				  tf->compression_name);
	}
	((char *)heap)[n_plain] = 0;
	*ret_heap = heap;
	*ret_body = (struct piece){heap, n_plain};
	return 0;
}

/*
 * Keeps the memory until the file is closed. If that exceeds the limit, frees it and returns false.
 */
static bool keep_heap(struct tracefile *tf, void *heap, size_t n_bytes)
{
	struct tracefile_private *priv = tracefile_private(tf);
	size_t max = ARRAY_LEN(priv->heaps);

	if (heap && (priv->n_heaps == max || priv->heap_bytes + n_bytes > UNPACK_SUM_MAX_BYTES)) {
		tracefile_add_damage(
			tf, "%s has more metadata than is plausible; sonde ignores the rest",
			tf->path);
		free(heap);
		return false;
	}
	if (heap) {
		priv->heaps[priv->n_heaps++] = heap;
		priv->heap_bytes += n_bytes;
	}
	return true;
}

/* Reads a body and keeps it until the file is closed. */
static struct piece keep_body(struct tracefile *tf, uint64_t offset)
{
	struct tracefile_section s;
	struct errmsg err = {0};
	struct piece body = PIECE_EMPTY;
	void *heap;

	if (!section_at(tf, offset, &s)) {
		tracefile_add_damage(tf, "%s is truncated: a section at byte %llu is missing",
				     tf->path, (unsigned long long)offset);
		return body;
	}
	if (tracefile_section_body(tf, &s, &body, &heap, &err) < 0) {
		tracefile_add_damage(tf, "%s", err.text);
		return PIECE_EMPTY;
	}
	if (!keep_heap(tf, heap, body.len))
		return PIECE_EMPTY;
	return body;
}

/*
 * Returns the position of a text: from its option, or, if there is none, the first section of that
 * id.
 */
static uint64_t option_offset(struct tracefile *tf, unsigned id)
{
	const struct tracefile_option *o = tracefile_option_find(tf, id);

	if (o && o->data.len >= 8)
		return bytes_get64(o->data.data, tf->swap);
	for (size_t i = 0; i < tf->n_sections; i++)
		if (tf->sections[i].id == id)
			return tf->sections[i].offset;
	return 0;
}

/*
 * Loads section 16, which holds both header texts: "header_page\0" u64 len text "header_event\0"
 * u64 len text.
 */
static void load_headers(struct tracefile *tf)
{
	struct tracefile_private *priv = tracefile_private(tf);
	uint64_t offset = option_offset(tf, SNF_OPTION_HEADER_INFO);
	struct piece body = offset ? keep_body(tf, offset) : PIECE_EMPTY;
	struct byte_reader r = {body.data, body.data + body.len, tf->swap, false};

	for (int i = 0; i < 2; i++) {
		struct piece text;

		byte_reader_take_string(&r);
		text = byte_reader_take_piece(&r, byte_reader_take_number(&r, 8));
		priv->texts[TRACEFILE_HEADER_PAGE + i] = text;
		priv->text_loaded[TRACEFILE_HEADER_PAGE + i] = true;
	}
}

struct piece tracefile_load_text_v7(struct tracefile *tf, enum tracefile_text_kind kind)
{
	static const struct {
		uint8_t option, length_bytes; /* length_bytes: size of the length before the text */
	} rows[TRACEFILE_TEXT_KINDS] = {
		[TRACEFILE_FTRACE_FORMATS] = {SNF_OPTION_FTRACE_EVENTS, 0},
		[TRACEFILE_EVENT_FORMATS] = {SNF_OPTION_EVENT_FORMATS, 0},
		[TRACEFILE_KALLSYMS] = {SNF_OPTION_KALLSYMS, 4},
		[TRACEFILE_PRINTK] = {SNF_OPTION_PRINTK, 4},
		[TRACEFILE_CMDLINES] = {SNF_OPTION_CMDLINES, 8},
	};
	uint64_t offset = option_offset(tf, rows[kind].option), len;
	struct piece body = offset ? keep_body(tf, offset) : PIECE_EMPTY;
	struct byte_reader r = {body.data, body.data + body.len, tf->swap, false};

	if (!rows[kind].length_bytes || !body.len)
		return body;
	len = byte_reader_take_number(&r, rows[kind].length_bytes);
	return byte_reader_take_piece(&r, len < byte_reader_left(&r) ? len : byte_reader_left(&r));
}

/*
 * Returns the clock of the file for a buffer that names no clock. An empty buffer may not name one.
 */
static const char *settle_clock(struct tracefile *tf, const char *clock)
{
	const struct tracefile_option *o = tracefile_option_find(tf, SNF_OPTION_TRACECLOCK);

	if (*clock)
		return clock;
	return o ? tracefile_clock_name(tf, o->data) : NULL;
}

static void read_buffer_option(struct tracefile *tf, struct piece data)
{
	struct byte_reader o = {data.data, data.data + data.len, tf->swap, false};
	uint64_t offset = byte_reader_take_number(&o, 8);
	const char *name = byte_reader_take_string(&o);
	const char *clock = byte_reader_take_string(&o);
	uint32_t page_size = byte_reader_take_number(&o, 4);
	uint32_t n_cpus = byte_reader_take_number(&o, 4);
	struct tracefile_section s;
	struct tracefile_buffer *b;

	if (o.failed || byte_reader_left(&o) / 20 < n_cpus ||
	    !tracefile_page_size_is_sane(page_size) || !section_at(tf, offset, &s)) {
		tracefile_add_damage(tf, "the directory entry of buffer '%.64s' in %s is damaged",
				     name, tf->path);
		return;
	}
	b = tracefile_add_buffer(tf);
	if (!b || !tracefile_add_cpus(tf, b, n_cpus)) {
		tracefile_add_excess(tf, "buffers");
		return;
	}
	b->name = name;
	b->clock = settle_clock(tf, clock);
	b->page_size = page_size;
	b->section_offset = offset;
	b->compressed = s.flags & SNF_SECTION_COMPRESSED;
	for (b->n_cpus = 0; n_cpus--;) {
		struct tracefile_cpu *c = &b->cpus[b->n_cpus];

		c->cpu = byte_reader_take_number(&o, 4);
		c->offset = byte_reader_take_number(&o, 8);
		c->n_bytes = byte_reader_take_number(&o, 8);
		if (c->cpu < TRACEFILE_CPUS_MAX)
			b->n_cpus++;
		else
			tracefile_add_excess(tf, "CPUs");
	}
	tracefile_clip_cpus(tf, b);
}

/*
 * Reads a compressed latency text, which is in chunks like sub-buffers. Stops where they are
 * damaged.
 */
static struct piece keep_text_chunks(struct tracefile *tf, const struct tracefile_section *s)
{
	struct piece stored = section_stored(tf, s);
	struct byte_reader r = {stored.data, stored.data + stored.len, tf->swap, false};
	uint32_t n_chunks = byte_reader_take_number(&r, 4), n = 0;
	uint8_t *heap = NULL, *more;
	size_t len = 0;

	for (; n < n_chunks; n++) {
		uint32_t n_packed = byte_reader_take_number(&r, 4);
		uint32_t n_plain = byte_reader_take_number(&r, 4);
		struct piece packed = byte_reader_take_piece(&r, n_packed);

		if (r.failed || n_plain > UNPACK_MAX_BYTES - len)
			break;
		more = realloc(heap, len + n_plain + 1);
		if (!more)
			break;
		heap = more;
		if (unpack(tf->compression, packed, heap + len, n_plain) < 0)
			break;
		len += n_plain;
	}
	if (n < n_chunks)
		tracefile_add_damage(
			tf, "%s: the text at byte %llu is truncated or damaged after %zu bytes",
			tf->path, (unsigned long long)s->offset, len);
	return heap && keep_heap(tf, heap, len) ? (struct piece){heap, len} : PIECE_EMPTY;
}

static void read_text_option(struct tracefile *tf, struct piece data)
{
	struct byte_reader o = {data.data, data.data + data.len, tf->swap, false};
	uint64_t offset = byte_reader_take_number(&o, 8);
	struct tracefile_buffer *b = tracefile_add_buffer(tf);
	struct tracefile_section s;

	if (!b) {
		tracefile_add_excess(tf, "buffers");
		return;
	}
	b->is_text = true;
	b->name = byte_reader_take_string(&o);
	b->clock = byte_reader_take_string(&o);
	b->section_offset = offset;
	if (section_at(tf, offset, &s) && s.flags & SNF_SECTION_COMPRESSED)
		b->text = keep_text_chunks(tf, &s);
	else
		b->text = keep_body(tf, offset);
}

/*
 * Reads a section of options. Returns false if it has no end, so that the position of the next
 * section is unknown.
 */
static bool read_option_section(struct tracefile *tf, struct piece body, uint64_t *ret_next)
{
	struct byte_reader r = {body.data, body.data + body.len, tf->swap, false};

	while (byte_reader_left(&r)) {
		unsigned id = byte_reader_take_number(&r, 2);
		struct piece data = byte_reader_take_piece(&r, byte_reader_take_number(&r, 4));

		if (r.failed)
			break;
		if (id == SNF_OPTION_DONE) {
			*ret_next = data.len >= 8 ? bytes_get64(data.data, tf->swap) : 0;
			return true;
		}
		if (tracefile_add_option(tf, id, data) < 0) {
			tracefile_add_excess(tf, "options");
			break;
		}
		if (id == SNF_OPTION_BUFFER)
			read_buffer_option(tf, data);
		else if (id == SNF_OPTION_BUFFER_TEXT)
			read_text_option(tf, data);
	}
	return false;
}

/*
 * Reads the options at `offset` and the sections that they name. Returns false if the chain is
 * broken. *ret_last: the last section that could be read.
 */
static bool read_chain(struct tracefile *tf, uint64_t offset, uint64_t *ret_last)
{
	for (unsigned i = 0; i < CHAIN_MAX; i++) {
		struct tracefile_section s;
		struct errmsg err = {0};
		struct piece body;
		uint64_t next;
		void *heap;

		if (!section_at(tf, offset, &s) || s.id != SNF_SECTION_OPTIONS ||
		    tracefile_section_body(tf, &s, &body, &heap, &err) < 0 ||
		    !keep_heap(tf, heap, body.len))
			return false;
		*ret_last = offset;
		if (!read_option_section(tf, body, &next))
			return false;
		if (!next)
			return true;
		/* Offsets only grow: a chain that goes back is a loop. */
		if (next <= offset)
			return false;
		offset = next;
	}
	return false;
}

static bool is_cut(const struct tracefile *tf, const struct tracefile_section *s)
{
	return s->n_bytes > tf->map.len - s->offset - SNF_SECTION_HEADER_BYTES;
}

/*
 * Returns where the section after `s` begins, or 0 if unknown. A buffer is first written with size
 * 0, and its size is set when it is complete; but a buffer without data keeps size 0. In that case
 * a section with options follows directly.
 */
static uint64_t section_next(const struct tracefile *tf, const struct tracefile_section *s)
{
	uint64_t start = s->offset + SNF_SECTION_HEADER_BYTES;
	struct tracefile_section next;

	if (is_cut(tf, s))
		return 0;
	if (!s->n_bytes && s->id == SNF_OPTION_BUFFER &&
	    (!section_at(tf, start, &next) || next.id != SNF_SECTION_OPTIONS || !next.n_bytes ||
	     next.n_bytes > tf->map.len - start - SNF_SECTION_HEADER_BYTES))
		return 0;
	return start + s->n_bytes;
}

static void walk_sections(struct tracefile *tf)
{
	struct tracefile_section s;

	for (uint64_t at = tf->head_bytes; section_at(tf, at, &s);) {
		if (tracefile_add_section(tf, &s) < 0) {
			tracefile_add_excess(tf, "sections");
			return;
		}
		at = section_next(tf, &s);
		if (!at)
			return;
	}
}

/*
 * Searches for the rest of the directory after the chain of options broke at the section at `last`.
 * Each section has a type, so later sections with options (and texts, see option_offset()) are
 * found without the chain.
 */
static void recover_directory(struct tracefile *tf, uint64_t last)
{
	for (size_t i = 0; i < tf->n_sections; i++)
		if (tf->sections[i].id == SNF_SECTION_OPTIONS && tf->sections[i].offset > last)
			read_chain(tf, tf->sections[i].offset, &last);
}

static void settle_cpu_count(struct tracefile *tf)
{
	const struct tracefile_option *o = tracefile_option_find(tf, SNF_OPTION_CPUCOUNT);
	struct tracefile_buffer *b = (struct tracefile_buffer *)tf->buffers;

	if (o && o->data.len >= 4)
		tf->cpu_count = bytes_get32(o->data.data, tf->swap);
	if (tf->cpu_count > TRACEFILE_CPUS_MAX)
		tf->cpu_count = 0;
	for (size_t i = 0; i < tf->n_buffers; i++)
		if (b[i].max_cpus < tf->cpu_count)
			b[i].max_cpus = tf->cpu_count;
}

void tracefile_read_v7(struct tracefile *tf, struct byte_reader r)
{
	uint64_t first, last = 0;
	bool whole;

	tf->compression_name = byte_reader_take_string(&r);
	tf->compression_version = byte_reader_take_string(&r);
	first = byte_reader_take_number(&r, 8);
	tf->compression = compression_parse(tf->compression_name);
	tf->head_bytes = r.pos - tf->map.data;
	if (r.failed) {
		tracefile_add_damage(tf, "%s is truncated in its head (byte %zu): nothing to read",
				     tf->path, tf->map.len);
		return;
	}
	if (tf->compression == COMPRESSION_UNKNOWN)
		tracefile_add_damage(
			tf,
			"%s is compressed with '%.20s', which sonde does not know; convert it "
			"to zstd or zlib where it was made",
			tf->path, tf->compression_name);
	whole = read_chain(tf, first, &last);
	walk_sections(tf);
	if (!whole)
		recover_directory(tf, last);
	load_headers(tf);
	tracefile_read_header_page(tf, tracefile_text(tf, TRACEFILE_HEADER_PAGE));
	if (!whole || !tf->n_buffers)
		tracefile_recover_v7(tf);
	else if (tf->n_sections && is_cut(tf, &tf->sections[tf->n_sections - 1]))
		tracefile_add_damage(
			tf,
			"%s is truncated at byte %zu, in its last section: all events are there",
			tf->path, tf->map.len);
	settle_cpu_count(tf);
}
