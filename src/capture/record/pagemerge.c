// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pagemerge.c - appends the events of a sub-buffer to those of the previous one.
 *
 *	tail   time 100 │ commit 40 │ events          │ empty
 *	page   time 900 │ commit 24 │ events │ empty
 *	                                     ▼
 *	       time 100 │ commit 72 │ events │ stamp 900 │ events │ empty
 *
 * Without it, a recorder that takes partly filled sub-buffers every half second would write 8 KB a
 * second for every idle CPU, with a handful of events in each. Each event has its time relative to
 * the event before, the first relative to the sub-buffer's time. A record of type 31, an absolute
 * time of 59 bits, replaces the sub-buffer's time.
 *
 * The layout is that of this machine's kernel: u64 time, a long for the commit, whose bits 30 and
 * 31 mark lost events before it. A sub-buffer with lost events is not merged, so that the mark
 * keeps its place.
 */
#include "capture/record/pagemerge.h"

#include <string.h>

#define TIME_BITS	 59
#define DELTA_BITS	 27
#define TYPE_TIME_STAMP	 31u
#define STAMP_BYTES	 8
#define HEAD_BYTES	 (8 + sizeof(long))
#define COMMIT_MAX_BYTES (1ul << 27)

static uint64_t time_of(const uint8_t *page)
{
	uint64_t t;

	memcpy(&t, page, sizeof(t));
	return t;
}

static unsigned long commit_of(const uint8_t *page)
{
	unsigned long c;

	memcpy(&c, page + 8, sizeof(c));
	return c;
}

static uint32_t stamp_word(uint64_t t)
{
	uint32_t delta = t & ((1u << DELTA_BITS) - 1);

	/* a bit field in the kernel, in which the type comes first in memory */
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? TYPE_TIME_STAMP << DELTA_BITS | delta
						      : delta << 5 | TYPE_TIME_STAMP;
}

bool pagemerge_add(uint8_t *tail, const uint8_t *page, size_t page_size)
{
	unsigned long there = commit_of(tail), more = commit_of(page), both;
	uint64_t t = time_of(page);
	uint32_t words[2] = {stamp_word(t), (uint32_t)(t >> DELTA_BITS)};

	if (there > COMMIT_MAX_BYTES || more > COMMIT_MAX_BYTES || t >> TIME_BITS || there % 4)
		return false;
	both = there + STAMP_BYTES + more;
	if (HEAD_BYTES + both > page_size)
		return false;
	memcpy(tail + HEAD_BYTES + there, words, STAMP_BYTES);
	memcpy(tail + HEAD_BYTES + there + STAMP_BYTES, page + HEAD_BYTES, more);
	memcpy(tail + 8, &both, sizeof(both));
	return true;
}
