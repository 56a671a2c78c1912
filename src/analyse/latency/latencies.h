/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * latencies.h - summarises many durations: count, time, spread, the longest, by groups.
 *
 *	latencies_init ─▶ latencies_add … ─▶ latencies_finish ─▶ all, groups, worst ─▶ latencies_release
 *
 * Durations are in ns, or in units of a clock that does not count time. Counts, sums, minimum and
 * maximum are exact; percentiles are too high by less than one percent. More may be added after
 * latencies_finish(), which is then called again. One owner.
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
 * The buckets of the histogram. Log2: below 1 unit, below 2, below 4 …; the last has the rest.
 * Linear: below min, then steps of range up to max, then the rest. In units of unit_ns.
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

/* A long duration, and its place in the trace. */
struct latency_place {
	uint64_t ns, from_ts, to_ts;
	uint32_t from_cpu, to_cpu;
	const struct task *task; /* at its end; NULL: unknown */
	const struct latency_group *group;
};

/*
 * Several durations that are so close that no boundary of a percentile or a bucket lies between
 * them.
 */
struct latency_cell {
	uint64_t n, total, min, max;
};

struct latencies {
	struct latency_scale scale;
	struct latency_spread all;
	struct keytable groups; /* of struct latency_group; no keys: empty */
	struct latency_place
		*worst; /* a heap, the shortest first; after latencies_finish() the longest first */
	size_t n_worst, max_worst;
	struct latency_group **sorted;
	/* counted in total, but in no group: there is no room for more groups */
	uint64_t n_dropped;
	bool is_sorted;
};

/* Fills in what is not given: as many buckets as perf's histogram has, or as min and max need. */
void latency_scale_settle(struct latency_scale *scale);
size_t latency_scale_bucket(const struct latency_scale *scale, uint64_t ns);
/* The first value of a bucket in units; the first after the bucket, 0: no end. */
void latency_scale_range(const struct latency_scale *scale, size_t bucket, uint64_t *ret_from,
			 uint64_t *ret_to);

int latencies_init(struct latencies *l, const struct latency_scale *scale, size_t n_keys,
		   size_t n_worst);
void latencies_release(struct latencies *l);

/* The group of these values; NULL without room or keys. */
struct latency_group *latencies_group(struct latencies *l, const uint64_t *values,
				      const struct key_slot *const *slots);
/* Adds n of this duration. place: of this one; NULL: unknown. */
void latencies_add(struct latencies *l, struct latency_group *g, uint64_t ns, uint64_t n,
		   const struct latency_place *place);
void latencies_add_cell(struct latencies *l, struct latency_group *g,
			const struct latency_cell *cell);

/* Sorts the longest durations, and the groups: the most time first. 0 or -ENOMEM. */
int latencies_finish(struct latencies *l);

/* The smallest duration that this many of 10 000 do not exceed. */
uint64_t latency_spread_percentile(const struct latency_spread *s, unsigned of_10000);

#endif
