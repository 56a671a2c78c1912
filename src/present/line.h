/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * line.h - a record as a line of text, the way trace-cmd report prints it.
 *
 *	[FILE: ]            COMM-PID   [CPU] TIME: (+diff) NAME:    INFO
 *
 * One line_printer per thread; the sources and the style are shared and read-only.
 */
#ifndef SONDE_PRESENT_LINE_H
#define SONDE_PRESENT_LINE_H

#include "base/textbuf.h"
#include "decode/print/print.h"
#include "decode/order/sequence.h"
#include "decode/timefmt.h"

struct line_source {
	struct formats *formats;
	const char *prefix; /* "name: " padded, or NULL */
	uint32_t page_size;
	enum time_style time_style;
	bool diff_in_us;		      /* --ts-diff counts rounded microseconds */
	const char *file, *buffer;	      /* names for JSON and CSV; NULL: not worth saying */
	const struct syscall_table *syscalls; /* --syscall-names; NULL: none */
};

struct line_style {
	const struct line_source *sources;
	size_t n_sources;
	bool latency; /* report -l */
	bool raw;     /* report -R */
	bool ts_diff, boundary, debug;
	bool colour;
	bool tgid; /* a column with the process id */
};

/* line_printer_init, then line_printer_aim before each use. */
struct line_printer {
	const struct line_style *style;
	struct textbuf *out;
	struct printer **printers; /* by source; the buffers of a file share one */
	/* the time of the last line, as far as it repeats: its whole seconds */
	uint64_t seconds;
	char seconds_text[32];
	unsigned seconds_len;
};

int line_printer_init(struct line_printer *lp, const struct line_style *style);
void line_printer_release(struct line_printer *lp);

/* Where the lines go from now on. */
void line_printer_aim(struct line_printer *lp, struct textbuf *out);

/* Records [from, b->n) until the text is longer than max_bytes; returns the index it got to. */
size_t line_printer_add(struct line_printer *lp, const struct batch *b, size_t from,
			size_t max_bytes);

/* The event's own text, with the name of a system call put in if the source asks for it. */
void line_printer_add_info(struct line_printer *lp, const struct record *rec, bool raw);

/* The latency column of report -l: "d.h1." */
void line_printer_add_flags(struct line_printer *lp, const struct record *rec);

#endif
