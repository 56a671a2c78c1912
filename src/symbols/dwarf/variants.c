// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * variants.c - drops variants of C++ constructors and destructors that call another probed variant.
 *
 *	_ZN3BoxD0Ev     destroys the object and frees it:  calls D1, or has it inlined
 *	_ZN3BoxD1Ev     destroys the whole object:         calls D2, or is the same code
 *	_ZN3BoxD2Ev     without its virtual bases
 *	_ZN3BoxC1Ev     likewise C1 calls C2
 *
 * All are "Box::~Box", so one destruction would be counted two or three times. So variants whose
 * code calls or jumps to another probed variant are skipped, and so are copies inlined into one.
 * Calls are found in the code itself, only on x86-64: e8 and e9 with a distance, directly or
 * through the .plt of a library, whose entry jumps to the symbol that a relocation names.
 */
#include "base/scope.h"
#include "format/bytes.h"
#include "symbols/dwarf/points_int.h"

#include "symbols/arch.h"
#include "symbols/insn/instruction.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define VARIANT_MAX_BYTES 65536
#define STUB_BYTES	  16

/*
 * Returns the position of the digit in "_ZN3BoxD0Ev", or 0 if the symbol is no constructor or
 * destructor.
 */
static size_t find_digit(const char *symbol)
{
	if (!symbol || strncmp(symbol, "_ZN", 3))
		return 0;
	for (size_t i = 4; symbol[i]; i++)
		if (symbol[i] >= '0' && symbol[i] <= '2' &&
		    (symbol[i - 1] == 'D' || symbol[i - 1] == 'C') && symbol[i + 1] == 'E')
			return i;
	return 0;
}

static bool are_variants(const char *a, const char *b)
{
	size_t i = find_digit(a);

	return i && b && find_digit(b) == i && !strncmp(a, b, i) && !strcmp(a + i + 1, b + i + 1);
}

static uint64_t entry_of(const struct debuginfo_point *p)
{
	return p->address - p->symbol_offset;
}

/*
 * --- calls -------------------------------------------------------------------------------------
 */

static uint64_t target_of(const uint8_t *code, unsigned n, uint64_t here)
{
	int32_t distance;

	memcpy(&distance, code + n - 4, sizeof(distance));
	return here + n + (uint64_t)(int64_t)distance;
}

/*
 * Returns the cell of the linker's table through which a .plt stub jumps, "f3 0f 1e fa ff 25
 * disp32", or 0 if the code is no stub.
 */
static uint64_t cell_of_stub(struct debuginfo *d, uint64_t address)
{
	struct piece code = code_at(d, address);
	size_t at = 0;

	if (code.len < STUB_BYTES)
		return 0;
	if (!memcmp(code.data, "\xf3\x0f\x1e\xfa", 4))
		at = 4;
	at += code.data[at] == 0xf2;
	if (code.data[at] != 0xff || code.data[at + 1] != 0x25)
		return 0;
	return target_of(code.data + at, 6, address + at);
}

/* Returns true if the stub calls a symbol of that name. */
static bool is_stub_of(struct debuginfo *d, uint64_t address, const char *name)
{
	uint64_t cell = cell_of_stub(d, address);
	Elf *elf = cell ? dwfl_module_getelf(d->module, &(GElf_Addr){0}) : NULL;
	Elf_Scn *scn = NULL;

	while (elf && (scn = elf_nextscn(elf, scn))) {
		Elf_Data *data, *symbols;
		GElf_Shdr sh, strings;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_RELA || !sh.sh_link)
			continue;
		data = elf_getdata(scn, NULL);
		symbols = elf_getdata(elf_getscn(elf, sh.sh_link), NULL);
		if (!data || !symbols || !gelf_getshdr(elf_getscn(elf, sh.sh_link), &strings))
			continue;
		for (int i = 0; sh.sh_entsize && i < (int)(sh.sh_size / sh.sh_entsize); i++) {
			const char *found;
			GElf_Rela rela;
			GElf_Sym sym;

			if (!gelf_getrela(data, i, &rela) || rela.r_offset != cell ||
			    !gelf_getsym(symbols, (int)GELF_R_SYM(rela.r_info), &sym))
				continue;
			found = elf_strptr(elf, strings.sh_link, sym.st_name);
			return found && !strcmp(found, name);
		}
	}
	return false;
}

static bool calls(struct debuginfo *d, const struct debuginfo_point *from,
		  const struct debuginfo_point *to)
{
	const struct symbol *symbol = symbol_at(d, entry_of(from));
	struct piece code = code_at(d, entry_of(from));
	size_t end = symbol && symbol->n_bytes < VARIANT_MAX_BYTES ? symbol->n_bytes : 0;

	if (!d->arch || strcmp(d->arch->name, "x86_64"))
		return false;
	for (size_t at = 0; at < end && at < code.len;) {
		const uint8_t *insn = code.data + at;
		unsigned n = instruction_length(d->arch, insn, code.len - at);
		uint64_t target;

		if (!n)
			return false;
		if (n == 5 && (insn[0] == 0xe8 || insn[0] == 0xe9)) {
			target = target_of(insn, n, entry_of(from) + at);
			if (target == entry_of(to) || is_stub_of(d, target, to->symbol))
				return true;
		}
		at += n;
	}
	return false;
}

/*
 * --- which are left out ------------------------------------------------------------------------
 */

static bool is_second_hit(const struct search *s, const struct debuginfo_point *p)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct debuginfo_point *other = &s->list[i];

		if (other == p || other->inlined_into || !other->symbol ||
		    strcmp(other->function, p->function))
			continue;
		if (p->inlined_into
			    ? !strcmp(p->symbol, other->symbol)
			    : are_variants(p->symbol, other->symbol) &&
				      entry_of(p) != entry_of(other) && calls(s->d, p, other))
			return true;
	}
	return false;
}

int points_drop_variants(struct search *s)
{
	SCOPED(scope_free) bool *drop = calloc(s->n + 1, sizeof(*drop));
	size_t n = 0;

	if (!drop)
		return -ENOMEM;
	for (size_t i = 0; i < s->n; i++)
		drop[i] = find_digit(s->list[i].symbol) && s->list[i].function &&
			  is_second_hit(s, &s->list[i]);
	for (size_t i = 0; i < s->n; i++) {
		if (drop[i])
			s->n_variants++;
		else
			s->list[n++] = s->list[i];
	}
	s->n = n;
	return 0;
}
