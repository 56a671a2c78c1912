/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * definition_int.h - declarations that the files behind definition.h share: a position in the text.
 */
#ifndef SONDE_PROBE_DEFINITION_DEFINITION_INT_H
#define SONDE_PROBE_DEFINITION_DEFINITION_INT_H

#include "base/arena.h"
#include "base/errmsg.h"
#include "probe/definition/definition.h"

#define DEFINITION_NAME_MAX 63 /* the kernel's MAX_EVENT_NAME_LEN with its NUL is 64 */

struct definer {
	struct definition *d;
	struct arena *memory;
	const char *text;
	size_t pos;
	bool is_short;	  /* inside FUNC(…): commas separate, blanks are ignored */
	unsigned nesting; /* inside parentheses of an expression blanks are ignored, too */
	struct errmsg *err;
};

bool definer_is_blank(char c);
bool definer_is_name_start(char c);
bool definer_is_name_char(char c);
void definer_skip_blanks(struct definer *p);
/* Copies the bytes [at, at + len) without backslashes. Returns NULL if out of memory. */
const char *definer_unescape(struct definer *p, size_t at, size_t len);
/* Returns true if "word" is followed by a character that cannot belong to it. */
bool definer_at_word(const struct definer *p, const char *word);
/* Parses a number in C's notation at pos. Returns false if there is none or it is too large. */
bool definer_number(struct definer *p, uint64_t *ret_value);
struct span span_from(size_t at, size_t end);
/* Returns a span of one byte, or an empty one at the end of the text. */
struct span definer_here(const struct definer *p);

#define definer_refuse(p, span, ...) \
	definition_refuse((p)->text, span, (p)->err, -EINVAL, __VA_ARGS__)
#define definer_refuse_as(reason, p, span, ...)                                              \
	definition_refuse_as(DEFINITION_REASON_##reason, (p)->text, span, (p)->err, -EINVAL, \
			     __VA_ARGS__)

/* place.c: parses everything before the arguments. */
int definition_parse_place(struct definer *p);
/* Parses [GROUP(:|/)]EVENT between at and end into the definition. */
int definer_names(struct definer *p, size_t at, size_t end);
int definer_no_memory(struct definer *p);
/* choice.c: parses parentheses after a name that began at start. pos is at the parenthesis. */
int definition_parse_choice(struct definer *p, size_t start);
/* raw.c: parses the whole line. */
int definition_parse_raw(struct definer *p);
bool definition_is_raw(const char *text);
/* args.c: parses arguments up to the end or the filter. */
int definition_parse_args(struct definer *p);
/* expression.c */
int expression_parse(struct definer *p, struct expression **ret_expression);
/* Adds a node from start to the current position. */
int expression_add_node(struct definer *p, enum expression_kind kind, size_t start,
			struct expression *left, struct expression **ret);
int expression_add_named(struct definer *p, enum expression_kind kind, size_t start,
			 struct span word, struct expression *left, struct expression **ret);
/* expression_sign.c: parses a value that begins with $ % @ or a backslash. */
int expression_parse_sign(struct definer *p, struct expression **ret);
/* Parses a number at pos. An error points to start. */
int expression_number(struct definer *p, size_t start, uint64_t *ret);

#endif
