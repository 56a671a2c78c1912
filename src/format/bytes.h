/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * bytes.h - reads numbers from untrusted memory.
 *
 * bytes_get*() are for memory that is known to be long enough. `struct byte_reader` reads forward
 * and checks bounds: after something did not fit, `failed` stays set, every further read gives 0 or
 * an empty piece, and the caller checks `failed` at the end. `swap` is set if the file has the
 * other byte order.
 */
#ifndef SONDE_FORMAT_BYTES_H
#define SONDE_FORMAT_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A piece of memory that belongs to other code. */
struct piece {
	const uint8_t *data;
	size_t len;
};

/* The text of a struct textbuf (base/textbuf.h). */
#define PIECE_OF_TEXT(tb) ((struct piece){(const uint8_t *)(tb)->start, textbuf_len(tb)})

/* The data is never NULL, so that no code calculates with a NULL pointer. */
#define PIECE_EMPTY	  ((struct piece){(const uint8_t *)"", 0})

static inline bool bytes_host_is_big(void)
{
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
}

static inline uint16_t bytes_get16(const void *p, bool swap)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap16(v) : v;
}

static inline uint32_t bytes_get32(const void *p, bool swap)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap32(v) : v;
}

static inline uint64_t bytes_get64(const void *p, bool swap)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap64(v) : v;
}

/* Reads 1, 2, 4 or 8 bytes; returns 0 for any other size. */
static inline __attribute__((always_inline)) uint64_t bytes_get(const void *p, unsigned size,
								bool swap)
{
	switch (size) {
	case 1:
		return *(const uint8_t *)p;
	case 2:
		return bytes_get16(p, swap);
	case 4:
		return bytes_get32(p, swap);
	case 8:
		return bytes_get64(p, swap);
	}
	return 0;
}

struct byte_reader {
	const uint8_t *pos, *end;
	bool swap, failed;
};

static inline size_t byte_reader_left(const struct byte_reader *r)
{
	return r->end - r->pos;
}

/* Returns the next len bytes. If they do not fit, returns NULL and sets failed. */
static inline const uint8_t *byte_reader_take(struct byte_reader *r, uint64_t len)
{
	const uint8_t *p = r->pos;

	if (r->failed || len > byte_reader_left(r)) {
		r->failed = true;
		return NULL;
	}
	r->pos += len;
	return p;
}

static inline struct piece byte_reader_take_piece(struct byte_reader *r, uint64_t len)
{
	const uint8_t *p = byte_reader_take(r, len);

	return p ? (struct piece){p, len} : PIECE_EMPTY;
}

static inline uint64_t byte_reader_take_number(struct byte_reader *r, unsigned size)
{
	const uint8_t *p = byte_reader_take(r, size);

	return p ? bytes_get(p, size, r->swap) : 0;
}

/* Returns a NUL-terminated string. If there is none, returns "" and sets failed. */
static inline const char *byte_reader_take_string(struct byte_reader *r)
{
	const uint8_t *nul = r->failed ? NULL : memchr(r->pos, 0, byte_reader_left(r));
	const char *s = (const char *)r->pos;

	if (!nul) {
		r->failed = true;
		return "";
	}
	r->pos = nul + 1;
	return s;
}

/* The value of a signed number of n_bytes bytes, 1 to 8. */
static inline int64_t bytes_extend_sign(uint64_t v, unsigned n_bytes)
{
	unsigned shift = 64 - n_bytes * 8;

	return (int64_t)(v << shift) >> shift;
}

#endif
