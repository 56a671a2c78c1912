/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * splitter.h - cuts a trace into pieces, one after the other; `sonde split` without its options.
 *
 *	splitter_new ─▶ splitter_keep … ─▶ splitter_start
 *	while splitter_more(): splitter_plan ─▶ for each kept buffer: splitter_source to a writer
 *	splitter_free
 *
 * Nothing is read twice but what counting events over all CPUs needs (see splitter.c), and nothing is
 * kept in memory but a page for each CPU.
 */
#ifndef SONDE_REWRITE_SPLITTER_H
#define SONDE_REWRITE_SPLITTER_H

#include "store/tracefile.h"
#include "store/writer.h"

struct errmsg;
struct splitter;
struct unpacker;

enum split_unit { SPLIT_ALL, SPLIT_TIME, SPLIT_EVENTS, SPLIT_PAGES };

struct split_rule {
	enum split_unit unit;
	uint64_t amount; /* of a piece: ns (or units of the clock), events, sub-buffers */
	bool per_cpu;	 /* each CPU by itself */
	bool one_cpu;	 /* only cpu */
	uint32_t cpu;
	bool has_from;
	uint64_t from, to;	   /* times as shown, inclusive; to UINT64_MAX: to the end */
	bool from_first, to_first; /* counted from the first event that is kept */
};

struct splitter *splitter_new(struct tracefile *tf, const struct split_rule *rule,
			      struct unpacker *unpacker);
void splitter_free(struct splitter *s);

/* A buffer whose events are wanted. Its number is that of those kept before. 0 or -ENOMEM. */
int splitter_keep(struct splitter *s, const struct tracefile_buffer *buffer);
/* Goes to the first event that is wanted. */
int splitter_start(struct splitter *s);

/* Are there events left? */
bool splitter_more(const struct splitter *s);
/* Decides what the next piece is. */
int splitter_plan(struct splitter *s);
/* The piece's sub-buffers of a kept buffer; each once, in order. */
struct writer_source splitter_source(struct splitter *s, size_t buffer);
/* Events in the piece that was written last. */
uint64_t splitter_n_events(const struct splitter *s);

#endif
