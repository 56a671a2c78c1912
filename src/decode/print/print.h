/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * print.h - prints records: the part of a line that the event's own format describes.
 *
 * event_compile() compiles an event's segments into flat code once. A `struct printer` is one
 * thread's state for one file: the output, the current record, caches. Printing never fails: data
 * outside the record reads as 0 or is omitted, unknown values are shown as numbers.
 */
#ifndef SONDE_DECODE_PRINT_PRINT_H
#define SONDE_DECODE_PRINT_PRINT_H

#include "base/textbuf.h"
#include "decode/formats/event.h"
#include "decode/formats/formats.h"
#include "decode/record.h"
#include "format/bytes.h"
#include "symbols/kallsyms.h"

struct bprint_cache;
struct syscalltext;

#define PRINT_MEMO_BITS 8

struct print_memo { /* see string.c */
	const struct arg *arg;
	uint64_t value;
	uint8_t len;
	char text[47];
};

struct printer {
	struct textbuf *out;
	struct formats *formats;
	const struct event *ev;
	const uint8_t *data;
	uint32_t size;
	bool swap;
	struct ksym_cache *symbols;
	const struct kallsyms *kallsyms;
	struct bprint_cache *bprint;
	struct print_memo *memo;   /* 1 << PRINT_MEMO_BITS of them */
	struct syscalltext *calls; /* for system calls; NULL: none came yet */
};

int printer_init(struct printer *p, struct formats *f, struct textbuf *out);
void printer_release(struct printer *p);

/* Builds ev->pretty and ev->raw. Call it in the thread that owns the formats. */
void event_compile(struct event *ev);

/* Prints the INFO part of a line. raw: prints every field as name=value. */
void printer_print(struct printer *p, const struct record *rec, bool raw);

/* Makes rec the current record, for the functions below. */
void printer_point_at(struct printer *p, const struct record *rec);

/* Returns the symbol that covers addr, or NULL. */
static inline const struct ksym *printer_symbol(struct printer *p, uint64_t addr)
{
	return kallsyms_find_cached(p->kallsyms, p->symbols, addr);
}

/* Prints "name+0xoffset". If no symbol covers addr, prints nothing and returns false. */
static inline bool printer_add_symbol(struct printer *p, uint64_t addr)
{
	const struct ksym_slot *slot = kallsyms_find_slot(p->kallsyms, p->symbols, addr);

	if (__builtin_expect(slot->full_len, 1)) {
		textbuf_add(p->out, slot->text, slot->full_len);
		return true;
	}
	if (!slot->sym)
		return false;
	textbuf_add(p->out, slot->sym->name, slot->sym->name_len);
	textbuf_add(p->out, "+0x", 3);
	textbuf_add_hex(p->out, addr - slot->sym->addr);
	return true;
}

/* Like printer_add_symbol(), but prints only the name. */
static inline bool printer_add_symbol_name(struct printer *p, uint64_t addr)
{
	const struct ksym_slot *slot = kallsyms_find_slot(p->kallsyms, p->symbols, addr);

	if (__builtin_expect(slot->name_len, 1))
		textbuf_add(p->out, slot->text, slot->name_len);
	else if (slot->sym)
		textbuf_add(p->out, slot->sym->name, slot->sym->name_len);
	return slot->sym;
}

/*
 * Gets a field's number. Returns false if it does not have 1, 2, 4 or 8 bytes, is outside the
 * record or is unknown.
 */
static inline bool printer_number(const struct printer *p, const struct field *f, uint64_t *ret)
{
	if (!f || (uint64_t)f->offset + f->size > p->size ||
	    !(f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8))
		return false;
	*ret = field_number(f, bytes_get(p->data + f->offset, f->size, p->swap));
	return !field_is_gone(f, *ret);
}

/*
 * Prints an array of the current record as the print format shows it, "{1,2,3}". If the format does
 * not show it element by element, prints nothing and returns false.
 */
bool printer_print_array(struct printer *p, const struct field *f);

/* How the print format shows a field's number, from that number alone. */
enum number_shown {
	SHOWN_PLAIN,	/* shown as digits, or not useful */
	SHOWN_HEX,	/* shown as hexadecimal digits */
	SHOWN_NAMES,	/* shown as other text: names of bits, letters, "8,0" of a device */
	SHOWN_SYMBOL,	/* shown as the symbol at that address, with the offset */
	SHOWN_FUNCTION, /* shown as the symbol alone */
};

enum number_shown event_shows_number(const struct event *ev, const struct field *f);
/*
 * Prints a number of that field as the print format shows it, without a record. If that is not
 * possible, prints nothing and returns false.
 */
bool printer_print_number(struct printer *p, const struct event *ev, const struct field *f,
			  uint64_t v);

/* Prints the shortest digits that represent the same number: "1.5", "-3e+40", "nan". */
void real_fmt(const struct field *f, uint64_t bits, struct textbuf *tb);
void word_fmt(uint64_t v, struct textbuf *tb);
double real_of(const struct field *f, uint64_t bits);

/*
 * Returns the field's bytes in the record, following __data_loc, or an empty piece if they are
 * outside.
 */
struct piece printer_field_bytes(const struct printer *p, const struct field *f);

#endif
