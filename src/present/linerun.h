/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * linerun.h - print all events of the inputs as lines, with heads and tails, with several threads.
 */
#ifndef SONDE_PRESENT_LINERUN_H
#define SONDE_PRESENT_LINERUN_H

#include "base/errmsg.h"
#include "inputs/sources.h"
#include "present/lines.h"

struct linerun_spec {
	const struct lines_spec *show;
	bool colour;	  /* of text */
	bool verbose;	  /* also CPUs without data */
	bool check_times; /* report when time decreases on a CPU */
};

/* One thread at a time calls these, except is_closed. */
struct linerun_sink {
	void *ctx;
	/* 0, -EPIPE if the reader has closed the pipe, or another negative errno. */
	int (*write)(void *ctx, const char *text, size_t len);
	bool (*is_closed)(void *ctx);
	void (*progress)(void *ctx, float part); /* 0 … 1 */
	void (*note_backwards)(void *ctx, uint32_t cpu, uint64_t from, uint64_t to);
};

/*
 * src: with its sequence started and its range set. -EPIPE comes without a message. A file of a
 * latency tracer contains only its text, which is written.
 */
int linerun(const struct linerun_spec *spec, const struct inputs_sources *src,
	    const struct lines *lines, const struct linerun_sink *sink, struct errmsg *err);

#endif
