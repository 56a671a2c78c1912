/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rows.h - a table of numbers by a key, for programs in the kernel that add to them at every hit.
 *
 *	bpfrows_open          as many rows as are wanted
 *	bpfrows_find          a part of the program: the row of a key, a new one if there is none
 *	bpfrows_each          rows so far; a key may come several times, with a part of its numbers each
 *	bpfrows_close
 *
 * The first number of a row counts: it must not stay 0 when the row was found.
 */
#ifndef SONDE_CAPTURE_BPF_ROWS_H
#define SONDE_CAPTURE_BPF_ROWS_H

#include "capture/bpf/bpf.h"

#include <stdbool.h>
#include <stdint.h>

struct bpfrows_config {
	uint32_t n_key_bytes, n_value_bytes; /* whole 8 bytes */
	uint32_t n_rows;
	uint32_t n_near_bytes; /* for rows that are quicker to find, of all CPUs */
	bool is_alone;	       /* bpfprogram_runs_alone(), and only one program uses it */
};

struct bpfrows {
	struct bpfrows_config config;
	struct bpf_table near, far;
	int near_log; /* so many rows for each CPU */
};

/* As if it was closed. */
void bpfrows_init(struct bpfrows *r);
int bpfrows_open(struct bpfrows *r, const struct bpfrows_config *config, struct errmsg *err);
/*
 * r0 points to the numbers of the row whose key is on the stack, of this CPU. value: a place on the stack for as many.
 * Leaves for the label if there is no room. Uses r0 … r5 and BPFPROGRAM_SCRATCH.
 */
void bpfrows_find(struct bpfcode *c, const struct bpfrows *r, int key, int value, unsigned none);
/* values: n_values times those of the row, behind each other. */
int bpfrows_each(const struct bpfrows *r,
		 int (*visit)(void *ctx, const uint8_t *key, const uint64_t *values,
			      unsigned n_values),
		 void *ctx, struct errmsg *err);
void bpfrows_close(struct bpfrows *r);

#endif
