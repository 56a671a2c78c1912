/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * latencies.h - summarises many durations: count, time, spread, the longest, by groups.
 *
 *  latencies_init ─▶ latencies_add … ─▶ latencies_finish ─▶ all, groups, worst ─▶ latencies_release
 *
 * Durations are in ns, or in units of a clock that does not count time. Counts, sums, minimum and
 * maximum are exact; percentiles are too high by less than one percent. More may be added after
 * latencies_finish(), which is then called again. Only one thread may use it at a time.
 */
#ifndef SONDE_ANALYSE_LATENCY_LATENCIES_H
#define SONDE_ANALYSE_LATENCY_LATENCIES_H

#include "analyse/keytable.h"
#include "base/arena.h"

#define LATENCY_WORST_MAX   10000
#define LATENCY_BUCKETS_MAX 4096
#define LATENCY_OCTAVES	    58
#define LATENCY_PERCENTILES 5

struct task;

/* The percentiles in parts of 10 000: 50, 90, 95, 99 and 99.9 %. */
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
	uint64_t max_ts;		    /* end of the longest duration; 0: unknown */
	uint64_t *octaves[LATENCY_OCTAVES]; /* 128 counts each, or NULL */
	uint64_t *buckets;		    /* counts of the buckets of the scale */
};

struct latency_group {
	struct keyed key; /* must be the first member, for keytable.h */
	struct latency_spread spread;
};

/* A long duration, and its place in the trace. */
struct latency_place {
	uint64_t ns, from_ts, to_ts;
	uint32_t from_cpu, to_cpu;
	const struct task *task; /* task at the end of the duration; NULL: unknown */
	const struct latency_group *group;
};

/*
 * Several durations that are so close that no boundary of a percentile or a bucket is between them.
 */
struct latency_cell {
	uint64_t n, total, min, max;
	uint64_t max_ts; /* end of the longest duration; 0: unknown */
};

struct latencies {
	struct latency_scale scale;
	struct latency_spread all;
	struct keytable groups; /* table of struct latency_group; empty if there are no keys */
	/* heap with the shortest first; after latencies_finish() sorted with the longest first */
	struct latency_place *worst;
	size_t n_worst, max_worst;
	struct latency_group **sorted;
	/*
	 * durations that count in total, but in no group, because there is no room for more groups
	 */
	uint64_t n_dropped;
	bool is_sorted;
};

/*
 * Checks the values of a scale. range 0 means buckets that double. min or max 0 means that the
 * value is not given.
 */
int latency_scale_check(long long range, long long min, long long max, struct errmsg *err);
/*
 * Chooses the values that are not given: as many buckets as perf's histogram has, or as min and max
 * need.
 */
void latency_scale_settle(struct latency_scale *scale);
/* Checks the values, sets them, and chooses the others. in_ns: the unit is not a microsecond. */
int latency_scale_set(struct latency_scale *scale, bool in_ns, long long range, long long min,
		      long long max, struct errmsg *err);
size_t latency_scale_bucket(const struct latency_scale *scale, uint64_t ns);
/* Gets the first value of a bucket, and the first value after it, in units. 0 means no end. */
void latency_scale_range(const struct latency_scale *scale, size_t bucket, uint64_t *ret_from,
			 uint64_t *ret_to);

int latencies_init(struct latencies *l, const struct latency_scale *scale, size_t n_keys,
		   size_t n_worst);
void latencies_release(struct latencies *l);

/*
 * Finds or adds the group of these values. Returns NULL if there is no room or there are no keys.
 */
struct latency_group *latencies_group(struct latencies *l, const uint64_t *values,
				      const struct key_slot *const *slots);
/* Adds n durations of the same length. place is the place of the duration; NULL: unknown. */
void latencies_add(struct latencies *l, struct latency_group *g, uint64_t ns, uint64_t n,
		   const struct latency_place *place);
void latencies_add_cell(struct latencies *l, struct latency_group *g,
			const struct latency_cell *cell);

/* Adds a spread of other latencies with the same scale; to: one of l. */
void latencies_join_spread(struct latencies *l, struct latency_spread *to,
			   const struct latency_spread *from);
/* Adds a duration to the longest ones only. */
void latencies_add_place(struct latencies *l, const struct latency_place *place);

/*
 * Sorts the longest durations and the groups, those with the most time first. Returns 0 or -ENOMEM.
 */
int latencies_finish(struct latencies *l);

/* Adds one duration to a spread that the caller owns, without the histogram of a scale. */
void latency_spread_add(struct latency_spread *s, struct arena *arena, uint64_t ns);
/* Adds the durations of another spread, without the histogram of a scale. */
void latency_spread_merge(struct latency_spread *to, struct arena *arena,
			  const struct latency_spread *from);
/* Returns the smallest duration that this many of 10 000 durations do not exceed. */
uint64_t latency_spread_percentile(const struct latency_spread *s, unsigned of_10000);

#endif
