/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * types.h - one interface to C types, from the kernel's BTF (btf.h) or from DWARF (debuginfo.h).
 *
 * A `struct type` is a handle: the world that it comes from and an id in that world. Answers about
 * it ignore typedefs and qualifiers:
 *
 *	struct type_facts f;
 *	type_get(t, &f);                              // f.kind, f.size, f.target, f.n_members …
 *	type_find_member(t, "d_name", 6, &m);         // also inside anonymous structs and unions
 *
 * A world is read-only after it is opened, but may fill caches: one thread at a time. Names are
 * valid as long as the world.
 */
#ifndef SONDE_SYMBOLS_TYPES_H
#define SONDE_SYMBOLS_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct textbuf;
struct types;

enum type_kind {
	TYPE_VOID,
	TYPE_INT, /* also bool and char */
	TYPE_FLOAT,
	TYPE_ENUM,
	TYPE_POINTER, /* also C++ references */
	TYPE_ARRAY,
	TYPE_STRUCT, /* also C++ classes */
	TYPE_UNION,
	TYPE_FUNCTION,
	TYPE_UNKNOWN, /* only declared, or of a language that C cannot express */
};

struct type {
	const struct types *world;
	uint64_t id; /* 0: void; below 2^56, types.c counts pointers in the top byte */
};

struct type_facts {
	enum type_kind kind;
	/* name without "struct"; the name of the typedef if the type itself has none; else "" */
	const char *name;
	uint64_t n_bytes;      /* 0: unknown */
	bool is_signed;	       /* integers, enums */
	bool is_char, is_bool; /* integers */
	unsigned n_floats;     /* TYPE_UNKNOWN: 2 for a complex number, 1 for a decimal one */
	bool is_user;	       /* a pointer tagged as pointing into user space */
	bool is_reference;     /* C++: a pointer that is used like the object itself */
	struct type target;    /* target of a pointer, element of an array, result of a function */
	uint64_t n_elements;   /* length of an array; 0: unknown */
	/* members of a struct or union, enumerators, or parameters of a function */
	unsigned n_members;
};

struct type_member {
	const char *name; /* "": anonymous */
	struct type type;
	uint64_t bit_offset;
	unsigned n_bits; /* width of a bit field; else 0 */
};

struct type_enumerator {
	const char *name;
	int64_t value;
};

/* The operations that BTF and DWARF implement. Ids come from the world itself and are trusted. */
struct types_ops {
	void (*get)(const struct types *world, uint64_t id, struct type_facts *ret_facts);
	/* i < n_members; for a function: the parameter's name and type */
	int (*member)(const struct types *world, uint64_t id, unsigned i, struct type_member *ret);
	int (*enumerator)(const struct types *world, uint64_t id, unsigned i,
			  struct type_enumerator *ret);
	/*
	 * Removes one typedef or qualifier. *ret_name is its name ("const", "volatile", "restrict",
	 * "" for any other qualifier). Returns false if there is none.
	 */
	bool (*peel)(const struct types *world, uint64_t id, const char **ret_name,
		     uint64_t *ret_id);
	/*
	 * kind: TYPE_STRUCT, TYPE_UNION, TYPE_ENUM, TYPE_INT (a base type), TYPE_UNKNOWN (a
	 * typedef)
	 */
	int (*find)(const struct types *world, enum type_kind kind, const char *name, size_t len,
		    struct type *ret_type);
	/*
	 * Visits the names of all types of that kind, for suggestions. A world that is too large
	 * may give none.
	 */
	void (*each_name)(const struct types *world, enum type_kind kind,
			  void (*visit)(void *ctx, const char *name), void *ctx);
	/* whether a class is passed by address; NULL: no class is */
	bool (*is_by_address)(const struct types *world, uint64_t id);
};

/* The first member of btf and debuginfo. */
struct types {
	const struct types_ops *ops;
	unsigned pointer_bytes;
	const char *source; /* "BTF", "DWARF" */
};

void type_get(struct type t, struct type_facts *ret_facts);
/* Returns -ENOENT if i is after the last member. */
int type_member(struct type t, unsigned i, struct type_member *ret_member);
int type_enumerator(struct type t, unsigned i, struct type_enumerator *ret_enumerator);
/*
 * Removes one typedef or qualifier. Returns false if there is none. The name is as in
 * types_ops.peel.
 */
bool type_peel(struct type t, const char **ret_name, struct type *ret_type);

/* Returns true for a C++ class that is passed and returned by address, however small it is. */
bool type_is_by_address(struct type t);

/*
 * Finds the member of that name, with its bit_offset relative to t. Also searches anonymous structs
 * and unions, and C++ base classes. Returns -ENOENT if there is none.
 */
int type_find_member(struct type t, const char *name, size_t len, struct type_member *ret_member);
/* Calls visit for each named member, as type_find_member() would find it. */
int type_each_member(struct type t, int (*visit)(void *ctx, const struct type_member *m),
		     void *ctx);

/*
 * Parses a type as a user writes it in a cast: "struct kvm *", "u64", "unsigned int", "const char
 * *", "enum pid_type". Returns -ENOENT if the world has no such type, -EINVAL if the text is not a
 * type.
 */
int types_parse(const struct types *world, const char *text, size_t len, struct type *ret_type);
/* Writes the type that the user probably meant: "struct file". Returns false if none is similar. */
bool types_nearest(const struct types *world, const char *text, size_t len, char *ret_name,
		   size_t size);
/* Returns the type of a pointer to t, even if no program declares it. */
struct type type_pointer_to(struct type t);

/* Writes the type as in a declaration: "struct rte_mbuf**", "const char*", "int[16]", "u64". */
void type_fmt(struct type t, struct textbuf *tb);

#endif
