/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * lexer.h - tokens of event format texts and of filters.
 *
 * The rules are those of libtraceevent, including the odd ones, because that library defines what a
 * format text means: adjacent strings join, quotes do not nest, `.` and `:` are operators. Tokens
 * point into the text, or into the arena if strings were joined.
 */
#ifndef SONDE_DECODE_FORMATS_LEXER_H
#define SONDE_DECODE_FORMATS_LEXER_H

#include "base/arena.h"
#include "format/bytes.h"

#include <stdbool.h>
#include <string.h>

enum token_kind {
	TOKEN_ERROR,
	TOKEN_NONE, /* end of text, or an unprintable character */
	TOKEN_SPACE,
	TOKEN_NEWLINE,
	TOKEN_OP,
	TOKEN_DELIM, /* ( ) , */
	TOKEN_ITEM,  /* letters, digits, _ */
	TOKEN_DQUOTE,
	TOKEN_SQUOTE,
};

struct token {
	enum token_kind kind;
	const char *s; /* not terminated; never NULL */
	size_t len;
};

struct lexer {
	const char *pos, *end;
	struct arena *arena;
};

static inline bool token_is(const struct token *t, const char *s)
{
	return strlen(s) == t->len && !memcmp(t->s, s, t->len);
}

/* Returns the next token. Skips blanks; a newline is a token. */
struct token lexer_next(struct lexer *lx);
/* Returns the next token. Skips blanks and newlines. */
struct token lexer_next_item(struct lexer *lx);

#endif
