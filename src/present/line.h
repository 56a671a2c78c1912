/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * line.h - prints a record as a line of text, as trace-cmd report does.
 *
 *	[FILE: ]            COMM-PID   [CPU] TIME: (+diff) NAME:    INFO
 *
 * Each thread has its own line_printer; the sources and the style are shared and read-only.
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
	const char *file, *buffer;	      /* names for JSON and CSV; NULL: omit */
	const struct syscall_table *syscalls; /* --syscall-names; NULL: none */
};

struct line_style {
	const struct line_source *sources;
	size_t n_sources;
	bool latency; /* report -l */
	bool raw;     /* report -R */
	bool ts_diff, boundary, debug;
	bool colour;
	bool tgid;   /* a column with the process id */
	bool stacks; /* the stack of a sample below its line */
};

/* Call line_printer_init once, then line_printer_aim before each use. */
struct line_printer {
	const struct line_style *style;
	struct textbuf *out;
	struct printer **printers; /* by source; the buffers of a file share one */
	/* the whole seconds of the last line, as they often repeat */
	uint64_t seconds;
	char seconds_text[32];
	unsigned seconds_len;
};

int line_printer_init(struct line_printer *lp, const struct line_style *style);
void line_printer_release(struct line_printer *lp);

/* Sets the destination of the following lines. */
void line_printer_aim(struct line_printer *lp, struct textbuf *out);

/*
 * Prints records [from, b->n) until the text exceeds max_bytes. Returns the index of the next
 * record.
 */
size_t line_printer_add(struct line_printer *lp, const struct batch *b, size_t from,
			size_t max_bytes);

/* Adds the event's own text, with the name of the system call if the source requests it. */
void line_printer_add_info(struct line_printer *lp, const struct record *rec, bool raw);

/* Adds the latency column of report -l: "d.h1.". */
void line_printer_add_flags(struct line_printer *lp, const struct record *rec);

#endif
