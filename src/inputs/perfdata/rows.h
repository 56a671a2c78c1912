/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * rows.h - the samples of a perf.data as rows of perf report, one table for each event.
 *
 *  perfrows_new ─▶ perfrows_add … (each sample) ─▶ perfrows_sort ─▶ perfrows_table ─▶ perfrows_free
 */
#ifndef SONDE_INPUTS_PERFDATA_ROWS_H
#define SONDE_INPUTS_PERFDATA_ROWS_H

#include "analyse/perfhists/hists.h"
#include "inputs/perfdata/session.h"

struct errmsg;
struct perfrows;

enum perfrows_key {
	PERFROWS_COMM,
	PERFROWS_DSO,
	PERFROWS_SYM,
	PERFROWS_PID,
	PERFROWS_TID,
	PERFROWS_CPU,
	PERFROWS_SRCLINE,
	PERFROWS_SRCFILE,
	PERFROWS_TIME,	/* the beginning of a stretch of time */
	PERFROWS_TRACE, /* the text of a tracepoint */
	PERFROWS_FIELD, /* a field of a tracepoint */
	PERFROWS_KEYS,
};

struct perfrows_column {
	enum perfrows_key key;
	const char *field; /* of PERFROWS_FIELD */
};

struct perfrows_config {
	struct perfrows_column columns[PERFHISTS_CELLS_MAX];
	size_t n_columns;
	bool children; /* callers have rows, too */
	bool chains;   /* keep call chains */
	bool caller_first;
	bool no_inline;
	bool hide_unresolved;	   /* leave out what has no function */
	bool is_filter_relative;   /* samples that are not shown do not count */
	const char *symbol_filter; /* only rows of functions with this in their names; NULL: all */
	size_t max_stack;	   /* frames of a chain, in its order; 0: all */
	uint64_t quantum_ns;	   /* of PERFROWS_TIME; 0: 100 ms */
	bool ns;		   /* PERFROWS_TIME has nine digits */
	double min_percent;	   /* chains below are dropped */
	bool is_relative;	   /* … of what is above them, not of all */
};

/*
 * "comm,dso,sym": -EINVAL with a message. The words must stay. A word that is no key may be a field
 * of a tracepoint: perfrows_has_field() says.
 */
int perfrows_parse_keys(struct perfrows_config *config, const char *words, struct errmsg *err);

/* config must stay. NULL: no memory. */
struct perfrows *perfrows_new(struct perfsession *s, const struct perfrows_config *config);
void perfrows_free(struct perfrows *r);
SCOPED_POINTER(struct perfrows, perfrows_free)

/* is_shown: else rows that begin with this sample are hidden, as in perf. 0 or -ENOMEM. */
int perfrows_add(struct perfrows *r, const struct perfsample *sample, bool is_shown);
/* Has one of the file's tracepoints this field? name ends with a comma, a blank or a zero. */
bool perfrows_has_field(const struct perfrows *r, const char *name);
/* How wide perf makes the column of a field. */
size_t perfrows_field_width(const struct perfrows *r, size_t column);
void perfrows_sort(struct perfrows *r);
/* The table of an event, by its number in the file; NULL: it has no samples. */
struct perfhists *perfrows_table(struct perfrows *r, size_t event);

#endif
