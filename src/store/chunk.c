// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * chunk.c - counts the chunks in memory and their holders.
 *
 *	chunk_new ──▶ stream ──chunk_leave──▶ batches that pinned it ──chunk_put──▶ free
 *	              stream_bytes            chunks_held_bytes()
 *
 * Several threads may hold a chunk; the last one frees it. The sums belong to the tracefile, which
 * must outlive its chunks.
 */
#include "store/chunk_int.h"

#include "store/tracefile_int.h"

#include <stdlib.h>

struct chunk *chunk_get(struct chunk *c)
{
	atomic_fetch_add_explicit(&c->refs, 1, memory_order_relaxed);
	return c;
}

void chunk_put(struct chunk *c)
{
	/*
	 * release orders our reads of the chunk before the decrement; acquire lets the last holder
	 * free it after all reads
	 */
	if (c && atomic_fetch_sub_explicit(&c->refs, 1, memory_order_acq_rel) == 1) {
		atomic_fetch_sub_explicit(&c->account->chunk_bytes, c->n_bytes,
					  memory_order_relaxed);
		free(c);
	}
}

struct chunk *chunk_new(struct tracefile *tf, uint32_t n_bytes, uint64_t offset)
{
	struct chunk *c = malloc(sizeof(*c) + n_bytes);

	if (!c)
		return NULL;
	c->account = tracefile_private(tf);
	c->n_bytes = n_bytes;
	c->offset = offset;
	c->next = NULL;
	c->round = 0;
	atomic_init(&c->refs, 1);
	atomic_fetch_add_explicit(&c->account->chunk_bytes, n_bytes, memory_order_relaxed);
	atomic_fetch_add_explicit(&c->account->stream_bytes, n_bytes, memory_order_relaxed);
	return c;
}

void chunk_leave(struct chunk *c)
{
	if (c)
		atomic_fetch_sub_explicit(&c->account->stream_bytes, c->n_bytes,
					  memory_order_relaxed);
	chunk_put(c);
}

size_t chunks_held_bytes(struct tracefile *tf)
{
	struct tracefile_private *priv = tracefile_private(tf);
	size_t all = atomic_load_explicit(&priv->chunk_bytes, memory_order_relaxed);
	size_t streams = atomic_load_explicit(&priv->stream_bytes, memory_order_relaxed);

	return all > streams ? all - streams : 0;
}
