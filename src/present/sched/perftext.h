/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perftext.h - the tables of perf 6.1: `perf sched latency`, and the summary of `perf sched
 * timehist`.
 */
#ifndef SONDE_PRESENT_SCHED_PERFTEXT_H
#define SONDE_PRESENT_SCHED_PERFTEXT_H

#include "analyse/sched/perfsched.h"
#include "base/textbuf.h"

/* n_lost, n_chunks: lost events; n_events: all. */
void perftext_fmt_latency(const struct perfsched *p, uint64_t n_lost, uint64_t n_events,
			  uint64_t n_chunks, struct textbuf *tb);
struct perftext_cpus {
	unsigned n;				    /* of the machine */
	bool (*is_chosen)(void *ctx, uint32_t cpu); /* NULL: all are */
	void *ctx;
};

/* The rows must be by pid. is_idle: for -I. */
void perftext_fmt_summary(const struct perfsched *p, const struct perftext_cpus *cpus, bool is_idle,
			  struct textbuf *tb);

#endif
