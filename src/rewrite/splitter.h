/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * splitter.h - splits a trace into pieces, sequentially; `sonde split` without its options.
 *
 *	splitter_new ─▶ splitter_keep … ─▶ splitter_start
 *	while splitter_more(): splitter_plan ─▶ for each kept buffer: splitter_source to a writer
 *	splitter_free
 *
 * Only counting events over all CPUs reads data twice (see splitter.c). Memory holds one page for
 * each CPU.
 */
#ifndef SONDE_REWRITE_SPLITTER_H
#define SONDE_REWRITE_SPLITTER_H

#include "store/tracefile.h"
#include "store/writer.h"

struct splitter;
struct unpacker;

enum split_unit { SPLIT_ALL, SPLIT_TIME, SPLIT_EVENTS, SPLIT_PAGES };

struct split_rule {
	enum split_unit unit;
	uint64_t amount; /* size of a piece: ns (or units of the clock), events, sub-buffers */
	bool per_cpu;	 /* split each CPU separately */
	bool one_cpu;	 /* keep only `cpu` */
	uint32_t cpu;
	bool has_from;
	uint64_t from, to;	   /* times as shown, inclusive; to UINT64_MAX: to the end */
	bool from_first, to_first; /* the time is relative to the first event that is kept */
};

struct splitter *splitter_new(struct tracefile *tf, const struct split_rule *rule,
			      struct unpacker *unpacker);
void splitter_free(struct splitter *s);

/*
 * Keeps the events of a buffer. Buffers are numbered in the order of these calls. Returns 0 or
 * -ENOMEM.
 */
int splitter_keep(struct splitter *s, const struct tracefile_buffer *buffer);
/* Moves to the first selected event. */
int splitter_start(struct splitter *s);

/* Returns true if there are events left. */
bool splitter_more(const struct splitter *s);
/* Determines the next piece. */
int splitter_plan(struct splitter *s);
/* Returns a source of the sub-buffers of a kept buffer in this piece, each once, in order. */
struct writer_source splitter_source(struct splitter *s, size_t buffer);
/* Returns the number of events in the last written piece. */
uint64_t splitter_n_events(const struct splitter *s);

#endif
