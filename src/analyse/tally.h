/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tally.h - how many records of which event and of which task, and what was lost between them.
 *
 * Works on sub-buffers as they come, in any order: only an event's id and its task are looked at,
 * no format is parsed and nothing is brought into time order. Several threads count into a tally of
 * their own each and the results are added up in the end. One owner at a time.
 */
#ifndef SONDE_ANALYSE_TALLY_H
#define SONDE_ANALYSE_TALLY_H

#include "decode/formats/formats.h"
#include "decode/walker.h"

/* How often a number was seen; grows up to COUNTS_MAX different ones. */
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
	size_t n_ids; /* ids below are counted in a table */
};

struct tally {
	struct tally_layout layout;
	struct count *by_id;	 /* n_ids of them; key is not used */
	struct counts other_ids; /* of records that are too short to have one: -1 */
	struct counts pids;
};

/* What is known of a run of sub-buffers of one CPU. */
struct tally_span {
	uint64_t n_pages, n_records;
	uint64_t first_ts, last_ts; /* raw, if there are records */
	uint64_t n_gaps;	    /* places where events were lost */
	uint64_t n_missed;	    /* how many were lost there … */
	uint64_t n_gaps_unknown;    /* … but for these, where the kernel did not say */
};

struct tally_layout tally_layout_of(const struct formats *f);

/* 0 or -ENOMEM. */
int tally_init(struct tally *t, const struct tally_layout *layout);
void tally_release(struct tally *t);

/* Counts one sub-buffer and extends the span; false if it is cut off or damaged. */
bool tally_add_page(struct tally *t, struct tally_span *span, const uint8_t *page, size_t len);

/* Adds what was counted elsewhere (with the same layout). */
void tally_add(struct tally *t, const struct tally *more);
void tally_span_add(struct tally_span *span, const struct tally_span *more);

/* Everything counted of one kind, the most frequent first, ties by key; the caller frees it. */
struct count *tally_list_ids(const struct tally *t, size_t *ret_n);
struct count *tally_list_pids(const struct tally *t, size_t *ret_n);

#endif
