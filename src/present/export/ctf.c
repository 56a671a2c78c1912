// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ctf.c - exports a trace in the Common Trace Format 1.8, for babeltrace2 and Trace Compass.
 *
 *	DIR/metadata   what the bytes mean, in the language TSDL
 *	DIR/stream     packet, packet …       packet = header, times, sizes; event, event …
 *	               event  = u32 kind, u64 time, u32 CPU, s32 tid, s32 pid, text comm, fields
 *
 * All events are in one stream, in the order of time, because they come in that order; the CPU is
 * part of each. Everything is aligned to bytes and little endian. Fields keep their names, with an
 * underscore in front, which readers remove: otherwise a field could not be called "event". An event
 * is named SYSTEM:NAME, as perf data convert does it.
 *
 *	field                     here
 *	number of 1 to 8 bytes    integer
 *	text, also __data_loc     string
 *	array of numbers          array
 *	what has no fixed length  u32 length and bytes
 *
 * An event whose format the trace does not have is called "unknown", and has its bytes.
 *
 * Lost events are counted in the packets. The format wants times that never fall; an event that is
 * older than the one before it gets the time of that.
 */
#include "base/map.h"
#include "base/textbuf.h"
#include "decode/formats/event.h"
#include "decode/formats/formats.h"
#include "format/bytes.h"
#include "present/export/traceexport.h"
#include "symbols/tasks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC		 0xc1fc1fc1u
#define PACKET_BYTES	 65536u
#define PACKET_MAX_BYTES (4u << 20)
#define METADATA_MAX	 (64u << 20)
#define KINDS_MAX	 65535u
/* magic, stream; begin, end, content, packet, discarded */
#define HEAD_BYTES	 48u

struct trace_export {
	struct trace_export_config config;
	struct textbuf packet; /* the events of the packet that is being made */
	struct textbuf kinds;  /* their text in the metadata */
	struct map ids;	       /* by event: its number + 1 */
	uint32_t n_kinds;
	uint64_t first, last; /* times of the packet */
	uint64_t n_lost;
	bool has_events, has_unknown, failed;
};

enum ctf_form { FORM_NUMBER, FORM_TEXT, FORM_ARRAY, FORM_BYTES };

static enum ctf_form form_of(const struct field *f)
{
	if (f->flags & FIELD_STRING)
		return FORM_TEXT;
	if (f->flags & (FIELD_DYNAMIC | FIELD_RELATIVE) || !f->size)
		return FORM_BYTES;
	if (f->flags & FIELD_ARRAY && f->element_size && f->element_size <= 8 &&
	    f->n_elements * f->element_size == f->size)
		return FORM_ARRAY;
	return f->flags & FIELD_ARRAY || f->size > 8 ? FORM_BYTES : FORM_NUMBER;
}

/*
 * --- metadata ----------------------------------------------------------------------------------
 */

/*
 * is_big: the number has the byte order of a network, whatever the machine has (fields of probes).
 */
static void add_type(struct textbuf *tb, const struct field *f, uint32_t n_bytes, bool is_big)
{
	bool is_signed = f->flags & FIELD_SIGNED;

	if (f->flags & FIELD_REAL && (n_bytes == 4 || n_bytes == 8)) {
		textbuf_addf(tb, "floating_point { exp_dig = %d; mant_dig = %d; align = 8; }",
			     n_bytes == 4 ? 8 : 11, n_bytes == 4 ? 24 : 53);
		return;
	}
	textbuf_addf(tb, "integer { size = %u; align = 8; signed = %d; base = %d; %s}", n_bytes * 8,
		     is_signed, f->flags & (FIELD_POINTER | FIELD_LONG) && !is_signed ? 16 : 10,
		     is_big ? "byte_order = be; " : "");
}

static void describe_field(struct textbuf *tb, const struct field *f, bool is_big)
{
	textbuf_add_str(tb, "\t\t");
	switch (form_of(f)) {
	case FORM_NUMBER:
		add_type(tb, f, f->size, is_big);
		textbuf_addf(tb, " _%s;\n", f->name);
		return;
	case FORM_TEXT:
		textbuf_addf(tb, "string _%s;\n", f->name);
		return;
	case FORM_ARRAY:
		add_type(tb, f, f->element_size, is_big);
		textbuf_addf(tb, " _%s[%u];\n", f->name, f->n_elements);
		return;
	case FORM_BYTES:
		textbuf_addf(tb, "uint32_t _%s_length;\n\t\tuint8_t _%s[_%s_length];\n", f->name,
			     f->name, f->name);
	}
}

static void describe_kind(struct trace_export *x, const struct event *ev, uint32_t id)
{
	struct textbuf *tb = &x->kinds;

	textbuf_addf(tb, "event {\n\tname = \"%s:%s\";\n\tid = %u;\n\tfields := struct {\n",
		     ev->system, ev->name, id);
	for (size_t i = 0; i < ev->n_fields; i++)
		describe_field(tb, &ev->fields[i],
			       ev->fields[i].flags & FIELD_BIG_ENDIAN &&
				       !ev->formats->swap == !bytes_host_is_big());
	textbuf_add_str(tb, "\t};\n};\n\n");
}

static void ctf_describe(struct trace_export *x, struct textbuf *out)
{
	textbuf_add_str(
		out,
		"/* CTF 1.8 */\n\n"
		"typealias integer { size = 8; align = 8; signed = 0; } := uint8_t;\n"
		"typealias integer { size = 32; align = 8; signed = 0; } := uint32_t;\n"
		"typealias integer { size = 32; align = 8; signed = 1; } := int32_t;\n"
		"typealias integer { size = 64; align = 8; signed = 0; } := uint64_t;\n\n"
		"trace {\n\tmajor = 1;\n\tminor = 8;\n\tbyte_order = le;\n"
		"\tpacket.header := struct { uint32_t magic; uint32_t stream_id; };\n};\n\n"
		"env {\n\tdomain = \"kernel\";\n\ttracer_name = \"sonde\";\n};\n\n"
		"clock {\n\tname = \"trace\";\n\tfreq = 1000000000;\n\toffset = 0;\n};\n\n"
		"typealias integer { size = 64; align = 8; signed = 0; map = clock.trace.value; } "
		":= time_t;\n\n"
		"stream {\n\tid = 0;\n"
		"\tpacket.context := struct {\n\t\ttime_t timestamp_begin;\n"
		"\t\ttime_t timestamp_end;\n\t\tuint64_t content_size;\n"
		"\t\tuint64_t packet_size;\n\t\tuint64_t events_discarded;\n\t};\n"
		"\tevent.header := struct { uint32_t id; time_t timestamp; };\n"
		"\tevent.context := struct {\n\t\tuint32_t _cpu_id;\n\t\tint32_t _tid;\n"
		"\t\tint32_t _pid;\n\t\tstring _procname;\n\t};\n};\n\n");
	if (x->has_unknown)
		textbuf_add_str(out, "event {\n\tname = \"unknown\";\n\tid = 0;\n"
				     "\tfields := struct {\n\t\tuint32_t _data_length;\n"
				     "\t\tuint8_t _data[_data_length];\n\t};\n};\n\n");
	textbuf_add(out, x->kinds.start ? x->kinds.start : "", textbuf_len(&x->kinds));
	out->overflow |= x->kinds.overflow;
}

/*
 * --- the stream --------------------------------------------------------------------------------
 */

static void put_number(struct textbuf *tb, uint64_t v, uint32_t n_bytes)
{
	char bytes[8];

	for (uint32_t i = 0; i < n_bytes; i++)
		bytes[i] = (char)(v >> (8 * i));
	textbuf_add(tb, bytes, n_bytes);
}

static void put_text(struct textbuf *tb, const char *s, size_t max)
{
	textbuf_add(tb, s, strnlen(s, max));
	textbuf_add_char(tb, 0);
}

/* The bytes of the field in the record; those of a dynamic one are elsewhere. */
static struct piece bytes_of(const struct formats *f, const struct record *rec,
			     const struct field *field)
{
	uint64_t place, at = field->offset, len = field->size;

	if (field->flags & (FIELD_DYNAMIC | FIELD_RELATIVE)) {
		struct field word = *field;

		word.size = 4;
		if (!formats_read(f, rec, &word, &place))
			return PIECE_EMPTY;
		at = place & 0xffff;
		if (field->flags & FIELD_RELATIVE)
			at += field->offset + 4;
		len = place >> 16 & 0xffff;
	} else if (!len || at + len > rec->size) { /* the last field: up to the end */
		len = at < rec->size ? rec->size - at : 0;
	}
	if (at + len > rec->size) /* as in reports: a text that is not all there is none */
		return PIECE_EMPTY;
	return (struct piece){rec->data + at, len};
}

static void put_field(struct textbuf *tb, const struct formats *f, const struct record *rec,
		      const struct field *field)
{
	struct piece p = bytes_of(f, rec, field);
	uint64_t v = 0;

	switch (form_of(field)) {
	case FORM_NUMBER:
		formats_read(f, rec, field, &v);
		put_number(tb, v, field->size);
		return;
	case FORM_TEXT:
		put_text(tb, (const char *)p.data, p.len);
		return;
	case FORM_ARRAY:
		for (uint32_t i = 0; i < field->n_elements; i++) {
			size_t at = (size_t)i * field->element_size;

			v = at + field->element_size <= p.len
				    ? bytes_get(p.data + at, field->element_size, f->swap)
				    : 0;
			put_number(tb, v, field->element_size);
		}
		return;
	case FORM_BYTES:
		put_number(tb, p.len, 4);
		textbuf_add(tb, (const char *)p.data, p.len);
	}
}

static void end_packet(struct trace_export *x, struct textbuf *out)
{
	uint64_t n_bits = 8 * (HEAD_BYTES + (uint64_t)textbuf_len(&x->packet));

	if (!x->has_events)
		return;
	put_number(out, MAGIC, 4);
	put_number(out, 0, 4);
	put_number(out, x->first, 8);
	put_number(out, x->last, 8);
	put_number(out, n_bits, 8);
	put_number(out, n_bits, 8);
	put_number(out, x->n_lost, 8);
	textbuf_add(out, x->packet.start, textbuf_len(&x->packet));
	out->overflow |= x->packet.overflow;
	textbuf_clear(&x->packet);
	x->has_events = false;
}

static uint32_t id_of(struct trace_export *x, const struct event *ev)
{
	void **slot = map_take(&x->ids, (uintptr_t)ev, KINDS_MAX);

	if (!slot) {
		x->failed = true;
		return 0;
	}
	if (!*slot) {
		*slot = (void *)(uintptr_t)++x->n_kinds;
		describe_kind(x, ev, x->n_kinds);
	}
	return (uint32_t)(uintptr_t)*slot;
}

static void add_record(struct trace_export *x, const struct record *rec, struct textbuf *out)
{
	const struct formats *f = x->config.style->sources[rec->source].formats;
	uint32_t id = rec->event ? id_of(x, rec->event) : 0;
	struct textbuf *tb = &x->packet;

	if (rec->flags & RECORD_MISSED) { /* they are before this event: the packet ends */
		end_packet(x, out);
		x->n_lost += rec->extra->missed > 0 ? (uint64_t)rec->extra->missed : 1;
	}
	if (rec->ts > x->last)
		x->last = rec->ts;
	if (!x->has_events)
		x->first = x->last;
	x->has_events = true;
	put_number(tb, id, 4);
	put_number(tb, x->last, 8);
	put_number(tb, rec->cpu, 4);
	put_number(tb, (uint64_t)formats_common(f, &f->pid, rec->data, rec->size), 4);
	put_number(tb, (uint64_t)(rec->task ? rec->task->tgid : -1), 4);
	put_text(tb, rec->task && rec->task->known ? rec->task->comm : "",
		 rec->task && rec->task->known ? rec->task->comm_len : 0);
	if (!rec->event) {
		put_number(tb, rec->size, 4);
		textbuf_add(tb, (const char *)rec->data, rec->size);
		x->has_unknown = true;
	}
	for (size_t i = 0; rec->event && i < rec->event->n_fields; i++)
		put_field(tb, f, rec, &rec->event->fields[i]);
	if (textbuf_len(tb) > PACKET_BYTES)
		end_packet(x, out);
}

static int ctf_new(struct trace_export **ret, const struct trace_export_config *config)
{
	struct trace_export *x = calloc(1, sizeof(*x));

	if (!x)
		return -ENOMEM;
	x->config = *config;
	textbuf_init(&x->packet, PACKET_MAX_BYTES);
	textbuf_init(&x->kinds, METADATA_MAX);
	*ret = x;
	return 0;
}

static void ctf_add(struct trace_export *x, const struct batch *b, struct textbuf *out)
{
	for (size_t i = 0; i < b->n; i++)
		add_record(x, &b->records[i], out);
	out->overflow |= x->failed;
}

static void ctf_finish(struct trace_export *x, struct textbuf *out)
{
	end_packet(x, out);
}

static void ctf_free(struct trace_export *x)
{
	textbuf_release(&x->packet);
	textbuf_release(&x->kinds);
	map_release(&x->ids);
	free(x);
}

const struct trace_export_kind export_ctf = {
	.name = "ctf",
	.suffix = "ctf",
	.new = ctf_new,
	.add = ctf_add,
	.finish = ctf_finish,
	.describe = ctf_describe,
	.free = ctf_free,
};
