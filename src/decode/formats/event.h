/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * event.h - one kind of event: its fields, its print format as a tree, its compiled printer.
 *
 * event_parse() makes it from a text as in events/SYSTEM/NAME/format; print.c compiles it when
 * first needed. After that an event does not change, so any number of threads may print with it.
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
	FIELD_FLAGS = 128,    /* the print format shows the field with names of bits */
	FIELD_SYMBOLIC = 256, /* the print format shows the field with names of values */
	FIELD_FAULTS = 512,   /* text of a probe: length 0 if it could not be read */
	/* flags of a probe's field, from the type that its recorder wrote: */
	FIELD_BIG_ENDIAN = 1024, /* be16, be32, be64: the print format itself swaps the bytes */
	FIELD_REAL = 2048,	 /* double, float */
	/* word: a number or a pointer; pointers are larger than usual numbers */
	FIELD_WORD = 4096,
	FIELD_SHORT = 8192, /* s8, s16 of a probe */
	FIELD_GAPS = 16384, /* maybe …: the value is FIELD_GONE where the variable does not exist */
};

/*
 * The value that probes record for a variable that does not exist where the event was raised
 * (probe/resolve/gaps.c).
 */
#define FIELD_GONE 0xdeade12du

struct field {
	const char *name, *type;
	uint32_t offset, size, n_elements, element_size;
	uint32_t flags;
	uint16_t text_index;   /* index among the event's text fields */
	uint8_t n_signed_bits; /* number of lowest bits with the signed number; 0: all bits */
};

/* The numbers are fixed, because messages show them ("ARG TYPE NOT FIELD BUT 10"). */
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
	int64_t value; /* -1: the number is unknown */
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
			/*
			 * the text is not a number, but the name of a symbol whose address is the
			 * value
			 */
			bool is_name;
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
			/* bits of the value; bits of what a pointer points to */
			uint64_t mask, pointed_mask;
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

/* Returns 1 if the print format is to be printed, too, and 0 if the line is complete. */
typedef int (*event_handler)(struct printer *p, const struct event *ev, const struct record *rec);

#define EVENT_WANTED_MAX 8

struct event {
	int id;
	const char *system, *name;
	struct piece text;
	struct formats *formats;
	bool parsed, compiled;
	bool failed;	/* the print format could not be understood */
	bool is_ftrace; /* the event belongs to the system "ftrace" */
	/* the event is not from the file (blktrace.c); lists and -r, -n ignore it */
	bool is_made_up;
	bool is_bprint;
	bool force_raw, no_handler; /* report -r, -n */
	uint8_t role;		    /* enum event_role of order.h */
	bool names_nobody;	    /* names.c found no task name in the event */
	/* text fields that contained something unprintable, by text_index (report -R) */
	uint32_t not_text;
	struct field *common, *fields;
	size_t n_common, n_fields;
	const char *print_format;
	struct arg *args;
	struct segment *segments;
	struct event_program pretty, raw;
	event_handler handler;
	const struct field *wanted[EVENT_WANTED_MAX]; /* the handler's fields; NULL: absent */
	/* " name:              " as a line shows it */
	char *label;
	size_t label_len;
	const char *why_failed; /* reason for check-events; NULL if nothing failed */
};

/*
 * Fills *ev from ev->text. Returns false if the text has no name or no id. All memory is from the
 * arena.
 */
bool event_parse(struct event *ev, struct arena *arena);

/* Parses only the name and the id. */
bool event_parse_head(struct piece text, struct piece *ret_name, int *ret_id);

const struct field *event_find_common(const struct event *ev, const char *name);
/* finds one of the event's own fields */
const struct field *event_find_field(const struct event *ev, const char *name);
bool event_is_probe(const struct event *ev); /* true for kprobe, uprobe or fprobe */
/* finds any field, common fields first */
const struct field *event_find_any(const struct event *ev, const char *name);
/* Finds the names of a field's values in the print format (__print_symbolic), or returns NULL. */
const struct arg *event_find_value_names(const struct event *ev, const struct field *f);

/* Returns true if the print format shows the elements of an array; see printer_print_array(). */
bool event_shows_array(const struct event *ev, const struct field *f);

/* Returns true if the number, as read or sign-extended, is FIELD_GONE. */
static inline bool field_is_gone(const struct field *f, uint64_t v)
{
	uint64_t mask = f->size < 8 ? (UINT64_C(1) << (8 * f->size)) - 1 : UINT64_MAX;

	return f->flags & FIELD_GAPS && !((v ^ FIELD_GONE) & mask);
}

/*
 * Returns the bits of the number, as in the record. Names of values are compared with these bits.
 */
static inline uint64_t field_mask(const struct field *f)
{
	uint32_t n = f->n_signed_bits ? f->n_signed_bits : 8 * f->size;

	return n && n < 64 ? UINT64_MAX >> (64 - n) : UINT64_MAX;
}

/* Returns the number that a field's bytes represent, in the byte order of the trace. */
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
