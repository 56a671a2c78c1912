// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * plt.c - finds out where the stubs of a program jump to.
 *
 *	.plt, .plt.sec, .plt.got      stubs of 16 or 8 bytes: … jmp *slot(%rip) …
 *	.rela.plt, .rela.dyn          for each slot the symbol whose address it gets
 *
 * The order of stubs depends on the linker and its options, so the jump itself is decoded: its slot
 * names the relocation. Only x86-64 is known; stubs of other processors have no names.
 */
#include "symbols/plt.h"

#include "base/array.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECTIONS_MAX  4
#define SLOTS_MAX     (1u << 20)
#define STUB_BYTES    16u
#define SECTION_BYTES (64u << 20)

struct stubs {
	uint64_t address;
	const uint8_t *bytes; /* of libelf */
	size_t n_bytes;
	unsigned each;
};

struct slot {
	uint64_t address;
	const char *name; /* of libelf */
};

struct plt {
	int fd;
	Elf *elf;
	struct stubs stubs[SECTIONS_MAX];
	unsigned n_stubs;
	struct slot *slots;
	size_t n_slots, cap_slots;
};

static void add_stubs(struct plt *p, Elf_Scn *scn, const GElf_Shdr *sh, const char *name)
{
	Elf_Data *data = sh->sh_size <= SECTION_BYTES ? elf_getdata(scn, NULL) : NULL;

	if (!data || !data->d_buf || p->n_stubs == SECTIONS_MAX)
		return;
	p->stubs[p->n_stubs++] =
		(struct stubs){sh->sh_addr, data->d_buf, data->d_size,
			       !strcmp(name, ".plt.got") && sh->sh_entsize == 8 ? 8 : STUB_BYTES};
}

static void add_slots(struct plt *p, Elf_Scn *scn, const GElf_Shdr *sh)
{
	Elf_Data *rel = elf_getdata(scn, NULL), *syms = NULL;
	Elf_Scn *symtab = elf_getscn(p->elf, sh->sh_link);
	GElf_Shdr symhead;
	GElf_Rela r;

	if (symtab && gelf_getshdr(symtab, &symhead))
		syms = elf_getdata(symtab, NULL);
	for (int i = 0; rel && syms && gelf_getrela(rel, i, &r); i++) {
		uint64_t type = GELF_R_TYPE(r.r_info);
		const char *name;
		GElf_Sym sym;

		if ((type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) ||
		    !gelf_getsym(syms, (int)GELF_R_SYM(r.r_info), &sym))
			continue;
		name = elf_strptr(p->elf, symhead.sh_link, sym.st_name);
		if (!name || !*name ||
		    !ARRAY_ROOM(p->slots, p->cap_slots, p->n_slots + 1, SLOTS_MAX))
			continue;
		p->slots[p->n_slots++] = (struct slot){r.r_offset, name};
	}
}

ARRAY_ORDER(by_address, struct slot, COMPARE(x->address, y->address))

static void read_sections(struct plt *p)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	size_t names;

	if (elf_getshdrstrndx(p->elf, &names) < 0)
		return;
	while ((scn = elf_nextscn(p->elf, scn))) {
		const char *name =
			gelf_getshdr(scn, &sh) ? elf_strptr(p->elf, names, sh.sh_name) : NULL;

		if (name && sh.sh_type == SHT_PROGBITS && !strncmp(name, ".plt", 4))
			add_stubs(p, scn, &sh, name);
		else if (sh.sh_type == SHT_RELA && sh.sh_flags & SHF_ALLOC)
			add_slots(p, scn, &sh);
	}
	if (p->n_slots)
		qsort(p->slots, p->n_slots, sizeof(*p->slots), by_address);
}

struct plt *plt_open(const char *path)
{
	struct plt *p = calloc(1, sizeof(*p));
	GElf_Ehdr head;

	if (!p)
		return NULL;
	elf_version(EV_CURRENT);
	p->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	p->elf = p->fd < 0 ? NULL : elf_begin(p->fd, ELF_C_READ, NULL);
	if (p->elf && gelf_getehdr(p->elf, &head) && head.e_machine == EM_X86_64)
		read_sections(p);
	if (p->n_stubs && p->n_slots)
		return p;
	plt_close(p);
	return NULL;
}

void plt_close(struct plt *p)
{
	if (!p)
		return;
	elf_end(p->elf);
	if (p->fd >= 0)
		close(p->fd);
	free(p->slots);
	free(p);
}

/* The slot of the jump in a stub, n bytes at an address: ff 25 and a distance. 0: there is none. */
static uint64_t find_slot(const uint8_t *stub, size_t n, uint64_t address)
{
	for (size_t i = 0; i + 6 <= n; i++) {
		int32_t distance;

		if (stub[i] != 0xff || stub[i + 1] != 0x25)
			continue;
		memcpy(&distance, stub + i + 2, 4);
		return address + i + 6 + (uint64_t)(int64_t)distance;
	}
	return 0;
}

bool plt_find(const struct plt *p, uint64_t address, char *name, size_t n_bytes,
	      uint64_t *ret_start)
{
	for (unsigned i = 0; i < p->n_stubs; i++) {
		const struct stubs *s = &p->stubs[i];
		uint64_t at = (address - s->address) / s->each * s->each, slot;
		size_t k, n;

		if (address < s->address || address - s->address >= s->n_bytes)
			continue;
		n = s->n_bytes - at < s->each ? s->n_bytes - at : s->each;
		slot = find_slot(s->bytes + at, n, s->address + at);
		k = ARRAY_BISECT(p->n_slots, j, p->slots[j].address < slot);
		if (!slot || k >= p->n_slots || p->slots[k].address != slot)
			return false;
		snprintf(name, n_bytes, "%s@plt", p->slots[k].name);
		*ret_start = s->address + at;
		return true;
	}
	return false;
}
