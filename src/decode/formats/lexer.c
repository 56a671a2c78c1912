// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * lexer.c - splits a format text into tokens.
 *
 * Operators: `->`, `<<`, `>>`, `&&`, `||`, `++`, `--`, and `<` `>` `<<` `>>` `!` `=` `+` `-` `|`
 * `&` with a following `=`; any other printable character that is not a letter is one token. A
 * string ends at its quote or at the first byte that is neither printable nor a newline; a
 * backslash protects the quote after it. Three macro names that kernels before 3.0 had in
 * mac80211's formats stand for strings.
 */
#include "decode/formats/lexer.h"

#include <ctype.h>

static enum token_kind char_kind(int c)
{
	if (c < 0)
		return TOKEN_NONE;
	if (c == '\n')
		return TOKEN_NEWLINE;
	if (isspace(c))
		return TOKEN_SPACE;
	if (isalnum(c) || c == '_')
		return TOKEN_ITEM;
	if (c == '\'')
		return TOKEN_SQUOTE;
	if (c == '"')
		return TOKEN_DQUOTE;
	if (!isprint(c))
		return TOKEN_NONE;
	return c == '(' || c == ')' || c == ',' ? TOKEN_DELIM : TOKEN_OP;
}

static int peek(const struct lexer *lx)
{
	return lx->pos < lx->end ? (unsigned char)*lx->pos : -1;
}

static void lex_op(struct lexer *lx, int c)
{
	if (c == '-' && peek(lx) == '>') {
		lx->pos++;
		return;
	}
	if (strchr("-+|&<>", c) && peek(lx) == c) {
		lx->pos++;
		if (c != '<' && c != '>')
			return;
	}
	if (strchr("-+|&<>!=", c) && peek(lx) == '=')
		lx->pos++;
}

/*
 * Reads the contents of a string whose opening quote was just read. lx->pos is then after the
 * closing quote.
 */
static struct token lex_quoted(struct lexer *lx, int quote)
{
	struct token t = {.kind = quote == '"' ? TOKEN_DQUOTE : TOKEN_SQUOTE, .s = lx->pos};
	int last = quote, c = quote;

	do {
		last = c;
		c = peek(lx);
		if (c <= 0)
			break;
		lx->pos++;
	} while ((c != quote && isprint(c)) || last == '\\' || c == '\n');
	t.len = lx->pos - t.s - (c > 0);
	if (c <= 0)
		t.kind = TOKEN_NONE;
	return t;
}

/* Returns true if another string follows. Then lx->pos is after its opening quote. */
static bool lex_follows_string(struct lexer *lx)
{
	const char *save = lx->pos;

	while (peek(lx) >= 0 && isspace(peek(lx)))
		lx->pos++;
	if (peek(lx) == '"') {
		lx->pos++;
		return true;
	}
	lx->pos = save;
	return false;
}

/*
 * Joins t and the strings after it. Copies them to `to`, or only computes the length if `to` is
 * NULL.
 */
static struct token lex_join(struct lexer *lx, struct token t, char *to)
{
	size_t len = 0;

	for (;;) {
		if (to)
			memcpy(to + len, t.s, t.len);
		len += t.len;
		if (t.kind != TOKEN_DQUOTE || !lex_follows_string(lx))
			return (struct token){t.kind, to, len};
		t = lex_quoted(lx, '"');
	}
}

static struct token lex_string(struct lexer *lx, int quote)
{
	struct token first = lex_quoted(lx, quote), whole;
	const char *save = lx->pos;
	char *to;

	whole = lex_join(lx, first, NULL);
	if (lx->pos == save)
		return first;
	lx->pos = save;
	to = arena_alloc(lx->arena, whole.len + 1);
	return to ? lex_join(lx, first, to) : (struct token){TOKEN_NONE, "", 0};
}

static struct token lex_item_fix(struct token t)
{
	static const char *const macros[][2] = {
		{"LOCAL_PR_FMT", "%s"}, {"STA_PR_FMT", " sta:%pM"}, {"VIF_PR_FMT", " vif:%p(%d)"}};

	for (int i = 0; i < 3; i++)
		if (token_is(&t, macros[i][0]))
			return (struct token){TOKEN_DQUOTE, macros[i][1], strlen(macros[i][1])};
	return t;
}

static struct token lex_any(struct lexer *lx)
{
	struct token t = {.kind = char_kind(peek(lx)), .s = lx->pos};
	int c = peek(lx);

	if (t.kind == TOKEN_NONE) {
		lx->pos += c >= 0;
		t.s = "";
		return t;
	}
	lx->pos++;
	if (t.kind == TOKEN_DQUOTE || t.kind == TOKEN_SQUOTE)
		return lex_string(lx, c);
	if (t.kind == TOKEN_OP)
		lex_op(lx, c);
	else if (t.kind == TOKEN_ITEM || t.kind == TOKEN_SPACE)
		while (char_kind(peek(lx)) == t.kind)
			lx->pos++;
	t.len = lx->pos - t.s;
	return t.kind == TOKEN_ITEM ? lex_item_fix(t) : t;
}

struct token lexer_next(struct lexer *lx)
{
	struct token t;

	do
		t = lex_any(lx);
	while (t.kind == TOKEN_SPACE);
	return t;
}

struct token lexer_next_item(struct lexer *lx)
{
	struct token t;

	do
		t = lex_any(lx);
	while (t.kind == TOKEN_SPACE || t.kind == TOKEN_NEWLINE);
	return t;
}
