/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pagestream.h - the sub-buffers of one CPU, in sequence.
 *
 * Uncompressed data comes directly from the mapping. Compressed data is in chunks of some
 * sub-buffers; a chunk is uncompressed into reference-counted memory. To keep a pointer into a page
 * beyond the next pagestream_next(), hold the page's chunk with chunk_get()/chunk_put().
 *
 * With an `unpacker`, its threads uncompress chunks in advance; without one, chunks are
 * uncompressed when needed. A pagestream belongs to one thread. The unpacker must outlive its
 * streams.
 *
 * The pages of a live trace (livepages.h) are chunks, too, and there may be none yet.
 */
#ifndef SONDE_STORE_PAGESTREAM_H
#define SONDE_STORE_PAGESTREAM_H

#include "base/scope.h"
#include "store/tracefile.h"

struct chunk;
struct pagestream;
struct unpacker;

struct page {
	const uint8_t *data;
	size_t len;	     /* less than the page size only in a truncated file */
	struct chunk *chunk; /* NULL: the page is mapped, and valid as long as the file is open */
	uint64_t round;	     /* live: the round in which the page was read, see livepages.h */
};

struct chunk *chunk_get(struct chunk *c);
void chunk_put(struct chunk *c);
/* Returns the bytes of chunks that their streams no longer need but that others still hold. */
size_t chunks_held_bytes(struct tracefile *tf);

/*
 * Creates an unpacker that n_streams streams share; the number limits how much is uncompressed in
 * advance. Returns NULL when memory is short.
 */
struct unpacker *unpacker_new(unsigned n_threads, size_t n_streams);
void unpacker_free(struct unpacker *u);
SCOPED_POINTER(struct unpacker, unpacker_free)

/*
 * Creates a stream. cpu is an index into buffer->cpus; unpacker may be NULL. Returns NULL only if
 * out of memory.
 */
struct pagestream *pagestream_new(struct tracefile *tf, const struct tracefile_buffer *buffer,
				  size_t cpu, struct unpacker *unpacker);
void pagestream_free(struct pagestream *ps);

/*
 * Returns 1 with the next page in *ret_page, or 0 at the end. Unreadable data is noted as damage of
 * the file. Returns -ENOMEM if memory is too short to uncompress the next page; every further call
 * returns the same. Returns -EAGAIN if a live trace has no next page yet; ret_page->round is the
 * round up to which that is certain.
 */
int pagestream_next(struct pagestream *ps, struct page *ret_page);

/*
 * Skips to the last n_pages. In compressed data, skips to the chunks that contain them. Call it
 * before the first page.
 */
void pagestream_skip_to_end(struct pagestream *ps, size_t n_pages);

/*
 * Returns the number of parts that pagestream_seek() can reach: pages, or chunks of packed data.
 */
uint64_t pagestream_n_parts(struct pagestream *ps);
/* Returns true if pagestream_seek() reaches all the data. Not if it is live or truncated. */
bool pagestream_can_seek(struct pagestream *ps);
/*
 * Returns the last part that begins before a time, or 0. time_of: the time of a page; for packed
 * data it is called once for each chunk and remembered. The place of the stream is lost.
 */
uint64_t pagestream_find_time(struct pagestream *ps, uint64_t time,
			      uint64_t (*time_of)(void *ctx, const struct page *page), void *ctx);
/* Returns the time at which part n begins, as above; 0: unknown. */
uint64_t pagestream_part_time(struct pagestream *ps, uint64_t n,
			      uint64_t (*time_of)(void *ctx, const struct page *page), void *ctx);
/* The first page of this part is the next one, or the data ends if there is no such part. */
void pagestream_seek(struct pagestream *ps, uint64_t n);

/* Returns how many bytes of the file this stream has passed, and the total. */
uint64_t pagestream_progress(const struct pagestream *ps, uint64_t *ret_total);

/* Returns the uncompressed bytes of a CPU's sub-buffers: its size, or the sum of its chunks. */
uint64_t pagestream_plain_bytes(const struct tracefile *tf, const struct tracefile_buffer *buffer,
				size_t cpu);
/*
 * Returns where a CPU's data begins: its file offset. Compressed data has no such place; for it the
 * result is one page plus the sizes of the CPUs before it, as trace-cmd shows it.
 */
uint64_t pagestream_place(const struct tracefile *tf, const struct tracefile_buffer *buffer,
			  size_t cpu);
/* Returns how many bytes of sub-buffers came before the last returned page. */
uint64_t pagestream_position(const struct pagestream *ps);

/*
 * Returns the file offset of a page's data, or of its chunk if it is compressed. It is for
 * messages.
 */
uint64_t pagestream_offset(const struct pagestream *ps, const struct page *page);

#endif
