// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * values.c - libsonde: the values of an event's fields, as numbers, bytes and texts.
 *
 * Numbers and bytes come straight from the record. Texts are those of report: a struct keyreader
 * for each file has the printer and its caches. What a field means in texts (struct key_slot) is
 * found out once for each field.
 */
#include "analyse/keys.h"
#include "base/textbuf.h"
#include "library/library_int.h"

#include "decode/formats/formats.h"
#include "decode/print/print.h"
#include "format/bytes.h"
#include "symbols/tasks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS_MAX 1000000

/* Reads the bits of a number, sign-extended. */
static bool read_bits(const struct sonde_event *ev, const struct field *f, uint64_t *ret)
{
	bool swap;

	if (!f || !ev->kind || f->size > 8 || (uint64_t)f->offset + f->size > ev->size)
		return false;
	swap = library_event(ev->kind)->formats->swap;
	*ret = field_number(f, bytes_get(ev->data + f->offset, f->size, swap));
	if (field_is_gone(f, *ret))
		return false;
	if (f->flags & FIELD_SIGNED && f->size < 8)
		*ret = (uint64_t)bytes_extend_sign(*ret, f->size);
	return true;
}

PUBLIC int sonde_event_integer(const struct sonde_event *event, const struct sonde_field *field,
			       int64_t *ret)
{
	enum sonde_type type = field ? sonde_field_type(field) : SONDE_NULL;
	uint64_t bits;

	if ((type != SONDE_INTEGER && type != SONDE_UNSIGNED) ||
	    !read_bits(event, library_field(field), &bits))
		return 0;
	*ret = (int64_t)bits;
	return 1;
}

PUBLIC int sonde_event_real(const struct sonde_event *event, const struct sonde_field *field,
			    double *ret)
{
	enum sonde_type type = field ? sonde_field_type(field) : SONDE_NULL;
	uint64_t bits;

	if (type == SONDE_NULL || type == SONDE_TEXT || type == SONDE_BYTES ||
	    !read_bits(event, library_field(field), &bits))
		return 0;
	if (type == SONDE_REAL)
		*ret = real_of(library_field(field), bits);
	else
		*ret = type == SONDE_UNSIGNED ? (double)bits : (double)(int64_t)bits;
	return 1;
}

PUBLIC int64_t sonde_event_number(const struct sonde_event *event, const char *field,
				  int64_t otherwise)
{
	int64_t v;

	return sonde_event_integer(event, sonde_kind_find(event->kind, field), &v) ? v : otherwise;
}

/* Follows __data_loc without a printer, so that no sonde_events is needed. */
PUBLIC int sonde_event_bytes(const struct sonde_event *event, const struct sonde_field *field,
			     const uint8_t **ret, size_t *ret_len)
{
	const struct field *f = field ? library_field(field) : NULL;
	struct printer p = {.data = event->data, .size = event->size};
	struct piece bytes;

	if (!f || !event->kind || (uint64_t)f->offset + f->size > event->size)
		return 0;
	p.ev = library_event(event->kind);
	p.formats = p.ev->formats;
	p.swap = p.formats->swap;
	bytes = printer_field_bytes(&p, f);
	*ret = bytes.data;
	*ret_len = bytes.len;
	return 1;
}

/* --- texts ------------------------------------------------------------------------------------ */

struct reader *library_reader(struct sonde_events *e, uint32_t file)
{
	struct reader *r = file < e->in.n_files ? &e->readers[file] : NULL;

	if (!r || r->is_ready)
		return r;
	if (keyreader_init(&r->keys, e->in.files[file].formats) < 0) {
		keyreader_release(&r->keys);
		return NULL;
	}
	r->is_ready = true;
	return r;
}

struct record library_record(struct sonde_events *e, const struct sonde_event *event)
{
	return (struct record){.ts = event->ts,
			       .data = event->data,
			       .event = library_event(event->kind),
			       .task = tasks_find(&e->in.files[event->file].tasks, event->pid),
			       .size = event->size,
			       .cpu = event->cpu,
			       .source = (uint16_t)event->source};
}

static const struct key_slot *slot_of(struct reader *r, const struct event *ev,
				      const struct field *f)
{
	void **slot = map_take(&r->slots, (uintptr_t)f, FIELDS_MAX);
	struct key_slot *made;

	if (!slot || *slot)
		return slot ? *slot : NULL;
	made = malloc(sizeof(*made));
	if (!made) {
		map_remove(&r->slots, (uintptr_t)f);
		return NULL;
	}
	*made = key_bind(ev, f->name);
	*slot = made;
	return made;
}

PUBLIC const char *sonde_event_text(struct sonde_events *e, const struct sonde_event *event,
				    const struct sonde_field *field, size_t *ret_len)
{
	const struct field *f = field ? library_field(field) : NULL;
	const struct key_slot *slot;
	struct reader *reader;
	struct record rec;

	if (!f || !event->kind || (uint64_t)f->offset + f->size > event->size)
		return NULL;
	reader = library_reader(e, event->file);
	slot = reader ? slot_of(reader, library_event(event->kind), f) : NULL;
	if (!slot || slot->kind == KEY_ABSENT)
		return NULL;
	rec = library_record(e, event);
	textbuf_clear(&e->text);
	key_fmt(&reader->keys, slot, key_read(&reader->keys, slot, &rec), &e->text);
	if (ret_len)
		*ret_len = textbuf_len(&e->text);
	return textbuf_text(&e->text);
}

PUBLIC const char *sonde_event_info(struct sonde_events *e, const struct sonde_event *event,
				    size_t *ret_len)
{
	struct reader *reader = event->kind ? library_reader(e, event->file) : NULL;
	struct record rec;
	struct textbuf *kept;

	if (!reader)
		return NULL;
	rec = library_record(e, event);
	if (!rec.task)
		return NULL;
	kept = reader->keys.printer.out;
	reader->keys.printer.out = &e->text;
	textbuf_clear(&e->text);
	printer_print(&reader->keys.printer, &rec, false);
	reader->keys.printer.out = kept;
	while (textbuf_len(&e->text) && e->text.pos[-1] == '\n')
		e->text.pos--;
	if (ret_len)
		*ret_len = textbuf_len(&e->text);
	return textbuf_text(&e->text);
}
