/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lines.h - how the events of opened inputs look: text as trace-cmd prints it, JSON or CSV.
 *
 *	lines_sequence_config ─▶ inputs_sources_init ─▶ lines_init ─▶ line_printer_init(lines_style()) ─▶ lines_adder()
 *
 * What is here belongs to one report of files or of a live trace; line.h and rows.h make a line of it.
 */
#ifndef SONDE_PRESENT_LINES_H
#define SONDE_PRESENT_LINES_H

#include "inputs/sources.h"
#include "present/line.h"

enum lines_as { LINES_TEXT, LINES_JSON, LINES_CSV };

struct lines_spec {
	enum lines_as as;
	bool latency, raw, ts_diff, boundary, debug, tgid;
	bool wakeup;	    /* latencies of wakeups, behind the line */
	bool syscall_names; /* beside the numbers of system calls */
};

/* For each source of the inputs, in their order: how its lines look. */
struct lines {
	struct line_source *list;
	size_t n;
	char **prefixes;
};

/* line_printer_add() and its like */
typedef size_t (*lines_add)(struct line_printer *lp, const struct batch *b, size_t from,
			    size_t max_bytes);

/* Which records are wanted (spec), and what of them is needed for such lines. */
struct sequence_config lines_sequence_config(const struct inputs_spec *spec,
					     const struct lines_spec *show);

/* syscalls: the sources need tables of system calls. Release it on failure, too. */
int lines_init(struct lines *lines, const struct inputs_sources *src, bool syscalls,
	       struct errmsg *err);
void lines_release(struct lines *lines);

/* Without colour; lines stays the caller's. */
struct line_style lines_style(const struct lines_spec *show, const struct lines *lines);
lines_add lines_adder(enum lines_as as);

/* "cpus=N" of a file, under its name if there are several; verbose: CPUs without data before it. */
void lines_add_head(const struct inputs *in, size_t file, bool verbose, struct textbuf *tb);
/* "CPU N is empty" of a buffer, for --verbose. */
void lines_add_empty_cpus(const struct tracefile_buffer *b, struct textbuf *tb);

#endif
