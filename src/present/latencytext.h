/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * latencytext.h - durations as a histogram, a table and a list of the worst: text, JSON, CSV.
 */
#ifndef SONDE_PRESENT_LATENCYTEXT_H
#define SONDE_PRESENT_LATENCYTEXT_H

#include "analyse/latency/latency.h"

struct latency_view {
	const struct latency_config *config;
	struct latencies *result; /* after latencies_finish() */
	const struct latency_counts *counts;
	struct keyreader *keys;
	bool in_time;	       /* else in units of the clock */
	const char *in_kernel; /* by what it measured: "BPF", "hist"; NULL: it did not */
	bool in_us; /* … in microseconds, and nothing is known of what has no beginning or end */
	uint64_t
		n_missed; /* events that the kernel left out, as another was being looked at there */
	const char
		*only_in; /* "the command's first thread": no other was looked at; NULL: all were */
	double probe_ns; /* so much of each is the first probe's own time, about; 0: not known, or none */
	bool colour;
	size_t n_groups;   /* shown as text; 0: 20 */
	bool groups_first; /* as text: before the histogram, for a screen that may be small */
};

void latencytext_fmt(const struct latency_view *v, struct textbuf *tb);
void latencytext_fmt_json(const struct latency_view *v, struct textbuf *tb);
/* A line for all, then one for each group. */
void latencytext_fmt_csv(const struct latency_view *v, struct textbuf *tb);

#endif
