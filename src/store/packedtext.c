// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * packedtext.c - makes and reads the texts of packedtext.h.
 *
 * The uncompressed size is before the frame as a number, because the frame's own may be missing and
 * is not trusted: the reader allocates that many bytes, up to its limit, and exactly that many must
 * come out. A text that only begins like a compressed one is not mistaken for it: the mark needs a
 * number and a newline.
 */
#include "store/packedtext.h"

#include "base/textbuf.h"
#include "store/unpack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MARK	    "zstd "
#define WORTH_BYTES 512 /* shorter texts stay uncompressed: readable with any tool */
#define DIGITS_MAX  12

int packedtext_fmt(struct piece text, struct textbuf *out)
{
	size_t room = pack_bound(COMPRESSION_ZSTD, text.len);
	void *packed = text.len >= WORTH_BYTES ? malloc(room) : NULL;
	long n = packed ? pack(COMPRESSION_ZSTD, text.data, text.len, packed, room) : -1;

	if (n > 0 && (size_t)n < text.len) {
		textbuf_addf(out, MARK "%zu\n", text.len);
		textbuf_add(out, packed, n);
	} else {
		textbuf_add(out, (const char *)text.data, text.len);
	}
	free(packed);
	return out->overflow ? -ENOMEM : 0;
}

/* The number after the mark; *pos becomes the offset of the frame. Negative: there is none. */
static long long parse_size(struct piece data, size_t *pos)
{
	const size_t mark = sizeof(MARK) - 1;
	long long size = 0;
	size_t i = mark;

	if (data.len <= mark || memcmp(data.data, MARK, mark))
		return -1;
	for (; i < data.len && i < mark + DIGITS_MAX && data.data[i] >= '0' && data.data[i] <= '9';
	     i++)
		size = 10 * size + (data.data[i] - '0');
	if (i == mark || i >= data.len || data.data[i] != '\n')
		return -1;
	*pos = i + 1;
	return size;
}

int packedtext_read(struct piece data, struct textbuf *plain, struct piece *ret)
{
	size_t pos = 0;
	long long size = parse_size(data, &pos);
	int r;

	if (size < 0) {
		*ret = data;
		return 0;
	}
	textbuf_clear(plain);
	if ((size_t)size > plain->max_bytes)
		return -E2BIG;
	if (!textbuf_grow(plain, size))
		return -ENOMEM;
	r = unpack(COMPRESSION_ZSTD, (struct piece){data.data + pos, data.len - pos}, plain->pos,
		   size);
	if (r < 0)
		return r;
	textbuf_commit(plain, plain->pos + size);
	*ret = (struct piece){(const uint8_t *)plain->start, size};
	return 0;
}
