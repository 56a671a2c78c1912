/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * lanes.h - keeps the pages of several buffers and CPUs until a writer takes them lane by lane.
 *
 *	lanes_init ─▶ lanes_add, lanes_add_missed … ─▶ lanes_finish ─▶ lanes_next … ─▶ lanes_release
 */
#ifndef SONDE_INPUTS_FOREIGN_LANES_H
#define SONDE_INPUTS_FOREIGN_LANES_H

#include "format/bytes.h"
#include "store/pagebuilder.h"

#include <stddef.h>

#define LANES_PAGE_BYTES 4096u
#define LANES_CPUS_MAX	 65536u

struct lane {
	struct pagebuilder page;
	bool has_page; /* it has been begun */
	int64_t n_missed;
	uint64_t last_ns;
	uint32_t *pages; /* their numbers in the file */
	size_t n_pages, cap_pages;
};

struct lanes {
	int fd; /* a file without a name */
	uint32_t n_written;
	unsigned n_buffers;
	struct lane **lanes; /* lanes[cpu * n_buffers + buffer]; NULL: empty */
	size_t n_cpus, cap;
	uint8_t out[LANES_PAGE_BYTES];
	size_t next_cpu, next_page; /* of lanes_next() */
};

int lanes_init(struct lanes *l, unsigned n_buffers);
void lanes_release(struct lanes *l);
/* Returns -E2BIG if the record is longer than a page. Times of a CPU and buffer must not fall. */
int lanes_add(struct lanes *l, unsigned buffer, uint32_t cpu, uint64_t time_ns, const void *data,
	      uint32_t n_bytes);
/* n: 0 if it is unknown how many. */
int lanes_add_missed(struct lanes *l, unsigned buffer, uint32_t cpu, uint64_t n);
int lanes_finish(struct lanes *l);
/* The next page of the buffer: 1, 0 if there are no more, or a negative errno. */
int lanes_next(struct lanes *l, unsigned buffer, uint32_t *ret_cpu, struct piece *ret);

#endif
