/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pace.h - how often a live run shows its result, and when it began and ended.
 */
#ifndef SONDE_LIVE_PACE_H
#define SONDE_LIVE_PACE_H

#include <stdbool.h>
#include <stdint.h>

struct pace {
	uint64_t interval_ns; /* 0: the result is shown at the end only */
	bool is_series;	      /* results stand one after the other; else each replaces the last */
	/* set by the run, CLOCK_MONOTONIC */
	uint64_t start_ns;
	uint64_t end_ns; /* 0: it goes on */
};

#endif
