// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * symbols.c - finds functions of the symbol table by address and by name.
 *
 *	symbols_list    once: directly from .symtab if it is simple, else through libdwfl (tables of
 *	                separate and compressed debug files, sections of a kernel module that have
 *	                no addresses yet)
 *	symbol_at       the first look-ups scan .symtab itself, or the list; later ones sort the
 *	                list
 *
 * In .symtab a library's names have versions, sem_wait@@GLIBC_2.34 (@@: the default for new
 * programs). The versions are removed: the name is sem_wait, which may occur in several versions.
 */
#include "base/arena.h"
#include "base/array.h"
#include "symbols/dwarf/debuginfo_int.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SYMBOLS_MAX (1u << 22)
#define SCANS_MAX   8 /* look-ups before the table is sorted */

static int compare_symbols(const void *pa, const void *pb)
{
	const struct symbol *a = pa, *b = pb;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	if (a->is_global != b->is_global)
		return a->is_global ? -1 : 1;
	return strcmp(a->name, b->name);
}

/*
 * --- the list ----------------------------------------------------------------------------------
 */

static bool is_function(const GElf_Sym *sym, const char *name)
{
	int type = GELF_ST_TYPE(sym->st_info);

	return name && *name && sym->st_shndx != SHN_UNDEF &&
	       (type == STT_FUNC || type == STT_GNU_IFUNC);
}

static bool is_global(const GElf_Sym *sym)
{
	return GELF_ST_BIND(sym->st_info) != STB_LOCAL;
}

static bool make_symbol(struct debuginfo *d, const char *name, uint64_t address,
			const GElf_Sym *sym, struct symbol *ret)
{
	const char *at = strchr(name + 1, '@');

	*ret = (struct symbol){name, address, sym->st_size, is_global(sym),
			       GELF_ST_TYPE(sym->st_info) == STT_GNU_IFUNC};
	if (!at)
		return true;
	ret->version = at + 1 + (at[1] == '@');
	ret->name = arena_strndup(&d->arena, name, at - name);
	return ret->name;
}

static bool take_symbol(struct debuginfo *d, int i, struct symbol *ret)
{
	GElf_Sym sym;
	GElf_Addr address;
	GElf_Word section;
	const char *name =
		dwfl_module_getsym_info(d->module, i, &sym, &address, &section, NULL, NULL);

	return is_function(&sym, name) && make_symbol(d, name, address - d->elf_bias, &sym, ret);
}

static int list_by_libdwfl(struct debuginfo *d)
{
	int n = dwfl_module_getsymtab(d->module);

	if (n <= 0)
		return 0;
	if ((unsigned)n > SYMBOLS_MAX)
		n = SYMBOLS_MAX;
	d->symbols = malloc(n * sizeof(*d->symbols));
	if (!d->symbols)
		return -ENOMEM;
	for (int i = 1; i < n; i++)
		d->n_symbols += take_symbol(d, i, &d->symbols[d->n_symbols]);
	return 0;
}

/*
 * Finds .symtab of the file itself, and its strings, which end with a 0. Returns false if the file
 * needs libdwfl.
 */
static bool find_symtab(struct debuginfo *d, Elf_Data **ret_symbols, Elf_Data **ret_names)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	if (d->is_relocatable || d->types.pointer_bytes != 8)
		return false;
	while ((scn = elf_nextscn(d->elf, scn))) {
		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_SYMTAB)
			continue;
		*ret_symbols = elf_getdata(scn, NULL);
		scn = elf_getscn(d->elf, sh.sh_link);
		*ret_names = scn ? elf_getdata(scn, NULL) : NULL;
		return *ret_symbols && *ret_names && (*ret_names)->d_size &&
		       !((char *)(*ret_names)->d_buf)[(*ret_names)->d_size - 1];
	}
	return false;
}

static const char *name_in(const Elf_Data *names, const Elf64_Sym *s)
{
	return s->st_name < names->d_size ? (char *)names->d_buf + s->st_name : NULL;
}

/* Makes the list from .symtab. libelf has converted the symbols to this machine's byte order. */
static int list_symtab(struct debuginfo *d, const Elf_Data *symbols, const Elf_Data *names)
{
	const Elf64_Sym *syms = symbols->d_buf;
	size_t n = symbols->d_size / sizeof(*syms), n_functions = 0;

	for (size_t i = 1; i < n; i++)
		n_functions += GELF_ST_TYPE(syms[i].st_info) == STT_FUNC ||
			       GELF_ST_TYPE(syms[i].st_info) == STT_GNU_IFUNC;
	if (n_functions > SYMBOLS_MAX)
		n_functions = SYMBOLS_MAX;
	d->symbols = malloc((n_functions + 1) * sizeof(*d->symbols));
	if (!d->symbols)
		return -ENOMEM;
	for (size_t i = 1; i < n && d->n_symbols < n_functions; i++) {
		const Elf64_Sym *s = &syms[i];
		const char *name = name_in(names, s);

		if (is_function(s, name))
			d->n_symbols +=
				make_symbol(d, name, s->st_value, s, &d->symbols[d->n_symbols]);
	}
	return 0;
}

int symbols_list(struct debuginfo *d)
{
	Elf_Data *symbols, *names;

	if (d->has_symbols)
		return 0;
	d->has_symbols = true;
	if (find_symtab(d, &symbols, &names))
		return list_symtab(d, symbols, names);
	return list_by_libdwfl(d);
}

bool symbols_are_stripped(struct debuginfo *d)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	size_t names;

	if (d->dwarf || elf_getshdrstrndx(d->elf, &names) < 0)
		return false;
	while ((scn = elf_nextscn(d->elf, scn))) {
		const char *name =
			gelf_getshdr(scn, &sh) ? elf_strptr(d->elf, names, sh.sh_name) : NULL;

		if (sh.sh_type == SHT_SYMTAB || (name && !strcmp(name, ".gnu_debugdata")))
			return false;
	}
	return true;
}

/*
 * --- look-ups ----------------------------------------------------------------------------------
 */

void symbols_sort(struct debuginfo *d)
{
	if (!d->is_sorted && d->n_symbols)
		qsort(d->symbols, d->n_symbols, sizeof(*d->symbols), compare_symbols);
	d->is_sorted = true;
	d->n_asked = SCANS_MAX;
}

static bool covers(const struct symbol *s, uint64_t address)
{
	return !s->n_bytes || address - s->address < s->n_bytes;
}

static bool is_nearer(const struct symbol *s, const struct symbol *best, uint64_t address)
{
	if (s->address > address || (best && s->address < best->address))
		return false;
	return !best || s->address > best->address || compare_symbols(s, best) < 0;
}

/*
 * Finds a symbol without the list. Names are read only for symbols that are closer than all before.
 */
static const struct symbol *scan_symtab(struct debuginfo *d, uint64_t address,
					const Elf_Data *symbols, const Elf_Data *names)
{
	const Elf64_Sym *syms = symbols->d_buf;
	struct symbol *best = arena_alloc(&d->arena, sizeof(*best));
	size_t found = 0;

	for (size_t i = 1; best && i < symbols->d_size / sizeof(*syms); i++) {
		struct symbol s = {"", syms[i].st_value, syms[i].st_size, is_global(&syms[i])};

		if (s.address > address || (found && s.address < best->address) ||
		    syms[i].st_name >= names->d_size)
			continue;
		s.name = (char *)names->d_buf + syms[i].st_name;
		if (!is_function(&syms[i], s.name) || !is_nearer(&s, found ? best : NULL, address))
			continue;
		*best = s;
		found = i;
	}
	return found && covers(best, address) &&
			       make_symbol(d, best->name, best->address, &syms[found], best)
		       ? best
		       : NULL;
}

/*
 * Finds the best symbol at or before the address in the unsorted list: one or two look-ups need no
 * sorting.
 */
static const struct symbol *scan_symbols(struct debuginfo *d, uint64_t address)
{
	const struct symbol *best = NULL;
	Elf_Data *symbols, *names;

	if (!d->has_symbols && find_symtab(d, &symbols, &names))
		return scan_symtab(d, address, symbols, names);
	if (symbols_list(d) < 0)
		return NULL;
	for (size_t i = 0; i < d->n_symbols; i++)
		if (is_nearer(&d->symbols[i], best, address))
			best = &d->symbols[i];
	return best && covers(best, address) ? best : NULL;
}

const struct symbol *symbol_at(struct debuginfo *d, uint64_t address)
{
	size_t n;

	if (d->n_asked < SCANS_MAX) {
		d->n_asked++;
		return scan_symbols(d, address);
	}
	if (symbols_list(d) < 0)
		return NULL;
	symbols_sort(d);
	n = ARRAY_BISECT(d->n_symbols, i, d->symbols[i].address <= address);
	if (!n)
		return NULL;
	for (n--; n && d->symbols[n - 1].address == d->symbols[n].address;)
		n--;
	return covers(&d->symbols[n], address) ? &d->symbols[n] : NULL;
}

const struct symbol *symbol_named(struct debuginfo *d, const char *name)
{
	if (symbols_list(d) < 0)
		return NULL;
	return ARRAY_FIND(d->symbols, d->n_symbols, i, !strcmp(d->symbols[i].name, name));
}

bool symbol_has_name(const struct symbol *s, const char *name, const char *version)
{
	return !strcmp(s->name, name) && (!version || (s->version && !strcmp(s->version, version)));
}

/* Visits the symbols of .symtab itself, while the list does not exist. */
static int each_in_symtab(struct debuginfo *d, const char *name, const Elf_Data *symbols,
			  const Elf_Data *names,
			  int (*visit)(void *ctx, const struct symbol *symbol), void *ctx)
{
	const Elf64_Sym *syms = symbols->d_buf;
	size_t len = strlen(name);
	int r = 0;

	for (size_t i = 1; r >= 0 && i < symbols->d_size / sizeof(*syms); i++) {
		const char *whole = name_in(names, &syms[i]);
		struct symbol symbol;

		if (is_function(&syms[i], whole) && !strncmp(whole, name, len) &&
		    (!whole[len] || whole[len] == '@') &&
		    make_symbol(d, whole, syms[i].st_value, &syms[i], &symbol))
			r = visit(ctx, &symbol);
	}
	return r;
}

int symbols_each_named(struct debuginfo *d, const char *name,
		       int (*visit)(void *ctx, const struct symbol *symbol), void *ctx)
{
	Elf_Data *symbols, *names;
	int r;

	if (!d->has_symbols && find_symtab(d, &symbols, &names))
		return each_in_symtab(d, name, symbols, names, visit, ctx);
	r = symbols_list(d);
	for (size_t i = 0; r >= 0 && i < d->n_symbols; i++)
		if (!strcmp(d->symbols[i].name, name))
			r = visit(ctx, &d->symbols[i]);
	return r;
}

bool symbol_has_version(struct debuginfo *d, const char *name, const char *version)
{
	for (size_t i = 0; symbols_list(d) >= 0 && i < d->n_symbols; i++)
		if (symbol_has_name(&d->symbols[i], name, version))
			return true;
	return false;
}

/* Returns true if a is the better of two names for one address: "free", not "__libc_free". */
static bool is_plainer(const struct symbol *a, const struct symbol *b)
{
	size_t n_a = strspn(a->name, "_"), n_b = strspn(b->name, "_");

	if (a->is_global != b->is_global)
		return a->is_global;
	return n_a != n_b ? n_a < n_b : strlen(a->name) < strlen(b->name);
}

/*
 * Visits the jumps to functions of libraries. A program that is not relocated has addresses for
 * these jumps: the values of symbols that it does not define.
 */
static int each_jump(struct debuginfo *d,
		     int (*visit)(void *ctx, const char *name, uint64_t address, uint64_t n_bytes),
		     void *ctx)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	int r = 0;

	while (r >= 0 && (scn = elf_nextscn(d->elf, scn))) {
		Elf_Data *data = gelf_getshdr(scn, &sh) && sh.sh_type == SHT_DYNSYM
					 ? elf_getdata(scn, NULL)
					 : NULL;
		GElf_Sym sym;

		for (int i = 1; data && r >= 0 && gelf_getsym(data, i, &sym); i++) {
			const char *name = elf_strptr(d->elf, sh.sh_link, sym.st_name);

			if (name && *name && sym.st_shndx == SHN_UNDEF && sym.st_value &&
			    GELF_ST_TYPE(sym.st_info) == STT_FUNC)
				r = visit(ctx, name, sym.st_value, 1);
		}
	}
	return r;
}

int debuginfo_each_symbol(struct debuginfo *d,
			  int (*visit)(void *ctx, const char *name, uint64_t address,
				       uint64_t n_bytes),
			  void *ctx)
{
	int r = symbols_list(d);

	symbols_sort(d);
	for (size_t i = 0, next; i < d->n_symbols && r >= 0; i = next) {
		const struct symbol *s = &d->symbols[i];

		for (next = i + 1; next < d->n_symbols && d->symbols[next].address == s->address;
		     next++)
			if (is_plainer(&d->symbols[next], s))
				s = &d->symbols[next];
		r = visit(ctx, symbol_source_name(d, s), s->address, s->n_bytes);
	}
	return r < 0 ? r : each_jump(d, visit, ctx);
}

/*
 * --- pieces of functions -----------------------------------------------------------------------
 */

/* Returns true if the part follows the name, alone or with a number: ".cold", ".cold.3". */
static bool has_part(const char *name, const char *part)
{
	size_t len = strlen(part);

	for (const char *p = name; (p = strstr(p + 1, part)) && *p;)
		if (!p[len] || p[len] == '.')
			return true;
	return false;
}

bool symbol_is_cold(const char *name)
{
	return *name && has_part(name, ".cold");
}

bool symbol_is_piece(const char *name)
{
	return *name && (has_part(name, ".cold") || has_part(name, ".part"));
}
