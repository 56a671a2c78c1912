// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * instruction.c - lengths of instructions, for x86-64, aarch64 and riscv64.
 *
 *  x86-64  prefixes │ REX, VEX or EVEX │ opcode, 1 to 3 bytes │ ModRM, SIB, offset │ immediate
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
 * The other two processors are simple: aarch64 always has 4 bytes; riscv64 has 2 or 4, by the two
 * lowest bits. A length of 0 means that the instruction is unknown, and so is the beginning of the
 * next one.
 */
#include "symbols/insn/instruction.h"
#include "format/bytes.h"
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

/* Codes after 0f without a ModRM byte, and those with an immediate byte. */
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
		switch (*x->p) {
		case 0x66:
			x->is_short = true;
			continue;
		case 0x67:
			x->is_small_address = true;
			continue;
		case 0xf0: /* lock, repne, rep */
		case 0xf2:
		case 0xf3:
		case 0x26: /* segments */
		case 0x2e:
		case 0x36:
		case 0x3e:
		case 0x64:
		case 0x65:
			continue;
		}
		break;
	}
	if (x->p < x->end && (*x->p & 0xf0) == 0x40)
		x->is_wide = *x->p++ & 8;
	return x->p < x->end;
}

/* Reads VEX and EVEX, which name the table of the opcode in their second byte. */
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

/* Returns the size of ModRM and the bytes that it requires, or 0 if some of them are missing. */
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

/* Reads everything but the branch. Returns the letter of the opcode, or 'x'. */
static char take_parts(struct x86 *x, const uint8_t *bytes, struct x86_parts *ret)
{
	unsigned length, modrm = 0;
	char letter;

	if (!take_prefixes(x))
		return 'x';
	ret->opcode_at = x->p - bytes;
	ret->is_vector = *x->p == 0xc5 || *x->p == 0xc4 || *x->p == 0x62;
	letter = take_opcode(x);
	if (letter == 'x')
		return 'x';
	length = x->p - bytes;
	if (letter == 'm' || letter == 'B' || letter == 'Z' || letter == 'g') {
		modrm = modrm_length(x);
		if (!modrm)
			return 'x';
		ret->modrm_at = length;
		if ((*x->p & 0xc7) == 5)
			ret->rip_at = length + 1;
	}
	if (letter == 'g') /* test has an immediate; not, neg, mul and div have none */
		letter = *x->p & 0x30 ? '.' : x->p[-1] == 0xf6 ? 'b' : 'z';
	length += modrm + immediate_length(x, letter);
	if (length > (size_t)(x->end - bytes))
		return 'x';
	ret->n_bytes = length;
	return letter;
}

/* Returns the branch of code ff, which the middle of ModRM determines. */
static enum x86_branch branch_of_group(uint8_t modrm)
{
	switch (modrm >> 3 & 7) {
	case 2:
	case 3:
		return X86_CALL_INDIRECT;
	case 4:
	case 5:
		return X86_JUMP_INDIRECT;
	}
	return X86_PLAIN;
}

static enum x86_branch branch_of(const uint8_t *bytes, const struct x86_parts *p)
{
	uint8_t code = bytes[p->opcode_at];
	uint8_t next = p->n_bytes > p->opcode_at + 1 ? bytes[p->opcode_at + 1] : 0;

	if (p->is_vector)
		return X86_PLAIN;
	switch (code) {
	case 0x70 ... 0x7f:
		return X86_CONDITION;
	case 0xe0 ... 0xe3:
		return X86_LOOP;
	case 0xe8:
		return X86_CALL;
	case 0xe9:
	case 0xeb:
		return X86_JUMP;
	case 0xff:
		return branch_of_group(next);
	case 0xc2:
	case 0xc3:
	case 0xca:
	case 0xcb:
	case 0xcf:
		return X86_RETURN;
	case 0xcc:
	case 0xf4:
		return X86_TRAP;
	case 0xc7: /* xbegin */
		return next == 0xf8 ? X86_LOOP : X86_PLAIN;
	case 0x0f:
		if ((next & 0xf0) == 0x80)
			return X86_CONDITION;
		return next == 0x0b || next == 0xff || next == 0xb9 ? X86_TRAP
		       : next == 0x07 || next == 0x35		    ? X86_RETURN
								    : X86_PLAIN;
	}
	return X86_PLAIN;
}

bool x86_parts(const uint8_t *bytes, size_t n, struct x86_parts *ret)
{
	struct x86 x = {bytes, bytes + (n < X86_MAX_BYTES ? n : X86_MAX_BYTES)};
	struct x86_parts p = {0};

	if (take_parts(&x, bytes, &p) == 'x')
		return false;
	p.has_operand_prefix = x.is_short;
	p.has_address_prefix = x.is_small_address;
	p.branch = branch_of(bytes, &p);
	if (p.branch >= X86_JUMP && p.branch <= X86_CALL) {
		p.distance_bytes = (bytes[p.opcode_at] & 0xf0) == 0x70 ||
						   (bytes[p.opcode_at] & 0xfc) == 0xe0 ||
						   bytes[p.opcode_at] == 0xeb
					   ? 1
					   : 4;
		p.distance_at = p.n_bytes - p.distance_bytes;
	}
	*ret = p;
	return true;
}

uint64_t x86_target(const uint8_t *bytes, const struct x86_parts *parts, uint64_t address)
{
	const uint8_t *at = bytes + parts->distance_at;
	int64_t distance = parts->distance_bytes == 1
				   ? (int8_t)*at
				   : (int32_t)bytes_get32(at, bytes_host_is_big());

	return address + parts->n_bytes + distance;
}

bool x86_is_nop(const uint8_t *bytes, const struct x86_parts *parts)
{
	const uint8_t *code = bytes + parts->opcode_at;

	if (parts->is_vector)
		return false;
	if (*code == 0x90) /* with f3 it is pause; with REX.B it is an exchange */
		return !memchr(bytes, 0xf3, parts->opcode_at) &&
		       (!parts->opcode_at || (code[-1] & 0xf1) != 0x41);
	return *code == 0x0f && code[1] == 0x1f;
}

static unsigned x86_length(const uint8_t *bytes, size_t n)
{
	struct x86_parts p;

	return x86_parts(bytes, n, &p) ? p.n_bytes : 0;
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
