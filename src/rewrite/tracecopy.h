/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracecopy.h - takes what is in an opened trace over into a writer. Used by the commands that make
 * one trace of another: convert, split, restore.
 *
 *	tracecopy_init ─▶ tracecopy_metadata ─▶ tracecopy_buffers, or buffers of the command's own
 *	─▶ writer_close ─▶ tracecopy_release
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

/* Texts, options, sections and the number of CPUs. */
int tracecopy_metadata(struct tracecopy *tc, struct writer *w, struct errmsg *err);
/* Announces and writes all buffers, or the latency text. */
int tracecopy_buffers(struct tracecopy *tc, struct writer *w, struct errmsg *err);
/* The latency text, if the trace has one instead of events. */
const struct tracefile_buffer *tracecopy_latency(const struct tracefile *tf);

#endif
