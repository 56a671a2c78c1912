// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * exports.c - finds where a library's variable really is, if programs refer to it.
 *
 * A program that was linked against a library's variable (extern int optind) has a copy of it, made
 * when the program starts (copy relocation). From then on everything uses the copy, including the
 * library, which accesses the variable through its own pointer that the loader fills (its slot in
 * the GOT).
 *
 *	program     optind  ◀──────────┐                  the copy, in use
 *	library     slot of optind  ───┘
 *	            optind                                as in the symbol table, in use only if no
 *	                                                  program copied it
 *
 * So the library's own place is right only for variables that are not exported, or bound locally by
 * the linker (protected, -Bsymbolic). Otherwise the slot has the address, if the library has one.
 */
#include "base/array.h"
#include "symbols/dwarf/debuginfo_int.h"

#define ENTRIES_MAX (1u << 22)

#ifndef DF_1_PIE
#define DF_1_PIE 0x08000000
#endif

/* The type of relocation that stores the address of a symbol in a slot. */
static const struct {
	unsigned machine, type;
} slot_types[] = {{EM_X86_64, R_X86_64_GLOB_DAT},
		  {EM_AARCH64, R_AARCH64_GLOB_DAT},
		  {EM_S390, R_390_GLOB_DAT},
		  {EM_PPC64, R_PPC64_GLOB_DAT},
		  {EM_RISCV, R_RISCV_64}};

static bool find_section(Elf *elf, unsigned type, Elf_Scn **ret, GElf_Shdr *ret_header)
{
	while ((*ret = elf_nextscn(elf, *ret)))
		if (gelf_getshdr(*ret, ret_header) && ret_header->sh_type == type)
			return true;
	return false;
}

static size_t entries_of(const GElf_Shdr *sh)
{
	size_t n = sh->sh_entsize ? sh->sh_size / sh->sh_entsize : 0;

	return n < ENTRIES_MAX ? n : ENTRIES_MAX;
}

/*
 * Returns true for a library whose symbols may be defined elsewhere: it is not a program, and not
 * bound locally.
 */
static bool is_open_library(Elf *elf)
{
	Elf_Scn *scn = NULL;
	Elf_Data *data;
	GElf_Ehdr head;
	GElf_Shdr sh;
	GElf_Dyn dyn;

	if (!gelf_getehdr(elf, &head) || head.e_type != ET_DYN ||
	    !find_section(elf, SHT_DYNAMIC, &scn, &sh))
		return false;
	data = elf_getdata(scn, NULL);
	for (size_t i = 0; i < entries_of(&sh) && gelf_getdyn(data, i, &dyn); i++)
		if (dyn.d_tag == DT_SYMBOLIC ||
		    (dyn.d_tag == DT_FLAGS && dyn.d_un.d_val & DF_SYMBOLIC) ||
		    (dyn.d_tag == DT_FLAGS_1 && dyn.d_un.d_val & DF_1_PIE))
			return false;
	return true;
}

static bool is_export_of(const GElf_Sym *sym, uint64_t address)
{
	return GELF_ST_TYPE(sym->st_info) == STT_OBJECT && sym->st_shndx != SHN_UNDEF &&
	       sym->st_value == address && GELF_ST_BIND(sym->st_info) != STB_LOCAL &&
	       GELF_ST_VISIBILITY(sym->st_other) == STV_DEFAULT;
}

/*
 * Finds a slot of the variable. Several names may denote the same variable (environ, __environ);
 * any of their slots will do.
 */
static uint64_t find_slot(Elf *elf, Elf_Data *symbols, uint64_t address)
{
	Elf_Scn *scn = NULL;
	unsigned type = 0;
	GElf_Ehdr head;
	GElf_Shdr sh;
	GElf_Rela rela;
	GElf_Sym sym;

	gelf_getehdr(elf, &head);
	for (size_t i = 0; i < ARRAY_LEN(slot_types); i++)
		if (slot_types[i].machine == head.e_machine)
			type = slot_types[i].type;
	while (type && find_section(elf, SHT_RELA, &scn, &sh)) {
		Elf_Data *data = elf_getdata(scn, NULL);

		for (size_t i = 0; i < entries_of(&sh) && gelf_getrela(data, i, &rela); i++)
			if (GELF_R_TYPE(rela.r_info) == type && !rela.r_addend &&
			    gelf_getsym(symbols, GELF_R_SYM(rela.r_info), &sym) &&
			    is_export_of(&sym, address))
				return rela.r_offset;
	}
	return 0;
}

bool debuginfo_may_be_copied(struct debuginfo *d, uint64_t address, uint64_t *ret_slot)
{
	Elf_Scn *scn = NULL;
	Elf_Data *symbols;
	GElf_Shdr sh;
	GElf_Sym sym;

	*ret_slot = 0;
	if (d->is_kernel || d->is_relocatable || !is_open_library(d->elf) ||
	    !find_section(d->elf, SHT_DYNSYM, &scn, &sh))
		return false;
	symbols = elf_getdata(scn, NULL);
	for (size_t i = 1; i < entries_of(&sh) && gelf_getsym(symbols, i, &sym); i++)
		if (is_export_of(&sym, address)) {
			*ret_slot = find_slot(d->elf, symbols, address);
			return true;
		}
	return false;
}
