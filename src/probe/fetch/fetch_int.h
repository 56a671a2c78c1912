/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fetch_int.h - declarations that start.c (beginning of an expression), fetch.c (its bytes) and
 * type.c (their type) share.
 */
#ifndef SONDE_PROBE_FETCH_FETCH_INT_H
#define SONDE_PROBE_FETCH_FETCH_INT_H

#include "base/errmsg.h"
#include "probe/fetch/fetch.h"
#include "symbols/types.h"

#define EXPR_MAX_BYTES 256

/*
 * The meaning of an expression.
 *
 *	VALUE_PLAIN      expr + addend                     %di   $retval   container_of(…): %di - 32
 *	VALUE_MEMORY     the memory at expr + addend       +72(%di)
 *	VALUE_FIXED      the memory at expr + addend, where expr is written without parentheses:
 *	                 @jiffies+8, @+4096
 *	VALUE_PARTS      a struct in one or two registers, from bit `bit` on
 *	VALUE_READY      expr is complete: $comm, \42
 */
enum value_kind { VALUE_PLAIN, VALUE_MEMORY, VALUE_FIXED, VALUE_PARTS, VALUE_READY };

/* Replaces a register in VALUE_PARTS that a probe cannot read. */
#define VALUE_NO_REGISTER "%float"

struct value {
	enum value_kind kind;
	char expr[EXPR_MAX_BYTES], high[16]; /* high: the second register of VALUE_PARTS, or "" */
	int64_t addend;
	/* n_bits: width of a bit field, whose first bit is `bit` bits after addend */
	unsigned bit, n_bits;
	bool is_user;	 /* the memory belongs to the program */
	bool is_at_user; /* @user: the last read is from the program's memory */
	/* the variable at the beginning of the expression does not exist here */
	bool is_gone;
	const char *gone_name;
	char why[160];
	bool why_helps;	    /* see struct variable */
	const char *copied; /* the variable at the beginning, if a program may have a copy of it */
	char plain_type[8]; /* the type to record by default; "": x64 */
	struct type type;   /* world NULL: unknown */
	struct type outer;  /* the struct that contains the last member */
};

#define FETCH_REFUSE(p, err, span, code, ...) \
	definition_refuse((p)->definition->text, span, err, code, __VA_ARGS__)

/* Changes memory into a value by reading it. */
void value_load(struct value *v);
/* Follows a pointer. is_user: the memory there belongs to the program. */
void value_follow(const struct fetch_place *p, struct value *v, bool is_user, struct type target);
/* Steps from a struct to one of its members. Reads nothing. */
void value_step_into(struct value *v, const struct type_member *m);
/* Replaces a C++ class that acts as a pointer or array by the pointer or array in it. */
void value_enter_pointer(struct value *v);
/* Writes the memory at addend, or the value itself. */
void value_fmt(const struct value *v, char *out, size_t size);

/* Finds the value of an expression without an inner expression. */
int fetch_start(const struct fetch_place *p, const struct expression *e, struct value *v,
		struct errmsg *err);
int fetch_start_result(const struct fetch_place *p, const struct expression *e, struct value *v,
		       struct errmsg *err);
int fetch_use_place(const struct fetch_place *p, const struct variable *var, struct span span,
		    struct value *v, struct errmsg *err);

/* Returns true for std::string. */
bool fetch_is_cpp_string(struct type t);
/* Writes a clause about these parts and alternatives. */
void fetch_fmt_parts(struct type t, const char *expr, int len, char *out, size_t size);

/* Adds the type and writes the whole argument. type NULL: the value's own type. */
int fetch_finish(const struct fetch_place *p, struct value *v, const char *type, struct span span,
		 struct span type_span, struct fetch *ret, struct errmsg *err);

#endif
