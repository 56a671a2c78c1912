/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tally.h - how many records of which event and of which task, and what was lost between them.
 *
 * It works on sub-buffers in any order: it reads only an event's id and its task, parses no format
 * and sorts nothing. Several threads count into their own tallies, which are added at the end. One
 * owner at a time.
 */
#ifndef SONDE_ANALYSE_TALLY_H
#define SONDE_ANALYSE_TALLY_H

#include "decode/formats/formats.h"
#include "decode/walker.h"

/* How often a number was seen; up to COUNTS_MAX different ones. */
#define COUNTS_MAX (1u << 20)

struct count {
	int64_t key;
	uint64_t n; /* 0: a free slot */
	uint64_t n_bytes;
};

struct counts {
	struct count *slots; /* open addressing, a power of two of them */
	size_t n_slots, n_used;
	uint64_t seed;
	uint64_t n_dropped; /* not counted: too many different numbers, or no memory */
};

struct tally_layout {
	struct page_layout page;
	struct common_field type, pid;
	size_t n_ids; /* lower ids are counted in a table */
};

struct tally {
	struct tally_layout layout;
	struct count *by_id;	 /* n_ids of them; key is not used */
	struct counts other_ids; /* of records that are too short for an id: -1 */
	struct counts pids;
};

/* A run of sub-buffers of one CPU. */
struct tally_span {
	uint64_t n_pages, n_records;
	uint64_t first_ts, last_ts; /* raw, if there are records */
	uint64_t n_gaps;	    /* places where events were lost */
	uint64_t n_missed;	    /* how many were lost there … */
	uint64_t n_gaps_unknown;    /* … except at these, where the kernel did not report it */
};

struct tally_layout tally_layout_of(const struct formats *f);

/* 0 or -ENOMEM. */
int tally_init(struct tally *t, const struct tally_layout *layout);
void tally_release(struct tally *t);

/* Counts one sub-buffer and extends the span; false if it is truncated or damaged. */
bool tally_add_page(struct tally *t, struct tally_span *span, const uint8_t *page, size_t len);

/* Adds another tally (with the same layout). */
void tally_add(struct tally *t, const struct tally *more);
void tally_span_add(struct tally_span *span, const struct tally_span *more);

/* All counts of one kind, the most frequent first, ties by key; the caller frees the array. */
struct count *tally_list_ids(const struct tally *t, size_t *ret_n);
struct count *tally_list_pids(const struct tally *t, size_t *ret_n);

#endif
