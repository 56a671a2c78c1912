/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event.h - one kind of event: its fields, its print format as a tree, its compiled printer.
 *
 * event_parse() makes it from a text as in events/SYSTEM/NAME/format; print.c compiles it when
 * first needed. After that it does not change, so any number of threads may print with it.
 */
#ifndef SONDE_DECODE_FORMATS_EVENT_H
#define SONDE_DECODE_FORMATS_EVENT_H

#include "base/arena.h"
#include "format/bytes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event;
struct formats;
struct printer;
struct record;
struct print_op;

enum field_flags {
	FIELD_ARRAY = 1,
	FIELD_POINTER = 2,
	FIELD_SIGNED = 4,
	FIELD_STRING = 8,
	FIELD_DYNAMIC = 16,
	FIELD_LONG = 32,
	FIELD_RELATIVE = 64,
	FIELD_FLAGS = 128,    /* the print format shows it with names of bits */
	FIELD_SYMBOLIC = 256, /* … with names of values */
	FIELD_FAULTS = 512,   /* text of a probe: length 0 if it could not be read */
	/* for a probe, from the type that its recorder wrote: */
	FIELD_BIG_ENDIAN = 1024, /* be16, be32, be64: the print format itself swaps it */
	FIELD_REAL = 2048,	 /* double, float */
	FIELD_WORD = 4096,  /* word: a number, or a pointer, which is larger than usual numbers */
	FIELD_SHORT = 8192, /* s8, s16 of a probe */
	FIELD_GAPS = 16384, /* maybe …: FIELD_GONE where the variable does not exist */
};

/*
 * Probes record this for a variable that does not exist where the event was raised;
 * probe/resolve/gaps.c.
 */
#define FIELD_GONE 0xdeade12du

struct field {
	const char *name, *type;
	uint32_t offset, size, n_elements, element_size;
	uint32_t flags;
	uint16_t text_index;   /* among the event's text fields */
	uint8_t n_signed_bits; /* the number is in the lowest bits, with a sign; 0: in all bits */
};

/* Messages show the numbers ("ARG TYPE NOT FIELD BUT 10"), so they are fixed. */
enum arg_kind {
	ARG_NULL,
	ARG_ATOM,
	ARG_FIELD,
	ARG_FLAGS,
	ARG_SYMBOL,
	ARG_HEX,
	ARG_INT_ARRAY,
	ARG_CAST,
	ARG_STRING,
	ARG_BSTRING,
	ARG_DYNAMIC_ARRAY,
	ARG_OP,
	ARG_FUNC,
	ARG_BITMASK,
	ARG_DYNAMIC_ARRAY_LEN,
	ARG_HEX_STR,
	ARG_CPUMASK,
};

struct flag_name {
	int64_t value; /* -1: not a known number */
	const char *text;
	uint32_t len;
};

struct print_function;

/* A node of a print format's argument. */
struct arg {
	enum arg_kind kind;
	struct arg *next; /* next argument of the event, or of a function */
	union {
		struct {
			const char *text; /* NUL-terminated */
			uint32_t len;
			uint64_t value;
			bool is_name; /* not a number: the address of a symbol of that name */
		} atom;
		struct {
			const char *name;
			const struct field *field; /* NULL: the event has no such field */
		} field;
		struct {
			struct arg *value;
			const char *delim; /* NULL: none */
			struct flag_name *names;
			size_t n_names;
		} flags; /* FLAGS, SYMBOL */
		struct {
			struct arg *array, *count, *element_size;
		} array; /* HEX, HEX_STR, INT_ARRAY */
		struct {
			const char *type;
			struct arg *item;
			uint64_t mask, pointed_mask; /* of the value; of what a pointer points to */
		} cast;
		struct {
			struct arg *left, *right;
			char op[4];
			int prio;
		} op;
		struct {
			const struct print_function *function;
			struct arg *args;
		} func;
	};
};

/* A part of the print format: literal text, or one conversion. */
enum segment_kind { SEGMENT_TEXT, SEGMENT_NUMBER, SEGMENT_POINTER, SEGMENT_STRING };

struct segment {
	enum segment_kind kind;
	struct segment *next;
	const char *text; /* TEXT: unescaped; else the conversion, "%-5.*ld" */
	size_t len;
	struct arg *arg, *width_arg;
	int size_class; /* -2 char … 2 long long, from h and l */
};

struct event_program { /* see print.c */
	struct print_op *ops;
	size_t n_ops;
};

/* 1: also print the format; 0: done. */
typedef int (*event_handler)(struct printer *p, const struct event *ev, const struct record *rec);

#define EVENT_WANTED_MAX 8

struct event {
	int id;
	const char *system, *name;
	struct piece text;
	struct formats *formats;
	bool parsed, compiled;
	bool failed;	 /* the print format could not be understood */
	bool is_ftrace;	 /* of the system "ftrace" */
	bool is_made_up; /* not from the file (blktrace.c); lists and -r, -n ignore it */
	bool is_bprint;
	bool force_raw, no_handler; /* report -r, -n */
	uint8_t role;		    /* enum event_role of order.h */
	bool names_nobody;	    /* names.c found no task name in it */
	uint32_t not_text;	    /* by text_index: contained something unprintable (report -R) */
	struct field *common, *fields;
	size_t n_common, n_fields;
	const char *print_format;
	struct arg *args;
	struct segment *segments;
	struct event_program pretty, raw;
	event_handler handler;
	const struct field *wanted[EVENT_WANTED_MAX]; /* the handler's fields; NULL: absent */
	char *label;				      /* " name:              " as in a line */
	size_t label_len;
	const char *why_failed; /* for check-events; NULL if nothing failed */
};

/*
 * Fills *ev from ev->text; false if it does not even have a name and an id. Everything is allocated
 * in the arena.
 */
bool event_parse(struct event *ev, struct arena *arena);

/* Name and id only, without parsing the rest. */
bool event_parse_head(struct piece text, struct piece *ret_name, int *ret_id);

const struct field *event_find_common(const struct event *ev, const char *name);
const struct field *event_find_field(const struct event *ev, const char *name); /* own fields */
bool event_is_probe(const struct event *ev); /* kprobe, uprobe or fprobe */
const struct field *event_find_any(const struct event *ev, const char *name); /* common first */
/* The names of a field's values in the print format (__print_symbolic); NULL: none. */
const struct arg *event_find_value_names(const struct event *ev, const struct field *f);

/* Does the print format show the elements of an array, see printer_print_array()? */
bool event_shows_array(const struct event *ev, const struct field *f);

/* Does the number, as read or sign-extended, stand for an unknown one? */
static inline bool field_is_gone(const struct field *f, uint64_t v)
{
	uint64_t mask = f->size < 8 ? (UINT64_C(1) << (8 * f->size)) - 1 : UINT64_MAX;

	return f->flags & FIELD_GAPS && !((v ^ FIELD_GONE) & mask);
}

/* The bits of the number, as in the record: names of values are compared with these. */
static inline uint64_t field_mask(const struct field *f)
{
	uint32_t n = f->n_signed_bits ? f->n_signed_bits : 8 * f->size;

	return n && n < 64 ? UINT64_MAX >> (64 - n) : UINT64_MAX;
}

/* The number that a field's bytes represent, in the byte order of the trace. */
static inline uint64_t field_number(const struct field *f, uint64_t v)
{
	if (field_is_gone(f, v))
		return v;
	if (f->n_signed_bits)
		return (uint64_t)((int64_t)(v << (64 - f->n_signed_bits)) >>
				  (64 - f->n_signed_bits));
	return f->flags & FIELD_BIG_ENDIAN ? __builtin_bswap64(v) >> (64 - 8 * f->size) : v;
}

#endif
