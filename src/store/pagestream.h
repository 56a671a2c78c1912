/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pagestream.h - the sub-buffers of one CPU, one after the other.
 *
 * Plain data is handed out straight from the mapping. Compressed data comes in chunks of some
 * sub-buffers; a chunk is unpacked into memory that is counted: whoever keeps a pointer into a page
 * beyond the next pagestream_next() holds the page's chunk with chunk_get()/chunk_put().
 *
 * With an `unpacker` chunks are unpacked ahead by its threads; without one, when needed. A pagestream
 * belongs to one thread. The unpacker must outlive its streams.
 *
 * The pages of a live trace (livepages.h) are chunks, too, and there may be none yet.
 */
#ifndef SONDE_STORE_PAGESTREAM_H
#define SONDE_STORE_PAGESTREAM_H

#include "store/tracefile.h"

struct chunk;
struct pagestream;
struct unpacker;

struct page {
	const uint8_t *data;
	size_t len;	     /* less than the page size only at a cut */
	struct chunk *chunk; /* NULL: mapped, valid as long as the file is open */
	uint64_t round;	     /* live: in which it was read, see livepages.h */
};

struct chunk *chunk_get(struct chunk *c);
void chunk_put(struct chunk *c);
/* Bytes of chunks that their streams are done with and somebody still holds. */
size_t chunks_held_bytes(struct tracefile *tf);

/* n_streams: how many will share it (bounds what is unpacked ahead). NULL when memory is short. */
struct unpacker *unpacker_new(unsigned n_threads, size_t n_streams);
void unpacker_free(struct unpacker *u);

/* cpu: index into buffer->cpus. unpacker may be NULL. NULL only without memory. */
struct pagestream *pagestream_new(struct tracefile *tf, const struct tracefile_buffer *buffer,
				  size_t cpu, struct unpacker *unpacker);
void pagestream_free(struct pagestream *ps);

/*
 * 1: *ret_page is the next one; 0: the end. What cannot be read is noted as damage of the file.
 * -ENOMEM: there are more, but no memory to unpack them; every further call says the same.
 * -EAGAIN, live only: there is none yet, and ret_page->round says up to which round that is certain.
 */
int pagestream_next(struct pagestream *ps, struct page *ret_page);

/* Leaves the last n_pages to be read (of packed data: the chunks they lie in), before the first one. */
void pagestream_skip_to_end(struct pagestream *ps, size_t n_pages);

/* How many bytes of the file this stream has come past, of how many. */
uint64_t pagestream_progress(const struct pagestream *ps, uint64_t *ret_total);

/* Bytes of a CPU's sub-buffers, unpacked: its size, or the sum of its chunks'. */
uint64_t pagestream_plain_bytes(const struct tracefile *tf, const struct tracefile_buffer *buffer,
				size_t cpu);
/*
 * Where a CPU's data begins: its file offset, or for packed data, which has no place of its own once
 * it is unpacked, one page and the sizes of the CPUs before it (what trace-cmd shows).
 */
uint64_t pagestream_place(const struct tracefile *tf, const struct tracefile_buffer *buffer,
			  size_t cpu);
/* How many bytes of sub-buffers came before the page that was handed out last. */
uint64_t pagestream_position(const struct pagestream *ps);

/* File offset of a page's data for messages (of its chunk, if it is compressed). */
uint64_t pagestream_offset(const struct pagestream *ps, const struct page *page);

#endif
