/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * latencytext.h - prints durations as a histogram, a table and a list of the longest, as text, JSON
 * or CSV.
 */
#ifndef SONDE_PRESENT_RESULT_LATENCYTEXT_H
#define SONDE_PRESENT_RESULT_LATENCYTEXT_H

#include "analyse/latency/latency.h"
#include "base/textbuf.h"

struct latency_view {
	const struct latency_config *config;
	struct latencies *result; /* after latencies_finish() */
	const struct latency_counts *counts;
	struct keyreader *keys;
	bool in_time; /* otherwise in units of the clock */
	/* the method that measured in the kernel: "BPF", "hist"; NULL: sonde measured */
	const char *in_kernel;
	/*
	 * the kernel measured in microseconds; the number of spans without beginning or end is
	 * unknown
	 */
	bool in_us;
	uint64_t n_missed;   /* events that the kernel missed while it handled another one */
	const char *only_in; /* "the command's first thread" if only this was measured; NULL: all */
	/* approximate time that the first probe adds to each duration; 0: unknown, or none */
	double probe_ns;
	bool colour;
	size_t n_groups; /* limit of text rows; 0: 20 */
	/* text: print groups before the histogram, for a screen that may be small */
	bool groups_first;
};

void latencytext_fmt(const struct latency_view *v, struct textbuf *tb);
void latencytext_fmt_json(const struct latency_view *v, struct textbuf *tb);
/* Prints a line for all durations, then one for each group. */
void latencytext_fmt_csv(const struct latency_view *v, struct textbuf *tb);

#endif
