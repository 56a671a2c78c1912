/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * kmem.h - sums the kernel memory that each function allocated and wasted.
 *
 *	kmem_new ─▶ kmem_add … (in time order) ─▶ kmem_finish ─▶ kmem_rows ─▶ kmem_free
 *
 * It uses the events kmalloc, kmem_cache_alloc, their _node forms, kfree and kmem_cache_free. Waste
 * is the memory allocated beyond the request. Names point into the formats' symbols. Only one
 * thread may use it at a time.
 */
#ifndef SONDE_ANALYSE_KMEM_H
#define SONDE_ANALYSE_KMEM_H

#include "decode/formats/formats.h"
#include "decode/record.h"

struct kmem_bytes {
	uint64_t requested, allocated;
};

struct kmem_row {
	const char *function; /* not terminated */
	uint32_t function_len;
	struct kmem_bytes total;   /* all allocations */
	struct kmem_bytes current; /* allocations that were not freed at the end */
	struct kmem_bytes max;	   /* maximum at one time, for each number separately */
	int64_t waste, max_waste;
};

struct kmem;

/* Returns NULL if out of memory. */
struct kmem *kmem_new(struct formats *f);
void kmem_free(struct kmem *k);

void kmem_add(struct kmem *k, const struct record *rec);
/* Computes the waste and sorts by it, the largest first. Returns 0 or -ENOMEM. */
int kmem_finish(struct kmem *k);
struct kmem_row *const *kmem_rows(const struct kmem *k, size_t *ret_n);
/* Returns the number of allocations that could not be followed for lack of memory. */
uint64_t kmem_n_dropped(const struct kmem *k);

#endif
