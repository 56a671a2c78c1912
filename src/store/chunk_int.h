/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * chunk_int.h - reference-counted memory with sub-buffers: uncompressed from a file, or added live.
 *
 * chunk_get() and chunk_put() of pagestream.h keep a chunk alive. Its stream calls chunk_leave()
 * when it no longer needs the chunk; chunks that others still hold are counted separately, see
 * chunks_held_bytes().
 */
#ifndef SONDE_STORE_CHUNK_INT_H
#define SONDE_STORE_CHUNK_INT_H

#include "store/pagestream.h"

#include <stdatomic.h>

struct tracefile_private;

struct chunk {
	struct tracefile_private *account;
	atomic_uint refs;
	uint32_t n_bytes;
	/* position in the file; live: number of bytes that the CPU wrote before this chunk */
	uint64_t offset;
	struct chunk *next; /* live: the next waiting chunk */
	uint64_t round;	    /* live: the round in which the chunk was read */
	uint8_t data[];
};

/* Returns a chunk with one reference, which belongs to the stream, or NULL if out of memory. */
struct chunk *chunk_new(struct tracefile *tf, uint32_t n_bytes, uint64_t offset);
/* c may be NULL. */
void chunk_leave(struct chunk *c);

#endif
