/* SPDX-License-Identifier: GPL-2.0-or-later */
/* latencyperf.h - prints the histogram of `perf ftrace latency`. */
#ifndef SONDE_PRESENT_RESULT_LATENCYPERF_H
#define SONDE_PRESENT_RESULT_LATENCYPERF_H

#include "analyse/latency/latencies.h"
#include "base/textbuf.h"

/*
 * Prints the histogram, after latencies_finish(). The unit is that of the scale: microseconds or
 * nanoseconds.
 */
void latencyperf_fmt(const struct latencies *l, bool hide_empty, struct textbuf *tb);

#endif
