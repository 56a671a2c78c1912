// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * metadata.c - writes the head of a trace.dat into memory.
 *
 *	version 7:  head, sections HEADER_INFO FTRACE_EVENTS EVENT_FORMATS KALLSYMS PRINTK CMDLINES,
 *	            one OPTIONS section that points to them and contains the given options
 *	version 6:  head, the same texts in a row
 *
 * The metadata is not compressed: the listener writes the file, and uses the compression that the
 * head names. writer.h writes whole files and cannot stop in the middle; this file has the small
 * part that a connection needs. trace-cmd's listener continues after the last byte: it enters the
 * position of its own options in the final option of the section.
 */
#include "wire/metadata.h"

#include "base/array.h"
#include "base/textbuf.h"
#include "format/tracedat.h"

static void add16(struct textbuf *tb, uint16_t v)
{
	textbuf_add(tb, (const char *)&v, sizeof(v));
}

static void add32(struct textbuf *tb, uint32_t v)
{
	textbuf_add(tb, (const char *)&v, sizeof(v));
}

static void add64(struct textbuf *tb, uint64_t v)
{
	textbuf_add(tb, (const char *)&v, sizeof(v));
}

static void add_piece(struct textbuf *tb, struct piece p)
{
	textbuf_add(tb, (const char *)p.data, p.len);
}

static void add_head(const struct metadata *m, int version, struct textbuf *tb)
{
	textbuf_add(tb, SNF_MAGIC, SNF_MAGIC_BYTES);
	textbuf_add_char(tb, '0' + version);
	textbuf_add_char(tb, 0);
	textbuf_add_char(tb, bytes_host_is_big());
	textbuf_add_char(tb, m->long_size);
	add32(tb, m->page_size);
}

/* Adds formats. Their text is never empty: if there are none, the count is 0. */
static void add_formats(struct textbuf *tb, struct piece p)
{
	if (p.len)
		add_piece(tb, p);
	else
		add32(tb, 0);
}

static void add_body(const struct metadata *m, uint16_t id, struct textbuf *tb)
{
	const struct piece *t = m->texts;

	switch (id) {
	case SNF_OPTION_HEADER_INFO:
		textbuf_add(tb, "header_page", 12);
		add64(tb, t[TRACEFILE_HEADER_PAGE].len);
		add_piece(tb, t[TRACEFILE_HEADER_PAGE]);
		textbuf_add(tb, "header_event", 13);
		add64(tb, t[TRACEFILE_HEADER_EVENT].len);
		add_piece(tb, t[TRACEFILE_HEADER_EVENT]);
		break;
	case SNF_OPTION_FTRACE_EVENTS:
		add_formats(tb, t[TRACEFILE_FTRACE_FORMATS]);
		break;
	case SNF_OPTION_EVENT_FORMATS:
		add_formats(tb, t[TRACEFILE_EVENT_FORMATS]);
		break;
	case SNF_OPTION_KALLSYMS:
		add32(tb, t[TRACEFILE_KALLSYMS].len);
		add_piece(tb, t[TRACEFILE_KALLSYMS]);
		break;
	case SNF_OPTION_PRINTK:
		add32(tb, t[TRACEFILE_PRINTK].len);
		add_piece(tb, t[TRACEFILE_PRINTK]);
		break;
	case SNF_OPTION_CMDLINES:
		add64(tb, t[TRACEFILE_CMDLINES].len);
		add_piece(tb, t[TRACEFILE_CMDLINES]);
		break;
	}
}

static const uint16_t sections[] = {SNF_OPTION_HEADER_INFO,   SNF_OPTION_FTRACE_EVENTS,
				    SNF_OPTION_EVENT_FORMATS, SNF_OPTION_KALLSYMS,
				    SNF_OPTION_PRINTK,	      SNF_OPTION_CMDLINES};

#define N_SECTIONS ARRAY_LEN(sections)

/* Starts a section. Returns the position of its size, see end_section(). */
static size_t begin_section(struct textbuf *tb, uint16_t id)
{
	add16(tb, id);
	add16(tb, 0);
	add32(tb, ~0u);
	add64(tb, 0);
	return textbuf_len(tb) - 8;
}

static void patch64(struct textbuf *tb, size_t at, uint64_t v)
{
	if (!tb->overflow)
		memcpy(tb->start + at, &v, sizeof(v));
}

static void end_section(struct textbuf *tb, size_t size_at)
{
	patch64(tb, size_at, textbuf_len(tb) - size_at - 8);
}

static void add_option(struct textbuf *tb, uint16_t id, struct piece data)
{
	add16(tb, id);
	add32(tb, data.len);
	add_piece(tb, data);
}

static void add_number_option(struct textbuf *tb, uint16_t id, const void *number, size_t size)
{
	add_option(tb, id, (struct piece){number, size});
}

static void fmt_7(const struct metadata *m, struct textbuf *tb)
{
	/*
	 * there is no table of versions: trace-cmd checks only the version of zlib, and expects
	 * none for zstd. Version "texts" of "none" has a meaning only for sonde: pages stay
	 * uncompressed, but texts may be compressed.
	 */
	bool packs = m->compression == COMPRESSION_ZSTD && !m->plain_data;
	const char *name = packs ? "zstd" : "none";
	const char *version = m->plain_data ? METADATA_TEXTS : "";
	size_t start = textbuf_len(tb), options_at, size_at;
	uint64_t at[N_SECTIONS], zero = 0;

	add_head(m, 7, tb);
	textbuf_add(tb, name, strlen(name) + 1);
	textbuf_add(tb, version, strlen(version) + 1);
	options_at = textbuf_len(tb);
	add64(tb, 0);
	for (size_t i = 0; i < N_SECTIONS; i++) {
		at[i] = textbuf_len(tb) - start;
		size_at = begin_section(tb, sections[i]);
		add_body(m, sections[i], tb);
		end_section(tb, size_at);
	}
	patch64(tb, options_at, textbuf_len(tb) - start);
	size_at = begin_section(tb, SNF_SECTION_OPTIONS);
	for (size_t i = 0; i < N_SECTIONS; i++)
		add_number_option(tb, sections[i], &at[i], sizeof(at[i]));
	for (size_t i = 0; i < m->n_options; i++)
		add_option(tb, m->options[i].id, m->options[i].data);
	add_number_option(tb, SNF_OPTION_CPUCOUNT, &m->n_cpus, sizeof(m->n_cpus));
	add_number_option(tb, SNF_OPTION_DONE, &zero, sizeof(zero));
	end_section(tb, size_at);
}

static void fmt_6(const struct metadata *m, struct textbuf *tb)
{
	add_head(m, 6, tb);
	for (size_t i = 0; i < N_SECTIONS; i++)
		add_body(m, sections[i], tb);
}

void metadata_fmt(const struct metadata *m, struct textbuf *out)
{
	if (m->protocol == 1)
		fmt_6(m, out);
	else
		fmt_7(m, out);
}

void metadata_fmt_late(uint16_t id, struct piece data, struct textbuf *out)
{
	add_option(out, id, data);
}

bool metadata_is_portable(const struct tracefile *tf, const struct tracefile_option *o)
{
	uint64_t offset =
		tf->version == 7 && o->data.len == 8 ? bytes_get64(o->data.data, tf->swap) : 0;

	if (o->id == SNF_OPTION_DONE || o->id == SNF_OPTION_BUFFER ||
	    o->id == SNF_OPTION_CPUCOUNT ||
	    (o->id >= SNF_OPTION_STRINGS && o->id <= SNF_OPTION_BUFFER_TEXT))
		return false;
	for (size_t i = 0; offset && i < tf->n_sections; i++)
		if (tf->sections[i].offset == offset && tf->sections[i].id == o->id)
			return false;
	return true;
}
