/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * latencytext.h - durations as a histogram, a table and a list of the longest: text, JSON, CSV.
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
	bool in_time;	       /* otherwise in units of the clock */
	const char *in_kernel; /* what measured in the kernel: "BPF", "hist"; NULL: nothing */
	bool in_us; /* … in microseconds; the number of spans without beginning or end is unknown */
	uint64_t n_missed;   /* events that the kernel missed while it handled another one */
	const char *only_in; /* "the command's first thread": only it was measured; NULL: all */
	double probe_ns;     /* approximate time of the first probe in each; 0: unknown, or none */
	bool colour;
	size_t n_groups;   /* shown as text; 0: 20 */
	bool groups_first; /* as text: before the histogram, for a screen that may be small */
};

void latencytext_fmt(const struct latency_view *v, struct textbuf *tb);
void latencytext_fmt_json(const struct latency_view *v, struct textbuf *tb);
/* A line for all, then one for each group. */
void latencytext_fmt_csv(const struct latency_view *v, struct textbuf *tb);

#endif
