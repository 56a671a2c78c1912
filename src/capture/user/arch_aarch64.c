// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * arch_aarch64.c - hooks functions of aarch64: where the patch goes, and what it replaces.
 *
 *	entry                                   the patch             what moves
 *	bti c; …                                behind bti            as below
 *	nops (-fpatchable-function-entry)       over the first        nothing
 *	b #32; nops (XRay)                      over the jump         the jump
 *	stp; mov; …; bl _mcount (-pg)           at the beginning      stp; the call further behind
 *	                                                              becomes a nop
 *	paciasp; …                              bti c; b thunk        both instructions
 *	anything else                           at the beginning      the first instruction
 *
 * All instructions have 4 bytes, and the patch is one of them, `b thunk`. So a patch never covers
 * the middle of anything, and the only jumps that matter are those of a function to its own first
 * instruction.
 *
 * paciasp signs the return address, which a hook replaces; so the hook must come first. paciasp is
 * also a landing pad for indirect calls, so the patch contains another one.
 *
 * A moved instruction that depends on its address is rewritten:
 *
 *	adr, adrp Xd              ldr Xd, =value
 *	b target                  ldr x16, =target; br x16
 *	b.cond, cbz, tbz          the same condition around such a jump
 *
 * A program without symbols is not hooked, because nothing here proves that a nameless piece of
 * code is a function.
 */
#include "capture/user/image_int.h"
#include "format/bytes.h"
#include "runtime/snrt.h"

#include <elf.h>
#include <string.h>

#define INSN_BYTES    4
#define BTI_C	      0xd503245fu
#define BTI_JC	      0xd50324dfu
#define NOP	      0xd503201fu
#define PACIASP	      0xd503233fu
#define PACIBSP	      0xd503237fu
#define MOV_X17_X30   0xaa1e03f1u
#define BR_X16	      0xd61f0200u
#define B	      0x14000000u
#define BL	      0x94000000u
#define LDR_LITERAL   0x58000000u /* of 64 bits */
#define COUNTER_REACH 256	  /* bytes in which -pg's call is searched */
#define NOPS_MAX      64

enum kind {
	KIND_PLAIN,	/* works anywhere */
	KIND_ADDRESS,	/* adr, adrp */
	KIND_JUMP,	/* b */
	KIND_CALL,	/* bl */
	KIND_CONDITION, /* b.cond, cbz, cbnz, tbz, tbnz */
	KIND_LITERAL,	/* loads from an address relative to its own */
};

static enum kind kind_of(uint32_t insn)
{
	if ((insn & 0x1f000000) == 0x10000000)
		return KIND_ADDRESS;
	if ((insn & 0xfc000000) == B)
		return KIND_JUMP;
	if ((insn & 0xfc000000) == BL)
		return KIND_CALL;
	if ((insn & 0xfe000000) == 0x54000000 || (insn & 0x7c000000) == 0x34000000)
		return KIND_CONDITION;
	if ((insn & 0x3b000000) == 0x18000000)
		return KIND_LITERAL;
	return KIND_PLAIN;
}

static int64_t sign_extend(uint64_t value, unsigned n_bits)
{
	return (int64_t)(value << (64 - n_bits)) >> (64 - n_bits);
}

/* Whether a condition is tbz or tbnz, whose distance has fewer bits. */
static bool is_bit_test(uint32_t insn)
{
	return (insn & 0x7e000000) == 0x36000000;
}

static uint64_t branch_target(uint32_t insn, uint64_t address)
{
	switch (kind_of(insn)) {
	case KIND_JUMP:
	case KIND_CALL:
		return address + 4 * sign_extend(insn & 0x3ffffff, 26);
	case KIND_CONDITION:
		return address + 4 * (is_bit_test(insn) ? sign_extend(insn >> 5 & 0x3fff, 14)
							: sign_extend(insn >> 5 & 0x7ffff, 19));
	default:
		return 0;
	}
}

/* What adr or adrp computes. */
static uint64_t address_value(uint32_t insn, uint64_t address)
{
	int64_t n = sign_extend((insn >> 5 & 0x7ffff) << 2 | (insn >> 29 & 3), 21);

	return insn >> 31 ? (address & ~0xfffull) + ((uint64_t)n << 12) : address + (uint64_t)n;
}

static uint32_t insn_at(const struct userimage *img, uint64_t address)
{
	struct piece code = userimage_code(img, address);
	uint32_t insn = 0;

	if (code.len >= sizeof(insn))
		memcpy(&insn, code.data, sizeof(insn));
	return insn;
}

/*
 * --- planning ----------------------------------------------------------------------------------
 */

static int prove(struct userimage *img)
{
	for (size_t i = 0; i < img->n_functions; i++)
		if (userimage_is_wanted(&img->functions[i]) && !img->functions[i].symbol)
			img->functions[i].pub.why = USERIMAGE_UNCALLED;
	return 0;
}

static unsigned skip_entry(const struct userimage *img, const struct function *f)
{
	uint32_t insn = insn_at(img, f->pub.address);

	return insn == BTI_C || insn == BTI_JC ? INSN_BYTES : 0;
}

/* There is nothing to collect: each function is searched for jumps to its own beginning. */
static int scan(struct userimage *img)
{
	return 0;
}

static bool is_signing(uint32_t insn)
{
	return insn == PACIASP || insn == PACIBSP;
}

/* Instructions that the patch replaces: 1 or 2. */
static unsigned patch_insns(const struct userimage *img, uint64_t start)
{
	return is_signing(insn_at(img, start)) ? 2 : 1;
}

static bool jumps_to_itself(const struct userimage *img, uint64_t start, uint64_t end,
			    uint64_t patch_end)
{
	for (uint64_t at = start; at < end; at += INSN_BYTES) {
		uint32_t insn = insn_at(img, at);
		uint64_t target;

		if (kind_of(insn) != KIND_JUMP && kind_of(insn) != KIND_CONDITION)
			continue;
		target = branch_target(insn, at);
		if (target >= start && target < patch_end)
			return true;
	}
	return false;
}

/* The slot that a stub of the PLT jumps through; 0: it is no such stub. */
static uint64_t stub_slot(const struct userimage *img, uint64_t stub)
{
	uint32_t insn = insn_at(img, stub);
	uint64_t page;

	if (insn == BTI_C)
		insn = insn_at(img, stub += INSN_BYTES);
	if ((insn & 0x9f00001f) != 0x90000010) /* adrp x16 */
		return 0;
	page = address_value(insn, stub);
	insn = insn_at(img, stub + INSN_BYTES);
	if ((insn & 0xffc003ff) != 0xf9400211) /* ldr x17, [x16, …] */
		return 0;
	return page + (insn >> 10 & 0xfff) * 8;
}

/* The call of _mcount that -pg puts behind the prologue; 0: there is none. */
static uint64_t find_counter(const struct userimage *img, uint64_t start, uint64_t end)
{
	if (!img->n_counters)
		return 0;
	if (end - start > COUNTER_REACH)
		end = start + COUNTER_REACH;
	for (uint64_t at = start; at < end; at += INSN_BYTES) {
		uint64_t target;

		if (kind_of(insn_at(img, at)) != KIND_CALL)
			continue;
		target = branch_target(insn_at(img, at), at);
		return userimage_is_counter(img, target) ||
				       userimage_is_counter(img, stub_slot(img, target))
			       ? at
			       : 0;
	}
	return 0;
}

static bool is_counted(const struct userimage *img, const struct function *f)
{
	return find_counter(img, f->pub.address, function_end(f)) != 0;
}

/* Bytes of an instruction in the body, its literal included; 0: it cannot move. */
static unsigned moved_bytes(uint32_t insn)
{
	switch (kind_of(insn)) {
	case KIND_PLAIN:
		return 4;
	case KIND_ADDRESS:
		return 4 + 4 + 8; /* load, jump over the literal */
	case KIND_JUMP:
		return 4 + 4 + 8;
	case KIND_CONDITION:
		return 4 + 4 + 4 + 4 + 8;
	default:
		return 0;
	}
}

static enum userimage_why plan_moves(const struct userimage *img, uint64_t start, uint64_t end,
				     struct hook *h)
{
	uint64_t at = start;

	if (insn_at(img, at) == NOP) {
		while (at < end && at - start < NOPS_MAX && insn_at(img, at) == NOP)
			at += INSN_BYTES;
		h->n_moved = (uint16_t)(at - start);
		return USERIMAGE_HOOKED;
	}
	for (unsigned n = patch_insns(img, start); n; n--, at += INSN_BYTES) {
		unsigned n_bytes = moved_bytes(insn_at(img, at));

		if (!n_bytes)
			return USERIMAGE_FIXED;
		h->body_bytes += n_bytes;
	}
	h->n_moved = (uint16_t)(at - start);
	h->body_bytes += INSN_BYTES; /* the jump back */
	return USERIMAGE_HOOKED;
}

static enum userimage_why plan_function(struct userimage *img, size_t index)
{
	const struct function *f = &img->functions[index];
	uint64_t start = function_start(f), end = function_end(f);
	struct hook h = {.function = (uint32_t)index};
	struct fix fix = {.n_bytes = INSN_BYTES}; /* the call of _mcount becomes a nop */
	enum userimage_why why;

	if (end > userimage_limit(img, index))
		end = userimage_limit(img, index);
	h.patch_bytes = (uint8_t)(patch_insns(img, start) * INSN_BYTES);
	if (start >= end || end - start < h.patch_bytes || start % INSN_BYTES ||
	    userimage_code(img, start).len < end - start)
		return USERIMAGE_SHORT;
	if (jumps_to_itself(img, start, end, start + h.patch_bytes))
		return USERIMAGE_LOOP;
	why = plan_moves(img, start, end, &h);
	if (why != USERIMAGE_HOOKED)
		return why;
	fix.address = find_counter(img, start + h.n_moved, end);
	h.n_fixes = fix.address != 0;
	return userimage_add_hook(img, &h, &fix) < 0 ? USERIMAGE_MANY : why;
}

/*
 * --- building ----------------------------------------------------------------------------------
 */

/* Code that grows; `at` is its final address. */
struct code {
	uint8_t *out;
	uint64_t at;
};

static void put_insn(struct code *c, uint32_t insn)
{
	memcpy(c->out, &insn, sizeof(insn));
	c->out += sizeof(insn);
	c->at += sizeof(insn);
}

static void put_word(struct code *c, uint64_t word)
{
	put_insn(c, (uint32_t)word);
	put_insn(c, (uint32_t)(word >> 32));
}

static uint32_t branch(uint32_t opcode, uint64_t from, uint64_t to)
{
	return opcode | (uint32_t)((to - from) >> 2 & 0x3ffffff);
}

/* ldr register, from a literal so many bytes further on */
static uint32_t load_literal(unsigned reg, unsigned distance)
{
	return LDR_LITERAL | distance / 4 << 5 | reg;
}

static void put_far_jump(struct code *c, uint64_t target)
{
	put_insn(c, load_literal(16, 8));
	put_insn(c, BR_X16);
	put_word(c, target);
}

/* The condition leads over a jump, to a far jump. */
static void put_condition(struct code *c, uint32_t insn, uint64_t target)
{
	uint32_t field = is_bit_test(insn) ? 0x3fffu << 5 : 0x7ffffu << 5;

	put_insn(c, (insn & ~field) | 2u << 5);
	put_insn(c, branch(B, c->at, c->at + 5 * INSN_BYTES));
	put_far_jump(c, target);
}

static void put_moved(struct code *c, uint32_t insn, uint64_t address, uint64_t bias)
{
	switch (kind_of(insn)) {
	case KIND_ADDRESS:
		put_insn(c, load_literal(insn & 0x1f, 8));
		put_insn(c, branch(B, c->at, c->at + 3 * INSN_BYTES));
		put_word(c, address_value(insn, address) + bias);
		return;
	case KIND_JUMP:
		put_far_jump(c, branch_target(insn, address) + bias);
		return;
	case KIND_CONDITION:
		put_condition(c, insn, branch_target(insn, address) + bias);
		return;
	default:
		put_insn(c, insn);
	}
}

static void put_body(struct code c, const struct userimage *img, const struct hook *h,
		     uint64_t bias)
{
	uint64_t start = hook_patch(img, h);

	for (uint64_t at = start; at < start + h->n_moved; at += INSN_BYTES)
		put_moved(&c, insn_at(img, at), at, bias);
	put_insn(&c, branch(B, c.at, hook_resume(img, h) + bias));
}

/* The layout is in snrt.h. */
static void put_thunk(struct code c, uint64_t area, uint64_t body, unsigned enter, uint32_t id,
		      uint32_t rule)
{
	put_insn(&c, MOV_X17_X30);
	put_insn(&c, branch(BL, c.at, area + enter));
	put_insn(&c, branch(BL, c.at, body));
	put_insn(&c, branch(B, c.at, area + SNRT_LEAVE));
	put_insn(&c, 0);
	put_insn(&c, id);
	put_insn(&c, 0);
	put_insn(&c, rule);
}

static uint8_t *next_patch(const struct userimage *img, struct snrt_patch **patches,
			   uint64_t address, uint64_t bias, unsigned n_bytes)
{
	struct snrt_patch *p = (*patches)++;

	*p = (struct snrt_patch){.addr = address + bias, .n_bytes = (uint8_t)n_bytes};
	memcpy(p->old, userimage_code(img, address).data, n_bytes);
	return p->new_;
}

static void build(const struct userimage *img, size_t hook, const struct userimage_place *place,
		  uint8_t *area, struct snrt_patch **patches)
{
	const struct hook *h = &img->hooks[hook];
	size_t thunk_at = SNRT_HOOK_BYTES + hook * SNRT_THUNK_BYTES;
	size_t body_at = SNRT_HOOK_BYTES + img->n_hooks * SNRT_THUNK_BYTES + h->body_at;
	uint64_t patch = hook_patch(img, h), thunk = place->area + thunk_at;
	uint64_t body = hook_resume(img, h) + place->bias;
	struct code c;

	if (h->body_bytes) {
		body = place->area + body_at;
		put_body((struct code){area + body_at, body}, img, h, place->bias);
	}
	put_thunk((struct code){area + thunk_at, thunk}, place->area, body, userimage_enter(img, h),
		  place->first_id + (uint32_t)hook, h->rule);
	c = (struct code){next_patch(img, patches, patch, place->bias, h->patch_bytes),
			  patch + place->bias};
	if (h->patch_bytes > INSN_BYTES)
		put_insn(&c, BTI_C);
	put_insn(&c, branch(B, c.at, thunk));
	for (size_t i = 0; i < h->n_fixes; i++) {
		const struct fix *f = &img->fixes[h->first_fix + i];

		c.out = next_patch(img, patches, f->address, place->bias, f->n_bytes);
		put_insn(&c, NOP);
	}
}

const struct userarch userarch_aarch64 = {
	.machine = EM_AARCH64,
	.reach = 0x7ff0000, /* 128 MB, less a margin */
	.stack_reg = 31,
	.stack_bytes = 0,
	.prove = prove,
	.is_counted = is_counted,
	.skip = skip_entry,
	.scan = scan,
	.plan = plan_function,
	.build = build,
};
