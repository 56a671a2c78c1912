/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pagebuilder.h - packs records into a sub-buffer, as the kernel would.
 *
 *	pagebuilder_begin(pb, time of the first record, missed)
 *	while there is a record: pagebuilder_add()    false: it does not fit, this one is full
 *	pagebuilder_end()                             the finished page, until the next begin
 *
 * Times may differ by any amount. A delta that does not fit into 27 bits goes into a time extend. A
 * delta that does not fit into its 59 bits, or a step back, needs a new sub-buffer. A record that
 * does not fit into an empty sub-buffer never fits; records from a sub-buffer of the same size
 * always fit.
 */
#ifndef SONDE_STORE_PAGEBUILDER_H
#define SONDE_STORE_PAGEBUILDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "format/bytes.h"
#include "format/tracedat.h"

#define PAGEBUILDER_MISSED_UNKNOWN (-1)

struct pagebuilder {
	bool swap, big_endian;
	uint8_t long_size, data_offset;
	uint32_t page_size;
	bool keeps_missed; /* leaves room for the number of missed events; caller, may be false */
	uint8_t *page;
	uint32_t pos; /* position of the next record in the page */
	uint32_t end; /* records end here at the latest */
	uint64_t ts;  /* time of the last record */
	int64_t missed;
};

/* Initialises a builder whose first five fields the caller has set. Returns 0 or -ENOMEM. */
int pagebuilder_init(struct pagebuilder *pb);
/* Initialises a builder of sub-buffers like those of this kernel, with room for missed events. */
int pagebuilder_init_host(struct pagebuilder *pb, uint32_t page_size);
void pagebuilder_release(struct pagebuilder *pb);

/*
 * Begins a sub-buffer. missed: number of events lost before it, 0, or PAGEBUILDER_MISSED_UNKNOWN.
 */
void pagebuilder_begin(struct pagebuilder *pb, uint64_t ts, int64_t missed);
bool pagebuilder_add(struct pagebuilder *pb, uint64_t ts, const void *data, uint32_t n_bytes);
struct piece pagebuilder_end(struct pagebuilder *pb);

/*
 * A fast pagebuilder_add() for millions of short records. delta has at most SNF_DELTA_BITS, data
 * has at most SNF_TYPE_DATA_MAX whole words, the page has room for them, and the caller sets
 * pb->ts. The byte order is the host's.
 */
static inline void pagebuilder_put(struct pagebuilder *pb, uint32_t delta, const void *data,
				   uint32_t n_bytes)
{
	uint32_t header = bytes_host_is_big() ? n_bytes / 4 << SNF_DELTA_BITS | delta
					      : delta << 5 | n_bytes / 4;

	memcpy(pb->page + pb->pos, &header, 4);
	memcpy(pb->page + pb->pos + 4, data, n_bytes);
	pb->pos += 4 + n_bytes;
}

/*
 * Copies the first n_used bytes of records of a page whose end is missing or damaged, and makes a
 * complete page from them.
 */
struct piece pagebuilder_trim(struct pagebuilder *pb, const uint8_t *page, uint32_t n_used,
			      int64_t missed);

#endif
