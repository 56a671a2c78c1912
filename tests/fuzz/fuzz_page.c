// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_page.c - any bytes as sub-buffers, walked by the walker and by a second one that is slow,
 * written from the description of the format alone.
 *
 *	input:  u8 layout (see below)  u8 page size in units of 32 bytes  sub-buffers …
 *	layout: bit 0 long of 4 bytes   bit 1 big-endian   bits 2-3 data at 8 + long + 4 * bits
 *
 * Both must find the same records at the same places and times, inside the sub-buffer, and agree
 * on damage and on the events lost before it. Each sub-buffer is walked in a copy of its own size.
 */
#include "decode/walker.h"

#include <stdlib.h>

struct found {
	uint64_t ts;
	size_t offset, size;
};

struct findings {
	struct found *records;
	size_t n;
	int64_t missed;
	bool damaged, has_header;
};

static uint64_t number(const uint8_t *p, unsigned n, bool big)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < n; i++)
		v |= (uint64_t)p[i] << 8 * (big ? n - 1 - i : i);
	return v;
}

/* One record at `at`; how many bytes it takes, or 0 if it does not fit. */
static size_t naive_step(const uint8_t *page, size_t at, size_t end, bool big, struct findings *f,
			 uint64_t *ts)
{
	uint64_t header, type, delta, word;

	if (end - at < 4)
		return 0;
	header = number(page + at, 4, big);
	type = big ? header >> 27 : header & 31;
	delta = big ? header & 0x7ffffff : header >> 5;
	if (type >= 1 && type <= 28) {
		if (end - at < 4 + 4 * type)
			return 0;
		*ts += delta;
		f->records[f->n++] = (struct found){*ts, at + 4, 4 * type};
		return 4 + 4 * type;
	}
	if (end - at < 8)
		return 0;
	word = number(page + at + 4, 4, big);
	if (type == 30) {
		*ts += delta + (word << 27);
		return 8;
	}
	if (type == 31) {
		*ts = *ts >> 59 << 59 | (delta + (word << 27));
		return 8;
	}
	*ts += delta;
	if (type == 29)
		return word <= end - at - 4 ? 4 + word : 0;
	if (word < 4 || (word - 4 + 3) / 4 * 4 > end - at - 8)
		return 0;
	f->records[f->n++] = (struct found){*ts, at + 8, (word - 4 + 3) / 4 * 4};
	return 8 + (word - 4 + 3) / 4 * 4;
}

static void naive_walk(const uint8_t *page, size_t len, const struct page_layout *l,
		       struct findings *f)
{
	uint64_t ts, commit, used;
	size_t at = l->data_offset, end, step;

	f->has_header = len >= l->data_offset && len >= 8u + l->long_size;
	if (!f->has_header)
		return;
	ts = number(page, 8, l->big_endian);
	commit = number(page + 8, l->long_size, l->big_endian) & 0xffffffff;
	used = commit & 0x7ffffff;
	f->damaged = used > len - at;
	end = f->damaged ? len : at + used;
	if (commit >> 31)
		f->missed = -1;
	if (commit >> 30 == 3 && !f->damaged && len - end >= l->long_size)
		f->missed = number(page + end, l->long_size, l->big_endian);
	while (at < end) {
		step = naive_step(page, at, end, l->big_endian, f, &ts);
		if (!step) {
			f->damaged = true;
			break;
		}
		at += step;
	}
}

static void check(bool ok)
{
	if (!ok)
		abort();
}

static void compare(const uint8_t *page, size_t len, const struct page_layout *l)
{
	struct findings f = {.records = malloc((len / 4 + 1) * sizeof(*f.records))};
	struct walker w;
	struct walked rec;
	size_t n = 0;

	naive_walk(page, len, l, &f);
	check(walker_start(&w, page, len, l) == f.has_header);
	if (f.has_header) {
		check(w.missed == f.missed);
		for (; walker_next(&w, &rec); n++) {
			check(n < f.n);
			check(rec.data == page + f.records[n].offset);
			check(rec.size == f.records[n].size && rec.ts == f.records[n].ts);
			check(rec.data >= page + l->data_offset &&
			      rec.data + rec.size <= page + len);
			check(rec.size % 4 == 0);
		}
		check(n == f.n && w.damaged == f.damaged && w.pos == w.end);
		check(!walker_next(&w, &rec)); /* the end stays the end */
	}
	free(f.records);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n)
{
	struct page_layout l;
	size_t page_size;

	if (n < 2)
		return 0;
	l.big_endian = input[0] & 2;
	l.swap = l.big_endian != bytes_host_is_big();
	l.long_size = input[0] & 1 ? 4 : 8;
	l.data_offset = 8 + l.long_size + 4 * (input[0] >> 2 & 3);
	page_size = 32 * (size_t)(input[1] + 1);
	for (size_t at = 2; at < n; at += page_size) {
		size_t len = n - at < page_size ? n - at : page_size;
		uint8_t *page = malloc(len);

		memcpy(page, input + at, len);
		compare(page, len, &l);
		free(page);
	}
	return 0;
}
