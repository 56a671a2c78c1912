/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * calltimes.h - how often kernel functions were called and how long they took, from the events of
 * the function_graph tracer.
 *
 *	calltimes_new ─▶ calltimes_add … (in the order of time) ─▶ calltimes_finish ─▶ rows ─▶ calltimes_free
 *
 * Self time is the time of a function without what it called, as far as that was traced. One owner.
 */
#ifndef SONDE_ANALYSE_CALLTIMES_H
#define SONDE_ANALYSE_CALLTIMES_H

#include "analyse/keytable.h"
#include "decode/formats/formats.h"

struct calltimes;
struct errmsg;

enum calltimes_sort {
	CALLTIMES_TOTAL,
	CALLTIMES_SELF,
	CALLTIMES_AVG,
	CALLTIMES_MAX,
	CALLTIMES_CALLS,
	CALLTIMES_NAME,
};

struct calltimes_config {
	const char *const *only; /* globs of names; none: all */
	size_t n_only;
	const char *const *never;
	size_t n_never;
	char groups[KEYS_MAX - 1][KEY_WORD_MAX]; /* $task, $comm, $pid, $cpu */
	size_t n_groups;
	enum calltimes_sort sort;
	bool with_own; /* count sonde's own activity, too */
};

struct calltimes_row {
	struct keyed key;		      /* the function's address, then the groups */
	const char *name;		      /* after finish */
	uint64_t n, total, self, max, max_ts; /* ns, or units of the clock */
};

struct calltimes_counts {
	uint64_t n_calls;
	uint64_t n_unknown; /* returns without a time: the call was not seen */
	uint64_t n_gaps;    /* places where events were lost */
	uint64_t n_dropped; /* no room for more functions */
};

/* config must stay valid. -ENOENT with a message: the trace has no such events. */
int calltimes_new(struct calltimes **ret, struct formats *f, const struct calltimes_config *config,
		  struct errmsg *err);
void calltimes_free(struct calltimes *c);

const uint8_t *calltimes_events(const struct calltimes *c, size_t *ret_n);
void calltimes_add(struct calltimes *c, const struct record *rec);
int calltimes_finish(struct calltimes *c);

const struct calltimes_row *const *calltimes_rows(const struct calltimes *c, size_t *ret_n);
const struct calltimes_counts *calltimes_counts(const struct calltimes *c);
const struct calltimes_config *calltimes_config(const struct calltimes *c);
struct keyreader *calltimes_keys(struct calltimes *c);

#endif
