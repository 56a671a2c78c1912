/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * latency.h - programs in the kernel that measure the time from one event to another.
 *
 *	bpflatency_init
 *	bpflatency_add        the program of the beginning, then that of the end; or one that is both
 *	    links             the caller attaches each
 *	bpflatency_each       times so far; bpflatency_read_counts: what has none
 *	bpflatency_close
 *
 * Times are in ns, of the monotonic clock. Those that lie near to each other are a cell: closer than a hundredth, and
 * in the same bucket of the histogram that was asked for.
 */
#ifndef SONDE_CAPTURE_BPF_LATENCY_H
#define SONDE_CAPTURE_BPF_LATENCY_H

#include "capture/bpf/bpf.h"
#include "capture/bpf/program.h"
#include "capture/bpf/rows.h"

#define BPFLATENCY_KEYS_MAX	8
#define BPFLATENCY_PROGRAMS_MAX 3 /* beginning, end, threads that are no more */

enum bpflatency_match { BPFLATENCY_BY_THREAD, BPFLATENCY_BY_CPU, BPFLATENCY_BY_NUMBER };

/* Buckets whose edges no cell crosses, besides the powers of two of ns and us: steps of range_ns, if that is not 0. */
struct bpflatency_scale {
	uint64_t range_ns, min_ns, max_ns;
};

struct bpflatency_config {
	enum bpflatency_match match;
	struct bpflatency_scale scale;
	uint32_t n_starts;	       /* under way at a time, beside those in slots */
	uint32_t n_rows, n_near_bytes; /* cells of all groups (rows.h) */
	/*
	 * BY_THREAD, if it is known: the number of the thread at the kernel's tracepoint sched_process_free. Then starts
	 * go with the thread.
	 */
	bool has_farewell;
	struct bpfsource farewell;
};

/* What one side reads. */
struct bpflatency_side {
	struct bpfsource match; /* of BPFLATENCY_BY_NUMBER */
	const struct bpffilter
		*filter; /* of an event that is both: it is this side if it is true; NULL: always */
	struct bpfsource groups[BPFLATENCY_KEYS_MAX];
	size_t n_groups;
};

struct bpflatency {
	struct bpflatency_config config;
	struct bpf_table slots, spilled, counters;
	struct bpf_table cells; /* without groups */
	struct bpfrows rows;	/* cells of groups */
	uint32_t n_from_bytes,
		n_to_bytes; /* groups of each side in the key of a cell, from first */
	int programs[BPFLATENCY_PROGRAMS_MAX], links[BPFLATENCY_PROGRAMS_MAX]; /* -1: none */
	size_t n_programs;
};

struct bpflatency_cell {
	uint64_t n, total_ns, min_ns, max_ns;
};

/* As struct latency_counts has them. */
struct bpflatency_counts {
	uint64_t n_open, n_again, n_alone, n_backwards;
	uint64_t n_no_start, n_no_cell; /* there was no room for it */
};

void bpflatency_init(struct bpflatency *l, const struct bpflatency_config *config);

/*
 * Makes the next program: from NULL, it is only an end; to NULL, only a beginning. The beginning comes first: all is made
 * anew with it. The sentence is for who insists on BPF. After a failure it can be tried again, with another hook.
 */
int bpflatency_add(struct bpflatency *l, const struct bpfprogram_config *config,
		   const struct bpflatency_side *from, const struct bpflatency_side *to,
		   struct errmsg *err);
/* The program that was made last. */
int bpflatency_program(const struct bpflatency *l);
/* … is attached by this descriptor; negative: it is not to be used. */
void bpflatency_take_link(struct bpflatency *l, int link);

/* Nothing is measured any more; it can still be read. */
void bpflatency_detach(struct bpflatency *l);
/* groups: the bytes of all groups, those of the beginning first. A cell may come in several parts. */
int bpflatency_each(const struct bpflatency *l,
		    int (*visit)(void *ctx, const uint8_t *groups,
				 const struct bpflatency_cell *cell),
		    void *ctx, struct errmsg *err);
int bpflatency_read_counts(const struct bpflatency *l, struct bpflatency_counts *ret,
			   struct errmsg *err);
/* Hits that the kernel left out, as the program ran there already. */
uint64_t bpflatency_missed(const struct bpflatency *l);
void bpflatency_close(struct bpflatency *l);

#endif
