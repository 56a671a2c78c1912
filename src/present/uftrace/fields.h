/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fields.h - the columns of -f: which ones, their headings, and their values.
 */
#ifndef SONDE_PRESENT_UFTRACE_FIELDS_H
#define SONDE_PRESENT_UFTRACE_FIELDS_H

#include "present/uftrace/out.h"

#define UFT_FIELDS_MAX 32

struct uft_field {
	const char *name, *alias; /* alias: may be NULL */
	const char *header;
	int width;
	void (*add)(struct uft_out *o, void *row);
};

struct uft_fields {
	const struct uft_field *list[UFT_FIELDS_MAX];
	size_t n;
};

/*
 * words: of -f; NULL: the defaults (an array ended by NULL). False: a name is unknown, and o has
 * uftrace's message about it.
 */
bool uft_fields_init(struct uft_fields *f, const char *words, const struct uft_field *table,
		     size_t n_table, const char *const *defaults, struct uft_out *o);
/* The heading: prefix before the first, title behind the last, in columns of n_space blanks. */
void uft_fields_header(const struct uft_fields *f, struct uft_out *o, const char *prefix,
		       const char *title, int n_space);
/* The same, each heading right-aligned in its column. */
void uft_fields_header_right(const struct uft_fields *f, struct uft_out *o, const char *prefix,
			     const char *title, int n_space);
/* False: there are none. */
bool uft_fields_add(const struct uft_fields *f, struct uft_out *o, void *row, int n_space);
bool uft_fields_add_blank(const struct uft_fields *f, struct uft_out *o, int n_space);

#endif
