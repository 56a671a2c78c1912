/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * protobuf.h - writes messages in the form of protocol buffers.
 *
 * A field is a varint of (number << 3 | type), then a varint or a length and bytes. The length of a
 * message is not known before it is written, so five bytes are reserved for it and filled with a
 * varint that is padded to five.
 *
 *	size_t at = protobuf_open(tb, 4);
 *	protobuf_add_uint(tb, 1, id);
 *	protobuf_close(tb, at);
 */
#ifndef SONDE_PRESENT_EXPORT_PROTOBUF_H
#define SONDE_PRESENT_EXPORT_PROTOBUF_H

#include "base/textbuf.h"

#include <stdint.h>

#define PROTOBUF_LEN_BYTES 5

enum protobuf_type { PROTOBUF_VARINT = 0, PROTOBUF_BYTES = 2 };

static inline void protobuf_add_varint(struct textbuf *tb, uint64_t v)
{
	char *p = textbuf_reserve(tb, 10);

	for (; v >= 0x80; v >>= 7)
		*p++ = (char)(v | 0x80);
	*p++ = (char)v;
	textbuf_commit(tb, p);
}

static inline void protobuf_add_uint(struct textbuf *tb, unsigned number, uint64_t v)
{
	protobuf_add_varint(tb, number << 3 | PROTOBUF_VARINT);
	protobuf_add_varint(tb, v);
}

static inline void protobuf_add_text(struct textbuf *tb, unsigned number, const char *s, size_t len)
{
	protobuf_add_varint(tb, number << 3 | PROTOBUF_BYTES);
	protobuf_add_varint(tb, len);
	textbuf_add(tb, s, len);
}

/* Begins a message. Returns the position of its length. */
static inline size_t protobuf_open(struct textbuf *tb, unsigned number)
{
	protobuf_add_varint(tb, number << 3 | PROTOBUF_BYTES);
	textbuf_add_fill(tb, 0, PROTOBUF_LEN_BYTES);
	return textbuf_len(tb);
}

static inline void protobuf_close(struct textbuf *tb, size_t start)
{
	size_t len = textbuf_len(tb) - start;

	if (tb->overflow)
		return;
	for (int i = 0; i < PROTOBUF_LEN_BYTES; i++, len >>= 7)
		tb->start[start - PROTOBUF_LEN_BYTES + i] =
			(char)((len & 0x7f) | (i + 1 < PROTOBUF_LEN_BYTES ? 0x80 : 0));
}

#endif
