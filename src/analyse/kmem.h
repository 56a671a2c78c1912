/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kmem.h - which function allocated how much kernel memory, and how much of it was wasted.
 *
 *	kmem_new ─▶ kmem_add … (in time order) ─▶ kmem_finish ─▶ kmem_rows ─▶ kmem_free
 *
 * From the events kmalloc, kmem_cache_alloc, their _node forms, kfree and kmem_cache_free. Waste is
 * what was handed out beyond what was asked for. Names point into the formats' symbols. One owner.
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
	struct kmem_bytes total;   /* ever */
	struct kmem_bytes current; /* not freed by the end */
	struct kmem_bytes max;	   /* at one time, each by itself */
	int64_t waste, max_waste;
};

struct kmem;

/* NULL without memory. */
struct kmem *kmem_new(struct formats *f);
void kmem_free(struct kmem *k);

void kmem_add(struct kmem *k, const struct record *rec);
/* Computes waste and sorts by it, the largest first. 0 or -ENOMEM. */
int kmem_finish(struct kmem *k);
struct kmem_row *const *kmem_rows(const struct kmem *k, size_t *ret_n);
/* Allocations that could not be followed for lack of memory. */
uint64_t kmem_n_dropped(const struct kmem *k);

#endif
