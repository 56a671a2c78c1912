/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elfview.h - the parts of an ELF file that matter for hooks, by their addresses.
 *
 * 64 bits, of this machine's byte order: the program runs here.
 */
#ifndef SONDE_CAPTURE_USER_ELFVIEW_H
#define SONDE_CAPTURE_USER_ELFVIEW_H

#include "base/files/mapfile.h"
#include "format/bytes.h"

#include <elf.h>

struct errmsg;

struct elfview_range {
	uint64_t begin, end;
};

#define ELFVIEW_CODES_MAX 64

struct elfview {
	struct mapfile map;
	Elf64_Ehdr head;
	Elf64_Phdr *segments;
	Elf64_Shdr *sections; /* none in a file without section headers */
	size_t n_segments, n_sections;
	struct piece section_names;
	struct elfview_range span; /* of everything loaded */
	struct elfview_range text; /* the largest segment with code, as far as it is in the file */
	const uint8_t *text_bytes; /* its first byte */
	/* where functions can be: sections with code, in order, without jump tables to libraries */
	struct elfview_range codes[ELFVIEW_CODES_MAX];
	size_t n_codes;
};

int elfview_open(struct elfview *ret, const char *path, int fd, struct errmsg *err);
void elfview_release(struct elfview *v);

/* n_bytes from an address on, as they are in the file; NULL: they are not all there. */
const uint8_t *elfview_at(const struct elfview *v, uint64_t address, uint64_t n_bytes);
/* Everything from an address to the end of its segment in the file; empty: nothing there. */
struct piece elfview_from(const struct elfview *v, uint64_t address);
/* The contents of a section; empty if there is none. */
struct piece elfview_contents(const struct elfview *v, const Elf64_Shdr *section);
/* NULL: none. */
const Elf64_Shdr *elfview_section(const struct elfview *v, const char *name);
const Elf64_Shdr *elfview_section_of_type(const struct elfview *v, uint32_t type);
const Elf64_Shdr *elfview_linked(const struct elfview *v, const Elf64_Shdr *section);
const Elf64_Phdr *elfview_segment(const struct elfview *v, uint32_t type);

/* A string of a string table; NULL if it does not end in it, or has 4096 bytes or more. */
const char *elfview_string(struct piece strings, uint64_t offset);

#endif
