/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * countertable.h - what counters have counted: a row for each part of the machine and event, over
 * one or several runs.
 *
 *	countertable_new       for these events
 *	countertable_part      the row's part: "CPU3", "S0", a thread, or the only one
 *	countertable_add       a counter's value belongs to a part and an event
 *	countertable_end_run   the run's sums become one observation
 *	countertable_cell      the mean over all runs, and its deviation
 *
 * The events belong to the caller and must stay. Threads: a table belongs to one.
 */
#ifndef SONDE_ANALYSE_COUNTERS_COUNTERTABLE_H
#define SONDE_ANALYSE_COUNTERS_COUNTERTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct countertable;

/* What an event means for others: a ratio needs its two sides. */
enum counterrole {
	COUNTERROLE_NONE,
	COUNTERROLE_CLOCK, /* ns of CPU time */
	COUNTERROLE_CYCLES,
	COUNTERROLE_INSTRUCTIONS,
	COUNTERROLE_STALLED_FRONT,
	COUNTERROLE_STALLED_BACK,
	COUNTERROLE_BRANCHES,
	COUNTERROLE_BRANCH_MISSES,
	COUNTERROLE_CACHE_REFS,
	COUNTERROLE_CACHE_MISSES,
	COUNTERROLE_L1D,
	COUNTERROLE_L1D_MISSES,
	COUNTERROLE_L1I,
	COUNTERROLE_L1I_MISSES,
	COUNTERROLE_LL,
	COUNTERROLE_LL_MISSES,
	COUNTERROLE_DTLB,
	COUNTERROLE_DTLB_MISSES,
	COUNTERROLE_ITLB,
	COUNTERROLE_ITLB_MISSES,
	COUNTERROLE_N,
};

struct counterevent {
	const char *name;
	const char *unit;   /* NULL: none */
	const char *cgroup; /* NULL: none */
	double scale;
	enum counterrole role;
	unsigned mode; /* equal if two events exclude the same modes: ratios are of one mode */
	bool is_supported;
	bool is_tool;
	bool is_optional; /* nobody asked for it by name: leave it out if it is not supported */
};

struct countertotals {
	double elapsed_s, elapsed_deviation_s; /* mean and standard error over the runs */
	double user_s, system_s;
	bool has_cpu_time;
	unsigned n_runs;
};

enum counterstate { COUNTER_COUNTED, COUNTER_NOT_COUNTED, COUNTER_NOT_SUPPORTED };

struct countercell {
	enum counterstate state;
	double value;	  /* mean, scaled up if the counter did not run all the time; raw units */
	double deviation; /* standard error in percent of the mean; 0 with one run */
	double enabled_ns, running_ns;
};

struct countermetric {
	double value;
	const char *unit; /* "insn per cycle", "K/sec" */
	bool is_percent;
	unsigned digits; /* after the point */
};

int countertable_new(struct countertable **ret, const struct counterevent *events, size_t n_events);
void countertable_free(struct countertable *t);
/* Forgets all values; parts stay. */
void countertable_clear(struct countertable *t);

/*
 * Finds or adds a part. Parts are ordered by key. Returns its index, or a negative errno. n_merged:
 * CPUs in it, for "S0 2".
 */
int countertable_part(struct countertable *t, int64_t key, const char *label, unsigned n_merged);
void countertable_add(struct countertable *t, size_t part, size_t event, uint64_t value,
		      uint64_t enabled_ns, uint64_t running_ns);
void countertable_end_run(struct countertable *t, double elapsed_s, double user_s, double system_s);

size_t countertable_n_events(const struct countertable *t);
const struct counterevent *countertable_event(const struct countertable *t, size_t event);
size_t countertable_n_parts(const struct countertable *t);
/* rank: 0 is the part with the lowest key. */
const char *countertable_label(const struct countertable *t, size_t rank, unsigned *ret_n_merged);
void countertable_cell(const struct countertable *t, size_t rank, size_t event,
		       struct countercell *ret);
void countertable_totals(const struct countertable *t, struct countertotals *ret);
/* Has one event at least no counter on this machine? */
bool countertable_has_unsupported(const struct countertable *t);

#define COUNTERMETRICS_MAX 2
/* What follows from this cell and others of the part. Returns how many; often 0. */
size_t countermetrics_of(const struct countertable *t, size_t rank, size_t event,
			 struct countermetric ret[COUNTERMETRICS_MAX]);
/*
 * The unit that a metric of this role would have; NULL: it depends on the value, or there is none.
 */
const char *countermetrics_unit(enum counterrole role);

#endif
