/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sources.h - the buffers of all inputs, as one sequence of records.
 *
 *  inputs_sources_init ─▶ inputs_sources_set_range ─▶ sequence_fill(src.seq, …) …
 *      ─▶ inputs_sources_release
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
	struct source_config config; /* configuration for the sequence */
	enum time_style time_style;
};

struct inputs_sources {
	struct inputs *in;
	struct sequence *seq;	    /* NULL after inputs_sources_list() */
	struct inputs_source *list; /* in the order of the sequence's sources */
	size_t n;
	struct unpacker *unpacker;
	struct arena arena;
};

/*
 * Makes a configuration that selects the records of the spec. The caller adds their use: raw,
 * tgids, …
 */
struct sequence_config inputs_sequence_config(const struct inputs_spec *spec);

/* Starts the sequence. Release src after a failure, too. */
int inputs_sources_init(struct inputs_sources *src, struct inputs *in,
			const struct sequence_config *config, struct errmsg *err);
/*
 * Like inputs_sources_init(), but without a sequence, for callers that walk the sources themselves.
 */
int inputs_sources_list(struct inputs_sources *src, struct inputs *in, struct errmsg *err);
void inputs_sources_release(struct inputs_sources *src);

/* Applies align_ts, from and to of the spec, before the first sequence_fill(). */
int inputs_sources_set_range(struct inputs_sources *src, struct errmsg *err);

/* Parses from and to of the spec to numbers. first is the time of the first event. */
int inputs_sources_parse_range(const struct inputs_sources *src, uint64_t first, uint64_t *ret_from,
			       uint64_t *ret_to, struct errmsg *err);
/* Calls add for every record, in order. Returns 0, or negative with a message. */
int inputs_sources_each(struct inputs_sources *src,
			void (*add)(void *ctx, const struct record *rec), void *ctx,
			struct errmsg *err);

/*
 * Returns true if times are in nanoseconds. time_style is different: like trace-cmd, it treats
 * uptime as time and boot as a counter, although uptime counts clock ticks, and boot nanoseconds.
 */
bool inputs_sources_are_ns(const struct inputs_sources *src);

/* Returns true for the top-level buffer, false for an instance. */
static inline bool inputs_is_top(const struct tracefile_buffer *b)
{
	return !b->name[0];
}

#endif
