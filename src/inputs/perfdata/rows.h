/* SPDX-License-Identifier: GPL-2.0-or-later */
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
	double min_percent; /* chains below are dropped */
	bool is_relative;   /* … of what is above them, not of all */
};

/* "comm,dso,sym": -EINVAL with a message. The words must stay. */
int perfrows_parse_keys(struct perfrows_config *config, const char *words, struct errmsg *err);

/* config must stay. NULL: no memory. */
struct perfrows *perfrows_new(struct perfsession *s, const struct perfrows_config *config);
void perfrows_free(struct perfrows *r);
SCOPED_POINTER(struct perfrows, perfrows_free)

/* is_shown: else rows that begin with this sample are hidden, as in perf. 0 or -ENOMEM. */
int perfrows_add(struct perfrows *r, const struct perfsample *sample, bool is_shown);
/* How wide perf makes the column of a field. */
size_t perfrows_field_width(const struct perfrows *r, size_t column);
void perfrows_sort(struct perfrows *r);
/* The table of an event, by its number in the file; NULL: it has no samples. */
struct perfhists *perfrows_table(struct perfrows *r, size_t event);

#endif
