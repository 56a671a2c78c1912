/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * valuetext.h - recorded arguments and return values as text, in uftrace's form and for scripts.
 */
#ifndef SONDE_ANALYSE_UFTRACE_VALUETEXT_H
#define SONDE_ANALYSE_UFTRACE_VALUETEXT_H

#include "analyse/uftrace/walk.h"
#include "base/textbuf.h"

enum uft_values_form {
	UFT_VALUES_PAREN = 1,  /* "(1, 2)", "()" if there are none */
	UFT_VALUES_RETVAL = 2, /* the return value, not the arguments */
	UFT_VALUES_ASSIGN = 4, /* " = 3" */
	UFT_VALUES_SEMICOLON = 8,
	UFT_VALUES_MORE = 16, /* the record has values */
	UFT_VALUES_JSON = 32, /* quotes are escaped for JSON */
};

/* Colours: the words that switch one on and off. */
struct uft_value_style {
	const char *(*on)(const void *ctx, char code);
	const char *(*off)(const void *ctx);
	const void *ctx;
	bool colour, html;
};

/* At most 1023 bytes. style: NULL if it is plain text. */
void uft_values_fmt(const struct uft_value_style *style, struct uft_walk *w, struct uft_lane *l,
		    const struct uft_values *values, unsigned form, struct textbuf *tb);

/*
 * The values of the current record as a script gets them, written as in C and with commas between
 * them: 3, 1.5, "text". Returns how many there are.
 */
size_t uft_values_literals(struct uft_lane *l, bool is_retval, struct textbuf *tb);

#endif
