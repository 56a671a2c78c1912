// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dump.c - prints the content of a trace file besides its events, in the format of trace-cmd.
 *
 *	version 6   in the order of the file
 *	version 7   strings and sections, in the order of the file; then the chain of options, with
 *	            the directories of buffers; then the texts, the last one with an option first
 *
 * Each line belongs to one or more items (dump.h); the caller chooses items. Damaged or truncated
 * parts are skipped and reported as damage of the file.
 *
 * Symbols and formats take megabytes, so each part of the text goes to the caller at once and is
 * not stored.
 */
#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "format/tracedat.h"
#include "present/dump/dump_int.h"
#include "store/tracefile.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHAIN_MAX	  65536
#define POINTERS_MAX	  4096
#define STRINGS_MAX_BYTES (16u << 20)
#define LINE_BYTES	  400 /* enough for nearly every line; longer ones are allocated */

void dump_print(const struct dump *d, unsigned items, const char *fmt, ...)
{
	char line[LINE_BYTES], *heap = NULL;
	va_list ap;
	int n;

	if (!(d->items & items))
		return;
	va_start(ap, fmt);
	n = vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	if (n >= (int)sizeof(line)) {
		va_start(ap, fmt);
		n = vasprintf(&heap, fmt, ap);
		va_end(ap);
	}
	if (n > 0)
		d->put(d->ctx, heap ? heap : line, n);
	free(heap);
}

void dump_print_text(const struct dump *d, unsigned items, struct piece text)
{
	if (!(d->items & items))
		return;
	while (text.len) {
		const uint8_t *nul = memchr(text.data, 0, text.len);
		size_t n = nul ? (size_t)(nul - text.data) : text.len;

		d->put(d->ctx, (const char *)text.data, n);
		n += nul != NULL;
		text = (struct piece){text.data + n, text.len - n};
	}
	d->put(d->ctx, "\n", 1);
}

/* --- texts ------------------------------------------------------------------------------------ */

static struct byte_reader reader(const struct dump *d, struct piece data)
{
	return (struct byte_reader){data.data, data.data + data.len, d->tf->swap, false};
}

static void print_sized(const struct dump *d, unsigned item, const char *name, struct piece text)
{
	dump_print(d, DUMP_SUMMARY | item, "\t[%s, %zu bytes]\n", name, text.len);
	dump_print_text(d, item, text);
}

static void print_formats(const struct dump *d, unsigned item, struct byte_reader *r, uint32_t n)
{
	while (n-- && !r->failed) {
		struct piece text = byte_reader_take_piece(r, byte_reader_take_number(r, 8));

		if (!r->failed)
			dump_print_text(d, item, text);
	}
}

static void print_ftrace(const struct dump *d, struct piece raw)
{
	struct byte_reader r = reader(d, raw);
	uint32_t n = byte_reader_take_number(&r, 4);

	dump_print(d, DUMP_SUMMARY | DUMP_FTRACE_FORMATS, "\t[Ftrace format, %d events]\n", (int)n);
	print_formats(d, DUMP_FTRACE_FORMATS, &r, n);
}

static void print_systems(const struct dump *d, struct piece raw)
{
	struct byte_reader r = reader(d, raw);
	uint32_t n = byte_reader_take_number(&r, 4);

	dump_print(d, DUMP_SUMMARY | DUMP_EVENT_FORMATS | DUMP_SYSTEMS,
		   "\t[Events format, %d systems]\n", (int)n);
	while (n-- && !r.failed) {
		const char *name = byte_reader_take_string(&r);
		uint32_t n_events = byte_reader_take_number(&r, 4);

		if (r.failed)
			break;
		dump_print(d, DUMP_SYSTEMS, "\t\t%s %d [system, events]\n", name, (int)n_events);
		print_formats(d, DUMP_EVENT_FORMATS, &r, n_events);
	}
}

/* Returns the text after its length. The length is limited to the section. */
static struct piece sized(const struct dump *d, struct piece body, unsigned length_bytes)
{
	struct byte_reader r = reader(d, body);
	uint64_t n = byte_reader_take_number(&r, length_bytes);

	return byte_reader_take_piece(&r, n < byte_reader_left(&r) ? n : byte_reader_left(&r));
}

static void print_headers(const struct dump *d, struct piece body)
{
	static const struct {
		unsigned item;
		const char *name;
	} rows[] = {{DUMP_HEAD_PAGE, "Header page"}, {DUMP_HEAD_EVENT, "Header event"}};
	struct byte_reader r = reader(d, body);

	for (int i = 0; i < 2; i++) {
		byte_reader_take_string(&r);
		print_sized(d, rows[i].item, rows[i].name,
			    byte_reader_take_piece(&r, byte_reader_take_number(&r, 8)));
	}
}

/* --- version 6 -------------------------------------------------------------------------------- */

static void print_table_v6(const struct dump *d)
{
	const struct tracefile *tf = d->tf;
	const struct tracefile_buffer *b = &tf->buffers[0];
	struct byte_reader r = {tf->map.data + b->section_offset, tf->map.data + tf->map.len,
				tf->swap, false};

	dump_print(d, DUMP_SUMMARY | DUMP_FLYRECORD, "\t[Flyrecord tracing data]\n");
	for (uint32_t cpu = 0; cpu < tf->cpu_count && !r.failed; cpu++) {
		long long offset = byte_reader_take_number(&r, 8);
		long long n_bytes = byte_reader_take_number(&r, 8);

		dump_print(d, DUMP_FLYRECORD, "\t %10.lld %10.lld\t[offset, size of cpu %u]\n",
			   offset, n_bytes, cpu);
	}
	dump_print(d, DUMP_SUMMARY | DUMP_CLOCK, "\t[Tracing clock]\n");
	if (tracefile_option_find(tf, SNF_OPTION_TRACECLOCK)) {
		struct piece clock = byte_reader_take_piece(&r, byte_reader_take_number(&r, 8));

		dump_print(d, DUMP_SUMMARY | DUMP_CLOCK, "\t\t%.*s\n", (int)clock.len,
			   (const char *)clock.data);
	} else {
		dump_print(d, DUMP_SUMMARY | DUMP_CLOCK,
			   "\t\t No tracing clock saved in the file\n");
	}
}

/*
 * Returns false for a text beyond the end of a truncated file. An empty text inside the file
 * counts.
 */
static bool is_in_file(const struct tracefile *tf, struct piece text)
{
	return text.data >= tf->map.data && text.data <= tf->map.data + tf->map.len;
}

/* Prints the texts up to the end of the file. */
static bool print_texts_v6(struct dump *d)
{
	static const struct {
		enum tracefile_text_kind kind;
		unsigned item;
		const char *name; /* NULL: event formats */
	} texts[] = {
		{TRACEFILE_HEADER_PAGE, DUMP_HEAD_PAGE, "Header page"},
		{TRACEFILE_HEADER_EVENT, DUMP_HEAD_EVENT, "Header event"},
		{TRACEFILE_FTRACE_FORMATS, DUMP_FTRACE_FORMATS, NULL},
		{TRACEFILE_EVENT_FORMATS, DUMP_EVENT_FORMATS, NULL},
		{TRACEFILE_KALLSYMS, DUMP_KALLSYMS, "Kallsyms"},
		{TRACEFILE_PRINTK, DUMP_PRINTK, "Trace printk"},
		{TRACEFILE_CMDLINES, DUMP_CMDLINES, "Saved command lines"},
	};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct piece text = tracefile_text(d->tf, texts[i].kind);

		if (!is_in_file(d->tf, text))
			return false;
		if (texts[i].name)
			print_sized(d, texts[i].item, texts[i].name, text);
		else if (texts[i].kind == TRACEFILE_FTRACE_FORMATS)
			print_ftrace(d, text);
		else
			print_systems(d, text);
	}
	return true;
}

static void print_v6(struct dump *d)
{
	struct tracefile *tf = d->tf;

	if (!print_texts_v6(d))
		return;
	dump_print(d, DUMP_SUMMARY, "\t%u [CPUs with tracing data]\n", tf->cpu_count);
	for (size_t i = 0; i < tf->n_options; i++)
		dump_option(d, tf->options[i].id, tf->options[i].data);
	dump_print(d, DUMP_SUMMARY | DUMP_OPTIONS, "\t[%zu options]\n", tf->n_options);
	if (tf->n_buffers && tf->buffers[0].is_text)
		dump_print(d, DUMP_SUMMARY, "\t[Latency tracing data]\n");
	else if (tf->n_buffers)
		print_table_v6(d);
}

/* --- version 7 -------------------------------------------------------------------------------- */

static const char *description(const struct dump *d, uint32_t offset)
{
	return offset < d->n_strings ? d->strings + offset : "Unknown";
}

static bool section_at(const struct dump *d, uint64_t offset, struct tracefile_section *ret)
{
	struct piece map = d->tf->map;
	struct byte_reader r;

	if (offset > map.len || map.len - offset < SNF_SECTION_HEADER_BYTES) {
		tracefile_add_damage(d->tf, "%s is truncated: a section at byte %llu is missing",
				     d->tf->path, (unsigned long long)offset);
		return false;
	}
	r = reader(d, (struct piece){map.data + offset, SNF_SECTION_HEADER_BYTES});
	ret->offset = offset;
	ret->id = byte_reader_take_number(&r, 2);
	ret->flags = byte_reader_take_number(&r, 2);
	ret->description = byte_reader_take_number(&r, 4);
	ret->n_bytes = byte_reader_take_number(&r, 8);
	return true;
}

bool dump_section_header(const struct dump *d, unsigned items, uint64_t offset,
			 struct tracefile_section *ret)
{
	if (!section_at(d, offset, ret))
		return false;
	dump_print(d, items, "\t[Section %u @ %lld: \"%s\", flags 0x%X, %lld bytes]\n", ret->id,
		   (long long)offset, description(d, ret->description), ret->flags,
		   (long long)ret->n_bytes);
	return true;
}

/* Reads the body of a section. The caller frees *ret_heap. */
static bool section_body(const struct dump *d, const struct tracefile_section *s,
			 struct piece *ret_body, void **ret_heap)
{
	struct errmsg err = {0};

	if (tracefile_section_body(d->tf, s, ret_body, ret_heap, &err) < 0) {
		tracefile_add_damage(d->tf, "%s", err.text);
		return false;
	}
	return true;
}

static void add_strings(struct dump *d, const struct tracefile_section *s)
{
	struct piece body;
	char *more;
	void *heap;

	if (!section_body(d, s, &body, &heap))
		return;
	more = body.len < STRINGS_MAX_BYTES - d->n_strings
		       ? realloc(d->strings, d->n_strings + body.len + 1)
		       : NULL;
	if (more) {
		size_t pos = d->n_strings;

		memcpy(more + pos, body.data, body.len);
		d->strings = more;
		d->n_strings += body.len;
		more[d->n_strings] = 0;
		dump_print(d, DUMP_STRINGS, "\t[String @ offset]\n");
		for (; pos < d->n_strings; pos += strlen(more + pos) + 1)
			dump_print(d, DUMP_STRINGS, "\t\t\"%s\" @ %zu\n", more + pos, pos);
	}
	free(heap);
}

static void print_section(const struct dump *d, const struct tracefile_section *s)
{
	const char *name = description(d, s->description);
	uint64_t body_at = s->offset + SNF_SECTION_HEADER_BYTES;
	bool is_data = s->id == SNF_OPTION_BUFFER || s->id == SNF_OPTION_BUFFER_TEXT;

	dump_print(d, DUMP_SECTIONS, "\t[Section %2d @ %-16lld\t\"%s\", flags 0x%X, ", s->id,
		   (long long)s->offset, name, s->flags);
	if (!(s->flags & SNF_SECTION_COMPRESSED))
		dump_print(d, DUMP_SECTIONS, "%lld bytes]\n", (long long)s->n_bytes);
	else if (is_data || d->tf->map.len - body_at < 8)
		dump_print(d, DUMP_SECTIONS, "%lld compressed bytes]\n", (long long)s->n_bytes);
	else
		dump_print(d, DUMP_SECTIONS, "%d compressed, %d uncompressed]\n",
			   (int)bytes_get32(d->tf->map.data + body_at, d->tf->swap),
			   (int)bytes_get32(d->tf->map.data + body_at + 4, d->tf->swap));
}

static const struct {
	uint16_t id;
	unsigned items;
} text_sections[] = {
	{SNF_OPTION_HEADER_INFO, DUMP_HEAD_PAGE | DUMP_HEAD_EVENT},
	{SNF_OPTION_FTRACE_EVENTS, DUMP_FTRACE_FORMATS},
	{SNF_OPTION_EVENT_FORMATS, DUMP_SYSTEMS | DUMP_EVENT_FORMATS},
	{SNF_OPTION_KALLSYMS, DUMP_KALLSYMS},
	{SNF_OPTION_PRINTK, DUMP_PRINTK},
	{SNF_OPTION_CMDLINES, DUMP_CMDLINES},
	{SNF_OPTION_MODULES, DUMP_MODULES},
};

static unsigned text_items(uint16_t id)
{
	for (size_t i = 0; i < ARRAY_LEN(text_sections); i++)
		if (text_sections[i].id == id)
			return text_sections[i].items;
	return 0;
}

static void print_text_section(struct dump *d, uint16_t id, uint64_t offset)
{
	struct tracefile_section s;
	struct piece body;
	void *heap;

	if (!dump_section_header(d, text_items(id), offset, &s) ||
	    !section_body(d, &s, &body, &heap))
		return;
	if (id == SNF_OPTION_HEADER_INFO)
		print_headers(d, body);
	else if (id == SNF_OPTION_FTRACE_EVENTS)
		print_ftrace(d, body);
	else if (id == SNF_OPTION_EVENT_FORMATS)
		print_systems(d, body);
	else if (id == SNF_OPTION_KALLSYMS)
		print_sized(d, DUMP_KALLSYMS, "Kallsyms", sized(d, body, 4));
	else if (id == SNF_OPTION_PRINTK)
		print_sized(d, DUMP_PRINTK, "Trace printk", sized(d, body, 4));
	else if (id == SNF_OPTION_CMDLINES)
		print_sized(d, DUMP_CMDLINES, "Saved command lines", sized(d, body, 8));
	else
		print_sized(d, DUMP_MODULES, "Modules", body);
	free(heap);
}

struct pointers {
	struct {
		uint16_t id;
		uint64_t offset;
	} rows[POINTERS_MAX];
	size_t n;
};

/* Prints one section of options. Returns the offset of the next one, or 0. */
static uint64_t print_options_section(struct dump *d, struct piece body, size_t *n,
				      struct pointers *p)
{
	struct byte_reader r = reader(d, body);

	while (byte_reader_left(&r)) {
		uint16_t id = byte_reader_take_number(&r, 2);
		struct piece data = byte_reader_take_piece(&r, byte_reader_take_number(&r, 4));

		if (r.failed)
			break;
		++*n;
		if (id == SNF_OPTION_DONE) {
			uint64_t next = data.len >= 8 ? bytes_get64(data.data, d->tf->swap) : 0;

			dump_print(d, DUMP_OPTIONS, "\t\t[Option DONE, %zu bytes]\n", data.len);
			dump_print(d, DUMP_OPTIONS, "%lld\n", (long long)next);
			if (next)
				dump_print(d, DUMP_OPTIONS, "\n\n");
			return next;
		}
		dump_option(d, id, data);
		if (text_items(id) && data.len >= 8 && p->n < POINTERS_MAX) {
			p->rows[p->n].id = id;
			p->rows[p->n++].offset = bytes_get64(data.data, d->tf->swap);
		}
	}
	return 0;
}

/*
 * Returns the offset of the first options, which is the last item of the head, or 0 if the head is
 * incomplete.
 */
static uint64_t first_options(const struct tracefile *tf)
{
	size_t before = SNF_MAGIC_BYTES + sizeof("7") + 6 + strlen(tf->compression_name) + 1 +
			strlen(tf->compression_version) + 1;

	return tf->head_bytes == before + 8 ? bytes_get64(tf->map.data + before, tf->swap) : 0;
}

static void print_chain(struct dump *d, struct pointers *p)
{
	uint64_t offset = first_options(d->tf);
	struct tracefile_section s;
	size_t n = 0;

	for (unsigned i = 0; offset && i < CHAIN_MAX; i++) {
		uint64_t next;
		struct piece body;
		void *heap;

		if (!dump_section_header(d, DUMP_OPTIONS, offset, &s) ||
		    !section_body(d, &s, &body, &heap))
			break;
		next = print_options_section(d, body, &n, p);
		free(heap);
		offset = next > offset ? next : 0; /* a backward offset would loop */
	}
	dump_print(d, DUMP_SUMMARY | DUMP_OPTIONS, "\t[%zu options]\n", n);
}

static int print_v7(struct dump *d)
{
	const struct tracefile *tf = d->tf;
	SCOPED(scope_free) struct pointers *p = calloc(1, sizeof(*p));

	if (!p)
		return -ENOMEM;
	for (size_t i = 0; i < tf->n_sections; i++)
		if (tf->sections[i].id == SNF_OPTION_STRINGS)
			add_strings(d, &tf->sections[i]);
	for (size_t i = 0; i < tf->n_sections; i++)
		print_section(d, &tf->sections[i]);
	print_chain(d, p);
	while (p->n) {
		p->n--;
		print_text_section(d, p->rows[p->n].id, p->rows[p->n].offset);
	}
	dump_print(d, DUMP_SUMMARY | DUMP_SECTIONS, "\t[%zu sections]\n", tf->n_sections);
	return 0;
}

static int emit_file(struct dump *d)
{
	const struct tracefile *tf = d->tf;

	dump_print(d, DUMP_SUMMARY, "\n Tracing meta data in file %s:\n", tf->path);
	dump_print(d, DUMP_SUMMARY, "\t[Initial format]\n");
	dump_print(d, DUMP_SUMMARY, "\t\t%d\t[Version]\n", tf->version);
	dump_print(d, DUMP_SUMMARY, "\t\t%d\t[%s endian]\n", tf->big_endian,
		   tf->big_endian ? "Big" : "Little");
	dump_print(d, DUMP_SUMMARY, "\t\t%d\t[Bytes in a long]\n", tf->writer_long_size);
	dump_print(d, DUMP_SUMMARY, "\t\t%u\t[Page size, bytes]\n", tf->page_size);
	if (tf->version == 6) {
		print_v6(d);
		return 0;
	}
	dump_print(d, DUMP_SUMMARY, "\t\t%s\t[Compression algorithm]\n", tf->compression_name);
	dump_print(d, DUMP_SUMMARY, "\t\t%s\t[Compression version]\n", tf->compression_version);
	return print_v7(d);
}

/* --- the door --------------------------------------------------------------------------------- */

int dump_emit(struct inputs_file *file, unsigned items, dump_put *put, void *ctx)
{
	struct dump d = {.tf = file->tf, .items = items, .put = put, .ctx = ctx};
	int r = emit_file(&d);

	free(d.strings);
	return r;
}
