/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lines.h - prepares the format of lines for opened inputs: text as trace-cmd prints it, JSON or
 * CSV.
 *
 *	lines_sequence_config ─▶ inputs_sources_init ─▶ lines_init
 *		─▶ line_printer_init(lines_style()) ─▶ lines_adder()
 *
 * This data belongs to one report of files or of a live trace; line.h and rows.h print the lines.
 */
#ifndef SONDE_PRESENT_LINES_H
#define SONDE_PRESENT_LINES_H

#include "base/errmsg.h"
#include "decode/order/sequence.h"
#include "inputs/sources.h"
#include "present/line.h"
#include "store/tracefile.h"

enum lines_as { LINES_TEXT, LINES_JSON, LINES_CSV };

struct lines_spec {
	enum lines_as as;
	bool latency, raw, ts_diff, boundary, debug, tgid;
	bool wakeup;	    /* append wakeup latencies to the line */
	bool syscall_names; /* print names beside the numbers of system calls */
	bool stacks;	    /* print the stack of a sample below it */
};

/* The format of lines for each source of the inputs, in their order. */
struct lines {
	struct line_source *list;
	size_t n;
	char **prefixes;
};

/* Points to line_printer_add() or a similar function. */
typedef size_t (*lines_add)(struct line_printer *lp, const struct batch *b, size_t from,
			    size_t max_bytes);

/*
 * Makes the configuration of a sequence that selects the wanted records (spec), with the data that
 * such lines need.
 */
struct sequence_config lines_sequence_config(const struct inputs_spec *spec,
					     const struct lines_spec *show);

/*
 * Initialises lines. syscalls: the sources need tables of system calls. Release lines after a
 * failure, too.
 */
int lines_init(struct lines *lines, const struct inputs_sources *src, bool syscalls,
	       struct errmsg *err);
void lines_release(struct lines *lines);

/* Returns a style without colour. The caller keeps lines. */
struct line_style lines_style(const struct lines_spec *show, const struct lines *lines);
lines_add lines_adder(enum lines_as as);

/*
 * Adds "cpus=N" of a file, after its name if there are several. verbose: adds its CPUs without data
 * first.
 */
void lines_add_head(const struct inputs *in, size_t file, bool verbose, struct textbuf *tb);
/* Adds "CPU N is empty" for each such CPU of a buffer, for --verbose. */
void lines_add_empty_cpus(const struct tracefile_buffer *b, struct textbuf *tb);

#endif
