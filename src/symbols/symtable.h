/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * symtable.h - the functions of one program, library, kernel or process, by address.
 *
 *  symtable_new ─▶ symtable_add_elf, _add_kallsyms, _add_jit … ─▶ symtable_sort ─▶ symtable_find
 *
 * If several symbols have the same address, one is kept, the same that perf chooses: with a length,
 * not weak, global, few underscores in front, long. A symbol without a length reaches to the next
 * one. One thread adds; afterwards any thread may look up.
 */
#ifndef SONDE_SYMBOLS_SYMTABLE_H
#define SONDE_SYMBOLS_SYMTABLE_H

#include "base/scope.h"
#include "format/bytes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SYMTABLE_ID_BYTES 20

enum symtable_binding { SYMTABLE_GLOBAL, SYMTABLE_LOCAL, SYMTABLE_WEAK };

struct symtable_symbol {
	uint64_t start, end;
	const char *name;   /* demangled, without parameters */
	const char *module; /* of the kernel; NULL: none */
	uint8_t binding;
	uint32_t order; /* of appearance */
};

struct symtable;

struct symtable *symtable_new(void);
void symtable_free(struct symtable *t);
SCOPED_POINTER(struct symtable, symtable_free)

/*
 * Adds the functions of an ELF file with addresses of the file, and its segments. Returns -ENOENT
 * if the file cannot be read or is none. id: only a file with this build id; NULL: any.
 */
int symtable_add_elf(struct symtable *t, const char *path, const uint8_t *id, size_t n_id);
/* The same for the image of a file in memory: the vdso. */
int symtable_add_image(struct symtable *t, struct piece image);
/* Adds the code of a text like /proc/kallsyms. Addresses get `shift` added. */
int symtable_add_kallsyms(struct symtable *t, struct piece text, uint64_t shift);
/* Adds a text like /tmp/perf-PID.map: START LENGTH NAME. */
int symtable_add_jit(struct symtable *t, struct piece text);
void symtable_sort(struct symtable *t);

/* Returns NULL if no function covers the address. */
const struct symtable_symbol *symtable_find(const struct symtable *t, uint64_t address);
size_t symtable_count(const struct symtable *t);
const struct symtable_symbol *symtable_at(const struct symtable *t, size_t i);
/* The address of a byte of the file, by its segments; false: in no segment. */
bool symtable_address(const struct symtable *t, uint64_t file_offset, uint64_t *ret_address);
/* The reverse. */
bool symtable_offset(const struct symtable *t, uint64_t address, uint64_t *ret_offset);
/* The build id of the file; *ret_n 0: it has none. */
const uint8_t *symtable_build_id(const struct symtable *t, size_t *ret_n);
/* The file that the segments are of; NULL: none. */
const char *symtable_path(const struct symtable *t);

#endif
