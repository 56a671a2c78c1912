/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * number.h - converts numbers to digits, without printf.
 *
 * Every function writes at p and returns the position after the last digit; nothing is terminated.
 * The caller has reserved room: NUMBER_MAX_BYTES is enough for any single call without padding.
 * Most of the time of printing a trace is spent here, so the digits come two at a time from a
 * table.
 */
#ifndef SONDE_BASE_NUMBER_H
#define SONDE_BASE_NUMBER_H

#include <stdint.h>
#include <string.h>

#define NUMBER_MAX_BYTES 24

extern const char number_pairs[201];	 /* "000102…99" */
extern const char number_hex_pairs[513]; /* "000102…ff" */

static inline unsigned number_dec_width(uint64_t v)
{
	static const uint64_t power[] = {0,
					 10,
					 100,
					 1000,
					 10000,
					 100000,
					 1000000,
					 10000000,
					 100000000,
					 1000000000,
					 10000000000,
					 100000000000,
					 1000000000000,
					 10000000000000,
					 100000000000000,
					 1000000000000000,
					 10000000000000000,
					 100000000000000000,
					 1000000000000000000,
					 10000000000000000000u};
	unsigned guess = (64 - __builtin_clzll(v | 1)) * 1233 >> 12;

	return guess - (v < power[guess]) + 1;
}

static inline char *number_emit_dec(char *p, uint64_t v)
{
	unsigned width = number_dec_width(v);
	char *q = p + width;

	while (v >= 100) {
		uint64_t rest = v / 100;

		q -= 2;
		memcpy(q, number_pairs + (v - rest * 100) * 2, 2);
		v = rest;
	}
	if (v >= 10)
		memcpy(q - 2, number_pairs + v * 2, 2);
	else
		q[-1] = '0' + v;
	return p + width;
}

static inline char *number_emit_signed(char *p, int64_t v)
{
	if (v >= 0)
		return number_emit_dec(p, v);
	*p++ = '-';
	return number_emit_dec(p, -(uint64_t)v);
}

/* Writes exactly six digits with leading zeros; v < 1000000. */
static inline char *number_emit_dec6(char *p, uint32_t v)
{
	uint32_t hi = v / 10000, mid = v / 100 % 100, lo = v % 100;

	memcpy(p, number_pairs + hi * 2, 2);
	memcpy(p + 2, number_pairs + mid * 2, 2);
	memcpy(p + 4, number_pairs + lo * 2, 2);
	return p + 6;
}

static inline unsigned number_hex_width(uint64_t v)
{
	return (67 - __builtin_clzll(v | 1)) >> 2;
}

static inline char *number_emit_hex(char *p, uint64_t v)
{
	unsigned width = number_hex_width(v);
	char *q = p + width;

	while (v >= 256) {
		q -= 2;
		memcpy(q, number_hex_pairs + (v & 255) * 2, 2);
		v >>= 8;
	}
	if (v >= 16)
		memcpy(q - 2, number_hex_pairs + v * 2, 2);
	else
		q[-1] = "0123456789abcdef"[v];
	return p + width;
}

#endif
