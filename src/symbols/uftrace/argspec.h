/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * argspec.h - which values of a call were recorded, and how they are stored.
 *
 *	arg1/s,arg2/i32,fparg1/64,retval/e:colour
 *
 * A value takes its size, padded to 4 bytes; a string has a length of two bytes before it. All
 * values of a record together are padded to 8 bytes.
 */
#ifndef SONDE_SYMBOLS_UFTRACE_ARGSPEC_H
#define SONDE_SYMBOLS_UFTRACE_ARGSPEC_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum uft_arg_format {
	UFT_ARG_AUTO,	/* d: a number whose type is not known */
	UFT_ARG_SIGNED, /* i */
	UFT_ARG_UNSIGNED,
	UFT_ARG_HEX,
	UFT_ARG_OCTAL,
	UFT_ARG_STRING,
	UFT_ARG_CHAR,
	UFT_ARG_FLOAT,
	UFT_ARG_STD_STRING,
	UFT_ARG_POINTER,
	UFT_ARG_ENUM,
	UFT_ARG_STRUCT,
};

extern const char uft_arg_letters[]; /* by enum uft_arg_format: "diuxoscfSpet" */

#define UFT_ARG_RETVAL 0 /* its number */

struct uft_arg {
	int number; /* from 1; UFT_ARG_RETVAL */
	bool is_float;
	enum uft_arg_format format;
	uint32_t size;	       /* bytes */
	const char *type_name; /* of an enum or struct; NULL: unknown */
	const char *place;     /* "RDI", "stack+1"; NULL: by its number */
	bool is_auto;	       /* by --auto-args */
	bool is_exact;	       /* the name of the function was given, not a pattern */
	struct uft_arg *next;
};

/* Is the word a value ("arg1", "fparg2/64", "retval/x")? */
bool uft_arg_is_spec(const char *word);
/* False: not a value, or wrong. */
bool uft_arg_parse(const char *word, struct arena *a, struct uft_arg *ret);
/*
 * Adds a value at the end of a list: records have them in this order. It may replace an older one.
 */
int uft_arg_add(struct uft_arg **list, struct arena *a, const struct uft_arg *arg);

/*
 * How many bytes the values take, without the padding at the end: of the return value if is_retval,
 * else of the arguments. False: data is too short.
 */
bool uft_args_length(const struct uft_arg *list, bool is_retval, const uint8_t *data,
		     size_t n_bytes, size_t *ret);

#endif
