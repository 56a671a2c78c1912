// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * symtable.c - functions by address, as perf finds them.
 *
 * An ELF file has .symtab, or only .dynsym if it is stripped; its separate debug file has .symtab.
 * All of them may be added to one table: duplicates are dropped when it is sorted. Stubs of the
 * procedure linkage table get the name of what they jump to: "malloc@plt". Symbols that are neither
 * functions nor labels of code are ignored.
 *
 * debuginfo.h knows more about a file (sources, types, inlined copies), but gives functions the
 * names of the source, and takes longer to open. This table is for the many addresses of a profile.
 */
#include "symbols/symtable.h"

#include "base/arena.h"
#include "base/array.h"
#include "base/files/regular.h"
#include "base/scope.h"
#include "symbols/cxx/demangle.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SYMBOLS_MAX   (1u << 22)
#define NAMES_MAX     (1u << 30)
#define SEGMENTS_MAX  1024
#define NAME_MAX_LEN  4096
#define ELF_MAX_BYTES (8ull << 30)
#define PAGE_BYTES    4096u

struct segment {
	uint64_t address, offset, n_bytes;
};

struct symtable {
	struct arena names;
	struct symtable_symbol *list;
	size_t n, cap;
	struct segment *segments;
	size_t n_segments, cap_segments;
	uint8_t id[SYMTABLE_ID_BYTES];
	size_t n_id;
	const char *path;
};

struct symtable *symtable_new(void)
{
	struct symtable *t = calloc(1, sizeof(*t));

	if (t)
		arena_init(&t->names, NAMES_MAX);
	return t;
}

void symtable_free(struct symtable *t)
{
	if (!t)
		return;
	arena_release(&t->names);
	free(t->list);
	free(t->segments);
	free(t);
}

static int add_symbol(struct symtable *t, const struct symtable_symbol *s)
{
	struct symtable_symbol *new;

	if (!ARRAY_ROOM(t->list, t->cap, t->n + 1, SYMBOLS_MAX))
		return -ENOMEM;
	new = &t->list[t->n];
	*new = *s;
	new->order = (uint32_t)t->n;
	new->name = arena_strndup(&t->names, s->name, strlen(s->name));
	if (s->module)
		new->module = arena_strndup(&t->names, s->module, strlen(s->module));
	if (!new->name || (s->module && !new->module))
		return -ENOMEM;
	t->n++;
	return 0;
}

/*
 * --- order -------------------------------------------------------------------------------------
 */

static size_t underscores(const char *name)
{
	return strspn(name, "_");
}

/* Negative: x is the better one. */
static int compare_worth(const struct symtable_symbol *x, const struct symtable_symbol *y)
{
	bool x_long = x->end > x->start, y_long = y->end > y->start;

	return COMPARE(y_long, x_long)
	       ?: COMPARE(x->binding == SYMTABLE_WEAK, y->binding == SYMTABLE_WEAK)
	       ?: COMPARE(x->binding != SYMTABLE_GLOBAL, y->binding != SYMTABLE_GLOBAL)
	       ?: COMPARE(underscores(x->name), underscores(y->name))
	       ?: COMPARE(strlen(y->name), strlen(x->name)) ?: COMPARE(x->order, y->order);
}

ARRAY_ORDER(by_address, struct symtable_symbol,
	    COMPARE(x->start, y->start) ?: COMPARE(x->order, y->order))

/* A symbol without a length ends where the next one begins, even if that is the same address. */
static void set_ends(struct symtable *t)
{
	struct symtable_symbol *last = &t->list[t->n - 1];

	for (size_t i = 0; i + 1 < t->n; i++)
		if (t->list[i].end == t->list[i].start)
			t->list[i].end = t->list[i + 1].start;
	if (last->end == last->start)
		last->end =
			((last->start + PAGE_BYTES - 1) & ~(uint64_t)(PAGE_BYTES - 1)) + PAGE_BYTES;
}

/*
 * Finds the ends before it drops duplicates, as perf does: the last of several symbols without a
 * length then has an end.
 */
void symtable_sort(struct symtable *t)
{
	size_t n = 0;

	if (!t->n)
		return;
	qsort(t->list, t->n, sizeof(*t->list), by_address);
	set_ends(t);
	for (size_t i = 0; i < t->n; i++) {
		if (!n || t->list[i].start != t->list[n - 1].start)
			t->list[n++] = t->list[i];
		else if (compare_worth(&t->list[i], &t->list[n - 1]) < 0)
			t->list[n - 1] = t->list[i];
	}
	t->n = n;
}

const struct symtable_symbol *symtable_find(const struct symtable *t, uint64_t address)
{
	size_t low = 0, high = t->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (t->list[mid].start <= address)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low || (address >= t->list[low - 1].end && address != t->list[low - 1].start))
		return NULL;
	return &t->list[low - 1];
}

size_t symtable_count(const struct symtable *t)
{
	return t->n;
}

const struct symtable_symbol *symtable_at(const struct symtable *t, size_t i)
{
	return &t->list[i];
}

bool symtable_address(const struct symtable *t, uint64_t file_offset, uint64_t *ret_address)
{
	for (size_t i = 0; i < t->n_segments; i++) {
		const struct segment *s = &t->segments[i];

		if (file_offset >= s->offset && file_offset - s->offset < s->n_bytes) {
			*ret_address = s->address + (file_offset - s->offset);
			return true;
		}
	}
	return false;
}

bool symtable_offset(const struct symtable *t, uint64_t address, uint64_t *ret_offset)
{
	for (size_t i = 0; i < t->n_segments; i++) {
		const struct segment *s = &t->segments[i];

		if (address >= s->address && address - s->address < s->n_bytes) {
			*ret_offset = s->offset + (address - s->address);
			return true;
		}
	}
	return false;
}

const uint8_t *symtable_build_id(const struct symtable *t, size_t *ret_n)
{
	*ret_n = t->n_id;
	return t->id;
}

const char *symtable_path(const struct symtable *t)
{
	return t->path;
}

/*
 * --- ELF ---------------------------------------------------------------------------------------
 */

static bool is_code(const GElf_Sym *s)
{
	unsigned type = GELF_ST_TYPE(s->st_info), seen = GELF_ST_VISIBILITY(s->st_other);

	if (s->st_shndx == SHN_UNDEF || s->st_shndx == SHN_ABS)
		return false;
	return type == STT_FUNC || type == STT_GNU_IFUNC ||
	       (type == STT_NOTYPE && s->st_name && seen != STV_HIDDEN && seen != STV_INTERNAL);
}

static bool is_code_section(Elf *elf, size_t index)
{
	Elf_Scn *scn = elf_getscn(elf, index);
	GElf_Shdr sh;

	return scn && gelf_getshdr(scn, &sh) && sh.sh_flags & SHF_EXECINSTR;
}

static int add_named(struct symtable *t, const char *name, const char *suffix,
		     struct symtable_symbol s)
{
	char plain[NAME_MAX_LEN], whole[NAME_MAX_LEN + 8];

	if (demangle(name, plain, sizeof(plain))) {
		/* perf does not show which copy of a function the compiler made */
		char *clone = strstr(plain, " [clone ");

		if (clone)
			*clone = 0;
		name = plain;
	}
	snprintf(whole, sizeof(whole), "%s%s", name, suffix);
	s.name = whole;
	return add_symbol(t, &s);
}

static int add_symbols(struct symtable *t, Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t n = data && sh->sh_entsize ? data->d_size / sh->sh_entsize : 0;

	for (size_t i = 0; i < n && i < SYMBOLS_MAX; i++) {
		GElf_Sym s;
		const char *name;
		unsigned bind;

		if (!gelf_getsym(data, (int)i, &s) || !is_code(&s) ||
		    !is_code_section(elf, s.st_shndx))
			continue;
		name = elf_strptr(elf, sh->sh_link, s.st_name);
		bind = GELF_ST_BIND(s.st_info);
		if (!name || !*name || *name == '$') /* marks of arm64 */
			continue;
		if (add_named(t, name, "",
			      (struct symtable_symbol){.start = s.st_value,
						       .end = s.st_value + s.st_size,
						       .binding = bind == STB_WEAK ? SYMTABLE_WEAK
								  : bind == STB_LOCAL
									  ? SYMTABLE_LOCAL
									  : SYMTABLE_GLOBAL}) < 0)
			return -ENOMEM;
	}
	return 0;
}

struct sections {
	Elf_Scn *symtab, *dynsym, *plt, *rel_plt;
	GElf_Shdr symtab_head, dynsym_head, plt_head, rel_head;
};

static void find_sections(Elf *elf, struct sections *ret)
{
	size_t names = 0;
	Elf_Scn *scn = NULL;

	elf_getshdrstrndx(elf, &names);
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr sh;
		const char *name;

		if (!gelf_getshdr(scn, &sh))
			continue;
		name = elf_strptr(elf, names, sh.sh_name);
		if (sh.sh_type == SHT_SYMTAB) {
			ret->symtab = scn;
			ret->symtab_head = sh;
		} else if (sh.sh_type == SHT_DYNSYM) {
			ret->dynsym = scn;
			ret->dynsym_head = sh;
		} else if (name && sh.sh_type == SHT_PROGBITS && !strcmp(name, ".plt")) {
			ret->plt = scn;
			ret->plt_head = sh;
		} else if (name && (!strcmp(name, ".rela.plt") || !strcmp(name, ".rel.plt"))) {
			ret->rel_plt = scn;
			ret->rel_head = sh;
		}
	}
}

/* The stubs are in the order of their relocations; the first place is for the dynamic linker. */
static int add_stubs(struct symtable *t, Elf *elf, const struct sections *s)
{
	Elf_Data *rel = s->rel_plt ? elf_getdata(s->rel_plt, NULL) : NULL;
	Elf_Data *dyn = s->dynsym ? elf_getdata(s->dynsym, NULL) : NULL;
	bool is_arm64 = elf64_getehdr(elf) && elf64_getehdr(elf)->e_machine == EM_AARCH64;
	uint64_t each = is_arm64 ? 16 : s->plt_head.sh_entsize;
	uint64_t at = s->plt_head.sh_addr + (is_arm64 ? 32 : each);
	size_t n = rel && s->rel_head.sh_entsize ? rel->d_size / s->rel_head.sh_entsize : 0;

	for (size_t i = 0; s->plt && dyn && each && i < n && i < SYMBOLS_MAX; i++, at += each) {
		GElf_Rela rela;
		GElf_Rel plain;
		GElf_Sym sym;
		uint64_t info;
		const char *name;

		if (s->rel_head.sh_type == SHT_RELA && gelf_getrela(rel, (int)i, &rela))
			info = rela.r_info;
		else if (s->rel_head.sh_type == SHT_REL && gelf_getrel(rel, (int)i, &plain))
			info = plain.r_info;
		else
			continue;
		if (!gelf_getsym(dyn, (int)GELF_R_SYM(info), &sym))
			continue;
		name = elf_strptr(elf, s->dynsym_head.sh_link, sym.st_name);
		if (name && add_named(t, name, "@plt",
				      (struct symtable_symbol){.start = at, .end = at + each}) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* Segments of a separate debug file have no bytes, but their addresses are right. */
static int add_segments(struct symtable *t, Elf *elf)
{
	size_t n = 0;

	if (t->n_segments || elf_getphdrnum(elf, &n) < 0)
		return 0;
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr p;

		if (!gelf_getphdr(elf, (int)i, &p) || p.p_type != PT_LOAD)
			continue;
		if (!ARRAY_ROOM(t->segments, t->cap_segments, t->n_segments + 1, SEGMENTS_MAX))
			return -ENOMEM;
		t->segments[t->n_segments++] = (struct segment){p.p_vaddr, p.p_offset, p.p_memsz};
	}
	return 0;
}

static void read_id(struct symtable *t, Elf *elf)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr sh;
		GElf_Nhdr note;
		size_t at = 0, name, desc;
		Elf_Data *data;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_NOTE)
			continue;
		data = elf_getdata(scn, NULL);
		while (data && (at = gelf_getnote(data, at, &note, &name, &desc)) > 0) {
			if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 ||
			    memcmp((char *)data->d_buf + name, "GNU", 4))
				continue;
			t->n_id = note.n_descsz < sizeof(t->id) ? note.n_descsz : sizeof(t->id);
			memcpy(t->id, (char *)data->d_buf + desc, t->n_id);
			return;
		}
	}
}

static int add_elf(struct symtable *t, Elf *elf, const char *path, const uint8_t *id, size_t n_id)
{
	struct symtable seen = {0};
	struct sections s = {0};

	if (!elf || elf_kind(elf) != ELF_K_ELF)
		return -ENOENT;
	read_id(&seen, elf);
	if (id && n_id && (seen.n_id != n_id || memcmp(seen.id, id, n_id)))
		return -ENOENT;
	memcpy(t->id, seen.id, sizeof(t->id));
	t->n_id = seen.n_id;
	if (path && !t->path)
		t->path = arena_strndup(&t->names, path, strlen(path));
	find_sections(elf, &s);
	TRY(add_segments(t, elf));
	if (s.symtab)
		TRY(add_symbols(t, elf, s.symtab, &s.symtab_head));
	if (s.dynsym)
		TRY(add_symbols(t, elf, s.dynsym, &s.dynsym_head));
	return add_stubs(t, elf, &s);
}

int symtable_add_elf(struct symtable *t, const char *path, const uint8_t *id, size_t n_id)
{
	SCOPED(scope_close) int fd = regular_open(path, ELF_MAX_BYTES);
	Elf *elf;
	int r;

	if (fd < 0)
		return -ENOENT;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	r = add_elf(t, elf, path, id, n_id);
	elf_end(elf);
	return r;
}

int symtable_add_image(struct symtable *t, struct piece image)
{
	Elf *elf;
	int r;

	elf_version(EV_CURRENT);
	elf = elf_memory((char *)image.data, image.len);
	r = add_elf(t, elf, NULL, NULL, 0);
	elf_end(elf);
	return r;
}

/*
 * --- texts -------------------------------------------------------------------------------------
 */

/* "ffffffff81000000 T _stext" or "… t name\t[module]" */
static int add_kernel_line(struct symtable *t, const char *line, size_t len, uint64_t shift)
{
	char text[NAME_MAX_LEN], *name, *end, *module;
	unsigned long long address;
	int at = 0;
	char type;

	if (len >= sizeof(text))
		return 0;
	memcpy(text, line, len);
	text[len] = '\0';
	if (sscanf(text, "%llx %c %n", &address, &type, &at) < 2 || !at || !address)
		return 0;
	if (!strchr("tTwW", type))
		return 0;
	name = text + at;
	end = name + strcspn(name, " \t");
	module = strchr(end, '[');
	*end = '\0';
	if (module)
		module[1 + strcspn(module + 1, "]")] = '\0';
	if (!*name || *name == '$')
		return 0;
	return add_symbol(t, &(struct symtable_symbol){.start = address + shift,
						       .end = address + shift,
						       .name = name,
						       .module = module ? module + 1 : NULL,
						       .binding = type == 'W' || type == 'w'
									  ? SYMTABLE_WEAK
								  : type == 'T' ? SYMTABLE_GLOBAL
										: SYMTABLE_LOCAL});
}

/* START LENGTH NAME, where NAME may have blanks. */
static int add_jit_line(struct symtable *t, const char *line, size_t len, uint64_t unused)
{
	char text[NAME_MAX_LEN];
	unsigned long long start, n_bytes;
	int at = 0;

	if (len >= sizeof(text))
		len = sizeof(text) - 1;
	memcpy(text, line, len);
	text[len] = '\0';
	if (sscanf(text, "%llx %llx %n", &start, &n_bytes, &at) < 2 || !at || !text[at])
		return 0;
	return add_symbol(t, &(struct symtable_symbol){
				     .start = start, .end = start + n_bytes, .name = text + at});
}

static int each_line(struct symtable *t, struct piece text, uint64_t shift,
		     int (*add)(struct symtable *t, const char *line, size_t len, uint64_t shift))
{
	for (size_t at = 0; at < text.len;) {
		const uint8_t *end = memchr(text.data + at, '\n', text.len - at);
		size_t len = end ? (size_t)(end - (text.data + at)) : text.len - at;

		TRY(add(t, (const char *)text.data + at, len, shift));
		at += len + 1;
	}
	return 0;
}

int symtable_add_kallsyms(struct symtable *t, struct piece text, uint64_t shift)
{
	return each_line(t, text, shift, add_kernel_line);
}

int symtable_add_jit(struct symtable *t, struct piece text)
{
	return each_line(t, text, 0, add_jit_line);
}
