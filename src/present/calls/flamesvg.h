/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flamesvg.h - a call graph as a flame graph: one SVG file that needs nothing else, with zoom and
 * search.
 */
#ifndef SONDE_PRESENT_CALLS_FLAMESVG_H
#define SONDE_PRESENT_CALLS_FLAMESVG_H

#include "analyse/calls/callgraph.h"
#include "base/textbuf.h"

#define FLAMESVG_WIDTH_MIN 200
#define FLAMESVG_WIDTH_MAX 20000

struct flamesvg_view {
	struct callgraph *graph; /* after callgraph_sort() or callgraph_compare() */
	const char *title;
	bool in_time;
	bool is_diff;	    /* widths are those of the other graph, colours the differences */
	unsigned width;	    /* pixels */
	const char *script; /* web/flamesvg.js */
	size_t script_len;
};

void flamesvg_fmt(const struct flamesvg_view *v, struct textbuf *tb);

#endif
