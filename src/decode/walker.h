/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * walker.h - steps through the records of one sub-buffer.
 *
 *	u64 time │ commit │ event header u32: type_len:5 delta:27 │ data … │ header │ …
 *
 * Time starts at the sub-buffer's and grows by every header's delta. type_len 1..28: data of that
 * many words; 0: a length word follows; 29 padding; 30 the delta has 27 more bits; 31 an absolute
 * time. Nothing is read past `end`; a length beyond it ends the walk as damaged.
 */
#ifndef SONDE_DECODE_WALKER_H
#define SONDE_DECODE_WALKER_H

#include "format/bytes.h"
#include "format/tracedat.h"

#define WALKER_MISSED_UNKNOWN (-1)

struct page_layout {
	bool swap, big_endian;
	uint8_t long_size, data_offset;
};

struct walker {
	const uint8_t *pos, *end, *start; /* positions in the data area */
	uint64_t ts;
	/* events missed before this sub-buffer: a number, 0, or WALKER_MISSED_UNKNOWN */
	int64_t missed;
	bool swap, big_endian;
	bool damaged;
};

struct walked {
	const uint8_t *data;
	uint32_t size;
	uint32_t delta; /* delta of the record's header */
	uint8_t header_bytes;
	uint64_t ts;
};

/*
 * Starts at the first record. Returns false if the page is too short for a header. A commit that is
 * too large is reduced (damaged).
 */
static inline bool walker_start(struct walker *w, const uint8_t *page, size_t len,
				const struct page_layout *l)
{
	uint32_t commit;
	size_t used;

	if (len < l->data_offset || len < 8u + l->long_size)
		return false;
	w->ts = bytes_get64(page, l->swap);
	/* the low half of the commit word, for both byte orders */
	commit = bytes_get(page + 8, l->long_size, l->swap);
	used = commit & SNF_COMMIT_MASK;
	w->swap = l->swap;
	w->big_endian = l->big_endian;
	w->pos = w->start = page + l->data_offset;
	w->damaged = used > len - l->data_offset;
	w->end = w->damaged ? page + len : w->pos + used;
	w->missed = 0;
	if (commit & SNF_COMMIT_MISSED) {
		w->missed = WALKER_MISSED_UNKNOWN;
		if ((commit & SNF_COMMIT_MISSED_STORED) && !w->damaged &&
		    (size_t)(page + len - w->end) >= l->long_size)
			w->missed = bytes_get(w->end, l->long_size, l->swap);
	}
	return true;
}

/* walker_next() for a byte order that the caller knows. */
static inline __attribute__((always_inline)) bool
walker_next_in(struct walker *w, struct walked *ret, bool swap, bool big_endian)
{
	while ((size_t)(w->end - w->pos) >= 4) {
		uint32_t header = bytes_get32(w->pos, swap), type, delta, word = 0;
		size_t left = w->end - w->pos - 4;

		type = big_endian ? header >> 27 : header & 31;
		delta = big_endian ? header & ((1u << 27) - 1) : header >> 5;
		if (__builtin_expect(type >= 1 && type <= SNF_TYPE_DATA_MAX, 1)) {
			if (type * 4 > left)
				break;
			w->ts += delta;
			*ret = (struct walked){w->pos + 4, type * 4, delta, 4, w->ts};
			w->pos += 4 + type * 4;
			return true;
		}
		if (left < 4)
			break;
		word = bytes_get32(w->pos + 4, swap);
		if (type == SNF_TYPE_TIME_EXTEND) {
			w->ts += delta + ((uint64_t)word << SNF_DELTA_BITS);
			w->pos += 8;
		} else if (type == SNF_TYPE_TIME_STAMP) {
			uint64_t stamp = delta + ((uint64_t)word << SNF_DELTA_BITS);

			w->ts = (w->ts & 0xf800000000000000u) | stamp;
			w->pos += 8;
		} else if (type == SNF_TYPE_PADDING) {
			w->ts += delta;
			if (word > left)
				break;
			w->pos += 4 + (size_t)word;
		} else {
			uint32_t size = (word - 4 + 3) & ~3u;

			if (word < 4 || word > (1u << 27) || size > left - 4)
				break;
			w->ts += delta;
			*ret = (struct walked){w->pos + 8, size, delta, 8, w->ts};
			w->pos += 8 + size;
			return true;
		}
	}
	if (w->pos != w->end)
		w->damaged = true;
	w->pos = w->end;
	return false;
}

/* Finds the next record with data. Returns false at the end. */
static inline bool walker_next(struct walker *w, struct walked *ret)
{
	return walker_next_in(w, ret, w->swap, w->big_endian);
}

#endif
