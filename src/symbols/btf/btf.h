/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * btf.h - the kernel's own description of the types and functions of the kernel and its modules.
 *
 *	btf_open_kernel ─▶ btf_find_function ─▶ types.h, btf_scope_init ─▶ btf_close
 *
 * BTF has parameters and types, but no local variables or lines. A module's BTF continues the
 * kernel's: its type ids and strings begin where those of the kernel end.
 */
#ifndef SONDE_SYMBOLS_BTF_BTF_H
#define SONDE_SYMBOLS_BTF_BTF_H

#include "format/bytes.h"
#include "symbols/place.h"

struct errmsg;
struct btf;

/*
 * Opens the BTF of the running kernel (directory: NULL is /sys/kernel/btf), and also that of a
 * module if it is named. Returns -ENOENT with a message if the kernel has none.
 */
int btf_open_kernel(struct btf **ret_btf, const char *directory, const char *module,
		    struct errmsg *err);
/* Opens a module's BTF; the kernel's must be open and stay open. */
int btf_open_module(struct btf **ret_btf, const char *directory, const char *module,
		    const struct btf *kernel, struct errmsg *err);
/* Opens a file with BTF. If base is NULL, the file is the kernel's own BTF. */
int btf_open_file(struct btf **ret_btf, const char *path, const struct btf *base,
		  struct errmsg *err);
/* Opens BTF in memory, which must stay valid. base may be NULL. For tests. */
int btf_open_bytes(struct btf **ret_btf, struct piece bytes, const struct btf *base,
		   struct errmsg *err);
void btf_close(struct btf *b);
const struct types *btf_types(const struct btf *b);

/*
 * Finds the prototype of a function (TYPE_FUNCTION), first in the module, then in the kernel.
 * Returns -ENOENT if there is none.
 */
int btf_find_function(const struct btf *b, const char *name, size_t len, struct type *ret_type);
/* Returns the BTF id of the function itself, or 0. */
uint32_t btf_function_number(const struct btf *b, const char *name, size_t len);
/* Returns the name of the function with this BTF id, or "". */
const char *btf_function_name(const struct btf *b, uint32_t id);
/* Returns the BTF id of a typedef, or 0. */
uint32_t btf_typedef_number(const struct btf *b, const char *name, size_t len);
/*
 * Finds the type of a variable of the kernel, and its offset in its section. Returns -ENOENT if
 * there is none.
 */
int btf_find_variable(const struct btf *b, const char *section, const char *name,
		      struct type *ret_type, uint32_t *ret_offset);
/* Visits all functions in file order, until visit returns a negative value. */
int btf_each_function(const struct btf *b,
		      int (*visit)(void *ctx, const char *name, struct type prototype), void *ctx);

/* The parameters of a function at its entry, or its result at its return. */
struct btf_scope {
	struct scope scope; /* must be the first member */
	struct type prototype;
	const struct arch *arch; /* symbols/arch.h */
};

void btf_scope_init(struct btf_scope *s, const struct btf *b, struct type prototype,
		    const struct arch *arch, bool is_return);

#endif
