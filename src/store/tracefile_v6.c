// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * tracefile_v6.c - the fixed order of a version 6 file.
 *
 *	"header_page\0" u64 len text    "header_event\0" u64 len text
 *	u32 n, n × (u64 len, text)                       ftrace formats
 *	u32 systems × (cstr, u32 n, n × (u64 len, text)) event formats
 *	u32 len text  kallsyms     u32 len text  printk     u64 len text  command lines
 *	u32 cpus
 *	"options  \0" (u16 id, u32 size, data)… u16 0      then one of
 *	"latency  \0" text to the end of the file
 *	"flyrecord\0" cpus × (u64 offset, u64 size) [u64 len, "[clock]" if a TRACECLOCK option was
 *	there]
 *
 * An instance is a BUFFER option (u64 offset, name) that points to another "flyrecord\0" with a
 * table; a CPUCOUNT option right after it gives that table another length. There is no compression.
 */
#include "format/bytes.h"
#include "store/tracefile_int.h"

#include <string.h>

#define TAG_SEARCH_BYTES \
	((size_t)64 << 20) /* metadata takes about 20 MB; a file may be one large hole */

static void keep_text(struct tracefile *tf, enum tracefile_text_kind kind, struct piece text)
{
	struct tracefile_private *priv = tracefile_private(tf);

	priv->texts[kind] = text;
	priv->text_loaded[kind] = true;
}

static void read_header_texts(struct tracefile *tf, struct byte_reader *r)
{
	static const struct {
		const char *tag;
		enum tracefile_text_kind kind;
	} rows[] = {{"header_page", TRACEFILE_HEADER_PAGE},
		    {"header_event", TRACEFILE_HEADER_EVENT}};

	for (int i = 0; i < 2; i++) {
		if (strcmp(byte_reader_take_string(r), rows[i].tag))
			r->failed = true;
		keep_text(tf, rows[i].kind,
			  byte_reader_take_piece(r, byte_reader_take_number(r, 8)));
	}
}

/* Skips n texts and returns the whole run, including the count, as one piece. */
static void skip_texts(struct byte_reader *r)
{
	uint64_t n = byte_reader_take_number(r, 4);

	while (n-- && !r->failed)
		byte_reader_take(r, byte_reader_take_number(r, 8));
}

static struct piece piece_since(const struct byte_reader *r, const uint8_t *start)
{
	return (struct piece){start, r->pos - start};
}

static void read_metadata(struct tracefile *tf, struct byte_reader *r)
{
	const uint8_t *start = r->pos;
	uint64_t n;

	skip_texts(r);
	keep_text(tf, TRACEFILE_FTRACE_FORMATS, piece_since(r, start));
	if (r->failed)
		return;
	start = r->pos;
	n = byte_reader_take_number(r, 4);
	while (n-- && !r->failed) {
		byte_reader_take_string(r);
		skip_texts(r);
	}
	keep_text(tf, TRACEFILE_EVENT_FORMATS, piece_since(r, start));
	keep_text(tf, TRACEFILE_KALLSYMS, byte_reader_take_piece(r, byte_reader_take_number(r, 4)));
	keep_text(tf, TRACEFILE_PRINTK, byte_reader_take_piece(r, byte_reader_take_number(r, 4)));
	keep_text(tf, TRACEFILE_CMDLINES, byte_reader_take_piece(r, byte_reader_take_number(r, 8)));
	tf->cpu_count = byte_reader_take_number(r, 4);
}

static void read_options(struct tracefile *tf, struct byte_reader *r)
{
	while (!r->failed) {
		unsigned id = byte_reader_take_number(r, 2);
		struct piece data;

		if (!id)
			return;
		data = byte_reader_take_piece(r, byte_reader_take_number(r, 4));
		if (!r->failed && tracefile_add_option(tf, id, data) < 0) {
			tracefile_add_excess(tf, "options");
			return;
		}
	}
}

/*
 * Returns how many of n_cpus CPUs the table at r has room for, and reports damage if some do not
 * fit.
 */
static uint32_t fitting_cpus(struct tracefile *tf, const struct byte_reader *r, uint32_t n_cpus)
{
	uint64_t max = byte_reader_left(r) / 16;

	if (max > TRACEFILE_CPUS_MAX)
		max = TRACEFILE_CPUS_MAX;
	if (n_cpus <= max)
		return n_cpus;
	tracefile_add_damage(tf,
			     "%s is truncated or damaged: its table of %u CPUs at byte %zu has "
			     "room for %llu at most",
			     tf->path, n_cpus, (size_t)(r->pos - tf->map.data),
			     (unsigned long long)max);
	return max;
}

static void read_table(struct tracefile *tf, struct byte_reader *r, const char *name,
		       uint32_t n_cpus)
{
	struct tracefile_buffer *b = tracefile_add_buffer(tf);

	n_cpus = fitting_cpus(tf, r, n_cpus);
	if (!b || !tracefile_add_cpus(tf, b, n_cpus)) {
		tracefile_add_excess(tf, "buffers");
		return;
	}
	b->name = name;
	b->page_size = tf->page_size;
	b->max_cpus = n_cpus;
	b->section_offset = r->pos - tf->map.data;
	for (uint32_t i = 0; i < n_cpus; i++) {
		b->cpus[i].cpu = i;
		b->cpus[i].offset = byte_reader_take_number(r, 8);
		b->cpus[i].n_bytes = byte_reader_take_number(r, 8);
	}
	if (tracefile_option_find(tf, SNF_OPTION_TRACECLOCK))
		b->clock = tracefile_clock_name(
			tf, byte_reader_take_piece(r, byte_reader_take_number(r, 8)));
	if (r->failed)
		tracefile_add_damage(
			tf, "%s is truncated or damaged behind its table of CPUs at byte %llu",
			tf->path, (unsigned long long)b->section_offset);
	tracefile_clip_cpus(tf, b);
}

static void read_instances(struct tracefile *tf)
{
	for (size_t i = 0; i < tf->n_options; i++) {
		struct piece data = tf->options[i].data;
		struct byte_reader o = {data.data, data.data + data.len, tf->swap, false};
		struct byte_reader r = {NULL, tf->map.data + tf->map.len, tf->swap, false};
		uint32_t n_cpus = tf->cpu_count;
		uint64_t offset;
		const char *name;

		if (tf->options[i].id != SNF_OPTION_BUFFER)
			continue;
		offset = byte_reader_take_number(&o, 8);
		name = byte_reader_take_string(&o);
		if (i + 1 < tf->n_options && tf->options[i + 1].id == SNF_OPTION_CPUCOUNT &&
		    tf->options[i + 1].data.len >= 4)
			n_cpus = bytes_get32(tf->options[i + 1].data.data, tf->swap);
		if (o.failed || offset > tf->map.len || tf->map.len - offset < SNF_TAG_BYTES ||
		    memcmp(tf->map.data + offset, SNF_TAG_FLY, SNF_TAG_BYTES)) {
			tracefile_add_damage(tf,
					     "the buffer instance '%.64s' of %s is not where its "
					     "directory says (byte %llu)",
					     name, tf->path, (unsigned long long)offset);
			continue;
		}
		r.pos = tf->map.data + offset + SNF_TAG_BYTES;
		read_table(tf, &r, name, n_cpus);
	}
}

static void read_latency(struct tracefile *tf, struct byte_reader *r)
{
	struct tracefile_buffer *b = tracefile_add_buffer(tf);

	if (!b)
		return;
	b->is_text = true;
	b->max_cpus = tf->cpu_count;
	b->text = byte_reader_take_piece(r, byte_reader_left(r));
}

/* Reads tags up to that of the top-level buffer, or until no tag follows. */
static void read_tags(struct tracefile *tf, struct byte_reader *r)
{
	while (!r->failed) {
		const uint8_t *tag = byte_reader_take(r, SNF_TAG_BYTES);

		if (!tag)
			return;
		if (!memcmp(tag, SNF_TAG_OPTIONS, SNF_TAG_BYTES)) {
			read_options(tf, r);
		} else if (!memcmp(tag, SNF_TAG_LATENCY, SNF_TAG_BYTES)) {
			read_latency(tf, r);
			return;
		} else if (!memcmp(tag, SNF_TAG_FLY, SNF_TAG_BYTES)) {
			read_table(tf, r, "", tf->cpu_count);
			read_instances(tf);
			return;
		} else {
			r->pos = tag;
			return;
		}
	}
}

/*
 * Searches for a tag. If a length in the texts is wrong, everything after it is misread; but the
 * tags have a unique form. The number of CPUs is before the first tag.
 */
static bool find_tag(struct tracefile *tf, struct byte_reader *r, const uint8_t *from,
		     const char *tag)
{
	size_t left = r->end - from;
	const uint8_t *found =
		memmem(from, left < TAG_SEARCH_BYTES ? left : TAG_SEARCH_BYTES, tag, SNF_TAG_BYTES);

	if (!found)
		return false;
	tracefile_add_damage(tf,
			     "%s is damaged: sonde cannot read some of the data between its "
			     "bytes %zu and %zu and ignores it",
			     tf->path, (size_t)(from - tf->map.data),
			     (size_t)(found - tf->map.data));
	r->pos = found;
	r->failed = false;
	return true;
}

void tracefile_read_v6(struct tracefile *tf, struct byte_reader r)
{
	const uint8_t *start = r.pos;

	read_header_texts(tf, &r);
	tracefile_read_header_page(tf, tracefile_text(tf, TRACEFILE_HEADER_PAGE));
	read_metadata(tf, &r);
	if (!r.failed)
		read_tags(tf, &r);
	if (!tf->n_buffers && find_tag(tf, &r, start, SNF_TAG_OPTIONS)) {
		tf->cpu_count = bytes_get32(r.pos - 4, tf->swap);
		read_tags(tf, &r);
	}
	if (!tf->n_buffers && find_tag(tf, &r, start, SNF_TAG_FLY))
		read_tags(tf, &r);
	if (!tf->n_buffers)
		tracefile_add_damage(tf,
				     "%s is truncated or damaged near byte %zu, before its first "
				     "buffer: it has no events to show",
				     tf->path, (size_t)(r.pos - tf->map.data));
	if (tf->cpu_count > TRACEFILE_CPUS_MAX)
		tf->cpu_count = 0;
}
