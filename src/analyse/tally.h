/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * tally.h - counts records by event and by task, and the events lost between them.
 *
 * It works on sub-buffers in any order: it reads only an event's id and its task, parses no format
 * and sorts nothing. Several threads count into their own tallies, which are added at the end. One
 * owner at a time.
 */
#ifndef SONDE_ANALYSE_TALLY_H
#define SONDE_ANALYSE_TALLY_H

#include "base/arena.h"
#include "base/map.h"
#include "decode/formats/formats.h"
#include "decode/walker.h"

/* Counts by number, for up to COUNTS_MAX different numbers. */
#define COUNTS_MAX (1u << 20)

struct count {
	int64_t key;
	uint64_t n;
	uint64_t n_bytes;
};

struct counts {
	struct map map; /* struct count by key */
	struct arena arena;
	/* events that were not counted: too many different numbers, or no memory */
	uint64_t n_dropped;
};

struct tally_layout {
	struct page_layout page;
	struct common_field type, pid;
	size_t n_ids; /* lower ids are counted in a table */
};

struct tally {
	struct tally_layout layout;
	struct count *by_id; /* n_ids counts, without keys */
	/* counts of other ids; -1 for records that are too short for an id */
	struct counts other_ids;
	struct counts pids;
};

/* A run of sub-buffers of one CPU. */
struct tally_span {
	uint64_t n_pages, n_records;
	uint64_t first_ts, last_ts; /* recorded times, if there are records */
	uint64_t n_gaps;	    /* places where events were lost */
	uint64_t n_missed;	    /* number of lost events, as far as the kernel reported it */
	/* number of places where the kernel did not report how many events were lost */
	uint64_t n_gaps_unknown;
};

struct tally_layout tally_layout_of(const struct formats *f);

/* Returns 0 or -ENOMEM. */
int tally_init(struct tally *t, const struct tally_layout *layout);
void tally_release(struct tally *t);

/* Counts one sub-buffer and extends the span. Returns false if it is truncated or damaged. */
bool tally_add_page(struct tally *t, struct tally_span *span, const uint8_t *page, size_t len);

/* Adds another tally, which must have the same layout. */
void tally_add(struct tally *t, const struct tally *more);
void tally_span_add(struct tally_span *span, const struct tally_span *more);

/*
 * Lists all counts of one kind, the most frequent first, and equal ones by key. The caller frees
 * the array.
 */
struct count *tally_list_ids(const struct tally *t, size_t *ret_n);
struct count *tally_list_pids(const struct tally *t, size_t *ret_n);

#endif
