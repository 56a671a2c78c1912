/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * cfi_int.h - what the files of this folder share: reading numbers of DWARF out of hostile bytes.
 */
#ifndef SONDE_SYMBOLS_UNWIND_CFI_INT_H
#define SONDE_SYMBOLS_UNWIND_CFI_INT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* A reader that stays at its end when it is asked for more. */
struct cfi_reader {
	const uint8_t *at, *end;
	bool is_bad;
};

static inline uint64_t cfi_read(struct cfi_reader *r, unsigned n_bytes)
{
	uint64_t v = 0;

	if ((size_t)(r->end - r->at) < n_bytes) {
		r->is_bad = true;
		r->at = r->end;
		return 0;
	}
	memcpy(&v, r->at, n_bytes); /* this machine's byte order, which is little endian */
	r->at += n_bytes;
	return v;
}

static inline uint64_t cfi_read_uleb(struct cfi_reader *r)
{
	uint64_t v = 0;

	for (unsigned shift = 0;; shift += 7) {
		uint8_t byte = (uint8_t)cfi_read(r, 1);

		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80) || r->is_bad)
			return v;
	}
}

static inline int64_t cfi_read_sleb(struct cfi_reader *r)
{
	uint64_t v = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = (uint8_t)cfi_read(r, 1);
		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80 && !r->is_bad);
	if (shift < 64 && byte & 0x40)
		v |= ~UINT64_C(0) << shift;
	return (int64_t)v;
}

#endif
