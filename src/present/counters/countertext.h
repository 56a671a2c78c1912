/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * countertext.h - the result of counters as a table or as JSON lines.
 */
#ifndef SONDE_PRESENT_COUNTERS_COUNTERTEXT_H
#define SONDE_PRESENT_COUNTERS_COUNTERTEXT_H

#include "analyse/counters/countertable.h"

struct textbuf;

struct countertext {
	const struct countertable *table;
	const char *what; /* the command, "process 12" … */
	bool has_parts;	  /* a column with the CPU, socket, thread */
	bool is_interval; /* one of several tables */
	double since_s;	  /* is_interval: the end of the interval, since the start */
};

void countertext_fmt(const struct countertext *c, struct textbuf *tb);
/* One object for each row; the last one, without "event", is about the whole run. */
void countertext_fmt_json(const struct countertext *c, struct textbuf *tb);

#endif
