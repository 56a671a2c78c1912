/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * module.h - the symbols of one mapped file of a uftrace.data directory: NAME.sym and NAME.dbg.
 *
 * Everything lives in the arena that the functions get, and the texts are copied. Addresses are
 * relative to the start of the file's mapping.
 */
#ifndef SONDE_SYMBOLS_UFTRACE_MODULE_H
#define SONDE_SYMBOLS_UFTRACE_MODULE_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum uft_names_how { UFT_NAMES_SIMPLE, UFT_NAMES_FULL, UFT_NAMES_RAW };

#define UFT_SYM_PLT 'P'

struct uft_sym {
	uint64_t addr;
	uint32_t size;
	char type; /* T t w P … as in nm */
	const char *name;
	const char *raw; /* the mangled name */
	const struct uft_dbg *dbg;
};

/* What NAME.dbg says about a function. */
struct uft_dbg {
	uint64_t addr;
	const char *name, *file; /* file: NULL if the line is unknown */
	int line;
	const char *args, *retval; /* "@arg1,arg2/s", NULL: unknown */
};

/* enum NAME { A = 1, B }, as in NAME.dbg and in the info file. */
struct uft_enum {
	const char *name;
	struct uft_enum_value {
		const char *name;
		int64_t value;
	} * values;
	size_t n_values;
	struct uft_enum *next;
};

struct uft_module {
	const char *path, *build_id; /* as the symbol file has them */
	struct uft_sym *syms;	     /* by address */
	size_t n_syms;
	struct uft_sym **by_name; /* by name, then by address */
	struct uft_dbg *dbgs;	  /* by address */
	size_t n_dbgs;
	struct uft_enum *enums;
};

/* The texts of NAME.sym and NAME.dbg. 0 or -ENOMEM; lines that make no sense are skipped. */
int uft_module_parse_syms(struct uft_module *m, struct arena *a, const char *text, size_t len,
			  enum uft_names_how how);
int uft_module_parse_dbg(struct uft_module *m, struct arena *a, const char *text, size_t len);
/* The text of kallsyms: functions of the kernel, by the lowest 48 bits of their addresses. */
int uft_module_parse_kallsyms(struct uft_module *m, struct arena *a, const char *text, size_t len);
/* The header lines "# path name:" and "# build-id:" of a symbol file, without its symbols. */
void uft_module_parse_head(struct uft_module *m, struct arena *a, const char *text, size_t len);

/* addr: relative to the mapping. NULL: no symbol is there. */
const struct uft_sym *uft_module_find(const struct uft_module *m, uint64_t addr);
/*
 * If several symbols have the name, the one that bsearch() meets: uftrace takes it, and whether it
 * is a stub decides where a library call is said to go.
 */
const struct uft_sym *uft_module_find_name(const struct uft_module *m, const char *name);

/* Adds the enums of a text "enum a { X, Y = 3 };enum b {…};" to a list. 0 or -ENOMEM. */
int uft_enums_parse(struct uft_enum **list, struct arena *a, const char *text, size_t len);
/* "A|B" of a value; false if the enum is unknown or buf too short. */
bool uft_enum_text(const struct uft_enum *list, const char *name, int64_t value, char *buf,
		   size_t n_bytes);

/* The name as uftrace shows it. Returns a copy in the arena, or NULL without memory. */
const char *uft_name_shown(struct arena *a, const char *raw, enum uft_names_how how);

#endif
