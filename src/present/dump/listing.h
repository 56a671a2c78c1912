/* SPDX-License-Identifier: GPL-2.0-or-later */
/* listing.h - prints lists of an opened trace: events, formats, systems, functions, buffers. */
#ifndef SONDE_PRESENT_DUMP_LISTING_H
#define SONDE_PRESENT_DUMP_LISTING_H

#include <stdbool.h>

struct errmsg;
struct inputs_file;
struct textbuf;

struct listing {
	const char *path;		    /* path of the trace, for messages */
	const char *event_re, *function_re; /* see decode/namematch.h; NULL: all */
	bool overview, events, plugins, functions, buffers, clock, systems;
	bool fields, full; /* print the fields of events, and also their print formats */
};

/*
 * Prints all requested lists, in the order of the members. Returns -ENOENT if an expression matches
 * nothing; then out contains the lists before it.
 */
int listing_fmt(const struct inputs_file *file, const struct listing *l, struct textbuf *out,
		struct errmsg *err);

#endif
