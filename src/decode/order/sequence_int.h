/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sequence_int.h - declarations that sequence.c and cursors.c share: the position in each CPU of
 * each buffer.
 */
#ifndef SONDE_DECODE_ORDER_SEQUENCE_INT_H
#define SONDE_DECODE_ORDER_SEQUENCE_INT_H

#include "decode/order/sequence.h"
#include "decode/walker.h"
#include "store/pagestream.h"

struct cursor {
	struct pagestream *ps;
	struct page page;
	struct walker w;
	struct walked rec;
	uint64_t ts; /* converted time of rec */
	uint64_t page_ts;
	uint64_t place; /* position of the first sub-buffer, if config.places */
	uint32_t cpu;
	bool live;  /* rec is valid */
	bool ended; /* rec is not valid, and never will be again */
	bool at_page_start;
	int64_t missed;	      /* events missed before rec, as in struct walker */
	struct chunk *pinned; /* chunk that batch number pinned_by holds */
	uint64_t pinned_by;
};

struct source {
	struct source_config config;
	struct page_layout layout;
	struct cursor *cursors; /* ascending by CPU */
	size_t n_cursors;
	uint32_t *heap; /* heap of indices into cursors; NULL: scan the cursors */
	size_t n_heap;
	struct cursor *pending; /* cursor whose record passed the filters */
	bool done;
	/* by event id, 1: neither returned nor examined; NULL: unknown */
	uint8_t *ignored;
	struct stack_follow *stacks; /* the buffers of a file share it, like the filters */
	bool owns_stacks;
};

/* A function entry of a live trace whose exit may be the next record, which has not arrived yet. */
struct held {
	struct source *src; /* source of the held entry; NULL: none is held */
	struct record rec;
	struct record_extra extra;
	struct chunk *chunk;
	uint64_t before; /* `before` of struct sequence when the entry started to wait */
};

struct sequence {
	struct sequence_config config;
	struct source **sources;
	size_t n_sources;
	uint8_t *chosen; /* bit mask of CPUs; NULL: all */
	uint32_t n_chosen;
	struct order_state *order;
	struct sequence_stats stats;
	uint64_t prev_ts;
	uint16_t prev_source;
	bool has_prev;
	uint64_t n_batches, n_skipped;
	float progress;
	bool is_live;
	int error;		/* set if a cursor could not be read further */
	uint64_t before;	/* live: the first round from which dry cursors may lack records */
	struct cursor *witness; /* live: a cursor whose record was certain at the last check */
	struct held held;
};

/* Opens streams for all CPUs with data. Returns 0 or -ENOMEM. */
int cursors_open(struct source *src, struct unpacker *unpacker, bool places);
void cursors_free(struct source *src);
/* Reads the first record of each CPU. */
int cursors_start(struct sequence *s, struct source *src);

/* Moves past a record that was taken, and keeps the order of the cursors. */
void cursors_consume(struct sequence *s, struct source *src, struct cursor *c);

/*
 * Moves every cursor to its first record that is not before `from`; nothing is learned from the
 * records before it. Works where pagestream_seek() does.
 */
void cursors_seek(struct sequence *s, struct source *src, uint64_t from);

/* Live traces: checks all dry cursors again. */
void cursors_refill(struct sequence *s);
/* Returns true if none of the cursors will ever have a record again. */
bool cursors_have_ended(const struct source *src);

static inline struct cursor *cursors_earliest(struct source *src)
{
	struct cursor *best = NULL;

	if (src->heap)
		return src->n_heap ? &src->cursors[src->heap[0]] : NULL;
	for (size_t i = 0; i < src->n_cursors; i++) {
		struct cursor *c = &src->cursors[i];

		if (c->live && (!best || c->ts < best->ts))
			best = c;
	}
	return best;
}

/* Returns true if there is a certain record that is not earlier than that of c. */
bool cursor_find_witness(struct sequence *s, const struct cursor *c);

/* Returns true if no earlier record than that of c, the earliest cursor, can follow. */
static inline bool cursor_may_show(struct sequence *s, const struct cursor *c)
{
	return c->page.round < s->before || cursor_find_witness(s, c);
}

#endif
