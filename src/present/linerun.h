/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * linerun.h - all events of the inputs as lines, with what stands before and behind them, by several threads.
 */
#ifndef SONDE_PRESENT_LINERUN_H
#define SONDE_PRESENT_LINERUN_H

#include "present/lines.h"

struct linerun_spec {
	const struct lines_spec *show;
	bool colour;	  /* of text */
	bool verbose;	  /* CPUs without data, too */
	bool check_times; /* note when time goes backwards on a CPU */
};

/* Called by one thread at a time, except is_closed. */
struct linerun_sink {
	void *ctx;
	/* 0, -EPIPE when nobody reads any more, or another negative errno. */
	int (*write)(void *ctx, const char *text, size_t len);
	bool (*is_closed)(void *ctx);
	void (*progress)(void *ctx, float part); /* 0 … 1 */
	void (*note_backwards)(void *ctx, uint32_t cpu, uint64_t from, uint64_t to);
};

/*
 * src: with its sequence started and its range set. -EPIPE without a sentence. A file with the text of a latency tracer
 * has nothing else: that is written.
 */
int linerun(const struct linerun_spec *spec, const struct inputs_sources *src,
	    const struct lines *lines, const struct linerun_sink *sink, struct errmsg *err);

#endif
