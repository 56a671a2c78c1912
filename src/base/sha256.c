// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * sha256.c - SHA-256 (FIPS 180-4) and HMAC-SHA-256 (RFC 2104), implemented as these documents
 * describe.
 *
 *	message, 0x80, zeros, u64 number of bits (big-endian)     in blocks of 64 bytes
 *	HMAC(key, m) = H((key ^ 5c5c…) || H((key ^ 3636…) || m))    a key longer than a block is
 *	                                                            hashed first
 *
 * The constants are the fractional parts of the square roots (initial state) and cube roots
 * (rounds) of the first primes. tests/unit/test_serve.c checks the test vectors of both documents.
 */
#include "base/sha256.h"

#include <string.h>

static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
				  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

static const uint32_t rounds[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
	0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2};

static uint32_t rotate(uint32_t v, unsigned n)
{
	return v >> n | v << (32 - n);
}

static void expand(uint32_t w[64], const uint8_t *block)
{
	for (int i = 0; i < 16; i++)
		w[i] = (uint32_t)block[4 * i] << 24 | block[4 * i + 1] << 16 |
		       block[4 * i + 2] << 8 | block[4 * i + 3];
	for (int i = 16; i < 64; i++) {
		uint32_t a = w[i - 15], b = w[i - 2];

		w[i] = w[i - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + w[i - 7] +
		       (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
	}
}

static void take_block(struct sha256 *s, const uint8_t *block)
{
	uint32_t w[64], v[8];

	expand(w, block);
	memcpy(v, s->state, sizeof(v));
	for (int i = 0; i < 64; i++) {
		uint32_t a = v[0], e = v[4];
		uint32_t t1 = v[7] + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +
			      ((e & v[5]) ^ (~e & v[6])) + rounds[i] + w[i];
		uint32_t t2 = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) +
			      ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));

		memmove(v + 1, v, 7 * sizeof(*v));
		v[4] += t1;
		v[0] = t1 + t2;
	}
	for (int i = 0; i < 8; i++)
		s->state[i] += v[i];
}

void sha256_init(struct sha256 *s)
{
	memcpy(s->state, start, sizeof(start));
	s->n_bytes = 0;
}

void sha256_add(struct sha256 *s, const void *data, size_t len)
{
	const uint8_t *p = data;

	while (len) {
		size_t used = s->n_bytes % SHA256_BLOCK_BYTES, n = SHA256_BLOCK_BYTES - used;

		n = n < len ? n : len;
		memcpy(s->block + used, p, n);
		s->n_bytes += n;
		p += n;
		len -= n;
		if (used + n == SHA256_BLOCK_BYTES)
			take_block(s, s->block);
	}
}

void sha256_finish(struct sha256 *s, uint8_t digest[SHA256_BYTES])
{
	uint64_t n_bits = s->n_bytes * 8;
	uint8_t length[8];

	for (int i = 0; i < 8; i++)
		length[i] = n_bits >> (56 - 8 * i);
	sha256_add(s, "\x80", 1);
	while (s->n_bytes % SHA256_BLOCK_BYTES != SHA256_BLOCK_BYTES - 8)
		sha256_add(s, "", 1);
	sha256_add(s, length, 8);
	for (int i = 0; i < SHA256_BYTES; i++)
		digest[i] = s->state[i / 4] >> (24 - 8 * (i % 4));
}

void hmac_init(struct hmac *h, const void *key, size_t len)
{
	uint8_t block[SHA256_BLOCK_BYTES] = {0};

	if (len > sizeof(block)) {
		sha256_init(&h->inner);
		sha256_add(&h->inner, key, len);
		sha256_finish(&h->inner, block);
	} else {
		memcpy(block, key, len);
	}
	for (size_t i = 0; i < sizeof(block); i++)
		block[i] ^= 0x36;
	sha256_init(&h->inner);
	sha256_add(&h->inner, block, sizeof(block));
	for (size_t i = 0; i < sizeof(block); i++)
		block[i] ^= 0x36 ^ 0x5c;
	sha256_init(&h->outer);
	sha256_add(&h->outer, block, sizeof(block));
}

void hmac_add(struct hmac *h, const void *data, size_t len)
{
	sha256_add(&h->inner, data, len);
}

void hmac_finish(struct hmac *h, uint8_t digest[SHA256_BYTES])
{
	sha256_finish(&h->inner, digest);
	sha256_add(&h->outer, digest, SHA256_BYTES);
	sha256_finish(&h->outer, digest);
}

bool digest_is_same(const uint8_t a[SHA256_BYTES], const uint8_t b[SHA256_BYTES])
{
	volatile uint8_t different = 0;

	for (int i = 0; i < SHA256_BYTES; i++)
		different |= a[i] ^ b[i];
	return !different;
}
