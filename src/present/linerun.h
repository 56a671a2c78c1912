/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * linerun.h - prints all events of the inputs as lines, with heads and tails, with several threads.
 */
#ifndef SONDE_PRESENT_LINERUN_H
#define SONDE_PRESENT_LINERUN_H

#include "base/errmsg.h"
#include "inputs/sources.h"
#include "present/lines.h"

struct linerun_spec {
	const struct lines_spec *show;
	bool colour;	  /* colour the text */
	bool verbose;	  /* include CPUs without data */
	bool check_times; /* report when time decreases on a CPU */
};

/* Functions that receive the output. One thread at a time calls them, except is_closed. */
struct linerun_sink {
	void *ctx;
	/* Returns 0, -EPIPE if the reader has closed the pipe, or another negative errno. */
	int (*write)(void *ctx, const char *text, size_t len);
	bool (*is_closed)(void *ctx);
	void (*progress)(void *ctx, float part); /* 0 … 1 */
	void (*note_backwards)(void *ctx, uint32_t cpu, uint64_t from, uint64_t to);
};

/*
 * Prints all lines. The sequence of src is started and its range is set. -EPIPE comes without a
 * message. If a file contains the text of a latency tracer, that text is written.
 */
int linerun(const struct linerun_spec *spec, const struct inputs_sources *src,
	    const struct lines *lines, const struct linerun_sink *sink, struct errmsg *err);

#endif
