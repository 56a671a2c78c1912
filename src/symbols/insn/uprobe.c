// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * uprobe.c - decides whether the kernel's probes in programs support an x86-64 instruction.
 *
 * The kernel executes a copy of the probed instruction elsewhere, in a single step; it emulates
 * jumps, calls and pushes. It checks the instruction when the program is mapped, and if it does not
 * support it, it silently sets no breakpoint. Its checks, the same from 6.1 to 6.18:
 *
 *	prefixes │ REX, VEX or EVEX │ opcode │ …
 *	   │                            └── a list of unsupported ones; 66 before a jump or call
 *	   └── lock, and those of the segments cs, ds, es and ss
 *
 * The kernel interprets the opcode as one of the first table even after VEX and EVEX, where it
 * belongs to other tables. So it refuses harmless instructions (vpxor has the code of out), and
 * executes others wrongly, as seen on 6.18:
 *
 *	vpor, vmovdqu to memory, vzeroupper   have codes of jumps: the kernel "jumps" and skips the
 *	                                      instruction
 *	vcmpps                                that of ret: the program continues in the kernel's
 *	                                      copy, after it
 *	vfnmadd132sd                          that of popf: single-stepping does not end, SIGTRAP
 *
 * Without VEX: syscall returns into the copy, pushf saves the single-step flag, and a repeated
 * string instruction is a hit for each round.
 */
#include "symbols/arch.h"
#include "symbols/insn/instruction.h"

#include <elf.h>
#include <string.h>

/* Opcodes that the kernel does not support in any table. */
static const uint8_t refused[] = {0x06, 0x07, 0x0e, 0x16, 0x17, 0x1e, 0x1f, 0x27, 0x2f, 0x37,
				  0x3f, 0x60, 0x61, 0x62, 0x6c, 0x6d, 0x6e, 0x6f, 0x82, 0x9a,
				  0xcc, 0xcd, 0xce, 0xcf, 0xd4, 0xd5, 0xd6, 0xe4, 0xe5, 0xe6,
				  0xe7, 0xea, 0xec, 0xed, 0xee, 0xef, 0xf1, 0xf4, 0xfa, 0xfb};
/* Returns and popf: after them the kernel does not correct the address and the flags. */
static const uint8_t left_alone[] = {0x9d, 0xc2, 0xc3, 0xca, 0xcb};

struct parts {
	bool is_locked, has_segment, is_short, is_repeated; /* prefixes */
	bool is_vector;					    /* VEX or EVEX */
	const uint8_t *opcode;				    /* the opcode after all prefixes */
	/* number of bytes from the opcode on, at least 1 */
	size_t n;
};

static bool is_among(const uint8_t *list, size_t n, uint8_t code)
{
	return memchr(list, code, n);
}

static void take_prefix(struct parts *p, uint8_t prefix)
{
	p->is_locked |= prefix == 0xf0;
	p->has_segment |= is_among((const uint8_t *)"\x2e\x36\x3e\x26", 4, prefix);
	p->is_short |= prefix == 0x66;
	p->is_repeated |= prefix == 0xf2 || prefix == 0xf3;
}

static bool get_parts(const uint8_t *bytes, size_t n, struct parts *ret)
{
	size_t at = 0, n_vector = 0;

	*ret = (struct parts){0};
	for (; at < n && is_among((const uint8_t *)"\xf0\xf2\xf3\x2e\x36\x3e\x26\x64\x65\x66\x67",
				  11, bytes[at]);
	     at++)
		take_prefix(ret, bytes[at]);
	if (at < n && (bytes[at] & 0xf0) == 0x40)
		at++;
	if (at < n)
		n_vector = bytes[at] == 0xc5   ? 2
			   : bytes[at] == 0xc4 ? 3
			   : bytes[at] == 0x62 ? 4
					       : 0;
	at += n_vector;
	if (at >= n)
		return false;
	ret->is_vector = n_vector;
	ret->opcode = bytes + at;
	ret->n = n - at;
	return true;
}

/* Returns true for a jump or call with its own distance, which the kernel emulates. */
static bool is_branch(uint8_t code)
{
	return (code & 0xf0) == 0x70 || code == 0xe8 || code == 0xe9 || code == 0xeb;
}

static bool is_long_condition(const struct parts *p)
{
	return p->n > 1 && p->opcode[0] == 0x0f && (p->opcode[1] & 0xf0) == 0x80;
}

static const char *vector_trouble(const struct parts *p)
{
	uint8_t code = p->opcode[0];

	if (is_branch(code) || code == 0x90)
		return "the kernel would treat this vector instruction as a jump and not "
		       "execute it";
	if (is_among(left_alone, sizeof(left_alone), code))
		return "the kernel would treat this vector instruction as another one, and the "
		       "program would crash after it";
	return NULL;
}

static const char *plain_trouble(const struct parts *p)
{
	uint8_t code = p->opcode[0], next = p->n > 1 ? p->opcode[1] : 0;

	if (p->is_short && (is_branch(code) || is_long_condition(p)))
		return "the kernel's probes in programs do not support a jump or call with "
		       "prefix 66";
	if (code == 0x0f && (next == 0x05 || next == 0x34))
		return "the program would crash after a probe on a system call";
	if (code == 0x9c)
		return "pushf would save the flags that the probe sets, and end the program "
		       "later";
	if (p->is_repeated && ((code & 0xfc) == 0xa4 || (code >= 0xaa && code <= 0xaf)))
		return "the instruction repeats itself, so each round would be a hit";
	return NULL;
}

const char *instruction_trouble(const struct arch *a, const uint8_t *bytes, size_t n)
{
	struct parts p;

	if (a->elf_machine != EM_X86_64 || !get_parts(bytes, n, &p))
		return NULL;
	if (p.is_locked)
		return "the kernel's probes in programs do not support an instruction with a "
		       "lock prefix";
	if (p.has_segment)
		return "the kernel's probes in programs do not support an instruction with a "
		       "prefix cs, ds, es or ss";
	if (is_among(refused, sizeof(refused), p.opcode[0]) ||
	    (p.opcode[0] == 0x8e && p.n > 1 && (p.opcode[1] >> 3 & 7) == 2)) /* mov to ss */
		return p.is_vector ? "the kernel's probes in programs do not support this "
				     "vector instruction"
				   : "the kernel's probes in programs do not support this "
				     "instruction";
	return p.is_vector ? vector_trouble(&p) : plain_trouble(&p);
}

bool instruction_is_padding(const struct arch *a, const uint8_t *bytes, size_t n)
{
	struct parts p;

	return a->elf_machine == EM_X86_64 && get_parts(bytes, n, &p) && !p.is_vector &&
	       !p.is_locked && p.n > 1 && p.opcode[0] == 0x0f && p.opcode[1] == 0x1f;
}

static int64_t read_distance(const uint8_t *at, unsigned n_bytes)
{
	if (n_bytes == 1)
		return (int8_t)at[0];
	return (int32_t)(at[0] | at[1] << 8 | at[2] << 16 | (uint32_t)at[3] << 24);
}

enum instruction_way instruction_way(const struct arch *a, const uint8_t *bytes, unsigned n,
				     int64_t *ret_distance)
{
	struct parts p;
	uint8_t code;

	if (a->elf_machine != EM_X86_64 || !get_parts(bytes, n, &p))
		return WAY_UNKNOWN;
	code = p.opcode[0];
	if (p.is_vector || code == 0xe8)
		return WAY_ON;
	if (is_branch(code) || (code & 0xfc) == 0xe0 || is_long_condition(&p)) {
		unsigned n_bytes = code == 0xe9 || code == 0x0f ? 4 : 1;

		if (n < n_bytes)
			return WAY_UNKNOWN;
		*ret_distance = n + read_distance(bytes + n - n_bytes, n_bytes);
		return code == 0xe9 || code == 0xeb ? WAY_JUMP : WAY_CONDITION;
	}
	if (code == 0xff && p.n > 1 && (p.opcode[1] >> 4 & 3) == 2) /* jmp *…: 4 and 5 */
		return WAY_UNKNOWN;
	return (code & 0xf6) == 0xc2 ? WAY_END : WAY_ON; /* ret: c2, c3, ca, cb */
}
