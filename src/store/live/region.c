// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * region.c - writes data into a region.
 *
 *	plain     start ├ page │ page │ page ┤ end                          grows at the end
 *	packed    start ├ u32 chunks │ u32 packed, u32 plain, bytes │ … ┤ end
 *	limited   ····· hole ·····├ page │ page ┤                           start follows
 *
 * A chunk has CHUNK_PAGES sub-buffers (trace-cmd uses ten). More would compress a little better
 * (32: 4 per cent smaller), but readers that are short of memory accept at most 16, and a killed
 * recorder loses a chunk. Compressed data that did not reach the disk is lost, too.
 *
 * A limited region drops data from its front before it exceeds the limit, DROP_PART of the limit at
 * a time. First its row in the directory changes, then the bytes are dropped, so that a reader or a
 * repair never finds a hole where the directory describes data. Compressed data is dropped by
 * chunks; the count of chunks is written right before the first remaining chunk, over the end of
 * the last dropped one. Data of one append that exceeds the limit stays complete until the next
 * append. Regions of a joint buffer drop their data together (parts.c).
 *
 * An error is sticky: whole pages before it stay, and everything after it fails in the same way.
 */
#include "base/lock.h"
#include "base/scope.h"
#include "format/bytes.h"
#include "store/live/livefile_int.h"
#include "store/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHUNK_PAGES	   16
/* the maximum that readers accept, or one page if that is more */
#define CHUNK_MAX_BYTES	   (4u << 20)
#define CHUNK_HEADER_BYTES 8

/* Allocates the memory for compression when the first data arrives. */
static int init_packer(struct liveregion *r)
{
	size_t max = CHUNK_MAX_BYTES / r->page_size;

	if (r->packer)
		return 0;
	r->chunk_bytes = (size_t)r->page_size * (max < 1	     ? 1
						 : max < CHUNK_PAGES ? max
								     : CHUNK_PAGES);
	r->packed_room = pack_bound(r->file->w->config.compression, r->chunk_bytes);
	r->plain = malloc(r->chunk_bytes);
	r->packed = malloc(CHUNK_HEADER_BYTES + r->packed_room);
	if (r->plain && r->packed)
		r->packer = packer_new(r->file->w->config.compression);
	return r->packer ? 0 : -ENOMEM;
}

void liveregion_release(struct liveregion *r)
{
	packer_free(r->packer);
	free(r->plain);
	free(r->packed);
}

int liveregion_write_count(struct liveregion *r)
{
	uint8_t bytes[LIVEFILE_COUNT_BYTES];
	uint64_t start;
	uint32_t n_chunks;
	bool is_empty;
	int ret;

	pthread_mutex_lock(&r->lock);
	start = r->start;
	n_chunks = r->n_chunks;
	is_empty = r->end == r->start;
	pthread_mutex_unlock(&r->lock);
	if (!liveregion_is_packed(r) || r->n_counted == n_chunks || is_empty)
		return 0;
	writer_put(r->file->w, bytes, n_chunks, LIVEFILE_COUNT_BYTES);
	ret = livefile_pwrite(r->fd, bytes, LIVEFILE_COUNT_BYTES, start);
	if (!ret)
		r->n_counted = n_chunks;
	return ret;
}

/*
 * --- dropping what is old ----------------------------------------------------------------------
 */

/*
 * Finds the first byte to keep if `n` bytes are to be dropped, and the number of remaining chunks.
 */
static int find_drop(const struct liveregion *r, uint64_t n, uint64_t *ret_start,
		     uint32_t *ret_chunks)
{
	uint64_t pos = r->start, stop = n < r->end - r->start ? r->start + n : r->end;
	uint32_t n_chunks = r->n_chunks;

	if (!liveregion_is_packed(r)) {
		*ret_start = r->start + round_up_to(stop - r->start, r->page_size);
		return 0;
	}
	while (pos < stop && n_chunks) {
		uint8_t header[4];
		ssize_t got = pread(r->fd, header, sizeof(header), pos + LIVEFILE_COUNT_BYTES);

		if (got != sizeof(header))
			return got < 0 ? -errno : -EIO;
		pos += CHUNK_HEADER_BYTES + (uint64_t)bytes_get32(header, r->file->w->swap);
		n_chunks--;
	}
	*ret_start = pos;
	*ret_chunks = n_chunks;
	return 0;
}

int liveregion_drop_to(struct liveregion *r, uint64_t start, uint32_t n_chunks)
{
	int ret;

	if (start == r->start)
		return 0;
	pthread_mutex_lock(&r->file->dir_lock);
	pthread_mutex_lock(&r->lock);
	r->start = start;
	r->n_chunks = n_chunks;
	pthread_mutex_unlock(&r->lock);
	r->n_counted = ~n_chunks;
	ret = liveregion_write_count(r);
	if (!ret)
		ret = livefile_write_row(r);
	pthread_mutex_unlock(&r->file->dir_lock);
	start = round_down_to(start, r->file->align);
	if (!ret && livefile_punch(r->fd, r->punched, start))
		r->punched = start;
	return ret;
}

static int drop(struct liveregion *r, uint64_t n)
{
	uint64_t start = r->start;
	uint32_t n_chunks = 0;
	int ret = find_drop(r, n, &start, &n_chunks);

	return ret < 0 ? ret : liveregion_drop_to(r, start, n_chunks);
}

/* Drops old data, if necessary, before n_bytes are added. */
static int make_room(struct liveregion *r, uint64_t n_bytes)
{
	uint64_t used = r->end - r->start;
	int ret = 0;

	if (r->max_bytes && !liveregion_is_joint(r) && used && used + n_bytes > r->max_bytes)
		ret = drop(r, used + n_bytes - r->max_bytes + r->max_bytes / LIVEFILE_DROP_PART);
	if (!ret && n_bytes > r->limit - r->end)
		ret = -EFBIG;
	return ret;
}

/*
 * --- adding ------------------------------------------------------------------------------------
 */

static void publish(struct liveregion *r, uint64_t end, uint32_t n_more_chunks)
{
	LOCKED(&r->lock);
	r->end = end;
	r->n_chunks += n_more_chunks;
}

/*
 * Returns the size of the complete pages that were written. If some are missing, *ret_error is the
 * reason.
 */
static uint64_t write_pages(struct liveregion *r, const uint8_t *pages, uint64_t n_bytes,
			    int *ret_error)
{
	uint64_t done = 0;

	*ret_error = 0;
	while (done < n_bytes && !*ret_error) {
		ssize_t n = pwrite(r->fd, pages + done, n_bytes - done, r->end + done);

		if (n > 0)
			done += n;
		else if (n == 0 || errno != EINTR)
			*ret_error = n ? -errno : -EIO;
	}
	return round_down_to(done, r->page_size);
}

static int append_plain(struct liveregion *r, const uint8_t *pages, size_t n_bytes)
{
	int error = make_room(r, n_bytes);
	uint64_t done = error ? 0 : write_pages(r, pages, n_bytes, &error);

	r->partial = 0;
	if (done)
		publish(r, r->end + done, 0);
	atomic_fetch_add_explicit(&r->n_taken, done, memory_order_relaxed);
	r->error = error;
	return error;
}

int liveregion_replace(struct liveregion *r, const void *page, size_t n_bytes)
{
	if (r->error)
		return r->error;
	if (liveregion_is_packed(r) || n_bytes != r->page_size || r->partial ||
	    r->end - r->start < n_bytes)
		return -EINVAL;
	/* this needs no lock: the directory contains the position, not the contents */
	return livefile_pwrite(r->fd, page, n_bytes, r->end - n_bytes);
}

static int write_chunk(struct liveregion *r)
{
	long n = packer_pack(r->packer, r->plain, r->n_plain, r->packed + CHUNK_HEADER_BYTES,
			     r->packed_room);
	uint64_t n_bytes = CHUNK_HEADER_BYTES + (uint64_t)n, pos;
	int ret = n < 0 ? (int)n : make_room(r, n_bytes + LIVEFILE_COUNT_BYTES);

	TRY(ret);
	/* the count comes before the first chunk */
	pos = r->end > r->start ? r->end : r->start + LIVEFILE_COUNT_BYTES;
	writer_put(r->file->w, r->packed, n, 4);
	writer_put(r->file->w, r->packed + 4, r->n_plain, 4);
	ret = livefile_pwrite(r->fd, r->packed, n_bytes, pos);
	TRY(ret);
	r->n_plain = 0;
	publish(r, pos + n_bytes, 1);
	return 0;
}

static int append_packed(struct liveregion *r, const uint8_t *pages, size_t n_bytes)
{
	r->error = init_packer(r);
	while (n_bytes && !r->error) {
		size_t n = r->chunk_bytes - r->n_plain;

		n = n < n_bytes ? n : n_bytes;
		memcpy(r->plain + r->n_plain, pages, n);
		r->n_plain += n;
		pages += n;
		n_bytes -= n;
		if (r->n_plain == r->chunk_bytes)
			r->error = write_chunk(r);
		if (!r->error)
			atomic_fetch_add_explicit(&r->n_taken, n, memory_order_relaxed);
	}
	return r->error;
}

int liveregion_append(struct liveregion *r, const void *pages, size_t n_bytes)
{
	if (r->error)
		return r->error;
	if (n_bytes % r->page_size)
		return -EINVAL;
	return liveregion_is_packed(r) ? append_packed(r, pages, n_bytes)
				       : append_plain(r, pages, n_bytes);
}

int liveregion_flush(struct liveregion *r)
{
	if (!r->error && r->n_plain)
		r->error = write_chunk(r);
	return r->error;
}

/* Returns the number of bytes that were written after r->end; the last page may be incomplete. */
static uint64_t splice_bytes(struct liveregion *r, int pipe_fd, uint64_t n_bytes, int *ret_error)
{
	uint64_t done = r->partial;

	*ret_error = 0;
	while (done < n_bytes) {
		loff_t pos = r->end + done;
		ssize_t n = splice(pipe_fd, NULL, r->fd, &pos, n_bytes - done, SPLICE_F_MOVE);

		if (n > 0) {
			done += n;
			continue;
		}
		if (n < 0 && errno == EINTR)
			continue;
		/* an empty pipe is not a failure */
		*ret_error = n < 0 && errno != EAGAIN ? -errno : 0;
		break;
	}
	return done;
}

ssize_t liveregion_splice(struct liveregion *r, int pipe_fd, size_t n_bytes)
{
	uint64_t done, before = r->partial;
	int error;

	if (r->error)
		return r->error;
	if (liveregion_is_packed(r) || n_bytes % r->page_size)
		return -EINVAL;
	r->error = make_room(r, n_bytes);
	if (r->error)
		return r->error;
	done = splice_bytes(r, pipe_fd, n_bytes, &error);
	if (error == -EINVAL && done == before)
		return -EINVAL;
	r->error = error;
	r->partial = done % r->page_size;
	done -= r->partial;
	if (done)
		publish(r, r->end + done, 0);
	atomic_fetch_add_explicit(&r->n_taken, done, memory_order_relaxed);
	return done ? (ssize_t)done : error;
}

uint64_t liveregion_bytes(const struct liveregion *r)
{
	return atomic_load_explicit(&r->n_taken, memory_order_relaxed);
}
