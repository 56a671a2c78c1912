// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * latencyperf.c - prints durations as perf does.
 *
 *	#   DURATION     |      COUNT | GRAPH                                          |
 *	     0 -    1 us |         12 | ###                                            |
 *	     1 -    2 us |        150 | ######################################         |
 *	…
 *	     1 - ...  s  |          0 |                                                |
 *
 *	# statistics  (in usec)
 *	  total time:                 1321
 *
 * The length of a bar is proportional to the total, not to the largest bucket. Values from 1024 on
 * are printed in the next unit; with --bucket-range, values from 1000 on, with two decimals.
 */
#include "present/result/latencyperf.h"

#include "base/textbuf.h"

#define BAR_WIDTH 46

static void fmt_bar(uint64_t n, uint64_t total, struct textbuf *tb)
{
	size_t len = n * BAR_WIDTH / total;

	textbuf_addf(tb, " | %10llu | ", (unsigned long long)n);
	textbuf_add_fill(tb, '#', len);
	textbuf_add_fill(tb, ' ', BAR_WIDTH - len);
	textbuf_add_str(tb, " |\n");
}

static void fmt_range(const struct latency_scale *s, size_t i, struct textbuf *tb)
{
	const char *unit = s->unit_ns == 1 ? "ns" : "us", *next = s->unit_ns == 1 ? "us" : "ms";
	bool last = i + 1 == s->n_buckets;
	uint64_t from, to;

	latency_scale_range(s, i, &from, &to);
	if (!s->range && last)
		return textbuf_addf(tb, "  %4d - %-4s %s", 1, "...", s->unit_ns == 1 ? "ms" : "s ");
	if (!s->range && from >= 1024)
		return textbuf_addf(tb, "  %4llu - %4llu %s", (unsigned long long)from >> 10,
				    (unsigned long long)to >> 10, next);
	if (s->range && from >= 1000 && last)
		return textbuf_addf(tb, "  %4.2f - %-4s %s", from / 1e3, "...", next);
	if (s->range && from >= 1000)
		return textbuf_addf(tb, "  %4.2f - %-4.2f %s", from / 1e3, to / 1e3, next);
	if (last)
		return textbuf_addf(tb, "  %4llu - %4s %s", (unsigned long long)from, "...", unit);
	textbuf_addf(tb, "  %4llu - %4llu %s", (unsigned long long)from, (unsigned long long)to,
		     unit);
}

static void fmt_statistics(const struct latencies *l, struct textbuf *tb)
{
	const struct latency_spread *a = &l->all;
	double unit = (double)l->scale.unit_ns;

	textbuf_addf(tb, "\n# statistics  (in %s)\n", l->scale.unit_ns == 1 ? "nsec" : "usec");
	textbuf_addf(tb, "  total time: %20.0f\n", (double)a->total / unit);
	textbuf_addf(tb, "    avg time: %20.0f\n", (double)a->total / (double)a->n / unit);
	textbuf_addf(tb, "    max time: %20llu\n", (unsigned long long)(a->max / l->scale.unit_ns));
	textbuf_addf(tb, "    min time: %20llu\n", (unsigned long long)(a->min / l->scale.unit_ns));
	textbuf_addf(tb, "       count: %20llu\n", (unsigned long long)a->n);
}

void latencyperf_fmt(const struct latencies *l, bool hide_empty, struct textbuf *tb)
{
	const uint64_t *buckets = l->all.buckets;

	if (!l->all.n || !buckets)
		return textbuf_add_str(tb, "No data found\n");
	textbuf_addf(tb, "# %14s | %10s | %-*s |\n", "  DURATION    ", "COUNT", BAR_WIDTH, "GRAPH");
	for (size_t i = 0; i < l->scale.n_buckets; i++) {
		if (hide_empty && !buckets[i])
			continue;
		fmt_range(&l->scale, i, tb);
		fmt_bar(buckets[i], l->all.n, tb);
	}
	fmt_statistics(l, tb);
}
