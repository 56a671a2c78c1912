/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report.h - rows of perf report as text, with the trees of call chains below them. */
#ifndef SONDE_PRESENT_PERFDATA_REPORT_H
#define SONDE_PRESENT_PERFDATA_REPORT_H

#include "analyse/perfhists/group.h"
#include "inputs/perfdata/rows.h"

struct textbuf;

#define PERFREPORT_FIELDS_MAX 16

enum perfreport_field {
	PERFREPORT_CHILDREN,
	PERFREPORT_SELF,     /* with children */
	PERFREPORT_OVERHEAD, /* the same without */
	PERFREPORT_SAMPLES,
	PERFREPORT_PERIOD,
	PERFREPORT_COLUMN, /* a column of the rows */
};

struct perfreport_column {
	enum perfreport_field field;
	size_t cell; /* of PERFREPORT_COLUMN */
	bool is_elided;
};

struct perfreport_config {
	const struct perfrows_config *rows;
	struct perfreport_column columns[PERFREPORT_FIELDS_MAX];
	size_t n_columns;
	double percent_limit;
	bool is_fractal;  /* shares of chains are of their row */
	bool is_folded;	  /* chains as lines: 12.50% main;work;leaf */
	bool hides_first; /* the first frame of a chain is the row's own function */
	enum { PERFREPORT_PERCENT, PERFREPORT_PERIODS, PERFREPORT_COUNTS } values;
	const char *separator; /* -t: no columns; NULL: none */
};

/*
 * Adds "# Samples: …" and the table of an event, or of a group of events. events: what is shown of
 * them, "event 'cycles'".
 */
void perfreport_add(struct textbuf *tb, const struct perfreport_config *config,
		    const struct perfrows *r, const struct perfgroup *g, const char *events);

#endif
