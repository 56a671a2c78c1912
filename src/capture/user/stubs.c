// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stubs.c - the stubs through which a program calls functions of libraries (PLT).
 *
 *	.plt, .plt.sec, .plt.got
 *	printf@plt:  [endbr64] [bnd] jmp *SLOT(%rip)        the relocation of SLOT names the symbol
 *	             push $3; jmp .plt                      only in .plt: asks the loader, once
 *
 * A stub is hooked like any function: its first jump moves, and the library's function returns to
 * the thunk. Before the loader has filled the slot, it leads to the push behind the jump, which
 * stays where it is. Whether slots are filled at the start (full RELRO), and how the library
 * selects an implementation (IFUNC), does not matter.
 *
 * Calls without a stub are not recorded: those of -fno-plt, and those through stored pointers.
 * Functions that return twice or look at their return address have no hook (reason.c).
 */
#include "base/map.h"
#include "base/scope.h"
#include "capture/user/image_int.h"
#include "format/bytes.h"

#include <errno.h>
#include <string.h>

#define SLOTS_MAX  (1u << 20)
#define STEP_BYTES 8 /* stubs have 8 or 16 bytes */

static int add_slots(const struct elfview *v, const Elf64_Shdr *section, struct map *slots)
{
	const Elf64_Shdr *symbols = elfview_linked(v, section);
	struct piece table = elfview_contents(v, symbols), relas = elfview_contents(v, section);
	struct piece strings = elfview_contents(v, elfview_linked(v, symbols));

	for (size_t at = 0; at + sizeof(Elf64_Rela) <= relas.len; at += sizeof(Elf64_Rela)) {
		uint64_t symbol;
		const char *name;
		Elf64_Rela rela;
		Elf64_Sym s;
		void **slot;

		memcpy(&rela, relas.data + at, sizeof(rela));
		symbol = ELF64_R_SYM(rela.r_info);
		if (!symbol || symbol >= table.len / sizeof(s))
			continue;
		memcpy(&s, table.data + symbol * sizeof(s), sizeof(s));
		name = elfview_string(strings, s.st_name);
		if (!name || !*name)
			continue;
		slot = map_take(slots, rela.r_offset, SLOTS_MAX);
		if (!slot)
			return -ENOMEM;
		*slot = (void *)name;
	}
	return 0;
}

/* The slot that a stub at the beginning of code jumps through; 0: it is none. */
static uint64_t slot_of(struct piece code, uint64_t address, uint32_t *ret_bytes)
{
	size_t at = code.len >= 4 && !memcmp(code.data, "\xf3\x0f\x1e\xfa", 4) ? 4 : 0;

	at += at < code.len && code.data[at] == 0xf2;
	if (at + 6 > code.len || memcmp(code.data + at, "\xff\x25", 2) != 0)
		return 0;
	*ret_bytes = (uint32_t)at + 6;
	return address + at + 6 +
	       (uint64_t)(int64_t)(int32_t)bytes_get32(code.data + at + 2, false);
}

static int look_through(const struct elfview *v, const Elf64_Shdr *section, const struct map *slots,
			userimage_add_stub *add, void *ctx)
{
	struct piece code = elfview_contents(v, section);

	for (size_t at = 0; at < code.len; at += STEP_BYTES) {
		struct piece rest = {code.data + at, code.len - at};
		uint32_t n_bytes = 0;
		uint64_t slot = slot_of(rest, section->sh_addr + at, &n_bytes);
		const char *name = slot ? map_find(slots, slot) : NULL;

		if (name)
			TRY(add(ctx, name, section->sh_addr + at, n_bytes));
	}
	return 0;
}

static bool has_stubs(const struct elfview *v, const Elf64_Shdr *s)
{
	const char *name = elfview_string(v->section_names, s->sh_name);

	return name && !strncmp(name, ".plt", 4) && s->sh_flags & SHF_EXECINSTR &&
	       s->sh_addr >= v->text.begin && s->sh_addr < v->text.end &&
	       s->sh_size <= v->text.end - s->sh_addr;
}

int userimage_each_stub(const struct elfview *v, userimage_add_stub *add, void *ctx)
{
	SCOPED(map_release) struct map slots = {0};

	for (size_t i = 0; i < v->n_sections; i++)
		if (v->sections[i].sh_type == SHT_RELA)
			TRY(add_slots(v, &v->sections[i], &slots));
	for (size_t i = 0; i < v->n_sections && slots.n; i++)
		if (has_stubs(v, &v->sections[i]))
			TRY(look_through(v, &v->sections[i], &slots, add, ctx));
	return 0;
}
