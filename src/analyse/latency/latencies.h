/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * latencies.h - many durations as a few numbers: how many, how long, spread, the worst, by groups.
 *
 *	latencies_init ─▶ latencies_add … ─▶ latencies_finish ─▶ all, groups, worst ─▶ latencies_release
 *
 * Durations are in ns, or in units of a clock that is no time. Counts, sums, least and most are exact;
 * percentiles are told too high by less than one percent. Several adds can follow a finish, then it is
 * called again. One owner.
 */
#ifndef SONDE_ANALYSE_LATENCY_LATENCIES_H
#define SONDE_ANALYSE_LATENCY_LATENCIES_H

#include "analyse/keytable.h"

#define LATENCY_WORST_MAX   10000
#define LATENCY_BUCKETS_MAX 4096
#define LATENCY_OCTAVES	    58
#define LATENCY_PERCENTILES 5

struct task;

/* Of the 10 000: 50, 90, 95, 99 and 99.9 %. */
extern const unsigned latency_percentiles[LATENCY_PERCENTILES];

/*
 * The buckets of the histogram. Log2: below 1 unit, below 2, below 4 … the last has the rest. Linear: below
 * min, then steps of range up to max, then the rest. In units of unit_ns.
 */
struct latency_scale {
	uint64_t unit_ns;
	uint64_t range, min, max; /* range 0: log2 */
	size_t n_buckets;
};

struct latency_spread {
	uint64_t n, total, min, max;
	uint64_t *octaves[LATENCY_OCTAVES]; /* 128 counts each, or NULL */
	uint64_t *buckets;		    /* of the scale */
};

struct latency_group {
	struct keyed key; /* first, for keytable.h */
	struct latency_spread spread;
};

/* One that took long, and where it is in the trace. */
struct latency_place {
	uint64_t ns, from_ts, to_ts;
	uint32_t from_cpu, to_cpu;
	const struct task *task; /* at its end; NULL: not known */
	const struct latency_group *group;
};

/* Several that are so near to each other that no part of a percentile and no bucket lies between them. */
struct latency_cell {
	uint64_t n, total, min, max;
};

struct latencies {
	struct latency_scale scale;
	struct latency_spread all;
	struct keytable groups; /* of struct latency_group; no keys: empty */
	struct latency_place
		*worst; /* a heap, the shortest first; after finish the longest first */
	size_t n_worst, max_worst;
	struct latency_group **sorted;
	uint64_t n_dropped; /* in all, but in no group: there is no room for more groups */
	bool is_sorted;
};

/* Fills in what is not given: as many buckets as perf's histogram has, or as min and max need. */
void latency_scale_settle(struct latency_scale *scale);
size_t latency_scale_bucket(const struct latency_scale *scale, uint64_t ns);
/* The first value of a bucket in units; the one after the last of the bucket, 0: there is no end. */
void latency_scale_range(const struct latency_scale *scale, size_t bucket, uint64_t *ret_from,
			 uint64_t *ret_to);

int latencies_init(struct latencies *l, const struct latency_scale *scale, size_t n_keys,
		   size_t n_worst);
void latencies_release(struct latencies *l);

/* The group of these values, NULL without room or keys. */
struct latency_group *latencies_group(struct latencies *l, const uint64_t *values,
				      const struct key_slot *const *slots);
/* n of them that took so long. place: of this one; NULL: not known. */
void latencies_add(struct latencies *l, struct latency_group *g, uint64_t ns, uint64_t n,
		   const struct latency_place *place);
void latencies_add_cell(struct latencies *l, struct latency_group *g,
			const struct latency_cell *cell);

/* Sorts the worst, and the groups: the most time first. 0 or -ENOMEM. */
int latencies_finish(struct latencies *l);

/* The smallest duration that so many of 10 000 do not exceed. */
uint64_t latency_spread_percentile(const struct latency_spread *s, unsigned of_10000);

#endif
