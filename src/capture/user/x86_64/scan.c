// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * scan.c - finds jumps into the bytes that a patch overwrites.
 *
 *	f:      48 85 ff     test …         ┐ the patch: a jump that goes to the middle of it would
 *	        74 10        je             ┘ execute the middle of the patched jump
 *	        …
 *	        eb f3        jmp f+3
 *
 * Decoding all instructions of a large program takes longer than its start. x86_64/sieve.c
 * finds every byte that may be a branch to first bytes of a chosen function, wherever instructions
 * begin: a superset, including branches in code that cannot be decoded. Few bytes match. To check
 * one, the function that contains it is decoded from its beginning. If that fails, or no function
 * contains it, it counts as a branch.
 *
 * Jumps to the patch itself, from within the function, are found too: a loop to the beginning would
 * look like a call. From elsewhere they are calls and tail calls.
 *
 * Indirect jumps: their targets are in tables; see x86_64/tables.c.
 */
#include "capture/user/x86_64/arch_int.h"
#include "format/bytes.h"
#include "symbols/insn/instruction.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void mark_functions(struct scan *s)
{
	const struct userimage *img = s->img;

	for (size_t i = 0; i < img->n_functions; i++) {
		const struct function *f = &img->functions[i];
		uint64_t start = function_start(f), limit;

		if (!userimage_is_wanted(f))
			continue;
		sieve_add(&s->sieve, start);
		limit = userimage_limit(img, i);
		for (uint64_t at = start + 1; at < start + JUMP_BYTES && at < limit; at++)
			sieve_mark(&s->sieve, at);
	}
}

/*
 * Is there an instruction whose opcode is at the address? ret: the instruction, n_bytes 0 if it is
 * unknown. Addresses must rise within a function.
 */
static bool is_instruction(struct scan *s, uint64_t address, uint64_t *ret_begin,
			   struct x86_parts *ret)
{
	*ret = (struct x86_parts){0};
	*ret_begin = address;
	if (s->owner == NO_FUNCTION)
		return true;
	while (!s->is_lost && s->decoded <= address) {
		struct piece code = userimage_code(s->img, s->decoded);

		if (!x86_parts(code.data, code.len, ret)) {
			s->is_lost = true;
			break;
		}
		if (s->decoded + ret->opcode_at >= address) {
			*ret_begin = s->decoded;
			return s->decoded + ret->opcode_at == address;
		}
		s->decoded += ret->n_bytes;
	}
	*ret = (struct x86_parts){0};
	return s->is_lost;
}

static void suspect(void *ctx, uint64_t address, uint64_t target, uint8_t opcode)
{
	struct scan *s = ctx;
	struct x86_parts parts;
	uint64_t begin;
	struct edge e;

	/* a call of the function by itself */
	if (opcode == 0xe8 && target == s->sieve.own_start)
		return;
	if (!is_instruction(s, address, &begin, &parts))
		return;
	e = (struct edge){.from = begin,
			  .to = target,
			  .owner = s->owner,
			  .distance_at = parts.branch == X86_JUMP || parts.branch == X86_CONDITION
						 ? parts.distance_at
						 : 0,
			  .distance_bytes = parts.distance_bytes};
	if (userimage_add_edge(s->img, &e) < 0)
		s->error = -ENOMEM;
}

static void scan_enter(struct scan *s, uint32_t owner)
{
	const struct function *f = owner == NO_FUNCTION ? NULL : &s->img->functions[owner];

	s->owner = owner;
	s->sieve.own_start = f && userimage_is_wanted(f) ? function_start(f) : UINT64_MAX;
	s->decoded = f ? f->pub.address : 0;
	s->is_lost = false;
}

/* The functions of a section, and what is between them. */
static size_t scan_code(struct scan *s, const struct elfview_range *code, size_t next)
{
	const struct userimage *img = s->img;
	uint64_t at = code->begin;

	while (next < img->n_functions && img->functions[next].pub.address < code->begin)
		next++;
	for (; next < img->n_functions && img->functions[next].pub.address < code->end; next++) {
		const struct userimage_function *f = &img->functions[next].pub;
		uint64_t end = f->address + f->n_bytes;

		scan_enter(s, NO_FUNCTION);
		if (at < f->address)
			sieve_run(&s->sieve, s->img, at, f->address);
		/* a function may be inside another; then it was scanned, but not as its own */
		scan_enter(s, next);
		if (end > code->end)
			end = code->end;
		sieve_run(&s->sieve, s->img, f->address, end);
		if (end > at)
			at = end;
	}
	scan_enter(s, NO_FUNCTION);
	if (at < code->end)
		sieve_run(&s->sieve, s->img, at, code->end);
	return next;
}

int x86_scan(struct userimage *img)
{
	struct scan s = {.img = img, .sieve = {.visit = suspect}};
	size_t next = 0;
	int r = sieve_init(&s.sieve, img);

	s.sieve.ctx = &s;
	if (r < 0)
		return r;
	mark_functions(&s);
	for (size_t i = 0; i < img->elf.n_codes; i++)
		next = scan_code(&s, &img->elf.codes[i], next);
	x86_scan_tables(&s);
	sieve_release(&s.sieve);
	return s.error;
}
