/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fetch_int.h - what start.c (where it begins), fetch.c (which bytes) and type.c (how to show them)
 * share.
 */
#ifndef SONDE_PROBE_FETCH_FETCH_INT_H
#define SONDE_PROBE_FETCH_FETCH_INT_H

#include "base/errmsg.h"
#include "probe/fetch/fetch.h"
#include "symbols/types.h"

#define EXPR_MAX_BYTES 256

/*
 * What an expression means.
 *
 *	VALUE_PLAIN      expr + addend                     %di   $retval   container_of(…): %di - 32
 *	VALUE_MEMORY     the memory at expr + addend       +72(%di)
 *	VALUE_FIXED      the memory at expr + addend, where expr is written without parentheses:
 *	                 @jiffies+8, @+4096
 *	VALUE_PARTS      a struct in one or two registers, from bit `bit` on
 *	VALUE_READY      expr is complete: $comm, \42
 */
enum value_kind { VALUE_PLAIN, VALUE_MEMORY, VALUE_FIXED, VALUE_PARTS, VALUE_READY };

/* In VALUE_PARTS, instead of a register: a probe cannot read it. */
#define VALUE_NO_REGISTER "%float"

struct value {
	enum value_kind kind;
	char expr[EXPR_MAX_BYTES], high[16]; /* high: VALUE_PARTS, the second register; "" */
	int64_t addend;
	unsigned bit, n_bits; /* n_bits: a bit field, its first bit is `bit` bits after addend */
	bool is_user;	      /* the memory is the program's */
	bool is_at_user;      /* @user: the last read is from the program's memory */
	bool is_gone;	      /* the variable at its beginning does not exist here */
	const char *gone_name;
	char why[160];
	bool why_helps;	    /* as struct variable has it */
	const char *copied; /* the variable at its beginning, if a program may have a copy */
	char plain_type[8]; /* the type to record by default; "": x64 */
	struct type type;   /* world NULL: unknown */
	struct type outer;  /* the struct that contains the last member */
};

#define FETCH_REFUSE(p, err, span, code, ...) \
	definition_refuse((p)->definition->text, span, err, code, __VA_ARGS__)

/* Turns memory into a value: reads it. */
void value_load(struct value *v);
/* Follows a pointer; is_user: the memory there belongs to the program. */
void value_follow(const struct fetch_place *p, struct value *v, bool is_user, struct type target);
/* From a struct to one of its members; reads nothing. */
void value_step_into(struct value *v, const struct type_member *m);
/* Replaces a C++ class that acts as a pointer or array by the pointer or array in it. */
void value_enter_pointer(struct value *v);
/* Writes the memory at addend, or the value itself. */
void value_fmt(const struct value *v, char *out, size_t size);

/* The value of an expression without an inner expression. */
int fetch_start(const struct fetch_place *p, const struct expression *e, struct value *v,
		struct errmsg *err);
int fetch_start_result(const struct fetch_place *p, const struct expression *e, struct value *v,
		       struct errmsg *err);
int fetch_use_place(const struct fetch_place *p, const struct variable *var, struct span span,
		    struct value *v, struct errmsg *err);

/* "a, b, c, …": the first members of a struct. */
void fetch_list_members(struct type t, char *text, size_t size);
/* std::string. */
bool fetch_is_cpp_string(struct type t);
/*
 * struct.c: the parts of a struct that are single values, as "a, b.c"; and a clause about them and
 * alternatives.
 */
void fetch_list_leaves(struct type t, char *text, size_t size);
void fetch_fmt_parts(struct type t, const char *expr, int len, char *out, size_t size);

/* Adds the type and writes the whole argument. type NULL: the value's own. */
int fetch_finish(const struct fetch_place *p, struct value *v, const char *type, struct span span,
		 struct span type_span, struct fetch *ret, struct errmsg *err);

#endif
