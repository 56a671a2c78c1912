/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rows.h - a table of numbers by key, to which BPF programs add at every hit.
 *
 *	bpfrows_open          creates the table
 *	bpfrows_find          adds code to a program that finds the row of a key, or adds it
 *	bpfrows_each          visits the rows; a key may come several times, each time with a part
 *	                      of its numbers
 *	bpfrows_close
 *
 * The first number of a row is a count: it must not stay 0 after the row was found.
 */
#ifndef SONDE_CAPTURE_BPF_ROWS_H
#define SONDE_CAPTURE_BPF_ROWS_H

#include "capture/bpf/bpf.h"

#include <stdbool.h>
#include <stdint.h>

struct bpfrows_config {
	uint32_t n_key_bytes, n_value_bytes; /* multiples of 8 */
	uint32_t n_rows;
	uint32_t n_near_bytes; /* memory for rows that are faster to find, over all CPUs */
	bool is_alone;	       /* bpfprogram_runs_alone(), and only one program uses the table */
};

struct bpfrows {
	struct bpfrows_config config;
	struct bpf_table near, far;
	int near_log; /* log2 of the rows for each CPU */
};

/* Sets r to the closed state. */
void bpfrows_init(struct bpfrows *r);
int bpfrows_open(struct bpfrows *r, const struct bpfrows_config *config, struct errmsg *err);
/*
 * Emits code that finds or adds the row of the key on the stack. Then r0 points to this CPU's
 * numbers in the row. value is space on the stack for the numbers. The code jumps to the label if
 * there is no room. It uses r0 … r5 and BPFPROGRAM_SCRATCH.
 */
void bpfrows_find(struct bpfcode *c, const struct bpfrows *r, int key, int value, unsigned none);
/* Visits the rows. values has the numbers of the row, n_values times in sequence. */
int bpfrows_each(const struct bpfrows *r,
		 int (*visit)(void *ctx, const uint8_t *key, const uint64_t *values,
			      unsigned n_values),
		 void *ctx, struct errmsg *err);
void bpfrows_close(struct bpfrows *r);

#endif
