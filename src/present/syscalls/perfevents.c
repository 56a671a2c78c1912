// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perfevents.c - an event of the kernel as perf trace shows it among system calls.
 *
 *	sched:sched_wakeup(comm: "cat", pid: 812 (cat), prio: 120, target_cpu: 1)
 *
 * Numbers that are 0 are not shown, and neither are arrays of numbers. What an event's own print
 * format would say is not used, as in perf.
 */
#include "present/syscalls/perfevents.h"

#include "base/textbuf.h"
#include "decode/formats/event.h"
#include "decode/record.h"
#include "format/bytes.h"

#include <string.h>

/* The text of a field; NULL: it lies outside of the record. */
static const char *text_of(const struct record *rec, const struct field *f, bool swap,
			   size_t *ret_len)
{
	uint32_t at = f->offset, len = f->size, loc;

	if (f->flags & FIELD_DYNAMIC) {
		loc = bytes_get32(rec->data + f->offset, swap);
		at = (loc & 0xffff) + (f->flags & FIELD_RELATIVE ? f->offset + f->size : 0);
		len = loc >> 16;
	}
	if ((uint64_t)at + len > rec->size)
		return NULL;
	*ret_len = strnlen((const char *)rec->data + at, len);
	return (const char *)rec->data + at;
}

static void add_text(struct textbuf *tb, const char *s, size_t n)
{
	textbuf_add_char(tb, '"');
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c < ' ' || c >= 0x7f)
			textbuf_addf(tb, "\\%03o", c);
		else if (c == '"' || c == '\\')
			textbuf_addf(tb, "\\%c", c);
		else
			textbuf_add_char(tb, (char)c);
	}
	textbuf_add_char(tb, '"');
}

static bool is_pid(const char *name)
{
	size_t n = strlen(name);

	return n >= 3 && (!strcmp(name + n - 3, "pid") || !strcmp(name + n - 3, "tid"));
}

static void add_number(const struct record *rec, const struct field *f, bool swap,
		       const struct perfevents_names *names, struct textbuf *tb)
{
	uint64_t v = bytes_get(rec->data + f->offset, f->size, swap);
	unsigned unused_bits = 64 - 8 * f->size;
	const char *comm;

	if (f->flags & FIELD_POINTER) {
		textbuf_addf(tb, "%#llx", (unsigned long long)v);
		return;
	}
	if (f->flags & FIELD_SIGNED)
		textbuf_add_signed(tb, (int64_t)(v << unused_bits) >> unused_bits);
	else
		textbuf_add_dec(tb, v);
	if (!is_pid(f->name))
		return;
	comm = names->find(names->ctx, (int)v);
	if (*comm)
		textbuf_addf(tb, " (%s)", comm);
}

/* Adds "name: value" and returns true; false: perf does not show the field. */
static bool add_field(const struct record *rec, const struct field *f, bool swap,
		      const struct perfevents_names *names, const char *separator,
		      struct textbuf *tb)
{
	bool is_text = f->flags & FIELD_STRING;
	const char *s = "";
	size_t n = 0;

	if ((uint64_t)f->offset + f->size > rec->size)
		return false;
	if (is_text ? (f->flags & FIELD_DYNAMIC && f->size != 4)
		    : (f->flags & (FIELD_ARRAY | FIELD_DYNAMIC) ||
		       (f->size != 1 && f->size != 2 && f->size != 4 && f->size != 8)))
		return false;
	if (is_text && !(s = text_of(rec, f, swap, &n)))
		return false;
	if (!is_text && !bytes_get(rec->data + f->offset, f->size, swap))
		return false;
	textbuf_addf(tb, "%s%s: ", separator, f->name);
	if (is_text)
		add_text(tb, s, n);
	else
		add_number(rec, f, swap, names, tb);
	return true;
}

void perfevents_fmt(const struct record *rec, bool swap, const struct perfevents_names *names,
		    struct textbuf *tb)
{
	const struct event *ev = rec->event;
	const char *separator = "";

	textbuf_addf(tb, "%s:%s(", ev->system, ev->name);
	for (size_t i = 0; i < ev->n_fields; i++)
		if (strncmp(ev->fields[i].name, "common_", 7) != 0 &&
		    add_field(rec, &ev->fields[i], swap, names, separator, tb))
			separator = ", ";
	textbuf_add_char(tb, ')');
}
