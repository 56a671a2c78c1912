/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * latency_int.h - what those who write the programs and those who read the tables agree on.
 */
#ifndef SONDE_CAPTURE_BPF_LATENCY_INT_H
#define SONDE_CAPTURE_BPF_LATENCY_INT_H

#include "capture/bpf/latency.h"

#define BPFLATENCY_SLOTS_LOG 14
#define BPFLATENCY_PARTS_LOG 7 /* of a power of two */

/* Of a slot, and of a row of the hash; values of groups are behind it. */
enum { START_TIME, START_NUMBER, START_SPILLED, START_WORDS };

/* Values of a cell. */
enum { CELL_N, CELL_TOTAL, CELL_NOT_MIN, CELL_MAX, CELL_WORDS };

enum bpflatency_counter {
	COUNTER_AGAIN,
	COUNTER_ALONE,
	COUNTER_BACKWARDS,
	COUNTER_NO_START,
	COUNTER_NO_CELL,
	COUNTER_GONE, /* the thread ended before B came */
	COUNTERS
};

/* from, to: what the program is; the other is NULL. */
int bpflatency_write(const struct bpflatency *l, const struct bpfprogram_config *config,
		     const struct bpflatency_side *from, const struct bpflatency_side *to,
		     struct bpfcode *c, struct errmsg *err);
/* At the end of a thread, by its number: what it has begun is taken out. */
void bpflatency_write_farewell(const struct bpflatency *l, const struct bpfsource *number,
			       struct bpfcode *c);

#endif
