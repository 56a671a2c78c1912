// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rows.c - prints one JSON object or one CSV row for each record.
 *
 *	{"ts":22188315078,"cpu":0,"pid":146,"comm":"bash","system":"kmem","event":"kfree",
 *	 "fields":{"call_site":"0xffffffff82338b2b","ptr":"0xff138ac140b81000"},"info":"…"}
 *
 * ts counts nanoseconds (or units of the clock, if that does not count time). A field's JSON type
 * follows its C type: numbers with their sign, bool as true and false, pointers as "0x…", character
 * arrays as strings. Other arrays, and bytes that the print format shows one by one, are arrays. A
 * floating point value that is not a number is null. Kernel stacks are a list of addresses with
 * symbols. Events of user functions have the name as "function". "info" is the text of a report
 * line. "missed" is the number of events lost before this record, or null if the kernel did not
 * count them. Function entries are not folded with their exits here: every record is a row.
 */
#include "present/rows.h"
#include "base/json/json.h"
#include "decode/formats/event.h"
#include "format/bytes.h"
#include "symbols/kallsyms.h"

#include <math.h>
#include <string.h>

const char rows_csv_header[] = "ts,cpu,pid,tgid,comm,buffer,missed,system,event,info\n";

static void add_scalar(struct textbuf *tb, const struct field *f, uint64_t v, unsigned size)
{
	if (f->flags & FIELD_REAL)
		isfinite(real_of(f, v)) ? real_fmt(f, v, tb) : textbuf_add_str(tb, "null");
	else if (f->flags & FIELD_POINTER)
		json_add_hex(tb, v);
	else if (!strcmp(f->type, "bool"))
		textbuf_add_str(tb, v ? "true" : "false");
	else if (f->flags & FIELD_SIGNED)
		textbuf_add_signed(tb, bytes_extend_sign(v, size));
	else
		textbuf_add_dec(tb, v);
}

static void add_array(struct textbuf *tb, const struct printer *p, const struct field *f)
{
	struct piece bytes = printer_field_bytes(p, f);
	unsigned size = f->element_size;

	if (f->flags & FIELD_FAULTS && !bytes.len) {
		textbuf_add_str(tb, "null");
		return;
	}
	if (f->flags & FIELD_STRING && !event_shows_array(p->ev, f)) {
		json_add_string(tb, (const char *)bytes.data,
				strnlen((const char *)bytes.data, bytes.len));
		return;
	}
	if (size != 2 && size != 4 && size != 8)
		size = 1;
	textbuf_add_char(tb, '[');
	for (size_t i = 0; i + size <= bytes.len; i += size) {
		if (i)
			textbuf_add_char(tb, ',');
		add_scalar(tb, f, bytes_get(bytes.data + i, size, p->swap), size);
	}
	textbuf_add_char(tb, ']');
}

static void add_field(struct textbuf *tb, struct printer *p, const struct field *f)
{
	uint64_t v = 0;

	json_add_string(tb, f->name, strlen(f->name));
	textbuf_add_char(tb, ':');
	if (f->flags & (FIELD_ARRAY | FIELD_DYNAMIC))
		add_array(tb, p, f);
	else if (printer_number(p, f, &v))
		add_scalar(tb, f, v, f->size);
	else
		textbuf_add_str(tb, "null");
}

/* Adds [{"addr":"0x…","symbol":"…"},…]. */
static void add_stack(struct textbuf *tb, struct printer *p, const struct field *caller)
{
	unsigned step = p->formats->long_size;
	bool any = false;

	textbuf_add_str(tb, ",\"stack\":[");
	for (uint32_t pos = caller->offset; pos <= p->size && p->size - pos >= step; pos += step) {
		uint64_t addr = bytes_get(p->data + pos, step, p->swap);
		const struct ksym *sym;

		if (addr == UINT64_MAX || (int)addr == -1)
			break;
		sym = p->kallsyms ? printer_symbol(p, addr) : NULL;
		textbuf_add_str(tb, any ? ",{\"addr\":" : "{\"addr\":");
		json_add_hex(tb, addr);
		if (sym) {
			textbuf_add_str(tb, ",\"symbol\":");
			json_add_string(tb, sym->name, sym->name_len);
		}
		textbuf_add_char(tb, '}');
		any = true;
	}
	textbuf_add_char(tb, ']');
}

/* Writes the event's text into spare room at the end of the buffer. Returns where it begins. */
static size_t add_info(struct line_printer *lp, const struct record *rec)
{
	struct record plain = *rec;
	size_t start = textbuf_len(lp->out);

	plain.aux = 0;
	plain.flags &= ~RECORD_PAIR;
	line_printer_add_info(lp, &plain, lp->style->raw);
	while (textbuf_len(lp->out) > start && lp->out->pos[-1] == '\n')
		lp->out->pos--;
	return start;
}

void rows_add_info(struct line_printer *lp, const struct record *rec)
{
	size_t start = add_info(lp, rec), len = textbuf_len(lp->out) - start;

	if (lp->out->overflow)
		return;
	/*
	 * the text is escaped into the space after it, then moved to its place; reserve room first,
	 * because growing moves the text
	 */
	if ((size_t)(lp->out->end - lp->out->pos) < len * 6 + 2 &&
	    !textbuf_grow(lp->out, len * 6 + 2))
		return;
	json_add_string(lp->out, lp->out->start + start, len);
	memmove(lp->out->start + start, lp->out->start + start + len,
		textbuf_len(lp->out) - start - len);
	lp->out->pos -= len;
}

/*
 * Returns true if the tgid is printed. Without a table of processes in the file, it is printed only
 * on request.
 */
static bool shows_tgid(const struct line_printer *lp, const struct line_source *src,
		       const struct record *rec)
{
	return (lp->style->tgid || src->formats->processes) && rec->task && rec->task->tgid >= 0;
}

static void add_json_head(struct line_printer *lp, const struct line_source *src,
			  const struct record *rec)
{
	const struct formats *f = src->formats;
	struct textbuf *tb = lp->out;

	textbuf_add(tb, "{\"ts\":", 6);
	textbuf_add_dec(tb, rec->ts);
	textbuf_add(tb, ",\"cpu\":", 7);
	textbuf_add_dec(tb, rec->cpu);
	textbuf_add(tb, ",\"pid\":", 7);
	textbuf_add_signed(tb, formats_common(f, &f->pid, rec->data, rec->size));
	if (shows_tgid(lp, src, rec)) {
		textbuf_add_str(tb, ",\"tgid\":");
		textbuf_add_signed(tb, rec->task->tgid);
	}
	textbuf_add(tb, ",\"comm\":", 8);
	if (rec->task && rec->task->known)
		json_add_string(tb, rec->task->comm, rec->task->comm_len);
	else
		textbuf_add_str(tb, "null");
	if (src->file) {
		textbuf_add_str(tb, ",\"file\":");
		json_add_string(tb, src->file, strlen(src->file));
	}
	if (src->buffer) {
		textbuf_add_str(tb, ",\"buffer\":");
		json_add_string(tb, src->buffer, strlen(src->buffer));
	}
	if (rec->flags & RECORD_MISSED) {
		textbuf_add_str(tb, ",\"missed\":");
		if (rec->extra->missed > 0)
			textbuf_add_dec(tb, rec->extra->missed);
		else
			textbuf_add_str(tb, "null");
	}
	if (rec->flags & RECORD_LATENCY) {
		textbuf_add_str(tb, ",\"wakeup_latency\":");
		textbuf_add_dec(tb, rec->extra->latency);
	}
}

/* Returns the field of a kernel stack that contains its addresses, or NULL. */
static const struct field *stack_field(const struct event *ev)
{
	return ev && ev->is_ftrace && !strcmp(ev->name, "kernel_stack")
		       ? event_find_field(ev, "caller")
		       : NULL;
}

void rows_add_fields(struct line_printer *lp, const struct record *rec)
{
	const struct field *stack = stack_field(rec->event);
	struct printer *p = lp->printers[rec->source];
	bool any = false;

	printer_point_at(p, rec);
	textbuf_add_char(lp->out, '{');
	for (size_t i = 0; i < rec->event->n_fields; i++) {
		if (&rec->event->fields[i] == stack) /* the declared length of a stack is wrong */
			continue;
		if (any)
			textbuf_add_char(lp->out, ',');
		add_field(lp->out, p, &rec->event->fields[i]);
		any = true;
	}
	textbuf_add_char(lp->out, '}');
}

bool rows_add_stack(struct line_printer *lp, const struct record *rec)
{
	const struct field *caller = stack_field(rec->event);
	struct printer *p = lp->printers[rec->source];
	unsigned step = p->formats->long_size;
	bool any = false;

	if (!caller)
		return false;
	printer_point_at(p, rec);
	textbuf_add_char(lp->out, '[');
	for (uint32_t pos = caller->offset; pos <= p->size && p->size - pos >= step; pos += step) {
		uint64_t addr = bytes_get(p->data + pos, step, p->swap);
		const struct ksym *sym = p->kallsyms ? printer_symbol(p, addr) : NULL;

		if (addr == UINT64_MAX || (int)addr == -1)
			break;
		if (any)
			textbuf_add_char(lp->out, ',');
		if (sym)
			json_add_string(lp->out, sym->name, sym->name_len);
		else
			json_add_hex(lp->out, addr);
		any = true;
	}
	textbuf_add_char(lp->out, ']');
	return true;
}

/* The address of a program's function means nothing without its name. */
static void add_function(struct line_printer *lp, const struct record *rec)
{
	const struct event *ev = rec->event;
	const struct field *func = strcmp(ev->system, "user") ? NULL : event_find_field(ev, "func");
	struct printer *p = lp->printers[rec->source];
	const struct ksym *sym;

	if (!func || !p->kallsyms || func->size != 4 || p->size < func->offset + 4u)
		return;
	sym = printer_symbol(p, bytes_get(p->data + func->offset, 4, p->swap));
	if (!sym)
		return;
	textbuf_add_str(lp->out, ",\"function\":");
	json_add_string(lp->out, sym->name, sym->name_len);
}

static void add_json(struct line_printer *lp, const struct record *rec)
{
	const struct line_source *src = &lp->style->sources[rec->source];
	struct printer *p = lp->printers[rec->source];
	const struct event *ev = rec->event;
	struct textbuf *tb = lp->out;
	const struct field *stack = stack_field(ev);

	add_json_head(lp, src, rec);
	if (!ev) {
		textbuf_add_str(tb, ",\"id\":");
		textbuf_add_signed(tb, formats_record_id(src->formats, rec->data, rec->size));
		textbuf_add_str(tb, ",\"event\":null}\n");
		return;
	}
	textbuf_add_str(tb, ",\"system\":");
	json_add_string(tb, ev->system, strlen(ev->system));
	textbuf_add_str(tb, ",\"event\":");
	json_add_string(tb, ev->name, strlen(ev->name));
	textbuf_add_str(tb, ",\"fields\":");
	rows_add_fields(lp, rec);
	add_function(lp, rec);
	if (stack)
		add_stack(tb, p, stack);
	textbuf_add_str(tb, ",\"info\":");
	rows_add_info(lp, rec);
	textbuf_add(tb, "}\n", 2);
}

size_t rows_add_json(struct line_printer *lp, const struct batch *b, size_t from, size_t max_bytes)
{
	for (; from < b->n && textbuf_len(lp->out) < max_bytes; from++)
		add_json(lp, &b->records[from]);
	return from;
}

/* Adds a CSV value, quoted if it contains a quote, a comma or a line end. */
static void add_csv_value(struct textbuf *tb, const char *s, size_t len)
{
	bool quote = memchr(s, '"', len) || memchr(s, ',', len) || memchr(s, '\n', len) ||
		     memchr(s, '\r', len);

	if (!quote) {
		textbuf_add(tb, s, len);
		return;
	}
	textbuf_add_csv(tb, s, len);
}

static void add_csv(struct line_printer *lp, const struct record *rec)
{
	const struct line_source *src = &lp->style->sources[rec->source];
	const struct formats *f = src->formats;
	const char *buffer = src->buffer ? src->buffer : src->file ? src->file : "";
	struct textbuf *tb = lp->out;
	size_t start, len;

	textbuf_addf(tb, "%llu,%u,%d,", (unsigned long long)rec->ts, rec->cpu,
		     formats_common(f, &f->pid, rec->data, rec->size));
	if (shows_tgid(lp, src, rec))
		textbuf_add_signed(tb, rec->task->tgid);
	textbuf_add_char(tb, ',');
	if (rec->task && rec->task->known)
		add_csv_value(tb, rec->task->comm, rec->task->comm_len);
	textbuf_add_char(tb, ',');
	add_csv_value(tb, buffer, strlen(buffer));
	textbuf_add_char(tb, ',');
	if (rec->flags & RECORD_MISSED) {
		if (rec->extra->missed > 0)
			textbuf_add_dec(tb, rec->extra->missed);
		else
			textbuf_add_char(tb, '?');
	}
	if (!rec->event) {
		textbuf_add_str(tb, ",,,\n");
		return;
	}
	textbuf_addf(tb, ",%s,%s,", rec->event->system, rec->event->name);
	start = add_info(lp, rec);
	len = textbuf_len(tb) - start;
	if (!tb->overflow &&
	    ((size_t)(tb->end - tb->pos) >= len * 2 + 2 || textbuf_grow(tb, len * 2 + 2))) {
		add_csv_value(tb, tb->start + start, len);
		memmove(tb->start + start, tb->start + start + len, textbuf_len(tb) - start - len);
		tb->pos -= len;
	}
	textbuf_add_char(tb, '\n');
}

size_t rows_add_csv(struct line_printer *lp, const struct batch *b, size_t from, size_t max_bytes)
{
	for (; from < b->n && textbuf_len(lp->out) < max_bytes; from++)
		add_csv(lp, &b->records[from]);
	return from;
}
