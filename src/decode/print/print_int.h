/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* print_int.h - declarations that the files that print records share. */
#ifndef SONDE_DECODE_PRINT_PRINT_INT_H
#define SONDE_DECODE_PRINT_PRINT_INT_H

#include "base/arena.h"
#include "decode/print/print.h"

#define PAD_MAX 4096 /* limit of a width or precision in a format */

/* A parsed conversion, such as "%-8.3lx". */
struct conversion {
	char letter; /* d u x X o s p */
	bool left, zero, alternate;
	bool width_is_arg, precision_is_arg;
	int8_t size_class;
	int width, precision; /* -1: none */
};

struct print_op {
	void (*run)(struct printer *p, const struct print_op *op);
	const char *text; /* text printed before the conversion */
	uint32_t text_len;
	uint32_t offset; /* offset of a plain field */
	uint8_t size;
	struct conversion conv;
	const struct field *field;
	const struct field *maybe; /* field that the op shows and that may be unknown */
	/* used if the field is known */
	void (*run_known)(struct printer *p, const struct print_op *op);
	const struct arg *arg, *width_arg;
	const char *letters; /* letters after the p of a pointer */
	uint64_t mask;	     /* mask of a plain field under a cast */
	bool prefix_0x;	     /* raw fields: print 0x before the number */
};

/* eval.c */
uint64_t arg_eval(struct printer *p, const struct arg *a);
/* Finds the offset and length of a dynamic field in the record. Both are 0 if it does not fit. */
void dynamic_place(const struct printer *p, const struct field *f, uint32_t *ret_offset,
		   uint32_t *ret_len);
uint64_t function_call(struct printer *p, const struct arg *a);
/* Resolves the names among constants that are evaluated as numbers. */
void args_resolve(struct formats *f, struct arg *a, bool as_number);

/* print.c */
void emit_string(struct textbuf *out, const struct conversion *c, const char *s, size_t len);
void print_segment(struct printer *p, const struct segment *s);

/* value.c: returns the array of which "REC->a[1]" is an element, or NULL. */
const struct field *element_array(const struct arg *a);

/* string.c */
void print_string_arg(struct printer *p, const struct conversion *c, const struct arg *a);
/* prints FLAGS and SYMBOL without width or precision */
void print_names_memo(struct printer *p, const struct arg *a);

/* pointer.c: letters follow the p; n_bytes is the `*` of %*ph. */
void print_pointer(struct printer *p, const char *letters, int n_bytes, const struct arg *a);

/* rawfields.c */
void rawfields_compile(struct event *ev, struct arena *arena);
void rawfields_print(struct printer *p, const struct record *rec);

/* bprint.c */
void bprint_print(struct printer *p);
struct bprint_cache *bprint_cache_new(void);
void bprint_cache_free(struct bprint_cache *c);

#endif
