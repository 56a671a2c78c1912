// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * unwind.c - lets exceptions, thread cancellation and backtraces pass traced calls.
 *
 * While a traced function runs, the place of its return address holds an address in its thunk. An
 * unwinder looks for unwind information at that address, so the areas have some: one row for the
 * whole area with
 *
 *	CFA              sp - 1        (see below)
 *	stack pointer    sp            the thunk has nothing on the stack
 *	return address   at &entry.ret, where entry.slot == sp + ARCH_SLOT_FROM_SP
 *
 * The last one is a DWARF program that searches the shadow stacks, as DWARF can loop and read
 * memory. So nothing must be undone when an exception is thrown: slow.c later finds the calls that
 * it ended, and all others stay traced.
 *
 * The CFA must differ from that of the traced function, which is sp: libgcc distinguishes frames
 * by it, and aborts if the handler's frame and another one have the same CFA.
 *
 * Unwinders find this information through dl_iterate_phdr() or _dl_find_object(). The preloaded
 * library interposes both (interpose.c); in a process that sonde attaches to, they jump here
 * (opened.c). Code that finds .eh_frame in another way does not see it.
 */
#include "runtime/runtime_int.h"

#include <link.h>

#define EXPR_MAX  224
#define FRAME_MAX 512

enum {
	OP_ADDR = 0x03,
	OP_DEREF = 0x06,
	OP_CONST1U = 0x08,
	OP_CONST1S = 0x09,
	OP_DUP = 0x12,
	OP_DROP = 0x13,
	OP_OVER = 0x14,
	OP_PICK = 0x15,
	OP_SWAP = 0x16,
	OP_AND = 0x1a,
	OP_MINUS = 0x1c,
	OP_PLUS = 0x22,
	OP_PLUS_UCONST = 0x23,
	OP_BRA = 0x28,
	OP_EQ = 0x29,
	OP_GE = 0x2a,
	OP_LT = 0x2d,
	OP_SKIP = 0x2f,
	OP_LIT0 = 0x30,
	OP_BREG_SP = 0x70 + ARCH_DWARF_SP,
	CFA_DEF_CFA_EXPRESSION = 0x0f,
	CFA_EXPRESSION = 0x10,
	CFA_VAL_EXPRESSION = 0x16,
};

/* What is made for an area. */
struct frames {
	uint8_t header[16]; /* .eh_frame_hdr: without a table, so it is searched from its start */
	uint8_t frame[FRAME_MAX];
};

struct unwind_area {
	uint64_t start, end;
	struct frames frames;
	ElfW(Phdr) phdr[2];
};

static struct unwind_area areas[IMAGES_MAX];
static uint32_t n_areas;       /* __atomic: an area is filled before it counts */
static const uint64_t nothing; /* the return address of a call that was not found: the end */

/* --- bytes ------------------------------------------------------------------------------------ */

struct bytes {
	uint8_t *start;
	unsigned n;
};

static void put1(struct bytes *b, unsigned value)
{
	b->start[b->n++] = (uint8_t)value;
}

static void put_n(struct bytes *b, uint64_t value, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		put1(b, (unsigned)(value >> (8 * i)) & 0xff);
}

static void put_op(struct bytes *b, unsigned op, unsigned operand)
{
	put1(b, op);
	put1(b, operand); /* small: one byte of LEB128, too */
}

/* Adds a jump to a known place. */
static void jump_back(struct bytes *b, unsigned op, unsigned target)
{
	put1(b, op);
	put_n(b, (uint64_t)((int64_t)target - (int64_t)(b->n + 2)), 2);
}

/* Adds a jump to a place that is not known yet; land() fills it in. */
static unsigned jump_on(struct bytes *b, unsigned op)
{
	put1(b, op);
	put_n(b, 0, 2);
	return b->n;
}

static void land(struct bytes *b, unsigned jump)
{
	unsigned distance = b->n - jump;

	b->start[jump - 2] = (uint8_t)distance;
	b->start[jump - 1] = (uint8_t)(distance >> 8);
}

/* --- the search ------------------------------------------------------------------------------- */

/* Stack: slot, entry. Pushes: is it the entry of the slot? */
static void put_is_entry(struct bytes *b)
{
	put1(b, OP_DUP);
	put1(b, OP_DEREF);
	put_op(b, OP_CONST1S, (unsigned)-2 & 0xff); /* without ENTRY_SLOW */
	put1(b, OP_AND);
	put_op(b, OP_PICK, 2);
	put1(b, OP_EQ);
}

/*
 * Stack before: CFA. After: where the return address is. Two functions have the same slot if one
 * ends with a jump to the other; the lower entry has the address that leads out of both.
 */
static void put_search(struct bytes *b)
{
	unsigned next_stack, next_entry, lower, not_there, not_below, not_inside, go_on, found,
		last, end;

	put_op(b, OP_CONST1S, (unsigned)(ARCH_SLOT_FROM_SP + 1) & 0xff);
	put1(b, OP_PLUS);
	put1(b, OP_ADDR);
	put_n(b, (uint64_t)&snrt_process.all_stacks, 8);
	next_stack = b->n; /* slot, place of the pointer to the stack */
	put1(b, OP_DEREF);
	put1(b, OP_DUP);
	go_on = jump_on(b, OP_BRA);
	not_there = jump_on(b, OP_SKIP);
	land(b, go_on); /* slot, stack */
	put1(b, OP_OVER);
	put1(b, OP_OVER);
	put_op(b, OP_PLUS_UCONST, offsetof(struct stack, low));
	put1(b, OP_DEREF);
	put1(b, OP_LT);
	not_below = jump_on(b, OP_BRA);
	put1(b, OP_OVER);
	put1(b, OP_OVER);
	put_op(b, OP_PLUS_UCONST, offsetof(struct stack, high));
	put1(b, OP_DEREF);
	put1(b, OP_GE);
	not_inside = jump_on(b, OP_BRA);
	put1(b, OP_SWAP);
	put1(b, OP_OVER);
	put_op(b, OP_PLUS_UCONST, offsetof(struct stack, top_at));
	put1(b, OP_DEREF);
	put1(b, OP_DEREF);
	next_entry = b->n; /* stack, slot, entry */
	put_is_entry(b);
	found = jump_on(b, OP_BRA);
	put1(b, OP_DUP);
	put1(b, OP_DEREF);
	put_op(b, OP_CONST1S, 0xff);
	put1(b, OP_EQ);
	last = jump_on(b, OP_BRA);
	put_op(b, OP_CONST1U, sizeof(struct entry));
	put1(b, OP_MINUS);
	jump_back(b, OP_SKIP, next_entry);
	land(b, last); /* not on this stack */
	put1(b, OP_DROP);
	put1(b, OP_SWAP);
	land(b, not_below);
	land(b, not_inside); /* slot, stack; its first field is the next */
	jump_back(b, OP_SKIP, next_stack);
	land(b, found);
	lower = b->n;
	put_op(b, OP_CONST1U, sizeof(struct entry));
	put1(b, OP_MINUS);
	put_is_entry(b);
	jump_back(b, OP_BRA, lower);
	put_op(b, OP_PLUS_UCONST, sizeof(struct entry) + offsetof(struct entry, ret));
	end = jump_on(b, OP_SKIP);
	land(b, not_there);
	put1(b, OP_ADDR);
	put_n(b, (uint64_t)&nothing, 8);
	land(b, end);
}

/* --- .eh_frame -------------------------------------------------------------------------------- */

static void put_leb(struct bytes *b, unsigned value)
{
	for (; value >= 0x80; value >>= 7)
		put1(b, (value & 0x7f) | 0x80);
	put1(b, value);
}

static void pad_and_close(struct bytes *b, unsigned length_at)
{
	struct bytes length = {b->start, length_at};

	while ((b->n - length_at) % 8)
		put1(b, 0); /* DW_CFA_nop */
	put_n(&length, b->n - length_at - 4, 4);
}

static void make_cie(struct bytes *b)
{
	uint8_t search[EXPR_MAX];
	struct bytes s = {search, 0};

	put_n(b, 0, 4);
	put_n(b, 0, 4);
	put1(b, 1); /* version */
	put_n(b, 'z' | 'R' << 8, 3);
	put1(b, 1);    /* code alignment */
	put1(b, 0x78); /* data alignment: -8 */
	put1(b, ARCH_DWARF_RA);
	put_op(b, 1, 0); /* FDEs have absolute addresses */
	put_op(b, CFA_DEF_CFA_EXPRESSION, 2);
	put_op(b, OP_BREG_SP, 0x7f); /* sp - 1 */
	put_op(b, CFA_VAL_EXPRESSION, ARCH_DWARF_SP);
	put1(b, 2);
	put_op(b, OP_BREG_SP, 0);
	put_op(b, CFA_EXPRESSION, ARCH_DWARF_RA);
	put_search(&s);
	put_leb(b, s.n);
	for (unsigned i = 0; i < s.n; i++)
		put1(b, search[i]);
	pad_and_close(b, 0);
}

static void make_frames(struct unwind_area *a)
{
	struct bytes b = {a->frames.frame, 0};
	struct bytes header = {a->frames.header, 0};
	unsigned fde;

	make_cie(&b);
	fde = b.n;
	put_n(&b, 0, 4);
	put_n(&b, fde + 4, 4); /* back to the CIE */
	put_n(&b, a->start, 8);
	put_n(&b, a->end - a->start, 8);
	put1(&b, 0);
	pad_and_close(&b, fde);
	put_n(&b, 0, 4);
	put_n(&header, 1 | 0x00 << 8 | 0xff << 16 | 0xffu << 24, 4);
	put_n(&header, (uint64_t)a->frames.frame, 8);
}

void snrt_unwind_add(const struct snrt_image *image)
{
	struct unwind_area *a = &areas[n_areas];

	if (n_areas == IMAGES_MAX)
		return;
	a->start = image->area;
	a->end = image->area + image->area_bytes;
	make_frames(a);
	a->phdr[0] = (ElfW(Phdr)){.p_type = PT_LOAD,
				  .p_flags = PF_R | PF_X,
				  .p_vaddr = a->start,
				  .p_memsz = a->end - a->start};
	a->phdr[1] = (ElfW(Phdr)){.p_type = PT_GNU_EH_FRAME,
				  .p_flags = PF_R,
				  .p_vaddr = (uint64_t)a->frames.header,
				  .p_memsz = sizeof(a->frames.header)};
	__atomic_store_n(&n_areas, n_areas + 1, __ATOMIC_RELEASE);
}

/* --- the two doors of unwinders --------------------------------------------------------------- */

/* In a separate section, so that snrt_unwind_is_used() knows its address. */
__attribute__((section("snrt_iterate"), noinline)) int
snrt_unwind_iterate(snrt_iterate real, snrt_visitor visit, void *data)
{
	uint32_t n = __atomic_load_n(&n_areas, __ATOMIC_ACQUIRE);
	int r = real ? real(visit, data) : 0;

	for (uint32_t i = 0; i < n && !r; i++) {
		struct dl_phdr_info info = {.dlpi_name = "",
					    .dlpi_phdr = areas[i].phdr,
					    .dlpi_phnum = 2,
					    .dlpi_adds = 1};

		r = visit(&info, sizeof(info), data);
	}
	return r;
}

static const struct unwind_area *find_area(uint64_t address)
{
	uint32_t n = __atomic_load_n(&n_areas, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < n; i++)
		if (address >= areas[i].start && address < areas[i].end)
			return &areas[i];
	return NULL;
}

extern const uint8_t __start_snrt_iterate[] __attribute__((visibility("hidden")));
extern const uint8_t __stop_snrt_iterate[] __attribute__((visibility("hidden")));

bool snrt_unwind_is_used(uint64_t address)
{
	return (address >= (uint64_t)areas && address < (uint64_t)(areas + IMAGES_MAX)) ||
	       (address >= (uint64_t)__start_snrt_iterate &&
		address < (uint64_t)__stop_snrt_iterate);
}

bool snrt_unwind_is_area(uint64_t address)
{
	return find_area(address);
}

bool snrt_unwind_find(uint64_t address, struct dl_find_object *result)
{
	const struct unwind_area *a = find_area(address);
	volatile uint8_t *bytes = (volatile uint8_t *)result;

	if (!a)
		return false;
	for (size_t i = 0; i < sizeof(*result); i++)
		bytes[i] = 0;
	result->dlfo_map_start = (void *)a->start;
	result->dlfo_map_end = (void *)a->end;
	result->dlfo_eh_frame = (void *)a->frames.header;
	return true;
}
