/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * traceinfo.h - prints the content of a trace file as text or JSON, for `sonde info`.
 *
 * This code computes nothing: inputs/info collects the facts.
 */
#ifndef SONDE_PRESENT_TRACEINFO_H
#define SONDE_PRESENT_TRACEINFO_H

#include "base/textbuf.h"
#include "inputs/info/traceinfo.h"

struct traceinfo_style {
	size_t max_rows; /* limit of rows of events, and of tasks */
	size_t max_cpus;
};

/* Prints one paragraph each for the file, its buffers, events and tasks. */
void traceinfo_fmt_text(const struct traceinfo *info, const struct traceinfo_style *style,
			struct textbuf *tb);
/* Prints one object on one line. */
void traceinfo_fmt_json(const struct traceinfo *info, const struct traceinfo_style *style,
			struct textbuf *tb);

#endif
