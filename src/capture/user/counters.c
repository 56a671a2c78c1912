// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * counters.c - the calls that gcc -pg and -mfentry put into every function.
 *
 *	call mcount@PLT              ─▶ a stub: [endbr64] [bnd] jmp *SLOT(%rip)
 *	call *mcount@GOTPCREL(%rip)  ─▶ SLOT
 *	call mcount                  ─▶ the function itself, in a static program
 *
 * The relocation of a slot names its symbol. This file collects the addresses of slots and
 * functions; the processor's part decides whether a call leads there. A program has at most three
 * such names, so the list is short, and empty for nearly all programs.
 */
#include "capture/user/image_int.h"
#include "base/array.h"
#include "format/bytes.h"

#include <errno.h>
#include <string.h>

#define COUNTERS_MAX 64
#define NAMED_MAX    16 /* symbols; versions of the C library's */

static const char *const names[] = {"mcount", "_mcount", "__fentry__"};

static bool is_name(const char *s)
{
	for (size_t i = 0; s && i < ARRAY_LEN(names); i++) {
		size_t len = strlen(names[i]);

		if (!strncmp(s, names[i], len) && (!s[len] || s[len] == '@'))
			return true;
	}
	return false;
}

static void add_counter(struct userimage *img, uint64_t address)
{
	if (img->n_counters < COUNTERS_MAX)
		img->counters[img->n_counters++] = address;
}

/* The slots of symbol number `symbol` of the table that the relocations refer to. */
static void add_slots(struct userimage *img, const Elf64_Shdr *symbols, uint64_t symbol)
{
	for (size_t i = 0; i < img->elf.n_sections; i++) {
		const Elf64_Shdr *s = &img->elf.sections[i];
		struct piece p = elfview_contents(&img->elf, s);

		if (s->sh_type != SHT_RELA || elfview_linked(&img->elf, s) != symbols)
			continue;
		for (size_t at = 0; at + sizeof(Elf64_Rela) <= p.len; at += sizeof(Elf64_Rela)) {
			Elf64_Rela rela;

			memcpy(&rela, p.data + at, sizeof(rela));
			if (ELF64_R_SYM(rela.r_info) == symbol)
				add_counter(img, rela.r_offset);
		}
	}
}

static void look_through(struct userimage *img, const Elf64_Shdr *symbols)
{
	struct piece table = elfview_contents(&img->elf, symbols);
	struct piece strings = elfview_contents(&img->elf, elfview_linked(&img->elf, symbols));
	size_t n = table.len / sizeof(Elf64_Sym), n_named = 0;

	/* one look at all bytes is faster than one at each name */
	if (!memmem(strings.data, strings.len, "mcount", 6) &&
	    !memmem(strings.data, strings.len, "__fentry__", 10))
		return;
	for (size_t i = 1; i < n && n_named < NAMED_MAX; i++) {
		Elf64_Sym s;

		memcpy(&s, table.data + i * sizeof(s), sizeof(s));
		if (!is_name(elfview_string(strings, s.st_name)))
			continue;
		n_named++;
		if (s.st_shndx != SHN_UNDEF)
			add_counter(img, s.st_value);
		if (symbols->sh_type == SHT_DYNSYM)
			add_slots(img, symbols, i);
	}
}

int userimage_find_counters(struct userimage *img)
{
	static const uint32_t types[] = {SHT_DYNSYM, SHT_SYMTAB};

	img->counters = arena_alloc_array(&img->arena, COUNTERS_MAX, sizeof(*img->counters));
	if (!img->counters)
		return -ENOMEM;
	for (size_t i = 0; i < ARRAY_LEN(types); i++) {
		const Elf64_Shdr *s = elfview_section_of_type(&img->elf, types[i]);

		if (s)
			look_through(img, s);
	}
	return 0;
}

bool userimage_is_counter(const struct userimage *img, uint64_t address)
{
	for (size_t i = 0; i < img->n_counters; i++)
		if (img->counters[i] == address)
			return true;
	return false;
}
