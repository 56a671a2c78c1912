// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * eventcolumns.c - fields of events as columns of SQL.
 *
 *	C type, print format          column
 *	number                        INTEGER; above 2^63: its digits as text
 *	double, float                 REAL
 *	text                          TEXT
 *	number shown by a name,       TEXT as report shows it, and a hidden column NAME_raw with the
 *	 as symbol, letters, address   number
 *	array                         TEXT as report shows it, else "[1,2,3]"
 *
 * The text of a shown number is made once and kept (analyse/namepool.h). A full pool means only
 * that further texts are made again for each row.
 */
#include "query/eventcolumns.h"

#include "base/array.h"
#include "base/scope.h"
#include "decode/formats/event.h"
#include "decode/print/print.h"
#include "format/bytes.h"
#include "inputs/inputs.h"
#include "symbols/tasks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX_BYTES	  (1u << 20)
#define SHOWN_MAX	  65536
#define COLUMNS_MAX	  1900 /* SQLite's limit is 2000 */
#define COLUMN_NAME_BYTES 160

static const struct {
	const char *name, *type;
	enum event_column_kind kind;
	bool is_general; /* only in the table of all events */
} common[] = {
	{"id", "INTEGER", COLUMN_ID},
	{"ts", "INTEGER", COLUMN_TS},
	{"cpu", "INTEGER", COLUMN_CPU},
	{"utid", "INTEGER", COLUMN_UTID},
	{"tid", "INTEGER", COLUMN_TID},
	{"comm", "TEXT", COLUMN_COMM},
	{"system", "TEXT", COLUMN_SYSTEM, true},
	{"name", "TEXT", COLUMN_NAME, true},
	{"text", "TEXT", COLUMN_TEXT, true},
	{"missed", "INTEGER", COLUMN_MISSED, true},
};

/* --- which columns ---------------------------------------------------------------------------- */

static enum value_form find_form(const struct event *ev, const struct field *f,
				 const struct key_slot *slot)
{
	if (f->flags & (FIELD_ARRAY | FIELD_DYNAMIC))
		return f->flags & FIELD_STRING && !event_shows_array(ev, f) ? FORM_STRING
									    : FORM_ARRAY;
	if (f->size != 1 && f->size != 2 && f->size != 4 && f->size != 8)
		return FORM_NONE;
	if (f->flags & FIELD_REAL)
		return FORM_REAL;
	if (slot->kind != KEY_NUMBER)
		return FORM_NONE;
	if (!key_is_plain(slot) || slot->shown == SHOWN_NAMES || f->flags & FIELD_WORD ||
	    (slot->shown == SHOWN_HEX && f->size == 8))
		return FORM_SHOWN;
	return FORM_INTEGER;
}

static int add_column(struct event_columns *c, enum event_column_kind kind, const char *prefix,
		      const char *name, const char *suffix)
{
	char text[COLUMN_NAME_BYTES];

	snprintf(text, sizeof(text), "%s%s%s", prefix, name, suffix);
	for (size_t i = 0; i < c->n; i++)
		if (!strcasecmp(c->list[i].name, text))
			return -EEXIST;
	if (!ARRAY_ONE_MORE(c->list, c->n, COLUMNS_MAX))
		return -ENOMEM;
	c->list[c->n] = (struct event_column){.kind = kind, .name = strdup(text)};
	if (!c->list[c->n].name)
		return -ENOMEM;
	c->n++;
	return 0;
}

/* Finds a field in the formats of all files. */
static int place_column(struct event_columns *c, const char *system, const char *event,
			const char *field)
{
	struct event_column *column = &c->list[c->n - 1];

	column->places = calloc(c->trace->in->n_files + 1, sizeof(*column->places));
	if (!column->places)
		return -ENOMEM;
	for (size_t i = 0; i < c->trace->in->n_files; i++) {
		struct formats *formats = c->trace->in->files[i].formats;
		struct event *ev = formats_find_name(formats, system, event);
		const struct field *f = ev ? event_find_field(ev, field) : NULL;

		if (!f)
			continue;
		formats_find(formats, ev->id); /* compiles it */
		column->places[i].slot = key_bind(ev, field);
		column->places[i].form = find_form(ev, f, &column->places[i].slot);
		column->places[i].slot.field = f;
	}
	return 0;
}

static int add_field(struct event_columns *c, const struct event *ev, const struct field *f)
{
	bool is_shown = false;
	int r = add_column(c, COLUMN_FIELD, "", f->name, "");

	if (r == -EEXIST)
		return 0;
	TRY(r);
	TRY(place_column(c, ev->system, ev->name, f->name));
	for (size_t i = 0; i < c->trace->in->n_files; i++)
		is_shown |= c->list[c->n - 1].places[i].form == FORM_SHOWN;
	if (!is_shown)
		return 0;
	r = add_column(c, COLUMN_RAW, "", f->name, "_raw");
	if (r == -EEXIST)
		return 0;
	TRY(r);
	return place_column(c, ev->system, ev->name, f->name);
}

static const struct event *find_event(const struct query_trace *t, const char *system,
				      const char *name)
{
	for (size_t i = 0; i < t->in->n_files; i++) {
		const struct event *ev = formats_find_name(t->in->files[i].formats, system, name);

		if (ev)
			return ev;
	}
	return NULL;
}

static bool has_field(const struct event *ev, const char *name)
{
	return ev && ARRAY_ANY(ev->n_fields, i, !strcasecmp(ev->fields[i].name, name));
}

static int add_columns(struct event_columns *c, const struct event *ev)
{
	for (size_t i = 0; i < ARRAY_LEN(common); i++)
		if (!ev || !common[i].is_general)
			TRY(add_column(c, common[i].kind,
				       has_field(ev, common[i].name) ? "common_" : "",
				       common[i].name, ""));
	for (size_t i = 0; ev && i < ev->n_fields && c->n + 2 < COLUMNS_MAX; i++)
		TRY(add_field(c, ev, &ev->fields[i]));
	return 0;
}

int event_columns_init(struct event_columns *c, struct query_trace *t, const char *system,
		       const char *name)
{
	const struct event *ev = name ? find_event(t, system, name) : NULL;

	*c = (struct event_columns){.trace = t};
	textbuf_init(&c->text, TEXT_MAX_BYTES);
	if (name && !ev)
		return -ENOENT;
	c->readers = calloc(t->in->n_files + 1, sizeof(*c->readers));
	if (!c->readers)
		return -ENOMEM;
	for (size_t i = 0; i < t->in->n_files; i++)
		if (keyreader_init(&c->readers[i], t->in->files[i].formats) < 0)
			return -ENOMEM;
	return add_columns(c, ev);
}

void event_columns_release(struct event_columns *c)
{
	for (size_t i = 0; i < c->n; i++) {
		free(c->list[i].name);
		free(c->list[i].places);
		map_release(&c->list[i].shown);
	}
	for (size_t i = 0; c->readers && i < c->trace->in->n_files; i++)
		keyreader_release(&c->readers[i]);
	free(c->readers);
	free(c->list);
	textbuf_release(&c->text);
}

static const char *type_of(const struct event_columns *c, const struct event_column *column)
{
	enum value_form form = FORM_NONE;

	if (column->kind < COLUMN_FIELD)
		for (size_t i = 0; i < ARRAY_LEN(common); i++)
			if (common[i].kind == column->kind)
				return common[i].type;
	if (column->kind == COLUMN_RAW)
		return "INTEGER HIDDEN";
	for (size_t i = 0; i < c->trace->in->n_files && form == FORM_NONE; i++)
		form = column->places[i].form;
	return form == FORM_INTEGER ? "INTEGER" : form == FORM_REAL ? "REAL" : "TEXT";
}

void event_columns_fmt(const struct event_columns *c, struct textbuf *tb)
{
	textbuf_add_str(tb, "CREATE TABLE x(");
	for (size_t i = 0; i < c->n; i++) {
		textbuf_add_str(tb, i ? ",\"" : "\"");
		for (const char *s = c->list[i].name; *s; s++)
			textbuf_add_char(tb, *s == '"' ? '_' : *s);
		textbuf_addf(tb, "\" %s", type_of(c, &c->list[i]));
	}
	textbuf_add_str(tb, ")");
}

/* --- values ----------------------------------------------------------------------------------- */

static const struct column_place *place_of(const struct event_column *column, const struct scan *s)
{
	return column->places ? &column->places[s->file] : NULL;
}

static bool read_bits(const struct event_columns *c, const struct field *f, const struct scan *s,
		      uint64_t *ret)
{
	if (!formats_read(c->trace->in->files[s->file].formats, &s->rec, f, ret))
		return false;
	*ret = field_number(f, *ret);
	return !field_is_gone(f, *ret);
}

/* Reads a number with its sign. */
static bool read_number(const struct event_columns *c, const struct field *f, const struct scan *s,
			int64_t *ret)
{
	uint64_t v;

	if (!read_bits(c, f, s, &v))
		return false;
	*ret = f->flags & FIELD_SIGNED && f->size < 8 ? bytes_extend_sign(v, f->size) : (int64_t)v;
	return true;
}

bool event_columns_number(const struct event_columns *c, size_t i, const struct scan *s,
			  int64_t *ret)
{
	const struct event_column *column = &c->list[i];
	const struct column_place *p = place_of(column, s);

	switch (column->kind) {
	case COLUMN_ID:
		*ret = (int64_t)s->place;
		return true;
	case COLUMN_TS:
		*ret = (int64_t)s->rec.ts;
		return true;
	case COLUMN_CPU:
		*ret = s->rec.cpu;
		return true;
	case COLUMN_TID:
		*ret = scan_tid(s);
		return true;
	case COLUMN_UTID:
		*ret = query_utid(s->file, scan_tid(s));
		return true;
	case COLUMN_RAW:
	case COLUMN_FIELD:
		if (!p->slot.field || (column->kind == COLUMN_FIELD && p->form != FORM_INTEGER))
			return false;
		return read_number(c, p->slot.field, s, ret);
	default:
		return false;
	}
}

/* Completes the record for printers. */
static const struct event *find_record_event(struct event_columns *c, struct scan *s)
{
	struct inputs_file *file = &c->trace->in->files[s->file];

	if (!s->rec.event)
		s->rec.event = formats_find(file->formats, s->id);
	return s->rec.event;
}

bool event_columns_string(struct event_columns *c, size_t i, struct scan *s, struct piece *ret)
{
	const struct column_place *p = place_of(&c->list[i], s);
	struct printer *printer = &c->readers[s->file].printer;

	if (!p || p->form != FORM_STRING || c->list[i].kind != COLUMN_FIELD ||
	    !find_record_event(c, s))
		return false;
	printer_point_at(printer, &s->rec);
	*ret = printer_field_bytes(printer, p->slot.field);
	if (!ret->len && p->slot.field->flags & FIELD_FAULTS)
		return false;
	ret->len = strnlen((const char *)ret->data, ret->len);
	return true;
}

static void result_text(const struct textbuf *tb, sqlite3_context *to)
{
	sqlite3_result_text(to, tb->start ? tb->start : "", (int)textbuf_len(tb), SQLITE_TRANSIENT);
}

/* The text of a number, made once for each number. */
static void result_shown(struct event_columns *c, struct event_column *column, struct scan *s,
			 sqlite3_context *to)
{
	struct keyreader *kr = &c->readers[s->file];
	const struct column_place *p = place_of(column, s);
	const struct pooled_name *name;
	uint64_t v, key;
	void **slot;

	if (!find_record_event(c, s) || !read_bits(c, p->slot.field, s, &v))
		return;
	v = key_read(kr, &p->slot, &s->rec);
	/* files of other kernels have other names for the same number */
	key = v ^ (uint64_t)s->file << 56;
	slot = map_take(&column->shown, key, SHOWN_MAX);
	if (slot && *slot) {
		name = *slot;
		sqlite3_result_text(to, name->text, (int)name->len, SQLITE_STATIC);
		return;
	}
	textbuf_clear(&c->text);
	key_fmt(kr, &p->slot, v, &c->text);
	name = slot ? namepool_find(&kr->pool, c->text.start, textbuf_len(&c->text)) : NULL;
	if (name)
		*slot = (void *)name;
	else if (slot)
		map_remove(&column->shown, key);
	result_text(&c->text, to);
}

static void result_array(struct event_columns *c, const struct field *f, struct scan *s,
			 sqlite3_context *to)
{
	struct printer *p = &c->readers[s->file].printer;
	unsigned size = f->element_size;
	struct piece bytes;

	if (!find_record_event(c, s))
		return;
	printer_point_at(p, &s->rec);
	bytes = printer_field_bytes(p, f);
	if (f->flags & FIELD_FAULTS && !bytes.len)
		return;
	textbuf_clear(p->out);
	if (printer_print_array(p, f)) {
		result_text(p->out, to);
		return;
	}
	if (size != 2 && size != 4 && size != 8)
		size = 1;
	textbuf_clear(&c->text);
	textbuf_add_char(&c->text, '[');
	for (size_t i = 0; i + size <= bytes.len; i += size) {
		uint64_t v = bytes_get(bytes.data + i, size, p->swap);

		if (i)
			textbuf_add_char(&c->text, ',');
		if (f->flags & FIELD_SIGNED)
			textbuf_add_signed(&c->text, bytes_extend_sign(v, size));
		else
			textbuf_add_dec(&c->text, v);
	}
	textbuf_add_char(&c->text, ']');
	result_text(&c->text, to);
}

static void result_number(int64_t v, const struct field *f, sqlite3_context *to)
{
	char digits[NUMBER_MAX_BYTES];

	if (v >= 0 || !f || f->flags & FIELD_SIGNED) {
		sqlite3_result_int64(to, v);
		return;
	}
	sqlite3_result_text(to, digits, (int)(number_emit_dec(digits, (uint64_t)v) - digits),
			    SQLITE_TRANSIENT);
}

static void result_field(struct event_columns *c, size_t i, struct scan *s, sqlite3_context *to)
{
	const struct column_place *p = place_of(&c->list[i], s);
	struct piece text;
	uint64_t bits;
	int64_t v;

	switch (p->form) {
	case FORM_INTEGER:
		if (read_number(c, p->slot.field, s, &v))
			result_number(v, p->slot.field, to);
		return;
	case FORM_REAL:
		if (read_bits(c, p->slot.field, s, &bits))
			sqlite3_result_double(to, real_of(p->slot.field, bits));
		return;
	case FORM_STRING:
		if (event_columns_string(c, i, s, &text))
			sqlite3_result_text(to, (const char *)text.data, (int)text.len,
					    SQLITE_TRANSIENT);
		return;
	case FORM_SHOWN:
		return result_shown(c, &c->list[i], s, to);
	case FORM_ARRAY:
		return result_array(c, p->slot.field, s, to);
	case FORM_NONE:
		return;
	}
}

/* The text of the event in a line of report. */
static void result_info(struct event_columns *c, struct scan *s, sqlite3_context *to)
{
	struct inputs_file *file = &c->trace->in->files[s->file];
	struct printer *p = &c->readers[s->file].printer;
	struct textbuf *kept = p->out;

	if (!find_record_event(c, s))
		return;
	s->rec.task = tasks_find(&file->tasks, scan_tid(s));
	if (!s->rec.task)
		return;
	textbuf_clear(&c->text);
	p->out = &c->text;
	printer_print(p, &s->rec, false);
	p->out = kept;
	while (textbuf_len(&c->text) && c->text.pos[-1] == '\n')
		c->text.pos--;
	result_text(&c->text, to);
}

static void result_static(const char *text, sqlite3_context *to)
{
	if (text)
		sqlite3_result_text(to, text, -1, SQLITE_STATIC);
}

void event_columns_result(struct event_columns *c, size_t i, struct scan *s, sqlite3_context *to)
{
	const struct event *ev;
	int64_t v;

	switch (c->list[i].kind) {
	case COLUMN_COMM:
		return result_static(query_comm(c->trace, s->file, scan_tid(s)), to);
	case COLUMN_SYSTEM:
	case COLUMN_NAME:
		ev = query_event(c->trace, s->file, s->id);
		return result_static(!ev			      ? NULL
				     : c->list[i].kind == COLUMN_NAME ? ev->name
								      : ev->system,
				     to);
	case COLUMN_TEXT:
		return result_info(c, s, to);
	case COLUMN_MISSED:
		if (s->missed)
			sqlite3_result_int64(to, s->missed);
		return;
	case COLUMN_FIELD:
		return result_field(c, i, s, to);
	default:
		if (event_columns_number(c, i, s, &v))
			sqlite3_result_int64(to, v);
	}
}
