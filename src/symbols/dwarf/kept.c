// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * kept.c - checks whether a register still holds the value that a location assumes.
 *
 * A location without an address list claims to hold in the whole function. That is wrong if it
 * begins with a register:
 *
 *	400734  sub  sp, sp, #48         [sp + 8] and [x29 - 12] are not valid yet
 *	400738  stp  x29, x30, [sp, #32]
 *	40073c  add  x29, sp, #32
 *	400748  ldur w8, [x29, #-12]     the body: both are valid
 *	   …
 *	4007a0  ldp  x29, x30, [sp, #32] [x29 - 12] is in the caller's frame now
 *	4007a4  add  sp, sp, #48         … and so is [sp + 8]
 *	4007a8  ret
 *
 * The call frame table of clang does not describe the ends of functions on these processors, so the
 * code is read. A callee-saved register is valid from the body on until an instruction changes it
 * (other than sp and the frame pointer: from the first instruction that changes it until the next).
 * After a jump or return, other code begins, which is reached from the body. A register that
 * belongs to the function (a struct passed by address) is valid from the entry on until it may have
 * been changed on some path to the address.
 *
 * Optimised code is worse: a parameter that came in registers may claim to be in memory, where it
 * is stored late, or never, if all uses read the registers. The claim is trusted if the code up to
 * the first branch stores all its bytes.
 *
 * If the code cannot be read (x86-64, a file that has only debug information), the location is
 * trusted.
 */
#include "format/bytes.h"
#include "symbols/dwarf/debuginfo_int.h"
#include "symbols/arch.h"
#include "symbols/insn/instruction.h"

#define CODE_MAX_BYTES (1u << 20) /* limit for one function */

struct range {
	uint64_t begin, end;
};

/* Finds the range of the function that contains the address. */
static bool find_range(struct instance *i, uint64_t address, struct range *ret)
{
	Dwarf_Addr base, begin, end;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(&i->die, at, &base, &begin, &end)) > 0)
		if (address >= begin && address < end) {
			*ret = (struct range){begin, end};
			return true;
		}
	return false;
}

/*
 * Calls visit for each instruction until it returns false. Returns false if the code cannot be read
 * to its end.
 */
static bool each_instruction(struct debuginfo *d, uint64_t from, uint64_t to,
			     bool (*visit)(void *ctx, uint64_t address,
					   const struct instruction_effect *e),
			     void *ctx)
{
	struct piece code = code_at(d, from);
	struct instruction_effect e;

	if (!d->arch || to < from || to - from > CODE_MAX_BYTES)
		return false;
	for (uint64_t at = 0; at < to - from; at += e.n_bytes) {
		if (at >= code.len ||
		    !instruction_effect(d->arch, code.data + at, code.len - at, &e))
			return false;
		if (!visit(ctx, from + at, &e))
			break;
	}
	return true;
}

/*
 * --- registers of the frame ----------------------------------------------------------------------
 */

struct frame_walk {
	uint32_t bit;
	bool is_set, is_gone;
	bool may_be_unset; /* control can leave before the register is set */
};

static bool follow_frame(void *ctx, uint64_t address, const struct instruction_effect *e)
{
	struct frame_walk *w = ctx;

	if (e->written & w->bit) {
		w->is_gone = w->is_set;
		w->is_set = true;
	}
	if (!w->is_set && (e->flow == FLOW_BRANCH || e->flow == FLOW_JUMP))
		w->may_be_unset = true;
	if (e->flow == FLOW_JUMP)
		w->is_gone = w->may_be_unset;
	return true;
}

/*
 * Decides whether a frame register holds its value. The stack pointer and the frame pointer are set
 * when the body begins; another register by the first instruction that writes it.
 */
static enum kept frame_holds(const struct location_site *site, unsigned reg)
{
	uint64_t entry = site->outer->entry;
	struct frame_walk w = {.bit = 1u << reg};
	struct range range;
	unsigned base;

	if (!find_range(site->outer, site->address, &range))
		return KEPT;
	w.is_set = reg == site->d->arch->stack_reg ||
		   (instance_frame_register(site->outer, &base) && base == reg);
	if (entry < range.begin || entry >= range.end) {
		w.is_set = true; /* this code is reached by a jump from the function's main part */
	} else if (w.is_set) {
		range.begin = instance_body(site->d, site->unit, site->outer);
		if (site->address < range.begin)
			return KEPT_NOT_YET;
	} else {
		range.begin = entry;
	}
	if (!each_instruction(site->d, range.begin, site->address, follow_frame, &w))
		return KEPT;
	return w.is_gone ? KEPT_NO_MORE : w.is_set ? KEPT : KEPT_NOT_YET;
}

/*
 * --- other registers -----------------------------------------------------------------------------
 */

struct own_walk {
	uint32_t bit;
	uint64_t entry, address;
	bool is_changed;	/* the register is changed somewhere in the function */
	bool is_changed_before; /* between the entry and the address */
	bool comes_back;	/* control can return to the address from later code */
};

static bool follow_own(void *ctx, uint64_t address, const struct instruction_effect *e)
{
	struct own_walk *w = ctx;
	bool is_before = address >= w->entry && address < w->address;
	uint64_t target = address + e->distance;

	if ((e->written & w->bit) || e->flow == FLOW_CALL) {
		w->is_changed = true;
		w->is_changed_before |= is_before;
	}
	if (e->has_target && e->flow != FLOW_CALL && !is_before && target > w->entry &&
	    target <= w->address)
		w->comes_back = true;
	return true;
}

static enum kept own_holds(const struct location_site *site, uint32_t bit)
{
	struct own_walk w = {bit, site->outer->entry, site->address};
	Dwarf_Addr base, begin, end;
	ptrdiff_t at = 0;

	if (site->address == w.entry)
		return KEPT;
	while ((at = dwarf_ranges(&site->outer->die, at, &base, &begin, &end)) > 0)
		if (!each_instruction(site->d, begin, end, follow_own, &w))
			return KEPT;
	if (w.is_changed && (w.is_changed_before || w.comes_back || site->address < w.entry))
		return KEPT_NO_MORE;
	return KEPT;
}

/*
 * --- parameters that are stored
 * --------------------------------------------------------------------
 */

#define SLOT_MAX_BYTES 64 /* two registers, or four for floating point numbers */

struct store_walk {
	const struct location_site *site;
	const struct place *place;
	unsigned
		/* the call frame's address at the site, if the place uses the same register */
		frame_reg;
	int64_t frame_offset;
	bool has_frame;
	uint64_t stored; /* stored bytes of the variable, one bit each */
};

/* Finds the distance of a store from the variable's place. */
static bool find_distance(const struct store_walk *w, uint64_t address,
			  const struct instruction_effect *e, int64_t *ret)
{
	unsigned reg;
	int64_t offset;

	if (w->has_frame && location_frame(w->site->d, address, &reg, &offset) &&
	    reg == e->store_reg) {
		*ret = (e->store_offset - offset) - (w->place->offset - w->frame_offset);
		return true;
	}
	*ret = e->store_offset - w->place->offset;
	return e->store_reg == w->place->reg && !w->has_frame;
}

static bool follow_stores(void *ctx, uint64_t address, const struct instruction_effect *e)
{
	struct store_walk *w = ctx;
	int64_t distance;

	if (e->stored_bytes && find_distance(w, address, e, &distance))
		for (int64_t i = distance; i < distance + e->stored_bytes; i++)
			if (i >= 0 && i < SLOT_MAX_BYTES)
				w->stored |= 1ull << i;
	return e->flow == FLOW_ON || e->flow == FLOW_CALL;
}

bool parameter_is_stored(const struct location_site *site, const struct place *place,
			 uint64_t n_bytes)
{
	struct store_walk w = {.site = site, .place = place};
	uint64_t wanted = n_bytes < 64 ? (1ull << n_bytes) - 1 : UINT64_MAX;

	w.has_frame = location_frame(site->d, site->address, &w.frame_reg, &w.frame_offset) &&
		      w.frame_reg == place->reg;
	if (n_bytes > SLOT_MAX_BYTES ||
	    !each_instruction(site->d, site->outer->entry, site->address, follow_stores, &w))
		return true;
	return (w.stored & wanted) == wanted;
}

/*
 * --- the door ------------------------------------------------------------------------------------
 */

enum kept register_is_kept(const struct location_site *site, unsigned reg)
{
	const struct arch *arch = site->d->arch;

	if (!arch || !site->outer || reg >= arch->n_regs || reg >= 32)
		return KEPT;
	return arch->kept_regs >> reg & 1 ? frame_holds(site, reg) : own_holds(site, 1u << reg);
}
