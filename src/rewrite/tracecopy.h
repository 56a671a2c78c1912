/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracecopy.h - takes what is in an opened trace over into a writer. Used by the commands that make
 * one trace of another: convert, split, restore, attach.
 *
 *	tracecopy_init ─▶ tracecopy_config ─▶ tracecopy_write ─▶ tracecopy_release
 *	                                            │
 *	                 tracecopy_all_buffers, or the caller's own fill function
 *
 * Damage that is met on the way is added to tf->damage; what the target's version has no place for
 * is named in `left_out`.
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
	int version; /* of the target */
	bool repair; /* check every sub-buffer and cut it where it is damaged */
	struct unpacker *unpacker;
	struct textbuf formats[2]; /* rebuilt, where those of the file are cut off */
	char left_out[200];	   /* "", or what was left out, for a sentence */
};

int tracecopy_init(struct tracecopy *tc, struct tracefile *tf, int version, struct errmsg *err);
void tracecopy_release(struct tracecopy *tc);

/* What a writer needs to know to write this trace as `version`. */
struct writer_config tracecopy_config(const struct tracecopy *tc, const char *path,
				      enum compression compression);

/* The compression of a trace, or zstd if it is one that we do not know. */
enum compression tracecopy_compression(const struct tracefile *tf);

/* Adds options, announces and writes buffers. ctx is the caller's. */
typedef int tracecopy_fill(void *ctx, struct tracecopy *tc, struct writer *w, struct errmsg *err);
/*
 * Writes the whole target: texts, options, sections and the number of CPUs of the source, then what
 * fill() adds. The target stays as it was if anything fails.
 */
int tracecopy_write(struct tracecopy *tc, const struct writer_config *config, tracecopy_fill *fill,
		    void *ctx, struct errmsg *err);
/* A fill(): all buffers of the source, or its latency text. */
tracecopy_fill tracecopy_all_buffers;
/* The latency text, if the trace has one instead of events. */
const struct tracefile_buffer *tracecopy_latency(const struct tracefile *tf);

#endif
