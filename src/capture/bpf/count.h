/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * count.h - a program in the kernel that counts one event by the values of some keys.
 *
 *	bpfcount_open         program and table
 *	    link              the caller attaches the program: it counts from now on
 *	bpfcount_each         rows so far, a key in several parts; bpfcount_dropped: what has none
 *	bpfcount_close
 *
 * A key in the table is that of all sources, one behind the other: numbers as 8 bytes, sign extended; texts ended and
 * filled up by NULs to n_bytes.
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
	uint32_t n_rows, n_near_bytes; /* rows.h */
};

struct bpfcount {
	bool has_keys;
	struct bpfrows rows;	  /* of the keys */
	struct bpf_table dropped; /* those without a row; without keys: all */
	int program;		  /* -1: none */
	int link;		  /* bpfprogram_attach(), by the caller */
};

/* The sentence is for who insists on BPF. Close it on failure, too. */
int bpfcount_open(struct bpfcount *c, const struct bpfcount_config *config, struct errmsg *err);
/* Nothing is counted any more; it can still be read. */
void bpfcount_detach(struct bpfcount *c);
int bpfcount_each(const struct bpfcount *c, int (*visit)(void *ctx, const uint8_t *key, uint64_t n),
		  void *ctx, struct errmsg *err);
/* Hits that found no room, as there are too many. */
int bpfcount_dropped(const struct bpfcount *c, uint64_t *ret_n, struct errmsg *err);
/* Hits that the kernel left out, as the program ran there already. */
uint64_t bpfcount_missed(const struct bpfcount *c);
void bpfcount_close(struct bpfcount *c);

#endif
