// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * packedtext.c - makes and reads the texts of packedtext.h.
 *
 * The uncompressed size precedes the frame as a decimal number, because the size in the frame is
 * optional. The reader does not trust it: it allocates that many bytes, up to its limit, and the
 * result must have exactly that size. A text that begins like the mark is not mistaken for a
 * compressed one, because a number and a newline must follow.
 */
#include "store/packedtext.h"

#include "base/scope.h"
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

/*
 * Parses the number after the mark, and sets *pos to the offset of the frame. Returns a negative
 * value if there is no number.
 */
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

	if (size < 0) {
		*ret = data;
		return 0;
	}
	textbuf_clear(plain);
	if ((size_t)size > plain->max_bytes)
		return -E2BIG;
	if (!textbuf_grow(plain, size))
		return -ENOMEM;
	TRY(unpack(COMPRESSION_ZSTD, (struct piece){data.data + pos, data.len - pos}, plain->pos,
		   size));
	textbuf_commit(plain, plain->pos + size);
	*ret = (struct piece){(const uint8_t *)plain->start, size};
	return 0;
}
