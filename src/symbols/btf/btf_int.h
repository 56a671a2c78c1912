/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * btf_int.h - declarations that the files of BTF share: btf.c opens BTF and finds names, types.c
 * implements types_ops, scope.c computes where parameters are.
 */
#ifndef SONDE_SYMBOLS_BTF_BTF_INT_H
#define SONDE_SYMBOLS_BTF_BTF_INT_H

#include "format/bytes.h"
#include "symbols/btf/btf.h"

#define BTF_TYPE_BYTES 12

enum btf_kind {
	BTF_VOID,
	BTF_INT,
	BTF_PTR,
	BTF_ARRAY,
	BTF_STRUCT,
	BTF_UNION,
	BTF_ENUM,
	BTF_FWD,
	BTF_TYPEDEF,
	BTF_VOLATILE,
	BTF_CONST,
	BTF_RESTRICT,
	BTF_FUNC,
	BTF_FUNC_PROTO,
	BTF_VAR,
	BTF_DATASEC,
	BTF_FLOAT,
	BTF_DECL_TAG,
	BTF_TYPE_TAG,
	BTF_ENUM64,
	BTF_N_KINDS,
};

struct btf_names;

struct btf {
	struct types types; /* must be the first member */
	const struct btf *base;
	struct btf *owned_base;
	struct piece all; /* all bytes, mapped or allocated if is_mapped or is_heap */
	struct piece type_bytes, strings;
	bool is_mapped, is_heap, swap;
	uint32_t first_id, end_id; /* ids of this BTF's own types; lower ids belong to base */
	uint32_t first_string;	   /* offset of this BTF's own strings */
	uint32_t *offsets;	   /* positions in type_bytes, by id - first_id */
	struct btf_names *names;   /* the names found so far; btf.c */
};

/* One type, with its words in native byte order. */
struct btf_type {
	const struct btf *owner; /* the owner of the bytes */
	enum btf_kind kind;
	uint32_t name, vlen, size; /* size may be the id of another type */
	bool flag;
	const uint8_t *more; /* the data after the type; it was checked to be complete */
};

/* Reads a type. 0 and an unknown id give BTF_VOID. */
void btf_get(const struct btf *b, uint64_t id, struct btf_type *ret);
static inline uint32_t btf_word(const struct btf_type *t, unsigned i)
{
	return bytes_get32(t->more + 4 * i, t->owner->swap);
}

/* Returns "" if there is no such string. */
const char *btf_string(const struct btf *b, uint32_t offset);
/* Returns the id of the first type of that kind and name, first in b, then in its base, or 0. */
uint32_t btf_find(const struct btf *b, enum btf_kind kind, const char *name, size_t len);

extern const struct types_ops btf_types_ops;

#endif
