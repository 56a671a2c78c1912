/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sysring.h - reads a BPF ring buffer.
 *
 * One thread reads it. Records are in the order in which the programs reserved their places, over
 * all CPUs.
 */
#ifndef SONDE_CAPTURE_SYSCALLS_SYSRING_H
#define SONDE_CAPTURE_SYSCALLS_SYSRING_H

#include <stddef.h>
#include <stdint.h>

struct bpf_table;
struct errmsg;

struct sysring {
	unsigned long *consumer;       /* position of the reader, in a page of its own */
	const unsigned long *producer; /* position of the writers */
	const uint8_t *data;	       /* n_bytes, mapped twice in a row */
	size_t n_bytes, page_bytes;
};

int sysring_open(struct sysring *r, const struct bpf_table *table, struct errmsg *err);
void sysring_close(struct sysring *r);

/*
 * Passes records to visit() until none is left, n_max were passed, or it returns a negative value.
 * Returns the number of records, or that value.
 */
int sysring_read(struct sysring *r, unsigned n_max,
		 int (*visit)(void *ctx, const void *record, size_t n_bytes), void *ctx);

#endif
