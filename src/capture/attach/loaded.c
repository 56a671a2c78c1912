// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * loaded.c - a small loader: segments, two kinds of relocations, one symbol.
 *
 * The library is linked without any other (runtime/meson.build), so nothing has to be found in the
 * process. R_X86_64_RELATIVE gets the address where it is loaded. R_X86_64_TPOFF64 is the place of
 * a variable of the thread, from the thread pointer: such variables lie in the thread control
 * block, from SNRT_TCB_AT on.
 */
#include "capture/attach/loaded.h"

#include "base/array.h"
#include "runtime/library.h"
#include "runtime/snrt.h"

#include <elf.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE  4096ull
#define TABLE "snrt_calls"

static const Elf64_Ehdr *head(void)
{
	return (const Elf64_Ehdr *)runtime_attached;
}

static const Elf64_Phdr *segments(void)
{
	return (const Elf64_Phdr *)(runtime_attached + head()->e_phoff);
}

static const Elf64_Shdr *find_section(uint32_t type)
{
	const Elf64_Shdr *s = (const Elf64_Shdr *)(runtime_attached + head()->e_shoff);

	return ARRAY_FIND(s, head()->e_shnum, i, s[i].sh_type == type);
}

size_t loaded_bytes(void)
{
	uint64_t end = 0;

	if (runtime_attached_bytes < sizeof(Elf64_Ehdr))
		return 0;
	for (unsigned i = 0; i < head()->e_phnum; i++)
		if (segments()[i].p_type == PT_LOAD &&
		    segments()[i].p_vaddr + segments()[i].p_memsz > end)
			end = segments()[i].p_vaddr + segments()[i].p_memsz;
	return (end + PAGE - 1) & ~(PAGE - 1);
}

bool loaded_is(const uint8_t *bytes)
{
	_Static_assert(LOADED_HEAD == sizeof(Elf64_Ehdr), "no relocation changes it");
	return !memcmp(bytes, runtime_attached, LOADED_HEAD);
}

static bool relocate(uint8_t *memory, uint64_t base, const Elf64_Rela *r)
{
	uint64_t value;

	if (ELF64_R_TYPE(r->r_info) == R_X86_64_RELATIVE)
		value = base + (uint64_t)r->r_addend;
	else if (ELF64_R_TYPE(r->r_info) == R_X86_64_TPOFF64 && !ELF64_R_SYM(r->r_info) &&
		 (uint64_t)r->r_addend < SNRT_TCB_BYTES)
		value = SNRT_TCB_AT + (uint64_t)r->r_addend;
	else
		return false;
	memcpy(memory + r->r_offset, &value, sizeof(value));
	return true;
}

bool loaded_write(uint8_t *memory, uint64_t base)
{
	const Elf64_Shdr *s = find_section(SHT_RELA);

	memset(memory, 0, loaded_bytes());
	for (unsigned i = 0; i < head()->e_phnum; i++)
		if (segments()[i].p_type == PT_LOAD)
			memcpy(memory + segments()[i].p_vaddr,
			       runtime_attached + segments()[i].p_offset, segments()[i].p_filesz);
	for (uint64_t at = 0; s && at < s->sh_size; at += sizeof(Elf64_Rela))
		if (!relocate(memory, base,
			      (const Elf64_Rela *)(runtime_attached + s->sh_offset + at)))
			return false;
	return s;
}

bool loaded_part(unsigned number, uint64_t *ret_at, uint64_t *ret_bytes, int *ret_prot)
{
	for (unsigned i = 0; i < head()->e_phnum; i++) {
		const Elf64_Phdr *p = &segments()[i];

		if (p->p_type != PT_LOAD || number--)
			continue;
		*ret_at = p->p_vaddr & ~(PAGE - 1);
		*ret_bytes = ((p->p_vaddr + p->p_memsz + PAGE - 1) & ~(PAGE - 1)) - *ret_at;
		*ret_prot = (p->p_flags & PF_R ? PROT_READ : 0) |
			    (p->p_flags & PF_W ? PROT_WRITE : 0) |
			    (p->p_flags & PF_X ? PROT_EXEC : 0);
		return true;
	}
	return false;
}

uint64_t loaded_calls(void)
{
	const Elf64_Shdr *s = find_section(SHT_DYNSYM), *all, *names;

	if (!s)
		return 0;
	all = (const Elf64_Shdr *)(runtime_attached + head()->e_shoff);
	names = &all[s->sh_link];
	for (uint64_t at = 0; at < s->sh_size; at += sizeof(Elf64_Sym)) {
		const Elf64_Sym *sym = (const Elf64_Sym *)(runtime_attached + s->sh_offset + at);

		if (!strcmp((const char *)runtime_attached + names->sh_offset + sym->st_name,
			    TABLE))
			return sym->st_value;
	}
	return 0;
}
