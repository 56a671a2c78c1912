/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * values.h - arguments, return values and events as text.
 */
#ifndef SONDE_PRESENT_UFTRACE_VALUES_H
#define SONDE_PRESENT_UFTRACE_VALUES_H

#include "analyse/uftrace/walk.h"
#include "present/uftrace/out.h"

enum uft_values_form {
	UFT_VALUES_PAREN = 1,  /* "(1, 2)", "()" if there are none */
	UFT_VALUES_RETVAL = 2, /* the return value, not the arguments */
	UFT_VALUES_ASSIGN = 4, /* " = 3" */
	UFT_VALUES_SEMICOLON = 8,
	UFT_VALUES_MORE = 16, /* the record has values */
	UFT_VALUES_JSON = 32, /* quotes are escaped for JSON */
};

/* What uftrace appends to the name of a function, at most 1023 bytes. */
void uft_values_add(struct uft_out *o, struct uft_walk *w, struct uft_lane *l,
		    const struct uft_values *v, unsigned form);

/* "linux:schedule"; user events by their names of events.txt. */
void uft_event_name(const char *events_text, uint64_t id, char *buf, size_t n_bytes);
/*
 * "comm=sh", "vmsize=1KB …": the data of an event; false: it has none. signs: differences get a sign.
 * kernel: may be NULL if there is none.
 */
bool uft_event_data(struct uft_kernel *kernel, uint64_t id, const struct uft_values *v, bool signs,
		    char *buf, size_t n_bytes);

#endif
