// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * instruction.c - lengths of instructions, for x86-64, aarch64 and riscv64.
 *
 *	x86-64    prefixes │ REX, VEX or EVEX │ opcode, 1 to 3 bytes │ ModRM, SIB, displacement │ immediate
 *
 * The opcode decides what follows it: a row of letters for each of the 256 codes of the first
 * table, and short lists for the second, where nearly all have a ModRM byte and no immediate:
 *
 *	.  nothing          m  ModRM                    x  no instruction, or handled before
 *	b  1 byte           B  ModRM and 1 byte         w  2 bytes
 *	z  4 bytes (2 with prefix 66)                   Z  ModRM and those
 *	d  4 bytes always   v  4, 2 or (REX.W) 8 bytes  o  an address: 8 bytes (4 with prefix 67)
 *	e  3 bytes (enter)  g  ModRM, and b or z if its middle is 0 or 1 (test; code F6 or F7)
 *
 * The other two are simple: always 4 bytes; 2 or 4 by the two lowest bits. After a length of 0 it
 * is unknown where instructions begin, so callers assume nothing about them.
 */
#include "symbols/insn/instruction.h"
#include "symbols/arch.h"

#include <elf.h>
#include <stdbool.h>
#include <string.h>

#define X86_MAX_BYTES 15

static const char one_byte[256 + 1] =
	/* 0 1 2 3 4 5 6 7   8 9 a b c d e f */
	"mmmmbzxx"
	"mmmmbzxx" /* 00 */
	"mmmmbzxx"
	"mmmmbzxx" /* 10 */
	"mmmmbzxx"
	"mmmmbzxx" /* 20 */
	"mmmmbzxx"
	"mmmmbzxx" /* 30 */
	"xxxxxxxx"
	"xxxxxxxx" /* 40: REX */
	"........"
	"........" /* 50 */
	"xxxmxxxx"
	"zZbB...." /* 60 */
	"bbbbbbbb"
	"bbbbbbbb" /* 70 */
	"BZxBmmmm"
	"mmmmmmmm" /* 80 */
	"........"
	"..x....." /* 90 */
	"oooo...."
	"bz......" /* a0 */
	"bbbbbbbb"
	"vvvvvvvv" /* b0 */
	"BBw.xxBZ"
	"e.w..bx." /* c0 */
	"mmmmxxx."
	"mmmmmmmm" /* d0 */
	"bbbbbbbb"
	"ddxb...." /* e0 */
	"x.xx..gg"
	"......mm"; /* f0 */

/* Of the codes after 0f: those without a ModRM byte, and those with an immediate byte. */
static const uint8_t two_bare[] = {0x05, 0x06, 0x07, 0x08, 0x09, 0x0b, 0x0e, 0x30, 0x31, 0x32,
				   0x33, 0x34, 0x35, 0x36, 0x37, 0x77, 0xa0, 0xa1, 0xa2, 0xa8,
				   0xa9, 0xaa, 0xc8, 0xc9, 0xca, 0xcb, 0xcc, 0xcd, 0xce, 0xcf};
static const uint8_t two_byte_imm[] = {0x0f, 0x70, 0x71, 0x72, 0x73, 0xa4,
				       0xac, 0xba, 0xc2, 0xc4, 0xc5, 0xc6};

struct x86 {
	const uint8_t *p, *end;
	bool is_short, is_wide, is_small_address; /* prefix 66, REX.W, prefix 67 */
};

static char two_byte_letter(uint8_t code)
{
	if (memchr(two_bare, code, sizeof(two_bare)))
		return '.';
	if (memchr(two_byte_imm, code, sizeof(two_byte_imm)))
		return 'B';
	return code >= 0x80 && code <= 0x8f ? 'd' : 'm'; /* jumps, or the rest */
}

static bool take_prefixes(struct x86 *x)
{
	for (; x->p < x->end; x->p++) {
		if (*x->p == 0x66)
			x->is_short = true;
		else if (*x->p == 0x67)
			x->is_small_address = true;
		else if (!memchr("\xf0\xf2\xf3\x2e\x36\x3e\x26\x64\x65", *x->p, 9))
			break;
	}
	if (x->p < x->end && (*x->p & 0xf0) == 0x40)
		x->is_wide = *x->p++ & 8;
	return x->p < x->end;
}

/* VEX and EVEX name the table of the opcode in their second byte. */
static char take_vector(struct x86 *x, size_t n_prefix, uint8_t table)
{
	uint8_t code;

	if ((size_t)(x->end - x->p) <= n_prefix)
		return 'x';
	code = x->p[n_prefix];
	x->p += n_prefix + 1;
	if (table == 3)
		return 'B';
	if (table == 1)
		return two_byte_letter(code) == 'd' ? 'm' : two_byte_letter(code);
	return table == 2 || table == 5 || table == 6 ? 'm' : 'x';
}

/* Reads the opcode; returns its letter. */
static char take_opcode(struct x86 *x)
{
	uint8_t code = *x->p, next = x->end - x->p > 1 ? x->p[1] : 0;

	if (code == 0xc5)
		return take_vector(x, 2, 1);
	if (code == 0xc4)
		return take_vector(x, 3, next & 0x1f);
	if (code == 0x62)
		return take_vector(x, 4, next & 7);
	x->p++;
	if (code != 0x0f)
		return one_byte[code];
	if (x->p == x->end)
		return 'x';
	x->p++;
	if (next != 0x38 && next != 0x3a)
		return two_byte_letter(next);
	if (x->p == x->end)
		return 'x';
	x->p++;
	return next == 0x3a ? 'B' : 'm';
}

/* The bytes of ModRM and what it requires; 0 if they are not all there. */
static unsigned modrm_length(const struct x86 *x)
{
	unsigned mode, base, n = 1;

	if (x->p == x->end)
		return 0;
	mode = *x->p >> 6;
	base = *x->p & 7;
	if (mode == 3)
		return 1;
	if (base == 4) {
		if (x->end - x->p < 2)
			return 0;
		base = x->p[1] & 7;
		n++;
	}
	return n + (mode == 1 ? 1 : mode == 2 || base == 5 ? 4 : 0);
}

static unsigned immediate_length(const struct x86 *x, char letter)
{
	switch (letter) {
	case 'b':
	case 'B':
		return 1;
	case 'w':
		return 2;
	case 'e':
		return 3;
	case 'd':
		return 4;
	case 'z':
	case 'Z':
		return x->is_short ? 2 : 4;
	case 'v':
		return x->is_wide ? 8 : x->is_short ? 2 : 4;
	case 'o':
		return x->is_small_address ? 4 : 8;
	}
	return 0;
}

static unsigned x86_length(const uint8_t *bytes, size_t n)
{
	struct x86 x = {bytes, bytes + (n < X86_MAX_BYTES ? n : X86_MAX_BYTES)};
	unsigned length, modrm = 0;
	char letter;

	if (!take_prefixes(&x))
		return 0;
	letter = take_opcode(&x);
	if (letter == 'x')
		return 0;
	if (strchr("mBZg", letter)) {
		modrm = modrm_length(&x);
		if (!modrm)
			return 0;
	}
	if (letter == 'g') /* test has an immediate; not, neg, mul and div have none */
		letter = *x.p & 0x30 ? '.' : x.p[-1] == 0xf6 ? 'b' : 'z';
	length = x.p - bytes + modrm + immediate_length(&x, letter);
	return length <= (size_t)(x.end - bytes) ? length : 0;
}

unsigned instruction_length(const struct arch *a, const uint8_t *bytes, size_t n)
{
	unsigned length = 0;

	if (!n)
		return 0;
	switch (a->elf_machine) {
	case EM_X86_64:
		return x86_length(bytes, n);
	case EM_AARCH64:
		length = 4;
		break;
	case EM_RISCV:
		length = (bytes[0] & 3) == 3 ? 4 : 2;
		break;
	}
	return length <= n ? length : 0;
}
