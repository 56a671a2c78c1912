/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * calltimes.h - counts and times function calls, from the events of programs' functions and of the
 * kernel's function_graph tracer (decode/callevent.h).
 *
 *  calltimes_new ─▶ calltimes_add … (in the order of time) ─▶ calltimes_finish ─▶ rows
 *      ─▶ calltimes_free
 *
 * Self time is the time of a function without the traced functions that it called. A call that is
 * made while the same function is open in the task (recursion) does not add to the total. Only one
 * thread may use it at a time.
 */
#ifndef SONDE_ANALYSE_CALLTIMES_H
#define SONDE_ANALYSE_CALLTIMES_H

#include "analyse/calls/callfilter.h"
#include "analyse/keytable.h"
#include "analyse/latency/latencies.h"
#include "base/scope.h"
#include "decode/formats/formats.h"

struct calltimes;
struct errmsg;
struct tasks;
struct walker;

/* The numbers of a row, by which functions can be sorted. */
enum calltimes_column {
	CALLTIMES_TOTAL,
	CALLTIMES_SELF,
	CALLTIMES_AVG,
	CALLTIMES_MIN,
	CALLTIMES_MAX,
	CALLTIMES_STDV,
	CALLTIMES_P50,
	CALLTIMES_P90,
	CALLTIMES_P95,
	CALLTIMES_P99,
	CALLTIMES_P999,
	CALLTIMES_SELF_AVG,
	CALLTIMES_SELF_MIN,
	CALLTIMES_SELF_MAX,
	CALLTIMES_SELF_STDV,
	CALLTIMES_CALLS,
	CALLTIMES_N_NUMBERS,
	CALLTIMES_NAME = CALLTIMES_N_NUMBERS, /* not a number */
	CALLTIMES_MODULE,
};

#define CALLTIMES_SORTS_MAX 4

struct calltimes_config {
	const char *const *only; /* globs of names; an empty list means all */
	size_t n_only;
	const char *const *never;
	size_t n_never;
	const struct callfilter_config *filter;	 /* selects the counted calls; NULL: all */
	char groups[KEYS_MAX - 1][KEY_WORD_MAX]; /* $task, $comm, $pid, $cpu */
	size_t n_groups;
	enum calltimes_column sort;
	/* further columns, for rows that are equal in sort */
	enum calltimes_column then[CALLTIMES_SORTS_MAX - 1];
	size_t n_then;
	uint64_t from, to; /* as in callflow_config */
	bool with_own;	   /* count sonde's own activity, too */
	bool with_spread;  /* compute percentiles */
	bool with_deviation;
};

struct calltimes_sum { /* sums over all calls, including recursive ones */
	uint64_t total, min, max;
	unsigned __int128 squares; /* only if with_deviation */
};

struct calltimes_row {
	struct keyed key;   /* the function's address, then the groups */
	const char *name;   /* valid after calltimes_finish() */
	const char *module; /* for a program, its file; NULL: the kernel itself */
	const char *source; /* "parse.c:120", where it begins; NULL: unknown */
	bool is_user;
	/* ns, or units of the clock. max_ts: where the longest call ends, the first of several */
	uint64_t n, total, self, max, max_ts;
	struct calltimes_sum all, own; /* sums of times and of self times of single calls */
	struct latency_spread *spread; /* only if with_spread; NULL: no memory */
};

struct calltimes_counts {
	uint64_t n_events; /* number of entries and exits */
	uint64_t n_calls;
	uint64_t n_unknown; /* returns without a time, because the call was not recorded */
	uint64_t n_gaps;    /* places where events were lost */
	/* calls that were not counted, because there was no room for more functions */
	uint64_t n_dropped;
	/* calls in programs without a return, counted until the last event of their task */
	uint64_t n_open;
	uint64_t n_cut; /* calls in programs that were not counted, because their end was lost */
	uint64_t n_clipped, paused; /* as in flow_counts */
};

/* Parses the words of --by, with commas between them. Returns -EINVAL with a message. */
int calltimes_parse_groups(struct calltimes_config *c, const char *words, struct errmsg *err);

/*
 * Creates a table. config must stay valid. Returns -ENOENT with a message if the trace has no such
 * events.
 */
int calltimes_new(struct calltimes **ret, struct formats *f, const struct calltimes_config *config,
		  struct errmsg *err);
void calltimes_free(struct calltimes *c);
SCOPED_POINTER(struct calltimes, calltimes_free)

const uint8_t *calltimes_events(const struct calltimes *c, size_t *ret_n);
void calltimes_add(struct calltimes *c, const struct record *rec);
/* For struct taskwalk_spec: callflow_run(). */
void calltimes_run(void *calltimes, struct walker *w, struct record *rec, uint64_t offset,
		   uint64_t before);
/*
 * Counts a part of a trace, to be joined; as callflow_make_part(). Not with groups: -ENOTSUP. The
 * rows of a part are no result.
 */
int calltimes_make_part(struct calltimes *c);
/* Adds a part, and empties it: as callflow_join(). */
int calltimes_join(struct calltimes *c, struct calltimes *part, struct tasks *tasks);

/* Ends the trace: open calls in programs count until here. */
void calltimes_end(struct calltimes *c);
/* Sorts the rows. More calls may be added afterwards. */
int calltimes_finish(struct calltimes *c);

const struct calltimes_row *const *calltimes_rows(const struct calltimes *c, size_t *ret_n);
/* Returns a number of a row, in ns or units of the clock; CALLTIMES_CALLS is a count. */
uint64_t calltimes_number(const struct calltimes_row *row, enum calltimes_column column);
const struct calltimes_counts *calltimes_counts(const struct calltimes *c);
const struct calltimes_config *calltimes_config(const struct calltimes *c);
struct keyreader *calltimes_keys(struct calltimes *c);

#endif
