/* SPDX-License-Identifier: LGPL-2.1-or-later */
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
 * it; the data of its records is valid until the batch is filled again or released.
 */
#ifndef SONDE_DECODE_ORDER_SEQUENCE_H
#define SONDE_DECODE_ORDER_SEQUENCE_H

#include "base/scope.h"
#include "decode/filter/filter.h"
#include "decode/formats/formats.h"
#include "decode/record.h"
#include "decode/timeconv.h"
#include "store/pagestream.h"
#include "symbols/tasks.h"

#define BATCH_RECORDS 1024
#define SEQUENCE_IDS  65536 /* number of event ids: a record has two bytes for the id */

struct sequence;

struct source_config {
	struct tracefile *tf;
	struct formats *formats;
	struct tasks *tasks; /* tasks of the file; its buffers share them */
	const struct tracefile_buffer *buffer;
	struct timeconv time;
	struct filter **filters; /* at least one must match; without filters all records pass */
	size_t n_filters;
	struct filter **rejects; /* report -v -F */
	size_t n_rejects;
	bool names_first; /* the filters use the task's name */
	/*
	 * Called for tasks that the trace does not name. Returns the length of the name in buf, or
	 * 0. May be NULL.
	 */
	size_t (*find_name)(void *ctx, int pid, char *buf, size_t size);
	void *find_name_ctx;
};

struct sequence_config {
	/* CPUs to show; NULL: all; records of other CPUs are walked, but not batched */
	const uint32_t *cpus;
	size_t n_cpus;
	/*
	 * Only events whose id has a 1 here are returned; NULL: all. Other events are only examined
	 * for names. An event with RECORD_MISSED is always returned, so that code that pairs events
	 * knows about the gap.
	 */
	const uint8_t *events;
	size_t n_events;
	/*
	 * Counts all walked records by their id (SEQUENCE_IDS counters), returned or not; NULL: not
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
	bool fresh_names;	 /* use the latest name, not the first (live traces) */
	bool tgids;		 /* learn the process of each task */
	bool alone;		 /* no thread unpacks ahead */
	uint64_t from, to;	 /* inclusive; to: UINT64_MAX */
	bool (*stop)(void *ctx); /* called once per batch; may be NULL */
	void *stop_ctx;
	/*
	 * Live traces: number of rounds that a function entry waits for the next record, which may
	 * be its exit. If the exit comes, both are shown on the same line. After that time the
	 * entry is shown without its exit.
	 */
	uint64_t hold_rounds;
	/*
	 * Live traces: called when there is no record now. Returns true to check again. If it is
	 * NULL, sequence_fill() returns 0.
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
	uint64_t prev_ts; /* time of the record printed before the first one */
	uint16_t prev_source;
	bool has_prev;
	uint64_t n_bytes; /* size of all records */
	float progress;	  /* part of the input that was walked, 0 … 1 */
};

struct sequence_stats {
	uint64_t n_records; /* walked records, before filters */
	uint64_t n_bytes;   /* bytes of sub-buffers that were read */
};

/* The summary of report -w. */
struct wakeup_stats {
	uint64_t n, total, max, max_ts, min, min_ts;
};

struct sequence *sequence_new(const struct sequence_config *config);
void sequence_free(struct sequence *s);
SCOPED_POINTER(struct sequence, sequence_free)

/*
 * Adds a source. Returns 0 or -ENOMEM. The index of the source is the number of sources added
 * before.
 */
int sequence_add_source(struct sequence *s, const struct source_config *config,
			struct unpacker *unpacker);

/* Reads the first record of every CPU. */
int sequence_start(struct sequence *s);

/*
 * Gets the time of the earliest record after sequence_start(), before filters. Returns false if
 * there is none.
 */
bool sequence_first_ts(const struct sequence *s, uint64_t *ret_ts);
/* Shifts all times, between sequence_start() and the first sequence_fill(). */
void sequence_shift(struct sequence *s, int64_t by);

/* Sets config.from and config.to, before the first sequence_fill(). */
void sequence_set_range(struct sequence *s, uint64_t from, uint64_t to);

/* Sets config.events, before the first sequence_fill(). The array still belongs to the caller. */
void sequence_set_events(struct sequence *s, const uint8_t *events, size_t n_events);

/*
 * Returns 1 if the batch was filled. Returns 0 if there are no more records, or, in a live trace
 * (see livepages.h), none for now.
 */
int sequence_fill(struct sequence *s, struct batch *b);

/* Returns true if sequence_fill() returned 0 because the trace has ended. */
bool sequence_has_ended(const struct sequence *s);
/*
 * Returns the number of records in memory that are in no batch, and discards them. Live traces
 * only.
 */
uint64_t sequence_count_rest(struct sequence *s);

int batch_init(struct batch *b);
void batch_release(struct batch *b);

const struct sequence_stats *sequence_stats(const struct sequence *s);
/* Returns two summaries: [0] of all tasks, [1] of realtime tasks. */
const struct wakeup_stats *sequence_wakeup(const struct sequence *s);

#endif
