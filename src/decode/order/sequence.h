/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sequence.h - all records of one or more trace buffers, in time order, in batches.
 *
 * This is the only place where order matters. Everything that depends on earlier records is decided
 * here while walking: filters, task names learned from scheduler events, the indentation of
 * function events, which function entry is folded with its exit, wakeup latencies. Then any thread
 * can print the records of a batch, in any order.
 *
 *	sequence_new ─▶ sequence_add_source … ─▶ sequence_start ─▶ sequence_fill … ─▶ sequence_free
 *
 * In a live trace sequence_fill() returns what is certain to be in order; see livepages.h.
 *
 * A sequence belongs to one thread at a time. A filled batch belongs to the thread that works on
 * it; what its records point to is valid until it is filled again or released.
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
#define SEQUENCE_IDS  65536 /* event ids: a record has two bytes for it */

struct sequence;

struct source_config {
	struct tracefile *tf;
	struct formats *formats;
	struct tasks *tasks; /* of the file; buffers of one file share it */
	const struct tracefile_buffer *buffer;
	struct timeconv time;
	struct filter **filters; /* at least one must match; none: all pass */
	size_t n_filters;
	struct filter **rejects; /* report -v -F */
	size_t n_rejects;
	bool names_first; /* the filters use the task's name */
	/*
	 * Called for tasks that the trace does not name; returns the length of the name in buf, or
	 * 0. May be NULL.
	 */
	size_t (*find_name)(void *ctx, int pid, char *buf, size_t size);
	void *find_name_ctx;
};

struct sequence_config {
	const uint32_t *cpus; /* only these; NULL: all. Other CPUs are walked, but not batched */
	size_t n_cpus;
	/*
	 * Only events whose id has a 1 here; NULL: all. Others are only examined for names. An
	 * event with RECORD_MISSED is always returned, so that code that pairs events knows about
	 * the gap.
	 */
	const uint8_t *events;
	size_t n_events;
	/*
	 * Counts all walked records by their id (SEQUENCE_IDS of them), wanted or not; NULL: not
	 * needed.
	 */
	uint64_t *n_walked;
	bool no_hardirq, no_softirq; /* report -I, -S */
	bool raw;		     /* records will be printed by their fields, without handlers */
	bool wakeup;		     /* report -w */
	/* report --debug and --boundary: fill extra with the position of a record */
	bool places;
	/* learn names from every scheduler event at once, not only when it is printed */
	bool all_names;
	bool fresh_names;	 /* … and use the latest one, not the first (live traces) */
	bool tgids;		 /* learn the process of each task */
	uint64_t from, to;	 /* inclusive; to: UINT64_MAX */
	bool (*stop)(void *ctx); /* called once per batch; may be NULL */
	void *stop_ctx;
	/*
	 * Live traces: how many rounds a function entry waits for the next record, which may be its
	 * exit and is then shown on the same line. After that the entry is shown as one whose body
	 * is still running.
	 */
	uint64_t hold_rounds;
	/*
	 * Live traces: called when there is nothing for now; true: check again. NULL:
	 * sequence_fill() returns 0.
	 */
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

/* The summary of report -w. */
struct wakeup_stats {
	uint64_t n, total, max, max_ts, min, min_ts;
};

struct sequence *sequence_new(const struct sequence_config *config);
void sequence_free(struct sequence *s);

/* 0 or -ENOMEM. The index of the source is the number of sources added before. */
int sequence_add_source(struct sequence *s, const struct source_config *config,
			struct unpacker *unpacker);

/* Reads the first record of every CPU. */
int sequence_start(struct sequence *s);

/*
 * The time of the earliest record after sequence_start(), before filters; false if there is none.
 */
bool sequence_first_ts(const struct sequence *s, uint64_t *ret_ts);
/* Shifts all times, between sequence_start() and the first sequence_fill(). */
void sequence_shift(struct sequence *s, int64_t by);

/* Sets config.from and config.to, before the first sequence_fill(). */
void sequence_set_range(struct sequence *s, uint64_t from, uint64_t to);

/* Sets config.events, before the first sequence_fill(); they still belong to the caller. */
void sequence_set_events(struct sequence *s, const uint8_t *events, size_t n_events);

/* 1: batch filled; 0: no more, or in a live trace (see livepages.h) none for now. */
int sequence_fill(struct sequence *s, struct batch *b);

/* After sequence_fill() returned 0: is that the end? */
bool sequence_has_ended(const struct sequence *s);
/* The number of records in memory that are in no batch; discards them. Live traces only. */
uint64_t sequence_count_rest(struct sequence *s);

int batch_init(struct batch *b);
void batch_release(struct batch *b);

const struct sequence_stats *sequence_stats(const struct sequence *s);
/* [0] all tasks, [1] realtime ones. */
const struct wakeup_stats *sequence_wakeup(const struct sequence *s);

#endif
