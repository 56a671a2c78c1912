/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pace.h - defines how often a live run shows its result, and contains its begin and end. */
#ifndef SONDE_LIVE_PACE_H
#define SONDE_LIVE_PACE_H

#include <stdbool.h>
#include <stdint.h>

struct pace {
	uint64_t interval_ns; /* 0: shows the result only at the end */
	bool is_series; /* prints results below each other; otherwise each replaces the last */
	/* set by the run, with CLOCK_MONOTONIC */
	uint64_t start_ns;
	uint64_t end_ns; /* 0: the run has not ended */
};

#endif
