/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * demangle_int.h - what demangle.c (names) and demangle_type.c share: one symbol on its way.
 *
 * Functions that read stand at their first byte and leave behind their last; NULL and false end it all.
 */
#ifndef SONDE_SYMBOLS_CXX_DEMANGLE_INT_H
#define SONDE_SYMBOLS_CXX_DEMANGLE_INT_H

#include <stdbool.h>
#include <stddef.h>

#define DEMANGLE_POOL_BYTES (64u << 10)
#define DEMANGLE_SUBS_MAX   256
#define DEMANGLE_ARGS_MAX   64
#define DEMANGLE_DEPTH_MAX  64

/* left and right of where a declarator would stand. */
struct ctype {
	const char *left, *right;
	bool is_inside; /* a function or an array: a pointer to it needs parentheses */
};

struct demangler {
	const char *p;
	char *pool;
	size_t used;
	struct ctype subs[DEMANGLE_SUBS_MAX];
	size_t n_subs;
	struct ctype args[DEMANGLE_ARGS_MAX]; /* of the last template */
	size_t n_args;
	unsigned depth;
};

/* A text in the pool. */
const char *demangler_fmt(struct demangler *d, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
const char *ctype_fmt(struct demangler *d, const struct ctype *t);
/* S_, S0_ … refer to it. */
bool demangler_add_sub(struct demangler *d, struct ctype t);
bool demangler_take(struct demangler *d, char c);
/* One level deeper; the caller counts depth back. */
bool demangler_enter(struct demangler *d);

const char *demangler_name(struct demangler *d);
const char *demangler_source_name(struct demangler *d);
/* "<int, char>", behind the I. */
const char *demangler_template_args(struct demangler *d);
bool demangler_template_param(struct demangler *d, struct ctype *ret); /* behind the T */
bool demangler_substitution(struct demangler *d, struct ctype *ret);   /* behind the S */

/* demangle_type.c */
bool demangler_type(struct demangler *d, struct ctype *ret);
/* Up to E, with commas between; "void" alone is nothing. */
const char *demangler_types(struct demangler *d);

#endif
