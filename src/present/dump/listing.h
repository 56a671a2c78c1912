/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * listing.h - the content of an opened trace as lists: events, formats, systems, functions,
 * buffers.
 */
#ifndef SONDE_PRESENT_DUMP_LISTING_H
#define SONDE_PRESENT_DUMP_LISTING_H

#include <stdbool.h>

struct errmsg;
struct inputs_file;
struct textbuf;

struct listing {
	const char *path;		    /* of the trace, for messages */
	const char *event_re, *function_re; /* see decode/namematch.h; NULL: all */
	bool overview, events, plugins, functions, buffers, clock, systems;
	bool fields, full; /* for events: print their fields; also the print formats */
};

/*
 * Prints everything that is requested, in the order of the members. On failure out contains the
 * part before. -ENOENT: an expression matches nothing.
 */
int listing_fmt(const struct inputs_file *file, const struct listing *l, struct textbuf *out,
		struct errmsg *err);

#endif
