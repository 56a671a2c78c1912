/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sha256.h - SHA-256 (FIPS 180-4) and HMAC-SHA-256 (RFC 2104) over a few short pieces.
 *
 * For shared keys on a network connection: a few hundred bytes from time to time, so it is written
 * for readability, not speed. Plain data, no state outside the structs, thread-safe.
 */
#ifndef SONDE_BASE_SHA256_H
#define SONDE_BASE_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHA256_BYTES	   32
#define SHA256_BLOCK_BYTES 64

struct sha256 {
	uint32_t state[8];
	uint64_t n_bytes;
	uint8_t block[SHA256_BLOCK_BYTES];
};

void sha256_init(struct sha256 *s);
void sha256_add(struct sha256 *s, const void *data, size_t len);
void sha256_finish(struct sha256 *s, uint8_t digest[SHA256_BYTES]);

struct hmac {
	struct sha256 inner, outer;
};

void hmac_init(struct hmac *h, const void *key, size_t len);
void hmac_add(struct hmac *h, const void *data, size_t len);
void hmac_finish(struct hmac *h, uint8_t digest[SHA256_BYTES]);

/* Compares in a time that does not depend on where the first difference is. */
bool digest_is_same(const uint8_t a[SHA256_BYTES], const uint8_t b[SHA256_BYTES]);

#endif
