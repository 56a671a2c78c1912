// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tilewire.c - encodes tiles for the page.
 *
 *	u32 magic   u32 seq   u32 count   u32 0
 *	count times:
 *	  u32 n   u8 kind   u8 rows   u8 whole   u8 0   f32 low   f32 high
 *	  n × 16 bytes, or for kind 0 a message of n bytes, padded to 16
 *
 * Everything is at multiples of four bytes, so that the page can place typed arrays on it. The byte
 * order is little endian, like all machines that browsers run on. On such machines records are
 * copied, on others their bytes are swapped.
 */
#include "view/tilewire.h"

#include <assert.h>
#include <endian.h>
#include <string.h>

static_assert(sizeof(struct tile_record) == 16, "as it goes over the wire");
static_assert(sizeof(struct counter_record) == 16, "as it goes over the wire");

#define SENTENCE_MAX 1024

static void add_u32(struct textbuf *tb, uint32_t v)
{
	v = htole32(v);
	textbuf_add(tb, (const char *)&v, 4);
}

static void add_f32(struct textbuf *tb, float v)
{
	uint32_t bits;

	memcpy(&bits, &v, 4);
	add_u32(tb, bits);
}

void tilewire_add_head(struct textbuf *tb, uint32_t seq, uint32_t count)
{
	add_u32(tb, TILEWIRE_MAGIC);
	add_u32(tb, seq);
	add_u32(tb, count);
	add_u32(tb, 0);
}

static void add_tile_head(struct textbuf *tb, uint32_t n, unsigned kind, unsigned n_rows,
			  bool whole, float low, float high)
{
	const char bytes[4] = {kind, n_rows > 255 ? 255 : n_rows, whole, 0};

	add_u32(tb, n);
	textbuf_add(tb, bytes, 4);
	add_f32(tb, low);
	add_f32(tb, high);
}

/*
 * Adds a record on a big-endian machine: swaps four words. The last word of a tile record consists
 * of a u16 and two bytes.
 */
static void add_turned(struct textbuf *tb, enum lane_kind kind, const struct tile_record *rec)
{
	uint32_t words[4];

	memcpy(words, rec, 16);
	for (int i = 0; i < (kind == LANE_COUNTER ? 4 : 3); i++)
		add_u32(tb, words[i]);
	if (kind != LANE_COUNTER) {
		uint16_t weight = htole16(rec->weight);
		const char bytes[2] = {rec->row, rec->flags};

		textbuf_add(tb, (const char *)&weight, 2);
		textbuf_add(tb, bytes, 2);
	}
}

void tilewire_add_tile(struct textbuf *tb, enum lane_kind kind, unsigned n_rows, double low,
		       double high, const struct tile *tile)
{
	add_tile_head(tb, tile->n, kind, n_rows, tile->is_whole, low, high);
	if (htole32(1) == 1 && tile->n)
		textbuf_add(tb, (const char *)tile->records, tile->n * sizeof(*tile->records));
	else
		for (size_t i = 0; i < tile->n; i++)
			add_turned(tb, kind, &tile->records[i]);
}

void tilewire_add_refusal(struct textbuf *tb, const char *sentence)
{
	size_t len = strlen(sentence);

	len = len < SENTENCE_MAX ? len : SENTENCE_MAX;
	add_tile_head(tb, len, 0, 0, true, 0, 0);
	textbuf_add(tb, sentence, len);
	textbuf_add_fill(tb, 0, -len & 15);
}
