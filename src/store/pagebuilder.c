// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * pagebuilder.c - the bytes of a sub-buffer; decode/walker.h reads them.
 *
 *	u64 time │ commit │ header u32: type_len:5 delta:27 │ [u32 length] │ data │ header …
 *
 * For data of up to 28 words the header has the length; for longer data a separate word contains
 * the length, including that word. A time extend (type 30) carries 59 bits of delta in two words
 * and is followed by the record with delta 0. The number of missed events follows the last record
 * if there is room, as in the kernel. The rest of the page is zero.
 */
#include "store/pagebuilder.h"

#include "format/tracedat.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void put32(const struct pagebuilder *pb, uint32_t pos, uint32_t v)
{
	v = pb->swap ? __builtin_bswap32(v) : v;
	memcpy(pb->page + pos, &v, 4);
}

static void put64(const struct pagebuilder *pb, uint32_t pos, uint64_t v)
{
	v = pb->swap ? __builtin_bswap64(v) : v;
	memcpy(pb->page + pos, &v, 8);
}

static void put_long(const struct pagebuilder *pb, uint32_t pos, uint64_t v)
{
	if (pb->long_size == 8)
		put64(pb, pos, v);
	else
		put32(pb, pos, v);
}

static void put_header(struct pagebuilder *pb, uint32_t type_len, uint32_t delta)
{
	put32(pb, pb->pos,
	      pb->big_endian ? type_len << SNF_DELTA_BITS | delta : delta << 5 | type_len);
	pb->pos += 4;
}

int pagebuilder_init(struct pagebuilder *pb)
{
	pb->page = malloc(pb->page_size);
	pb->pos = pb->data_offset;
	return pb->page ? 0 : -ENOMEM;
}

int pagebuilder_init_host(struct pagebuilder *pb, uint32_t page_size)
{
	*pb = (struct pagebuilder){.big_endian = bytes_host_is_big(),
				   .long_size = sizeof(long),
				   .data_offset = 8 + sizeof(long),
				   .page_size = page_size,
				   .keeps_missed = true};
	return pagebuilder_init(pb);
}

void pagebuilder_release(struct pagebuilder *pb)
{
	free(pb->page);
	pb->page = NULL;
}

void pagebuilder_begin(struct pagebuilder *pb, uint64_t ts, int64_t missed)
{
	memset(pb->page, 0, pb->data_offset);
	put64(pb, 0, ts);
	pb->pos = pb->data_offset;
	pb->ts = ts;
	pb->missed = missed;
	pb->end = pb->page_size - (pb->keeps_missed && missed > 0 ? pb->long_size : 0);
}

bool pagebuilder_add(struct pagebuilder *pb, uint64_t ts, const void *data, uint32_t n_bytes)
{
	uint64_t delta = ts - pb->ts;
	uint32_t words = (n_bytes + 3) / 4;
	bool is_long = !words || words > SNF_TYPE_DATA_MAX, extend = delta >> SNF_DELTA_BITS;
	uint64_t need = 4 + 4 * is_long + 8 * extend + (uint64_t)words * 4;

	if (need > pb->end - pb->pos || ts < pb->ts || delta >> (SNF_DELTA_BITS + 32))
		return false;
	if (extend) {
		put_header(pb, SNF_TYPE_TIME_EXTEND, delta & ((1u << SNF_DELTA_BITS) - 1));
		put32(pb, pb->pos, delta >> SNF_DELTA_BITS);
		pb->pos += 4;
		delta = 0;
	}
	put_header(pb, is_long ? SNF_TYPE_LONG : words, delta);
	if (is_long) {
		put32(pb, pb->pos, words * 4 + 4);
		pb->pos += 4;
	}
	memcpy(pb->page + pb->pos, data, n_bytes);
	memset(pb->page + pb->pos + n_bytes, 0, words * 4 - n_bytes);
	pb->pos += words * 4;
	pb->ts = ts;
	return true;
}

struct piece pagebuilder_end(struct pagebuilder *pb)
{
	uint32_t commit = pb->pos - pb->data_offset;
	uint32_t left = pb->page_size - pb->pos;

	memset(pb->page + pb->pos, 0, left);
	if (pb->missed)
		commit |= SNF_COMMIT_MISSED;
	if (pb->missed > 0 && left >= pb->long_size) {
		commit |= SNF_COMMIT_MISSED_STORED;
		put_long(pb, pb->pos, pb->missed);
	}
	put_long(pb, 8, commit);
	return (struct piece){pb->page, pb->page_size};
}

struct piece pagebuilder_trim(struct pagebuilder *pb, const uint8_t *page, uint32_t n_used,
			      int64_t missed)
{
	pagebuilder_begin(pb, 0, missed);
	memcpy(pb->page, page, 8);
	memcpy(pb->page + pb->data_offset, page + pb->data_offset, n_used);
	pb->pos = pb->data_offset + n_used;
	return pagebuilder_end(pb);
}
