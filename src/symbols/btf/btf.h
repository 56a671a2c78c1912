/* SPDX-License-Identifier: GPL-2.0-or-later */
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
/* Opens a file with BTF; base NULL: the kernel's own. */
int btf_open_file(struct btf **ret_btf, const char *path, const struct btf *base,
		  struct errmsg *err);
/* The same for bytes in memory, which must stay valid; base may be NULL. For tests. */
int btf_open_bytes(struct btf **ret_btf, struct piece bytes, const struct btf *base,
		   struct errmsg *err);
void btf_close(struct btf *b);
const struct types *btf_types(const struct btf *b);

/* The function's prototype (TYPE_FUNCTION); the module's before the kernel's. -ENOENT. */
int btf_find_function(const struct btf *b, const char *name, size_t len, struct type *ret_type);
/* The BTF id of the function itself; 0: none. */
uint32_t btf_function_number(const struct btf *b, const char *name, size_t len);
/* The same for a typedef of the kernel. */
uint32_t btf_typedef_number(const struct btf *b, const char *name, size_t len);
/* A variable of the kernel: its type, and its offset in its section. -ENOENT. */
int btf_find_variable(const struct btf *b, const char *section, const char *name,
		      struct type *ret_type, uint32_t *ret_offset);
/* Visits all functions in file order, until visit returns a negative value. */
int btf_each_function(const struct btf *b,
		      int (*visit)(void *ctx, const char *name, struct type prototype), void *ctx);

/* The parameters of a function at its entry, or its result at its return. */
struct btf_scope {
	struct scope scope; /* first */
	struct type prototype;
	const struct arch *arch; /* symbols/arch.h */
};

void btf_scope_init(struct btf_scope *s, const struct btf *b, struct type prototype,
		    const struct arch *arch, bool is_return);

#endif
