/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * latency_int.h - the layout of the tables, for the code that generates programs and the code that
 * reads the tables.
 */
#ifndef SONDE_CAPTURE_BPF_LATENCY_INT_H
#define SONDE_CAPTURE_BPF_LATENCY_INT_H

#include "capture/bpf/latency.h"

#define BPFLATENCY_SLOTS_LOG 14
#define BPFLATENCY_PARTS_LOG 7 /* parts of a power of two, as a logarithm */

/* A slot, or a row of the hash. The values of groups follow. */
enum { START_TIME, START_NUMBER, START_SPILLED, START_WORDS };

/* Values of a cell. */
enum { CELL_N, CELL_TOTAL, CELL_NOT_MIN, CELL_MAX, CELL_WORDS };

enum bpflatency_counter {
	COUNTER_AGAIN,
	COUNTER_ALONE,
	COUNTER_BACKWARDS,
	COUNTER_NO_START,
	COUNTER_NO_CELL,
	COUNTER_GONE, /* the thread exited before B */
	COUNTERS
};

/* Generates a program. from and to are the roles of the program; an unused one is NULL. */
int bpflatency_write(const struct bpflatency *l, const struct bpfprogram_config *config,
		     const struct bpflatency_side *from, const struct bpflatency_side *to,
		     struct bpfcode *c, struct errmsg *err);
/* Generates the program that runs when a thread exits, with its id, and removes its open starts. */
void bpflatency_write_farewell(const struct bpflatency *l, const struct bpfsource *number,
			       struct bpfcode *c);

#endif
