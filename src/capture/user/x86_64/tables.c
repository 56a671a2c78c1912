// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tables.c - finds addresses in data that lead into the bytes that a patch overwrites.
 *
 *	switch, -fPIC     lea TABLE(%rip),%rdx; movslq (%rdx,%rax,4),%rax; add %rdx,%rax; jmp *%rax
 *	                  TABLE: distances of 4 bytes, from TABLE
 *	switch, fixed     jmp *TABLE(,%rax,8);  TABLE: addresses
 *	goto *labels[i]   addresses, in a position independent file with relocations
 *
 * A loop around a switch may begin in the first bytes, so a case that continues it leads there.
 *
 *	addresses   those of all relocations; in a file for fixed addresses every aligned word of
 *	            its data that looks like one
 *	distances   only functions with an indirect jump have such tables. Every table that their
 *	            code refers to is read until a number leads out of the text, at most TABLE_MAX;
 *	            what follows a table is another one, and leads to the wrong places, but into
 *	            first bytes only at random
 *
 * To refuse a function without need is better than to crash.
 */
#include "capture/user/x86_64/arch_int.h"
#include "format/bytes.h"

#include <errno.h>
#include <string.h>

#define TABLE_MAX    2048	/* cases of a switch */
#define TABLES_MAX   (8u << 20) /* in all; more than the largest programs have */
#define SECTIONS_MAX 16		/* with relocations */

static void add_found(struct scan *s, uint64_t from, uint64_t to, uint32_t owner)
{
	struct edge e = {.from = from, .to = to, .owner = owner, .is_data = true};

	if (userimage_add_edge(s->img, &e) < 0)
		s->error = -ENOMEM;
}

/*
 * --- addresses ---------------------------------------------------------------------------------
 */

static uint64_t get64(const uint8_t *p)
{
	return bytes_get64(p, bytes_host_is_big());
}

/* Whom to show addresses, and the file that they are in. */
struct reader {
	const struct elfview *elf;
	void (*visit)(void *ctx, uint64_t from, uint64_t address);
	void *ctx;
};

static void read_relocations(const struct reader *r, struct piece p)
{
	for (size_t at = 0; at + sizeof(Elf64_Rela) <= p.len; at += sizeof(Elf64_Rela)) {
		Elf64_Rela rela;

		memcpy(&rela, p.data + at, sizeof(rela));
		if (ELF64_R_TYPE(rela.r_info) == R_X86_64_RELATIVE ||
		    ELF64_R_TYPE(rela.r_info) == R_X86_64_IRELATIVE)
			r->visit(r->ctx, rela.r_offset, rela.r_addend);
	}
}

static void read_word(const struct reader *r, uint64_t address)
{
	const uint8_t *p = elfview_at(r->elf, address, 8);

	if (p)
		r->visit(r->ctx, address, get64(p));
}

/* Packed ones: an address, then bits for the 63 words behind it, and again. */
static void read_packed(const struct reader *r, struct piece p)
{
	uint64_t next = 0;

	for (size_t at = 0; at + 8 <= p.len; at += 8) {
		uint64_t entry = get64(p.data + at);

		if (!(entry & 1)) {
			read_word(r, entry);
			next = entry + 8;
			continue;
		}
		for (unsigned bit = 1; bit < 64; bit++)
			if (entry >> bit & 1)
				read_word(r, next + (bit - 1) * 8);
		next += 63 * 8;
	}
}

/* A file for fixed addresses has no relocations for its own. */
static void read_data(const struct reader *r)
{
	for (size_t i = 0; i < r->elf->n_segments; i++) {
		const Elf64_Phdr *segment = &r->elf->segments[i];
		struct piece p = elfview_from(r->elf, segment->p_vaddr);

		if (segment->p_type != PT_LOAD || segment->p_flags & PF_X)
			continue;
		for (size_t at = -segment->p_vaddr & 7; at + 8 <= p.len; at += 8)
			r->visit(r->ctx, segment->p_vaddr + at, get64(p.data + at));
	}
}

void x86_each_address(const struct userimage *img,
		      void (*visit)(void *ctx, uint64_t from, uint64_t address), void *ctx)
{
	struct reader r = {&img->elf, visit, ctx};

	for (size_t i = 0, n = 0; i < img->elf.n_sections && n < SECTIONS_MAX; i++) {
		const Elf64_Shdr *section = &img->elf.sections[i];
		bool is_packed = section->sh_type == SHT_RELR;

		if (!is_packed &&
		    (section->sh_type != SHT_RELA || !(section->sh_flags & SHF_ALLOC)))
			continue;
		n++;
		if (is_packed)
			read_packed(&r, elfview_contents(&img->elf, section));
		else
			read_relocations(&r, elfview_contents(&img->elf, section));
	}
	if (img->elf.head.e_type == ET_EXEC)
		read_data(&r);
}

static void visit_address(void *ctx, uint64_t from, uint64_t address)
{
	struct scan *s = ctx;

	if (sieve_has(&s->sieve, address))
		add_found(s, from, address, NO_FUNCTION);
}

/*
 * --- distances ---------------------------------------------------------------------------------
 */

/* jmp *%reg, wherever instructions begin. */
static bool jumps_by_register(struct piece code)
{
	const uint8_t *p = code.data, *end = code.data + code.len;

	while (p + 1 < end && (p = memchr(p, 0xff, end - p - 1))) {
		if ((p[1] & 0xf8) == 0xe0)
			return true;
		p++;
	}
	return false;
}

static bool is_in_text(const struct scan *s, uint64_t address)
{
	return address - s->sieve.begin < s->sieve.n_bytes;
}

static void read_table(struct scan *s, size_t index, uint64_t table)
{
	const struct function *f = &s->img->functions[index];
	uint64_t start = f->pub.address + f->n_skipped;
	struct piece p = elfview_from(&s->img->elf, table);

	for (size_t i = 0; i < TABLE_MAX && i * 4 + 4 <= p.len; i++) {
		uint64_t target = table + x86_get32(p.data + i * 4);

		/* too many: assume that the others may lead anywhere */
		if (s->n_read++ > TABLES_MAX) {
			add_found(s, table, start + 1, index);
			return;
		}

		if (!is_in_text(s, target))
			return;
		if (target >= start && target < start + JUMP_BYTES &&
		    (target == start || sieve_has(&s->sieve, target)))
			add_found(s, table + i * 4, target, index);
	}
}

/* Every lea that may be in the function, and the table that it refers to. */
static void read_tables(struct scan *s, size_t index)
{
	const struct userimage_function *f = &s->img->functions[index].pub;
	struct piece code = userimage_code(s->img, f->address);

	if (code.len > f->n_bytes)
		code.len = f->n_bytes;
	if (!jumps_by_register(code))
		return;
	for (size_t at = 1; at + 6 <= code.len; at++) {
		const uint8_t *p = code.data + at;
		uint64_t table;

		if (p[0] != 0x8d || (p[1] & 0xc7) != 5 || (p[-1] & 0xf8) != 0x48)
			continue;
		table = f->address + at + 6 + x86_get32(p + 2);
		if (!(table & 3) && !is_in_text(s, table))
			read_table(s, index, table);
	}
}

void x86_scan_tables(struct scan *s)
{
	x86_each_address(s->img, visit_address, s);
	for (size_t i = 0; i < s->img->n_functions; i++)
		if (userimage_is_wanted(&s->img->functions[i]))
			read_tables(s, i);
}
