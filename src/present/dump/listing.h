/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * listing.h - what an opened trace knows, as lists: events and their formats, systems, functions, buffers, clock.
 */
#ifndef SONDE_PRESENT_DUMP_LISTING_H
#define SONDE_PRESENT_DUMP_LISTING_H

#include <stdbool.h>

struct errmsg;
struct inputs_file;
struct textbuf;

struct listing {
	const char *path;		    /* of the trace, for sentences */
	const char *event_re, *function_re; /* see decode/namematch.h; NULL: all */
	bool overview, events, plugins, functions, buffers, clock, systems;
	bool fields, full; /* of events: their fields; the print formats as well */
};

/*
 * Everything that is asked for, in the order of the members. On failure out has what came before. -ENOENT: an
 * expression matches nothing.
 */
int listing_fmt(const struct inputs_file *file, const struct listing *l, struct textbuf *out,
		struct errmsg *err);

#endif
