/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sequence.h - all records of one or more trace buffers, in time order, in batches.
 *
 * The one place where order matters. What depends on earlier records is settled here while walking:
 * filters, task names learned from scheduler events, the indentation of function events, which
 * function entry is folded with its exit, wakeup latencies. The records of a batch can then be
 * printed by any thread, in any order.
 *
 *	sequence_new ─▶ sequence_add_source … ─▶ sequence_start ─▶ sequence_fill … ─▶ sequence_free
 *
 * In a live trace sequence_fill() gives what is certain to be in order; see livepages.h.
 *
 * A sequence belongs to one thread at a time. A batch, once filled, belongs to whoever works on it;
 * what its records point at stays valid until it is filled again or released.
 */
#ifndef SONDE_DECODE_ORDER_SEQUENCE_H
#define SONDE_DECODE_ORDER_SEQUENCE_H

#include "decode/filter/filter.h"
#include "decode/formats/formats.h"
#include "decode/record.h"
#include "decode/timeconv.h"
#include "store/pagestream.h"
#include "symbols/tasks.h"

#define BATCH_RECORDS 1024
#define SEQUENCE_IDS  65536 /* of events: a record has two bytes for it */

struct sequence;

struct source_config {
	struct tracefile *tf;
	struct formats *formats;
	struct tasks *tasks; /* of the file; buffers of one file share it */
	const struct tracefile_buffer *buffer;
	struct timeconv time;
	struct filter **filters; /* any one must match; none: all pass */
	size_t n_filters;
	struct filter **rejects; /* report -v -F */
	size_t n_rejects;
	bool names_first; /* the filters look at the task's name */
	/* Asked for tasks that the trace does not name; length of the name in buf, or 0. May be NULL. */
	size_t (*find_name)(void *ctx, int pid, char *buf, size_t size);
	void *find_name_ctx;
};

struct sequence_config {
	const uint32_t *cpus; /* only these; NULL: all. Others are walked, but not batched */
	size_t n_cpus;
	/*
	 * Only events whose id has a 1 here; NULL: all. Others are looked at for names. One that has
	 * RECORD_MISSED comes nevertheless, so that who pairs events knows of the gap.
	 */
	const uint8_t *events;
	size_t n_events;
	/* Counts all that are walked, whatever is wanted, by their id (SEQUENCE_IDS of them); NULL: nobody asks. */
	uint64_t *n_walked;
	bool no_hardirq, no_softirq; /* report -I, -S */
	bool raw;	/* records will be printed by their fields: no handler sees them */
	bool wakeup;	/* report -w */
	bool places;	/* report --debug and --boundary: fill extra with where a record lies */
	bool all_names; /* learn names from every scheduler event at once, not only when printed */
	bool fresh_names;	 /* … and let the latest one count, not the first (live traces) */
	bool tgids;		 /* learn which process a task belongs to */
	uint64_t from, to;	 /* inclusive; to: UINT64_MAX */
	bool (*stop)(void *ctx); /* asked once a batch; may be NULL */
	void *stop_ctx;
	/*
	 * Live traces: how many rounds a function entry waits for the record after it, which may be its
	 * exit and is then shown on the same line. After that the entry is shown as one whose body is
	 * still running.
	 */
	uint64_t hold_rounds;
	/* Live traces: asked when there is nothing for now; true: look again. NULL: sequence_fill() is 0. */
	bool (*wait)(void *ctx);
	void *wait_ctx;
};

struct batch {
	struct record *records;
	size_t n;
	struct record_extra *extras;
	size_t n_extras;
	struct chunk **chunks;
	size_t n_chunks, cap_chunks;
	uint64_t prev_ts; /* of the record printed before the first one */
	uint16_t prev_source;
	bool has_prev;
	uint64_t n_bytes; /* of all records */
	float progress;	  /* 0 … 1, how much of the input was walked */
};

struct sequence_stats {
	uint64_t n_records; /* walked, before filters */
	uint64_t n_batched;
	uint64_t n_bytes; /* of sub-buffers read */
};

/* What report -w sums up. */
struct wakeup_stats {
	uint64_t n, total, max, max_ts, min, min_ts;
};

struct sequence *sequence_new(const struct sequence_config *config);
void sequence_free(struct sequence *s);

/* 0 or -ENOMEM. The index of the source is the number of those added before. */
int sequence_add_source(struct sequence *s, const struct source_config *config,
			struct unpacker *unpacker);

/* Reads the first record of every CPU. */
int sequence_start(struct sequence *s);

/* The time of the earliest record after sequence_start(), before filters; false if there is none. */
bool sequence_first_ts(const struct sequence *s, uint64_t *ret_ts);
/* Shifts all times, between sequence_start() and the first sequence_fill(). */
void sequence_shift(struct sequence *s, int64_t by);

/* Sets config.from and config.to, before the first sequence_fill(). */
void sequence_set_range(struct sequence *s, uint64_t from, uint64_t to);

/* Sets config.events, before the first sequence_fill(); they stay the caller's. */
void sequence_set_events(struct sequence *s, const uint8_t *events, size_t n_events);

/* 1: batch filled; 0: no more, or in a live trace (see livepages.h) none for now. */
int sequence_fill(struct sequence *s, struct batch *b);

/* After sequence_fill() gave 0: is that the end? */
bool sequence_has_ended(const struct sequence *s);
/* How many records are in memory that no batch was given; it throws them away. Live traces only. */
uint64_t sequence_count_rest(struct sequence *s);

int batch_init(struct batch *b);
void batch_release(struct batch *b);

const struct sequence_stats *sequence_stats(const struct sequence *s);
/* [0] all tasks, [1] realtime ones. */
const struct wakeup_stats *sequence_wakeup(const struct sequence *s);

#endif
