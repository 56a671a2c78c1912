// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * proof.c - which nameless pieces of code are functions.
 *
 * In a stripped program the only list is .eh_frame, and it also has the parts that compilers split
 * off (.cold). Most are recognised by their frame (frames.c), but one that is reached before the
 * function has changed the stack looks like a function. To hook it would be wrong: where it begins,
 * flags and the 128 bytes below the stack may be in use, and a hook uses both.
 *
 * A function is called, or its address is taken. So a nameless piece is one if there is
 *
 *	call rel32                       to its first byte
 *	lea rel32(%rip),%reg             of its first byte
 *	a relocation, an aligned word    with its address; or mov $imm32 at a fixed one
 *
 * Every byte counts as the beginning of an instruction (x86_64/sieve.c). The remaining pieces
 * are reached by jumps, or not at all. A piece may still be a function that has only tail calls, or
 * that is not used:
 *
 *	jcc to it                        no: compilers make conditional jumps inside functions only,
 *	                                 with few exceptions. Then a call must be a real instruction
 *	it jumps into another function   no: a part returns to its function
 *	jumps from several functions     yes: a part belongs to one
 *	it begins at a multiple of 16    yes: parts are not aligned, functions are
 */
#include "capture/user/x86_64/arch_int.h"
#include "base/array.h"
#include "format/bytes.h"
#include "symbols/insn/instruction.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ALIGNMENT  16
#define RANDOM_MAX 2 /* calls that are operands of something else and point to a piece at random */

/* A piece without proof. */
struct piece_of_code {
	uint64_t address;
	uint32_t function;	 /* its number */
	uint32_t source, caller; /* functions with a jump or call to it; NO_FUNCTION */
	uint64_t called_at;	 /* in the caller */
	unsigned n_called;
	bool is_taken, is_mentioned, has_condition, has_jump, has_sources;
};

struct proof {
	struct userimage *img;
	struct sieve sieve;	      /* its bits: where pieces begin */
	struct piece_of_code *pieces; /* by address */
	size_t n_pieces, cap;
	uint32_t source; /* the function whose code is read */
};

static struct piece_of_code *find_piece(const struct proof *p, uint64_t address)
{
	size_t low = 0, high = p->n_pieces;

	if (!sieve_has(&p->sieve, address))
		return NULL;
	while (low + 1 < high) {
		size_t mid = low + (high - low) / 2;

		if (p->pieces[mid].address <= address)
			low = mid;
		else
			high = mid;
	}
	return &p->pieces[low];
}

/*
 * --- what leads to a piece ---------------------------------------------------------------------
 */

static void note_address(void *ctx, uint64_t from, uint64_t address)
{
	struct piece_of_code *c = find_piece(ctx, address);

	if (c)
		c->is_taken = true;
}

static void note_branch(void *ctx, uint64_t at, uint64_t target, uint8_t opcode)
{
	struct proof *p = ctx;
	struct piece_of_code *c = find_piece(p, target);

	if (!c)
		return;
	if (opcode == 0xe8 || opcode == 0x8d) {
		c->n_called++;
		c->caller = p->source;
		c->called_at = at;
	} else if (c->function != p->source) {
		c->has_condition |= opcode != 0xe9 && opcode != 0xeb;
		c->has_sources |= c->has_jump && c->source != p->source;
		c->has_jump = true;
		c->source = p->source;
	}
}

/* mov $imm32,%reg, or movq: in a program for fixed addresses the number may be one. */
static void read_numbers(struct proof *p, const struct elfview_range *code)
{
	struct piece bytes = userimage_code(p->img, code->begin);
	size_t n = code->end - code->begin < bytes.len ? code->end - code->begin : bytes.len;

	for (size_t at = 0; at + 6 <= n; at++) {
		const uint8_t *b = bytes.data + at;
		unsigned skip = (*b & 0xf8) == 0xb8		      ? 1
				: *b == 0xc7 && (b[1] & 0xf8) == 0xc0 ? 2
								      : 0;
		struct piece_of_code *c =
			skip ? find_piece(p, (uint32_t)x86_get32(b + skip)) : NULL;

		if (c)
			c->is_mentioned = true;
	}
}

static void read_code(struct proof *p, const struct elfview_range *code)
{
	const struct userimage *img = p->img;
	uint64_t at = code->begin;

	p->source = NO_FUNCTION;
	for (size_t i = 0; i < img->n_functions; i++) {
		uint64_t next = img->functions[i].pub.address;

		if (next < code->begin || next >= code->end)
			continue;
		sieve_run(&p->sieve, img, at, next);
		p->source = i;
		at = next;
	}
	sieve_run(&p->sieve, img, at, code->end);
	if (img->elf.head.e_type == ET_EXEC)
		read_numbers(p, code);
}

/*
 * --- what a piece leads to ---------------------------------------------------------------------
 */

/*
 * Inside of another function, but not of one that looks like a part: a function may jump to any
 * place in its own parts.
 */
static bool is_inside(const struct userimage *img, uint64_t address)
{
	const struct function *f;
	size_t low = 0, high = img->n_functions;

	while (low < high) { /* the first one behind it */
		size_t mid = low + (high - low) / 2;

		if (img->functions[mid].pub.address <= address)
			low = mid + 1;
		else
			high = mid;
	}
	f = low ? &img->functions[low - 1] : NULL;
	return f && f->pub.address != address &&
	       (f->symbol || (f->pub.why != USERIMAGE_FRAGMENT && !(f->pub.address % ALIGNMENT)));
}

static bool is_in_code(const struct userimage *img, uint64_t address)
{
	for (size_t i = 0; i < img->elf.n_codes; i++)
		if (address >= img->elf.codes[i].begin && address < img->elf.codes[i].end)
			return true;
	return false;
}

/* Or it cannot be decoded. */
static bool jumps_into_another(const struct userimage *img, const struct function *f)
{
	struct piece code = userimage_code(img, f->pub.address);
	struct x86_parts p;

	for (uint64_t at = 0; at < f->pub.n_bytes; at += p.n_bytes) {
		uint64_t target;

		if (code.len < f->pub.n_bytes ||
		    !x86_parts(code.data + at, f->pub.n_bytes - at, &p))
			return true;
		if (!p.distance_at || p.branch == X86_CALL)
			continue;
		target = x86_target(code.data + at, &p, f->pub.address + at);
		if ((target < f->pub.address || target >= function_end(f)) &&
		    is_in_code(img, target) && is_inside(img, target))
			return true;
	}
	return false;
}

/*
 * --- all pieces --------------------------------------------------------------------------------
 */

static bool is_nameless(const struct function *f)
{
	return !f->symbol && userimage_is_wanted(f);
}

static bool has_nameless(const struct userimage *img)
{
	for (size_t i = 0; i < img->n_functions; i++)
		if (is_nameless(&img->functions[i]))
			return true;
	return false;
}

static int list_pieces(struct proof *p)
{
	for (size_t i = 0; i < p->img->n_functions; i++) {
		const struct function *f = &p->img->functions[i];

		if (!is_nameless(f))
			continue;
		if (!ARRAY_ROOM(p->pieces, p->cap, p->n_pieces + 1, ARRAY_NO_MAX))
			return -ENOMEM;
		sieve_mark(&p->sieve, f->pub.address);
		sieve_add(&p->sieve, f->pub.address);
		p->pieces[p->n_pieces++] =
			(struct piece_of_code){.address = f->pub.address, .function = i};
	}
	return 0;
}

/* Is the last thing that looks like a call of it an instruction? */
static bool is_really_called(const struct userimage *img, const struct piece_of_code *c)
{
	const struct function *f =
		c->n_called && c->caller != NO_FUNCTION ? &img->functions[c->caller] : NULL;
	uint64_t at = f ? f->pub.address : UINT64_MAX;
	struct x86_parts p;

	for (; at < c->called_at; at += p.n_bytes) {
		struct piece code = userimage_code(img, at);

		if (!x86_parts(code.data, code.len, &p))
			return false;
		if (at + p.opcode_at == c->called_at)
			return true;
	}
	return at == c->called_at;
}

static bool is_function(const struct userimage *img, const struct piece_of_code *c)
{
	if (c->is_taken || c->n_called > RANDOM_MAX || is_really_called(img, c) ||
	    ((c->n_called || c->is_mentioned) && !c->has_condition))
		return true;
	return !c->has_condition && (c->has_sources || !(c->address % ALIGNMENT)) &&
	       !jumps_into_another(img, &img->functions[c->function]);
}

int x86_prove(struct userimage *img)
{
	struct proof p = {.img = img, .sieve = {.visit = note_branch, .with_lea = true}};
	int r;

	if (!has_nameless(img))
		return 0;
	r = sieve_init(&p.sieve, img);
	if (r < 0)
		return r;
	p.sieve.ctx = &p;
	r = list_pieces(&p);
	for (size_t i = 0; r >= 0 && i < img->elf.n_codes; i++)
		read_code(&p, &img->elf.codes[i]);
	x86_each_address(img, note_address, &p);
	for (size_t i = 0; r >= 0 && i < p.n_pieces; i++)
		if (!is_function(img, &p.pieces[i]))
			img->functions[p.pieces[i].function].pub.why = USERIMAGE_UNCALLED;
	free(p.pieces);
	sieve_release(&p.sieve);
	return r;
}
