// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * memorycalls.c - calls about memory and processors: mmap, policies of nodes, sets of CPUs.
 *
 * The flags of mmap, memfd_create and shmget contain numbers beside bits: the type of the mapping
 * in the lowest bits, the logarithm of the size of huge pages in the highest. Masks are shown as
 * the numbers of their bits, and masks of nodes as words in hex.
 */
#include "base/textbuf.h"
#include "decode/syscalls/text_int.h"
#include "store/events/syscallevents.h"
#include "symbols/syscalls/types.h"

#include <inttypes.h>

SYSXLAT_DECLARE(map_type);
SYSXLAT_DECLARE(map_flags);
SYSXLAT_DECLARE(memfd_flags);
SYSXLAT_DECLARE(shmget_flags);
SYSXLAT_DECLARE(mpol_modes);
SYSXLAT_DECLARE(mpol_mode_flags);

#define HUGE_SHIFT 26
#define HUGE_MASK  0x3fu

/* The size of huge pages in the upper bits, 21<<MAP_HUGE_SHIFT. */
static void fmt_huge(struct printing *p, unsigned huge, const char *name)
{
	if (huge)
		textbuf_addf(p->tb, "|%u<<%s_HUGE_SHIFT", huge, name);
}

void sysfmt_mmapflags(struct printing *p, const struct systype *t, uint64_t v)
{
	uint32_t type = v & 0xf, rest = (uint32_t)v & ~0xfu, huge = 0;
	const char *name = xlat_find(p, SYSXLAT(map_type), type);

	if (p->o->constants != SYSCALLTEXT_ABBREV) {
		fmt_hex(p, (uint32_t)v);
		if (p->o->constants == SYSCALLTEXT_RAW)
			return;
		add(p, " /* ");
	}
	if (rest & 0x40000) { /* MAP_HUGETLB */
		huge = rest >> HUGE_SHIFT & HUGE_MASK;
		rest &= ~(HUGE_MASK << HUGE_SHIFT);
	}
	if (name)
		add(p, name);
	else if (!type)
		add(p, "MAP_FILE");
	else
		textbuf_addf(p->tb,
			     "%#x /* MAP_?"
			     "?? */",
			     type);
	if (rest) {
		struct syscalltext_options plain = *p->o;
		const struct syscalltext_options *o = p->o;

		plain.constants = SYSCALLTEXT_ABBREV;
		p->o = &plain;
		add(p, "|");
		fmt_flags(p, SYSXLAT(map_flags), rest);
		p->o = o;
	}
	fmt_huge(p, huge, "MAP");
	if (p->o->constants == SYSCALLTEXT_VERBOSE)
		add(p, " */");
}

void sysfmt_memfdflags(struct printing *p, const struct systype *t, uint64_t v)
{
	uint32_t flags = (uint32_t)v, huge = 0;

	if (flags & 4) { /* MFD_HUGETLB */
		huge = flags >> HUGE_SHIFT & HUGE_MASK;
		flags &= ~(HUGE_MASK << HUGE_SHIFT);
	}
	fmt_flags(p, SYSXLAT(memfd_flags), flags);
	fmt_huge(p, huge, "MFD");
}

void sysfmt_shmgetflags(struct printing *p, const struct systype *t, uint64_t v)
{
	uint32_t flags = (uint32_t)v & ~0777u, huge = 0;

	if (flags & 04000) { /* SHM_HUGETLB */
		huge = flags >> HUGE_SHIFT & HUGE_MASK;
		flags &= ~(HUGE_MASK << HUGE_SHIFT);
	}
	if (flags) {
		fmt_flags(p, SYSXLAT(shmget_flags), flags);
		fmt_huge(p, huge, "SHM");
		add(p, "|");
	}
	fmt_octal(p, v & 0777);
}

/* [1, 0, 1]: a byte per page */
void sysfmt_mincorevec(struct printing *p, const struct systype *t, uint64_t v)
{
	uint64_t n = (arg_of(p, 1) + 4095) / 4096;
	uint64_t shown = p->is_verbose || n <= p->o->string_limit ? n : p->o->string_limit;
	const uint8_t *b;

	entry_ends(p);
	p->when = SYSCALLEVENTS_AT_EXIT;
	b = v && wrote(p) ? peek(p, v, shown) : NULL;
	if (!b) {
		fmt_addr(p, v);
		return;
	}
	add(p, "[");
	for (uint64_t i = 0; i < shown; i++)
		textbuf_addf(p->tb, b[i] & 1 ? "%s1" : "%s0", i ? ", " : "");
	add(p, shown < n ? ", ...]" : "]");
}

void sysfmt_mpolmode(struct printing *p, const struct systype *t, uint64_t v)
{
	uint64_t flags = v & ~0x1fffull;

	if (flags) {
		fmt_flags(p, SYSXLAT(mpol_mode_flags), flags);
		add(p, "|");
	}
	fmt_enum(p, SYSXLAT(mpol_modes), v & 0x1fff);
}

void sysfmt_mpolp(struct printing *p, const struct systype *t, uint64_t v)
{
	uint32_t mode;

	if (!peek_u32(p, v, &mode)) {
		fmt_addr(p, v);
		return;
	}
	add(p, "[");
	fmt_enum(p, SYSXLAT(mpol_modes), mode);
	add(p, "]");
}

/* [0x00000000000001]: words of a mask of nodes */
static void fmt_nodemask(struct printing *p, uint64_t v, uint64_t n_bits)
{
	uint64_t n = (n_bits + 63) / 64, shown;
	const uint8_t *b = v && n && n <= 32 ? peek(p, v, n * 8) : NULL;

	if (!b) {
		fmt_addr(p, v);
		return;
	}
	shown = p->is_verbose || n < p->o->string_limit ? n : p->o->string_limit;
	add(p, "[");
	for (uint64_t i = 0; i < shown; i++)
		textbuf_addf(p->tb, "%s%#016" PRIx64, i ? ", " : "", load64(b + 8 * i));
	add(p, shown < n ? ", ...]" : "]");
}

void sysfmt_nodemask(struct printing *p, const struct systype *t, uint64_t v)
{
	fmt_nodemask(p, v, arg_of(p, t->arg));
}

void sysfmt_outnodemask(struct printing *p, const struct systype *t, uint64_t v)
{
	entry_ends(p);
	p->when = SYSCALLEVENTS_AT_EXIT;
	if (wrote(p))
		fmt_nodemask(p, v, arg_of(p, t->arg));
	else
		fmt_addr(p, v);
}

/* [0 1]: the CPUs of a mask. The kernel returns how many bytes it wrote. */
void sysfmt_cpuset(struct printing *p, const struct systype *t, uint64_t v)
{
	uint64_t n = arg_of(p, t->arg);
	bool any = false;
	const uint8_t *b;

	if (p->when == SYSCALLEVENTS_AT_EXIT && (uint64_t)p->call->ret < n)
		n = p->call->ret;
	b = n <= 1024 ? peek(p, v, n) : NULL;
	if (!b) {
		fmt_addr(p, v);
		return;
	}
	add(p, "[");
	for (uint64_t i = 0; i < n * 8; i++) {
		if (!(b[i / 8] >> (i % 8) & 1))
			continue;
		textbuf_addf(p->tb, any ? " %u" : "%u", (unsigned)i);
		any = true;
	}
	add(p, "]");
}

static void fmt_page(struct printing *p, uint64_t address)
{
	uint64_t page = 0;

	peek_u64(p, address, &page);
	fmt_addr(p, page);
}

static void fmt_node(struct printing *p, uint64_t address)
{
	uint32_t node = 0;

	peek_u32(p, address, &node);
	textbuf_add_signed(p->tb, (int)node);
}

static void fmt_status(struct printing *p, uint64_t address)
{
	uint32_t status = 0;
	const char *name;

	peek_u32(p, address, &status);
	name = (int)status < 0 ? errno_name(-status) : NULL;
	if (name)
		textbuf_addf(p->tb, "-%s", name);
	else
		textbuf_add_signed(p->tb, (int)status);
}

void sysfmt_pagelist(struct printing *p, const struct systype *t, uint64_t v)
{
	fmt_elements(p, v, arg_of(p, t->arg), 8, fmt_page);
}

void sysfmt_nodelist(struct printing *p, const struct systype *t, uint64_t v)
{
	fmt_elements(p, v, arg_of(p, t->arg), 4, fmt_node);
}

void sysfmt_statuslist(struct printing *p, const struct systype *t, uint64_t v)
{
	entry_ends(p);
	p->when = SYSCALLEVENTS_AT_EXIT;
	if (wrote(p))
		fmt_elements(p, v, arg_of(p, t->arg), 4, fmt_status);
	else
		fmt_addr(p, v);
}

/* only a mapping that is moved to a place or kept has it */
void sysfmt_mremapaddr(struct printing *p, const struct systype *t, uint64_t v)
{
	if (!(arg_of(p, 3) & 6)) /* MREMAP_FIXED, MREMAP_DONTUNMAP */
		return;
	add(p, ", ");
	fmt_addr(p, v);
}
