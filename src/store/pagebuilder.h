/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pagebuilder.h - packs records into a sub-buffer, as the kernel would.
 *
 *	pagebuilder_begin(pb, time of the first record, missed)
 *	while there is a record: pagebuilder_add()    false: it does not fit, this one is full
 *	pagebuilder_end()                             the finished page, until the next begin
 *
 * Times may differ by any amount: a delta that does not fit into 27 bits goes into a time extend;
 * one that does not fit there (59 bits, or a step back) needs a new sub-buffer. A record that does
 * not fit into an empty sub-buffer never fits; records from a sub-buffer of the same size always
 * fit.
 */
#ifndef SONDE_STORE_PAGEBUILDER_H
#define SONDE_STORE_PAGEBUILDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/bytes.h"

#define PAGEBUILDER_MISSED_UNKNOWN (-1)

struct pagebuilder {
	bool swap, big_endian;
	uint8_t long_size, data_offset;
	uint32_t page_size;
	uint8_t *page;
	uint32_t pos; /* of the next record, from the start of the page */
	uint64_t ts;  /* of the last one */
	int64_t missed;
};

/* The caller sets the first five fields; 0 or -ENOMEM. */
int pagebuilder_init(struct pagebuilder *pb);
void pagebuilder_release(struct pagebuilder *pb);

/* missed: number of events lost before it, 0, or PAGEBUILDER_MISSED_UNKNOWN. */
void pagebuilder_begin(struct pagebuilder *pb, uint64_t ts, int64_t missed);
bool pagebuilder_add(struct pagebuilder *pb, uint64_t ts, const void *data, uint32_t n_bytes);
struct piece pagebuilder_end(struct pagebuilder *pb);

/*
 * Copies the first n_used bytes of records of a page whose end is missing or damaged, and makes a
 * complete page from them.
 */
struct piece pagebuilder_trim(struct pagebuilder *pb, const uint8_t *page, uint32_t n_used,
			      int64_t missed);

#endif
