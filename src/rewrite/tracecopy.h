/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracecopy.h - copies the contents of an opened trace to a writer, for the commands that make a
 * new trace from another: convert, split, restore, attach.
 *
 *	tracecopy_init ─▶ tracecopy_config ─▶ tracecopy_write ─▶ tracecopy_release
 *	                                            │
 *	                 tracecopy_all_buffers, or the caller's own fill function
 *
 * Damage is added to tf->damage; `left_out` names what the target's version cannot store.
 */
#ifndef SONDE_REWRITE_TRACECOPY_H
#define SONDE_REWRITE_TRACECOPY_H

#include "base/textbuf.h"
#include "store/tracefile.h"
#include "store/writer.h"

struct errmsg;
struct unpacker;

struct tracecopy {
	struct tracefile *tf;
	int version; /* version of the target */
	bool repair; /* check every sub-buffer and truncate it where it is damaged */
	struct unpacker *unpacker;
	/* formats that are rebuilt, if those of the file are truncated */
	struct textbuf formats[2];
	char left_out[200]; /* the omitted parts, for a message; "": none */
};

int tracecopy_init(struct tracecopy *tc, struct tracefile *tf, int version, struct errmsg *err);
void tracecopy_release(struct tracecopy *tc);

/* Returns the writer's configuration for writing this trace as `version`. */
struct writer_config tracecopy_config(const struct tracecopy *tc, const char *path,
				      enum compression compression);

/* Returns the compression of a trace, or zstd if it is unknown. */
enum compression tracecopy_compression(const struct tracefile *tf);

/* Adds options, announces and writes buffers. ctx is the caller's. */
typedef int tracecopy_fill(void *ctx, struct tracecopy *tc, struct writer *w, struct errmsg *err);
/*
 * Writes the whole target: texts, options, sections and the number of CPUs of the source, then what
 * fill() adds. The target is unchanged if any step fails.
 */
int tracecopy_write(struct tracecopy *tc, const struct writer_config *config, tracecopy_fill *fill,
		    void *ctx, struct errmsg *err);
/* A fill() function that adds all buffers of the source, or its latency text. */
tracecopy_fill tracecopy_all_buffers;
/* Returns the latency text, if the trace has one instead of events. */
const struct tracefile_buffer *tracecopy_latency(const struct tracefile *tf);

#endif
