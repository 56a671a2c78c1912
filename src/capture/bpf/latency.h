/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * latency.h - BPF programs that measure the time from one event to another.
 *
 *	bpflatency_init
 *	bpflatency_add        makes the program for the start, then that for the end; or one that is
 *	                      both
 *	    links             the caller attaches each program
 *	bpflatency_each       visits the times; bpflatency_read_counts: events without a time
 *	bpflatency_close
 *
 * Times are in ns of the monotonic clock. A cell combines times that differ by less than one
 * percent and are in the same bucket of the requested histogram.
 */
#ifndef SONDE_CAPTURE_BPF_LATENCY_H
#define SONDE_CAPTURE_BPF_LATENCY_H

#include "capture/bpf/bpf.h"
#include "capture/bpf/program.h"
#include "capture/bpf/rows.h"

#define BPFLATENCY_KEYS_MAX	8
#define BPFLATENCY_PROGRAMS_MAX 3 /* programs for the start, the end, and exits of threads */

enum bpflatency_match { BPFLATENCY_BY_THREAD, BPFLATENCY_BY_CPU, BPFLATENCY_BY_NUMBER };

/*
 * Edges of buckets that no cell crosses, besides the powers of two of ns and us: multiples of
 * range_ns, unless that is 0.
 */
struct bpflatency_scale {
	uint64_t range_ns, min_ns, max_ns;
};

struct bpflatency_config {
	enum bpflatency_match match;
	struct bpflatency_scale scale;
	/* number of open starts in addition to those in slots */
	uint32_t n_starts;
	uint32_t n_rows, n_near_bytes; /* number of cells of all groups (rows.h) */
	/*
	 * BY_THREAD, if known: the place of the thread id in the kernel's tracepoint
	 * sched_process_free. Then the starts of a thread are removed when it exits.
	 */
	bool has_farewell;
	struct bpfsource farewell;
};

/* The values that the program of one side reads. */
struct bpflatency_side {
	struct bpfsource match; /* for BPFLATENCY_BY_NUMBER */
	/* for an event that is both sides: it is this side if the filter is true; NULL: always */
	const struct bpffilter *filter;
	struct bpfsource groups[BPFLATENCY_KEYS_MAX];
	size_t n_groups;
};

struct bpflatency {
	struct bpflatency_config config;
	struct bpf_table slots, spilled, counters;
	struct bpf_table cells; /* used without groups */
	struct bpfrows rows;	/* cells with groups */
	uint32_t n_from_bytes,
		/*
		 * bytes of the groups of each side in the key of a cell; those of the start come
		 * first
		 */
		n_to_bytes;
	int programs[BPFLATENCY_PROGRAMS_MAX], links[BPFLATENCY_PROGRAMS_MAX]; /* -1: none */
	size_t n_programs;
};

struct bpflatency_cell {
	uint64_t n, total_ns, min_ns, max_ns;
};

/* Counts as in struct latency_counts. */
struct bpflatency_counts {
	uint64_t n_open, n_again, n_alone, n_backwards;
	uint64_t n_no_start, n_no_cell; /* starts and cells for which there was no room */
};

void bpflatency_init(struct bpflatency *l, const struct bpflatency_config *config);

/*
 * Makes the next program. If from is NULL, it is only an end; if to is NULL, only a start. Add the
 * start first, because it creates all tables again. The message in err is for users who request
 * BPF. After a failure, the caller may try again with another hook.
 */
int bpflatency_add(struct bpflatency *l, const struct bpfprogram_config *config,
		   const struct bpflatency_side *from, const struct bpflatency_side *to,
		   struct errmsg *err);
/* Returns the last program. */
int bpflatency_program(const struct bpflatency *l);
/*
 * Takes the descriptor that attaches the program; a negative one means that the program is not
 * used.
 */
void bpflatency_take_link(struct bpflatency *l, int link);

/* Stops measuring. The times can still be read. */
void bpflatency_detach(struct bpflatency *l);
/*
 * Visits the cells. groups has the bytes of all groups, those of the start first. A cell may come
 * in several parts.
 */
int bpflatency_each(const struct bpflatency *l,
		    int (*visit)(void *ctx, const uint8_t *groups,
				 const struct bpflatency_cell *cell),
		    void *ctx, struct errmsg *err);
int bpflatency_read_counts(const struct bpflatency *l, struct bpflatency_counts *ret,
			   struct errmsg *err);
/*
 * Returns the number of hits that the kernel skipped because the program was already running there.
 */
uint64_t bpflatency_missed(const struct bpflatency *l);
void bpflatency_close(struct bpflatency *l);

#endif
