/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chunk_int.h - reference-counted memory with sub-buffers: uncompressed from a file, or added live.
 *
 * chunk_get() and chunk_put() of pagestream.h keep a chunk alive. Its stream calls chunk_leave()
 * when it is done with it; chunks that are still held after that are counted separately, see
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
	uint64_t offset;    /* in the file; live: bytes of its CPU that came before */
	struct chunk *next; /* live: the next one that waits */
	uint64_t round;	    /* live: the round in which it was read */
	uint8_t data[];
};

/* Has one reference, which belongs to the stream. Returns NULL if out of memory. */
struct chunk *chunk_new(struct tracefile *tf, uint32_t n_bytes, uint64_t offset);
/* c may be NULL. */
void chunk_leave(struct chunk *c);

#endif
