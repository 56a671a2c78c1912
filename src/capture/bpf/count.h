/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * count.h - a BPF program that counts one event by the values of some keys.
 *
 *	bpfcount_open         makes the program and the table
 *	    link              the caller attaches the program; it counts from then on
 *	bpfcount_each         visits the rows; a key may come in several parts; bpfcount_dropped:
 *	                      hits without a row
 *	bpfcount_close
 *
 * The key in the table is the concatenation of all sources: numbers as 8 bytes, sign extended;
 * texts padded with NULs to n_bytes.
 */
#ifndef SONDE_CAPTURE_BPF_COUNT_H
#define SONDE_CAPTURE_BPF_COUNT_H

#include "capture/bpf/bpf.h"
#include "capture/bpf/program.h"
#include "capture/bpf/rows.h"

#define BPFCOUNT_KEYS_MAX      8
#define BPFCOUNT_KEY_MAX_BYTES 416 /* the stack has 512 */

struct bpfcount_config {
	struct bpfprogram_config program;
	struct bpfsource sources[BPFCOUNT_KEYS_MAX];
	size_t n_sources;
	uint32_t n_rows, n_near_bytes; /* see rows.h */
};

struct bpfcount {
	bool has_keys;
	struct bpfrows rows; /* one row per key */
	/* number of hits without a row; if there are no keys, of all hits */
	struct bpf_table dropped;
	int program; /* -1: none */
	int link;    /* result of bpfprogram_attach(), which the caller calls */
};

/*
 * Makes the program. The message in err is for users who request BPF. Call bpfcount_close() after a
 * failure, too.
 */
int bpfcount_open(struct bpfcount *c, const struct bpfcount_config *config, struct errmsg *err);
/* Stops counting. The counts can still be read. */
void bpfcount_detach(struct bpfcount *c);
int bpfcount_each(const struct bpfcount *c, int (*visit)(void *ctx, const uint8_t *key, uint64_t n),
		  void *ctx, struct errmsg *err);
/* Gets the number of hits for which there was no room. */
int bpfcount_dropped(const struct bpfcount *c, uint64_t *ret_n, struct errmsg *err);
/*
 * Returns the number of hits that the kernel skipped because the program was already running there.
 */
uint64_t bpfcount_missed(const struct bpfcount *c);
void bpfcount_close(struct bpfcount *c);

#endif
