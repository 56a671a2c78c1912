// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * elfview.c - maps an ELF file and finds its parts.
 *
 *  ELF header │ program headers: what lies where │ … contents … │ section headers: names for parts
 *
 * The program headers are what the kernel uses, so they decide where bytes are. Section headers
 * only add names; a file may have none. libelf is too slow here: it copies and converts tables, and
 * a plan must be ready in milliseconds. Nothing in the file is trusted: bounds are checked, then
 * every table is copied (it may be at an odd offset).
 */
#include "capture/user/elfview.h"
#include "base/errmsg.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MAX_BYTES (8ull << 30)
#define SEGMENTS_MAX   256
#define STRING_MAX     4096 /* names of C++ have a few hundred */

/*
 * --- opening -----------------------------------------------------------------------------------
 */

static bool fits(const struct elfview *v, uint64_t offset, uint64_t n_bytes)
{
	return offset <= v->map.n_bytes && n_bytes <= v->map.n_bytes - offset;
}

/* A copy of a table; NULL if it is empty or not all there, or if memory is short. */
static void *copy_table(const struct elfview *v, uint64_t offset, size_t n, size_t each)
{
	void *copy = n && fits(v, offset, n * each) ? malloc(n * each) : NULL;

	if (copy)
		memcpy(copy, v->map.data + offset, n * each);
	return copy;
}

static int read_head(struct elfview *v, const char *path, struct errmsg *err)
{
	unsigned char order = bytes_host_is_big() ? ELFDATA2MSB : ELFDATA2LSB;

	if (v->map.n_bytes < sizeof(v->head) || memcmp(v->map.data, ELFMAG, SELFMAG))
		return errmsg_set(err, -EINVAL,
				  "%s is not a program or library: not a valid ELF file", path);
	memcpy(&v->head, v->map.data, sizeof(v->head));
	if (v->head.e_ident[EI_CLASS] != ELFCLASS64 || v->head.e_ident[EI_DATA] != order)
		return errmsg_set(err, -EINVAL,
				  "%s is a program of 32 bits or of another processor; sonde "
				  "records only functions of 64-bit programs",
				  path);
	if (v->head.e_type != ET_EXEC && v->head.e_type != ET_DYN)
		return errmsg_set(err, -EINVAL, "%s is neither a program nor a library", path);
	return 0;
}

static void read_tables(struct elfview *v)
{
	v->n_segments = v->head.e_phentsize == sizeof(Elf64_Phdr) && v->head.e_phnum < SEGMENTS_MAX
				? v->head.e_phnum
				: 0;
	v->segments = copy_table(v, v->head.e_phoff, v->n_segments, sizeof(Elf64_Phdr));
	if (!v->segments)
		v->n_segments = 0;
	v->n_sections = v->head.e_shentsize == sizeof(Elf64_Shdr) ? v->head.e_shnum : 0;
	v->sections = copy_table(v, v->head.e_shoff, v->n_sections, sizeof(Elf64_Shdr));
	if (!v->sections)
		v->n_sections = 0;
	v->section_names = v->head.e_shstrndx < v->n_sections
				   ? elfview_contents(v, &v->sections[v->head.e_shstrndx])
				   : PIECE_EMPTY;
}

/* A segment as far as it is in the file. False: not loaded, empty, or it wraps around. */
static bool loaded_part(const struct elfview *v, const Elf64_Phdr *s, struct elfview_range *ret)
{
	uint64_t n = s->p_filesz < s->p_memsz ? s->p_filesz : s->p_memsz;

	if (s->p_type != PT_LOAD || !n || !fits(v, s->p_offset, n) || s->p_memsz > INT64_MAX ||
	    s->p_vaddr > (uint64_t)INT64_MAX - s->p_memsz)
		return false;
	*ret = (struct elfview_range){s->p_vaddr, s->p_vaddr + n};
	return true;
}

static void find_span(struct elfview *v)
{
	v->span = (struct elfview_range){UINT64_MAX, 0};
	for (size_t i = 0; i < v->n_segments; i++) {
		const Elf64_Phdr *s = &v->segments[i];
		struct elfview_range part;

		if (!loaded_part(v, s, &part))
			continue;
		if (part.begin < v->span.begin)
			v->span.begin = part.begin;
		if (s->p_vaddr + s->p_memsz > v->span.end)
			v->span.end = s->p_vaddr + s->p_memsz;
		if (s->p_flags & PF_X && part.end - part.begin > v->text.end - v->text.begin) {
			v->text = part;
			v->text_bytes = v->map.data + s->p_offset;
		}
	}
}

static int compare_ranges(const void *pa, const void *pb)
{
	const struct elfview_range *a = pa, *b = pb;

	return a->begin < b->begin ? -1 : a->begin > b->begin;
}

/* Jumps to functions of libraries, and what runs at the start and at the end. */
static bool is_no_code(const char *name)
{
	return name && (!strncmp(name, ".plt", 4) || !strcmp(name, ".init") ||
			!strcmp(name, ".fini") || !strcmp(name, ".iplt"));
}

static void find_codes(struct elfview *v)
{
	bool any = false;

	for (size_t i = 0; i < v->n_sections && v->n_codes < ELFVIEW_CODES_MAX; i++) {
		const Elf64_Shdr *s = &v->sections[i];
		const char *name = elfview_string(v->section_names, s->sh_name);

		if (!(s->sh_flags & SHF_EXECINSTR) || s->sh_type == SHT_NOBITS ||
		    s->sh_addr < v->text.begin || s->sh_addr >= v->text.end ||
		    s->sh_size > v->text.end - s->sh_addr || !s->sh_size)
			continue;
		any = true;
		if (!is_no_code(name))
			v->codes[v->n_codes++] =
				(struct elfview_range){s->sh_addr, s->sh_addr + s->sh_size};
	}
	if (!any && v->text.end > v->text.begin)
		v->codes[v->n_codes++] = v->text;
	qsort(v->codes, v->n_codes, sizeof(v->codes[0]), compare_ranges);
}

int elfview_open(struct elfview *ret, const char *path, int fd, struct errmsg *err)
{
	struct elfview v = {0};
	int r = fd < 0 ? mapfile_open_regular(&v.map, path, FILE_MAX_BYTES, err)
		       : mapfile_open_fd(&v.map, fd, path, err);

	if (r < 0)
		return r;
	r = read_head(&v, path, err);
	if (r < 0) {
		mapfile_release(&v.map);
		return r;
	}
	read_tables(&v);
	find_span(&v);
	find_codes(&v);
	*ret = v;
	return 0;
}

void elfview_release(struct elfview *v)
{
	free(v->segments);
	free(v->sections);
	if (v->map.data)
		mapfile_release(&v->map);
	*v = (struct elfview){0};
}

/*
 * --- finding -----------------------------------------------------------------------------------
 */

struct piece elfview_from(const struct elfview *v, uint64_t address)
{
	for (size_t i = 0; i < v->n_segments; i++) {
		struct elfview_range part;

		if (loaded_part(v, &v->segments[i], &part) && address >= part.begin &&
		    address < part.end)
			return (struct piece){v->map.data + v->segments[i].p_offset +
						      (address - part.begin),
					      part.end - address};
	}
	return PIECE_EMPTY;
}

const uint8_t *elfview_at(const struct elfview *v, uint64_t address, uint64_t n_bytes)
{
	struct piece p = elfview_from(v, address);

	return p.len && n_bytes <= p.len ? p.data : NULL;
}

struct piece elfview_contents(const struct elfview *v, const Elf64_Shdr *section)
{
	if (!section || section->sh_type == SHT_NOBITS || section->sh_flags & SHF_COMPRESSED ||
	    !fits(v, section->sh_offset, section->sh_size))
		return PIECE_EMPTY;
	return (struct piece){v->map.data + section->sh_offset, section->sh_size};
}

const char *elfview_string(struct piece strings, uint64_t offset)
{
	size_t left = offset < strings.len ? strings.len - offset : 0;

	if (!memchr(strings.data + offset * !!left, 0, left < STRING_MAX ? left : STRING_MAX))
		return NULL;
	return (const char *)strings.data + offset;
}

const Elf64_Shdr *elfview_section(const struct elfview *v, const char *name)
{
	for (size_t i = 0; i < v->n_sections; i++) {
		const char *s = elfview_string(v->section_names, v->sections[i].sh_name);

		if (s && !strcmp(s, name))
			return &v->sections[i];
	}
	return NULL;
}

const Elf64_Shdr *elfview_section_of_type(const struct elfview *v, uint32_t type)
{
	for (size_t i = 0; i < v->n_sections; i++)
		if (v->sections[i].sh_type == type)
			return &v->sections[i];
	return NULL;
}

const Elf64_Shdr *elfview_linked(const struct elfview *v, const Elf64_Shdr *section)
{
	return section && section->sh_link < v->n_sections ? &v->sections[section->sh_link] : NULL;
}

const Elf64_Phdr *elfview_segment(const struct elfview *v, uint32_t type)
{
	for (size_t i = 0; i < v->n_segments; i++)
		if (v->segments[i].p_type == type)
			return &v->segments[i];
	return NULL;
}
