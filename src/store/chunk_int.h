/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chunk_int.h - counted memory that holds sub-buffers: unpacked from a file, or handed in live.
 *
 * chunk_get() and chunk_put() of pagestream.h keep one alive. The stream that it was made for says
 * with chunk_leave() that it is done with it; what is held after that is counted apart, see
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
	struct chunk *next; /* live: the one after it that waits */
	uint64_t round;	    /* live: in which it was read */
	uint8_t data[];
};

/* With one reference, which belongs to the stream. NULL without memory. */
struct chunk *chunk_new(struct tracefile *tf, uint32_t n_bytes, uint64_t offset);
/* c may be NULL. */
void chunk_leave(struct chunk *c);

#endif
