/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * functions.h - helper functions that print formats may call, such as jiffies_to_msecs().
 *
 * The kernel keeps calls of its own helpers in some print formats. The known ones are rows of a
 * table (functions.c); an event that calls any other is shown field by field.
 */
#ifndef SONDE_DECODE_FORMATS_FUNCTIONS_H
#define SONDE_DECODE_FORMATS_FUNCTIONS_H

#include <stddef.h>
#include <stdint.h>

struct printer;

enum param_kind { PARAM_NUMBER, PARAM_STRING };

#define PARAMS_MAX 8

/* args[i] is a number, or the address of a NUL-terminated string. */
typedef uint64_t (*print_function_call)(struct printer *p, const uint64_t *args);

struct print_function {
	const char *name;
	unsigned n_params;
	enum param_kind params[PARAMS_MAX];
	print_function_call call; /* may print to p->out; returns the value of the call */
};

const struct print_function *functions_find(const char *name);

#endif
