/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btf.h - the kernel's own description of its types and functions, and of its modules'.
 *
 *	btf_open_kernel ─▶ btf_find_function ─▶ types.h, btf_scope_init ─▶ btf_close
 *
 * BTF knows parameters and types, not local variables or lines. A module's BTF continues the kernel's:
 * its type numbers and strings go on where those of the kernel end.
 */
#ifndef SONDE_SYMBOLS_BTF_BTF_H
#define SONDE_SYMBOLS_BTF_BTF_H

#include "format/bytes.h"
#include "symbols/place.h"

struct errmsg;
struct btf;

/*
 * The BTF of the running kernel (directory: NULL is /sys/kernel/btf), and of one module as well if it is
 * named. -ENOENT with a sentence if the kernel has none.
 */
int btf_open_kernel(struct btf **ret_btf, const char *directory, const char *module,
		    struct errmsg *err);
/* A module's, of a kernel that is open already and stays open. */
int btf_open_module(struct btf **ret_btf, const char *directory, const char *module,
		    const struct btf *kernel, struct errmsg *err);
/* A file of BTF; base NULL: the kernel's own. */
int btf_open_file(struct btf **ret_btf, const char *path, const struct btf *base,
		  struct errmsg *err);
/* The same of bytes in memory, which must stay; base may be NULL. For tests. */
int btf_open_bytes(struct btf **ret_btf, struct piece bytes, const struct btf *base,
		   struct errmsg *err);
void btf_close(struct btf *b);
const struct types *btf_types(const struct btf *b);

/* The function's prototype (TYPE_FUNCTION); of the module before that of the kernel. -ENOENT. */
int btf_find_function(const struct btf *b, const char *name, size_t len, struct type *ret_type);
/* The number of the function itself, which the kernel takes to mean it; 0: there is none. */
uint32_t btf_function_number(const struct btf *b, const char *name, size_t len);
/* The same of a typedef of the kernel's own. */
uint32_t btf_typedef_number(const struct btf *b, const char *name, size_t len);
/* A variable of the kernel's own: its type, and where it is in its section. -ENOENT. */
int btf_find_variable(const struct btf *b, const char *section, const char *name,
		      struct type *ret_type, uint32_t *ret_offset);
/* All functions, in the order they stand; until visit is negative. */
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
