/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sources.h - the buffers of all inputs, as one sequence of records.
 *
 *	inputs_sources_init ─▶ inputs_sources_set_range ─▶ sequence_fill(src.seq, …) … ─▶ inputs_sources_release
 */
#ifndef SONDE_INPUTS_SOURCES_H
#define SONDE_INPUTS_SOURCES_H

#include "base/arena.h"
#include "decode/order/sequence.h"
#include "inputs/inputs.h"
#include "store/tracefile.h"

/* A buffer of a file. */
struct inputs_source {
	struct inputs_file *file;
	struct source_config config; /* as the sequence takes it */
	enum time_style time_style;
};

struct inputs_sources {
	struct inputs *in;
	struct sequence *seq;	    /* NULL after inputs_sources_list() */
	struct inputs_source *list; /* as the sequence counts its sources */
	size_t n;
	struct unpacker *unpacker;
	struct arena arena;
};

/* What the spec says of the records that are wanted. The caller adds how they are used: raw, tgids, … */
struct sequence_config inputs_sequence_config(const struct inputs_spec *spec);

/* Starts the sequence. Release it on failure, too. */
int inputs_sources_init(struct inputs_sources *src, struct inputs *in,
			const struct sequence_config *config, struct errmsg *err);
/* The same without a sequence: only what the sources are. For who goes through them otherwise. */
int inputs_sources_list(struct inputs_sources *src, struct inputs *in, struct errmsg *err);
void inputs_sources_release(struct inputs_sources *src);

/* Applies align_ts, from and to of the spec, before the first sequence_fill(). */
int inputs_sources_set_range(struct inputs_sources *src, struct errmsg *err);

/*
 * Whether times are nanoseconds. time_style takes uptime for time and boot for none, as trace-cmd does; but the former
 * counts clock ticks, and the latter nanoseconds.
 */
bool inputs_sources_are_ns(const struct inputs_sources *src);

/* The top-level buffer, not one of an instance. */
static inline bool inputs_is_top(const struct tracefile_buffer *b)
{
	return !b->name[0];
}

#endif
