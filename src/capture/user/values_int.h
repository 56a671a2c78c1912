/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * values_int.h - inside values.h: rules, forms of values, and the builder of a function's program.
 */
#ifndef SONDE_CAPTURE_USER_VALUES_INT_H
#define SONDE_CAPTURE_USER_VALUES_INT_H

#include "base/arena.h"
#include "capture/user/choice.h"
#include "capture/user/values.h"
#include "runtime/snrt.h"
#include "symbols/place.h"
#include "symbols/types.h"

struct definition;
struct definition_arg;
struct expression;

#define VALUES_ARGS_MAX	  32u	/* arguments that are shown */
#define VALUES_CODE_MAX	  128u	/* instructions of a part of a program */
#define VALUES_TEXT_BYTES 64u	/* of a string that is recorded */
#define VALUES_PLAIN_TEXT 98u	/* … in uftrace's forms: one more than it shows */
#define VALUES_COPY_BYTES 128u	/* of a struct or array */
#define VALUES_PARTS_MAX  16u	/* members, elements that are shown */
#define VALUES_ENUM_MAX	  1024u /* names of an enum */

/*
 * --- what the user wants -----------------------------------------------------------------------
 */

enum want_kind { WANT_ARG, WANT_FPARG, WANT_RETVAL, WANT_EXPRESSION };

/* One value. */
struct want {
	enum want_kind kind;
	unsigned number;		  /* of an argument, from 1 */
	char format;			  /* d i u x o s c f S p e t; 0: as its type says */
	unsigned n_bits;		  /* 0: as its type says */
	const char *type_name;		  /* of e: and t:; NULL */
	int reg;			  /* DWARF number; -1: not given */
	int64_t stack_at;		  /* word of the stack, from 1; 0: not given */
	const struct definition_arg *arg; /* WANT_EXPRESSION */
};

struct condition {
	const struct definition_arg *left;
	enum snrt_test test;
	uint64_t number;
};

enum valuerule_kind { RULE_ARGS, RULE_RETVAL, RULE_CONDITION };

struct valuerule {
	enum valuerule_kind kind;
	struct userchoice choice; /* one rule: the function's name */
	bool is_automatic;	  /* no list: all that is known */
	bool is_used;		  /* a function matches */
	struct want *wants;
	size_t n_wants, wants_cap;
	struct condition *conditions;
	size_t n_conditions, conditions_cap;
	struct definition **definitions; /* that the expressions belong to */
	size_t n_definitions, definitions_cap;
	char *text;
};

/*
 * --- how a value looks -------------------------------------------------------------------------
 */

enum form_kind {
	FORM_AUTO, /* a number, or an address */
	FORM_INT,
	FORM_UINT,
	FORM_HEX,
	FORM_OCT,
	FORM_CHAR,
	FORM_BOOL,
	FORM_FLOAT,
	FORM_FUNCTION,
	FORM_ENUM,
	FORM_CHARS, /* an array of char */
	FORM_STRUCT,
	FORM_ARRAY,
	FORM_DOTS, /* too deep, or of an unknown kind */
};

struct form_name {
	int64_t value;
	const char *name;
};

struct form {
	enum form_kind kind;
	uint16_t n_bytes;
	uint8_t bit, n_bits;	     /* n_bits: of a bit field, else 0 */
	uint32_t offset;	     /* from the beginning of the value */
	const char *name;	     /* of a member; NULL */
	const struct form *parts;    /* members; the element of an array */
	uint16_t n_parts;	     /* members that are shown */
	uint32_t n_elements, stride; /* of an array */
	bool is_cut;		     /* more members or elements exist */
	const struct form_name *names;
	size_t n_names;
};

/* What a program writes for a value. */
enum carrier {
	CARRIER_NONE,	/* nothing: the value is not known; "?" */
	CARRIER_WORDS,	/* n_words, as they are */
	CARRIER_MEMORY, /* SNRT_FETCH_COPY */
	CARRIER_TEXT,	/* SNRT_FETCH_TEXT, SNRT_FETCH_STRING */
};

struct value {
	enum carrier carrier;
	uint8_t n_words;
	struct form form;
};

struct uservalues {
	const struct value *args;
	size_t n_args;
	bool has_ret;
	struct value ret;
	const char *arg_spec, *ret_spec, *enums; /* see uservalues_forms(); NULL: none */
};

/*
 * --- where a value is --------------------------------------------------------------------------
 */

enum where_kind {
	WHERE_NOWHERE,
	WHERE_REGS,  /* in one or two registers, 8 bytes each */
	WHERE_STACK, /* at the entry's stack pointer + offset */
	WHERE_X87,   /* in st(0) */
};

struct where {
	enum where_kind kind;
	unsigned n_regs;
	uint8_t regs[2]; /* DWARF numbers */
	int32_t offset;
	bool is_address; /* the address of the value is there */
};

struct parameter {
	const char *name;
	struct type type;
	struct where where;
};

/* A function as its debug information describes it. */
struct signature {
	struct parameter params[VALUES_ARGS_MAX];
	size_t n_params;
	bool has_more; /* parameters that are not listed */
	bool has_result;
	struct type result;
	struct where result_where;
};

/* valueabi.c: fills it from a scope at the function's entry. */
struct debuginfo_entry;
void signature_read(struct signature *s, const struct debuginfo_entry *entry);

/*
 * --- the builder -------------------------------------------------------------------------------
 */

struct code {
	struct snrt_fetch list[VALUES_CODE_MAX];
	size_t n;
	bool is_full;
};

struct builder {
	struct arena *arena;
	const struct types *types;	   /* NULL: none are known */
	const struct signature *signature; /* NULL: unknown */
	struct code tests, enter, leave;
	struct value args[VALUES_ARGS_MAX], ret;
	size_t n_args;
	bool has_ret;
	const char *arg_spec, *ret_spec; /* valueplain.c */
	uint16_t n_text_bytes;
};

void code_add(struct code *c, struct snrt_fetch fetch);
/* Brings what is there into the accumulator. */
void code_add_where(struct code *c, const struct where *w);

/* valueforms.c: how a type looks, and the code that fetches a value of it. */
void form_of_type(struct arena *a, struct type t, struct form *ret);
bool type_is_std_string(struct type t);
/* char *, and nothing else. */
bool type_is_text(struct type t);
void value_of_type(struct builder *b, struct code *c, struct type t, const struct where *w,
		   struct value *ret);
/* With a format of the user. */
void value_of_want(struct builder *b, struct code *c, const struct want *w, struct type t,
		   const struct where *where, struct value *ret);

/* valueexpr.c: an expression. -EINVAL with a message; nothing is added then. */
int value_of_expression(struct builder *b, struct code *c, const struct definition_arg *arg,
			bool is_return, struct value *ret, struct errmsg *err);
/* The same into the accumulator, for a comparison. */
int code_add_operand(struct builder *b, struct code *c, const struct expression *e,
		     uint32_t *ret_n_bytes, bool *ret_signed, struct errmsg *err);

/* values.c: the place that a want names, by its number or otherwise. */
struct where where_of_want(const struct want *w);

/* valueplain.c: values in uftrace's forms. */
struct plain_source {
	bool is_automatic;
	const char *name, *formats; /* of valuelibc_find(); formats: NULL if it knows none */
	const struct valuerule *const *rules;
	size_t n_rules;
};

void values_build_plain(struct builder *b, const struct plain_source *from);
/* "E enum colour {RED,GREEN=2}", a line each; NULL: none. */
const char *values_fmt_enums(struct arena *a, const struct signature *s);

/* valuelibc.c: "FORMATS", a letter for each argument, then = and that of the result; NULL. */
const char *valuelibc_find(const char *name);

#endif
