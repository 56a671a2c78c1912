// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * parse.c - parses the expression of a filter.
 *
 *	chain   := term { ("&&" | "||") term }          same priority, from left to right
 *	term    := { "!" } ( "(" chain ")" | test )
 *	test    := FIELD ( "==" | "!=" | "<" | ">" | "<=" | ">=" ) ( [ "-" ] NUMBER [ "." DIGITS ] |
 *	        'c' )
 *	         | FIELD ( "==" | "!=" ) ( STRING | NAME )   NAME: the name of a value in the print
 *	                                                     format
 *	         | FIELD ( "=~" | "!~" ) STRING         basic regular expression, any case
 *	         | value ( "+" | "-" | "*" | "/" | "%" | "&" | "|" | "^" | "<<" | ">>" ) value
 *	value   := FIELD | NUMBER                       the test is true if the result is not 0
 *
 * This is the grammar of libtraceevent 1.7.1, and a text that both accept has the same meaning.
 * That library uses a state machine that also accepts other texts, of which it uses only a part:
 * it reads `pid == 1 prio == 2` as `prio == 2`, `ret == -1` as `ret - 1`, `pid <> 3` as `pid > 3`,
 * "12ab" as 12, and a string after `+` makes a filter that never matches. Here a negative number
 * is supported, and the other texts are refused with a message. `!!x`, a string with a comma and a
 * text of letters outside ASCII, which the library refuses, are valid.
 *
 * Strings keep their backslashes (a regular expression needs them), "a" "b" is "ab".
 *
 * The text comes from the user, or from a script that took it from elsewhere: its length, depth,
 * number of fields and the cost of its patterns in regcomp() are limited (filter_int.h).
 */
#include "base/errmsg.h"
#include "base/array.h"
#include "base/scope.h"
#include "decode/filter/filter_int.h"
#include "decode/formats/lexer.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATTERN_MAX_BYTES 1024
/* limit of bytes times repetitions: the number of nodes that regcomp() makes */
#define PATTERN_MAX_COST  65536

struct filter_parser {
	struct filter *flt;
	struct errmsg *err;
	const char *whole;
	struct lexer lx;
	struct token tok; /* the current token */
	const char *at;	  /* position of the token in the text */
	unsigned depth;
};

const char *const filter_op_names[] = {
	[OP_EQ] = "==",	   [OP_NE] = "!=",	    [OP_LT] = "<",	    [OP_GT] = ">",
	[OP_LE] = "<=",	   [OP_GE] = ">=",	    [OP_REGEX] = "=~",	    [OP_NOT_REGEX] = "!~",
	[OP_ADD] = "+",	   [OP_SUB] = "-",	    [OP_MUL] = "*",	    [OP_DIV] = "/",
	[OP_MOD] = "%",	   [OP_SHIFT_RIGHT] = ">>", [OP_SHIFT_LEFT] = "<<", [OP_BIT_AND] = "&",
	[OP_BIT_OR] = "|", [OP_XOR] = "^"};

#define N_OPS ARRAY_LEN(filter_op_names)

/* Sets "the filter 'x' cannot be read at 'y': why". Always returns -EINVAL. */
static int __attribute__((format(printf, 3, 4)))
fail(struct filter_parser *p, const char *at, const char *fmt, ...)
{
	struct errmsg_spot spot = {.at = at - p->whole, .len = at < p->lx.end};
	char why[200];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	if (at >= p->lx.end)
		return errmsg_set_spot(p->err, -EINVAL, &spot,
				       "the filter '%.300s' ends too early: %s", p->whole, why);
	return errmsg_set_spot(p->err, -EINVAL, &spot,
			       "the filter '%.300s' cannot be read at '%.40s': %s", p->whole, at,
			       why);
}

static int no_memory(struct filter_parser *p)
{
	return errmsg_set_errno(p->err, -ENOMEM, "cannot keep the filter '%.300s'", p->whole);
}

/* Reads one string without its quotes. Returns false if it has no end. */
static bool take_quoted(struct filter_parser *p, struct token *ret)
{
	char quote = *p->lx.pos++;

	ret->kind = quote == '"' ? TOKEN_DQUOTE : TOKEN_SQUOTE;
	ret->s = p->lx.pos;
	for (; p->lx.pos < p->lx.end; p->lx.pos++) {
		if (*p->lx.pos == quote) {
			ret->len = p->lx.pos++ - ret->s;
			return true;
		}
		if (*p->lx.pos == '\\' && p->lx.pos + 1 < p->lx.end)
			p->lx.pos++;
	}
	return false;
}

static void skip_blanks(struct filter_parser *p)
{
	while (p->lx.pos < p->lx.end && isspace((unsigned char)*p->lx.pos))
		p->lx.pos++;
}

/*
 * Reads a string and the strings that follow it, and copies them if `to` is not NULL. Strings in
 * single quotes are not joined. Returns false if a string has no end.
 */
static bool walk_strings(struct filter_parser *p, char *to, struct token *ret)
{
	const char *after;
	struct token t;

	ret->len = 0;
	do {
		if (!take_quoted(p, &t))
			return false;
		if (to)
			memcpy(to + ret->len, t.s, t.len);
		ret->len += t.len;
		ret->kind = t.kind;
		after = p->lx.pos;
		if (t.kind == TOKEN_SQUOTE)
			return true;
		skip_blanks(p);
	} while (p->lx.pos < p->lx.end && *p->lx.pos == '"');
	p->lx.pos = after;
	return true;
}

/* Reads a string. The token is a NUL-terminated copy, because regcomp() needs one. */
static int take_string(struct filter_parser *p)
{
	const char *start = p->lx.pos;
	char *to;

	if (!walk_strings(p, NULL, &p->tok))
		return fail(p, start, "the string has no closing quote");
	to = arena_alloc(&p->flt->arena, p->tok.len + 1);
	if (!to)
		return no_memory(p);
	p->lx.pos = start;
	walk_strings(p, to, &p->tok);
	p->tok.s = to;
	return 0;
}

static int next_token(struct filter_parser *p)
{
	skip_blanks(p);
	p->at = p->lx.pos;
	if (p->at < p->lx.end && (*p->at == '"' || *p->at == '\''))
		return take_string(p);
	p->tok = lexer_next_item(&p->lx);
	if (p->tok.kind == TOKEN_NONE && p->at < p->lx.end)
		return fail(p, p->at, "this character can only stand in a string");
	if (p->tok.kind == TOKEN_OP && p->lx.pos < p->lx.end && *p->lx.pos == '~' &&
	    (token_is(&p->tok, "=") || token_is(&p->tok, "!"))) {
		p->lx.pos++;
		p->tok.len++;
	}
	return 0;
}

static bool tok_is(const struct filter_parser *p, enum token_kind kind, const char *s)
{
	return p->tok.kind == kind && token_is(&p->tok, s);
}

/*
 * Limits the number of nodes that regcomp() makes. For a\{3,5\}\{7\} this is at most the bytes
 * times 5 times 7.
 */
static bool pattern_is_modest(const char *pattern)
{
	uint64_t cost = strlen(pattern);

	if (cost > PATTERN_MAX_BYTES)
		return false;
	for (const char *p = pattern; (p = strstr(p, "\\{"));) {
		unsigned long n = 0, highest = 1;

		for (p += 2; isdigit((unsigned char)*p) || *p == ','; p++) {
			n = *p == ',' ? 0 : n * 10 + (*p - '0');
			if (n > PATTERN_MAX_COST)
				return false;
			highest = n > highest ? n : highest;
		}
		cost *= highest;
		if (cost > PATTERN_MAX_COST)
			return false;
	}
	return true;
}

const char *filter_regex_compile(regex_t *re, const char *pattern)
{
	if (!pattern_is_modest(pattern))
		return "the regular expression asks for too much";
	return regcomp(re, pattern, REG_ICASE | REG_NOSUB) ? "this is no regular expression" : NULL;
}

static int add_regex(struct filter_parser *p, struct filter_test *t)
{
	struct filter *flt = p->flt;
	const char *why;

	if (flt->n_regexes == FILTER_REGEX_MAX)
		return fail(p, p->at, "a filter can have %d regular expressions", FILTER_REGEX_MAX);
	t->regex = calloc(1, sizeof(*t->regex));
	if (!t->regex)
		return no_memory(p);
	why = filter_regex_compile(&t->regex->re, t->text);
	if (why) {
		free(t->regex);
		t->regex = NULL;
		return fail(p, p->at, "%s", why);
	}
	flt->regexes[flt->n_regexes++] = t->regex;
	return 0;
}

static int add_word(struct filter_parser *p, int32_t *ret_word)
{
	struct filter *flt = p->flt;
	char *name;

	for (size_t i = 0; i < flt->n_words; i++)
		if (token_is(&p->tok, flt->words[i])) {
			*ret_word = i;
			return 0;
		}
	if (flt->n_words == FILTER_WORDS_MAX)
		return fail(p, p->at, "a filter can name %d different fields", FILTER_WORDS_MAX);
	name = arena_strndup(&flt->arena, p->tok.s, p->tok.len);
	if (!name)
		return no_memory(p);
	*ret_word = flt->n_words;
	flt->words[flt->n_words++] = name;
	return 0;
}

/* Reads ".5" right after a number. */
static int read_fraction(struct filter_parser *p, bool negative, struct filter_operand *to)
{
	const char *start = p->at;
	char digits[80], *end;
	size_t len = p->lx.pos - start + 1;

	while (start + len < p->lx.end && isalnum((unsigned char)start[len]))
		len++;
	if (len >= sizeof(digits))
		return fail(p, p->at, "this number is too long");
	memcpy(digits, start, len);
	digits[len] = 0;
	to->real = strtod(digits, &end);
	if (*end)
		return fail(p, p->at, "this is no number");
	to->is_real = true;
	if (negative)
		to->real = -to->real;
	p->lx.pos = start + len;
	return next_token(p);
}

static int read_number(struct filter_parser *p, bool negative, bool may_be_real,
		       struct filter_operand *to)
{
	char digits[80], *end;

	if (p->tok.len >= sizeof(digits))
		return fail(p, p->at, "this number is too long");
	memcpy(digits, p->tok.s, p->tok.len);
	digits[p->tok.len] = 0;
	errno = 0;
	*to = (struct filter_operand){OPERAND_IS_NUMBER, .value = strtoull(digits, &end, 0)};
	if (*end || errno || (negative && to->value > (uint64_t)INT64_MAX + 1))
		return fail(p, p->at, "this is no number of 64 bits");
	to->is_negative = negative && to->value;
	if (negative)
		to->value = -to->value;
	if (may_be_real && p->lx.pos < p->lx.end && *p->lx.pos == '.')
		return read_fraction(p, negative, to);
	return next_token(p);
}

static bool tok_is_number(const struct filter_parser *p)
{
	return p->tok.kind == TOKEN_ITEM && isdigit((unsigned char)p->tok.s[0]);
}

static bool tok_is_word(const struct filter_parser *p)
{
	return p->tok.kind == TOKEN_ITEM && !isdigit((unsigned char)p->tok.s[0]);
}

static bool tok_is_string(const struct filter_parser *p)
{
	return p->tok.kind == TOKEN_DQUOTE || p->tok.kind == TOKEN_SQUOTE;
}

static int read_value(struct filter_parser *p, struct filter_operand *to)
{
	int r;

	if (tok_is_number(p))
		return read_number(p, false, false, to);
	if (!tok_is_word(p))
		return fail(p, p->at, "the name of a field or a number is missing");
	*to = (struct filter_operand){0};
	r = add_word(p, &to->word);
	return r < 0 ? r : next_token(p);
}

static int read_op(struct filter_parser *p, struct filter_test *t)
{
	for (size_t i = 0; p->tok.kind == TOKEN_OP && i < N_OPS; i++)
		if (token_is(&p->tok, filter_op_names[i])) {
			t->op = i;
			return next_token(p);
		}
	if (tok_is(p, TOKEN_OP, "="))
		return fail(p, p->at, "'=' is no operator, write '=='");
	if (tok_is(p, TOKEN_OP, "~"))
		return fail(p, p->at, "'~' is no operator, write '=~' and a regular expression");
	return fail(p, p->at, "an operator such as '==' or '&' is missing");
}

static int read_text(struct filter_parser *p, struct filter_test *t)
{
	bool is_regex = t->op == OP_REGEX || t->op == OP_NOT_REGEX;
	int r;

	t->text = p->tok.s;
	t->text_len = p->tok.len;
	t->kind = is_regex ? TEST_REGEX : TEST_TEXT;
	if (!is_regex && p->tok.kind == TOKEN_SQUOTE && p->tok.len == 1) {
		t->kind = TEST_CHARACTER;
		t->right = (struct filter_operand){OPERAND_IS_NUMBER,
						   .value = (unsigned char)p->tok.s[0]};
	} else if (!is_regex && t->op > OP_NE) {
		return fail(p, p->at, "a string can be compared with ==, !=, =~ and !~ only");
	}
	r = is_regex ? add_regex(p, t) : 0;
	return r < 0 ? r : next_token(p);
}

const char filter_not_a_name[] = "a field can be compared with a number or a string in quotes";

/*
 * Reads a name. filter_new() checks whether a value of that name exists when it knows the events.
 */
static int read_name(struct filter_parser *p, struct filter_test *t)
{
	t->kind = TEST_TEXT;
	t->text = arena_strndup(&p->flt->arena, p->tok.s, p->tok.len);
	t->text_len = p->tok.len;
	t->name_at = p->at;
	return t->text ? next_token(p) : no_memory(p);
}

/* Reads the right side of a comparison. */
static int read_right(struct filter_parser *p, struct filter_test *t, bool is_comm)
{
	bool negative;

	if (tok_is_string(p))
		return read_text(p, t);
	if (t->op == OP_REGEX || t->op == OP_NOT_REGEX)
		return fail(p, p->at, "a regular expression in quotes is missing");
	if (is_comm)
		return fail(p, p->at, "COMM is text, compare it with a string in quotes");
	negative = tok_is(p, TOKEN_OP, "-");
	if (negative) {
		TRY(next_token(p));
	}
	if (tok_is_word(p) && !negative && t->op <= OP_NE)
		return read_name(p, t);
	if (!tok_is_number(p))
		return fail(p, p->at,
			    tok_is_word(p) ? filter_not_a_name : "a number or a string is missing");
	t->kind = TEST_COMPARE;
	return read_number(p, negative, true, &t->right);
}

static int parse_test(struct filter_parser *p, int32_t *ret_test)
{
	struct filter *flt = p->flt;
	struct filter_test t = {0};
	const char *left_at = p->at;
	bool is_comm = tok_is(p, TOKEN_ITEM, "COMM");
	int r = read_value(p, &t.left);

	if (r < 0 || (r = read_op(p, &t)) < 0)
		return r;
	if (t.op >= OP_ADD) {
		if (is_comm || tok_is(p, TOKEN_ITEM, "COMM") || tok_is_string(p))
			return fail(p, is_comm ? left_at : p->at,
				    "text is not to be calculated with");
		t.kind = TEST_NONZERO;
		r = read_value(p, &t.right);
	} else if (t.left.word == OPERAND_IS_NUMBER) {
		return fail(p, left_at, "a field must stand to the left of '%s'",
			    filter_op_names[t.op]);
	} else {
		r = read_right(p, &t, is_comm);
	}
	TRY(r);
	if (!ARRAY_ROOM(flt->tests, flt->cap_tests, flt->n_tests + 1, ARRAY_NO_MAX))
		return no_memory(p);
	*ret_test = flt->n_tests;
	flt->tests[flt->n_tests++] = t;
	return 0;
}

static int parse_chain(struct filter_parser *p);

static int parse_group(struct filter_parser *p)
{
	const char *open = p->at;
	int r;

	if (++p->depth > FILTER_DEPTH_MAX)
		return fail(p, open, "parentheses can be %d deep", FILTER_DEPTH_MAX);
	r = next_token(p);
	if (r < 0 || (r = parse_chain(p)) < 0)
		return r;
	if (!tok_is(p, TOKEN_DELIM, ")"))
		return p->tok.kind == TOKEN_NONE ? fail(p, open, "the parenthesis is not closed")
						 : fail(p, p->at, "'&&', '||' or ')' is missing");
	p->depth--;
	return next_token(p);
}

static int parse_term(struct filter_parser *p, enum filter_join join)
{
	struct filter *flt = p->flt;
	struct filter_element e = {.join = join, .test = ELEMENT_IS_GROUP};
	size_t me = flt->n_elements;

	for (; tok_is(p, TOKEN_OP, "!"); e.n_not++) {
		TRY(next_token(p));
	}
	if (!ARRAY_ROOM(flt->elements, flt->cap_elements, me + 1, ARRAY_NO_MAX))
		return no_memory(p);
	flt->n_elements++; /* reserves the place of this element; the elements of a group follow */
	TRY(tok_is(p, TOKEN_DELIM, "(") ? parse_group(p) : parse_test(p, &e.test));
	e.next = flt->n_elements;
	flt->elements[me] = e;
	return 0;
}

static int parse_chain(struct filter_parser *p)
{
	enum filter_join join = JOIN_FIRST;

	for (;;) {
		TRY(parse_term(p, join));
		if (tok_is(p, TOKEN_OP, "&&"))
			join = JOIN_AND;
		else if (tok_is(p, TOKEN_OP, "||"))
			join = JOIN_OR;
		else
			return 0;
		TRY(next_token(p));
	}
}

int filter_parse(struct filter *flt, const char *whole, const char *expression, struct errmsg *err)
{
	struct filter_parser p = {.flt = flt, .err = err, .whole = whole};
	int r;

	p.lx = (struct lexer){expression, expression + strlen(expression), &flt->arena};
	r = next_token(&p);
	if (r < 0 || (r = parse_chain(&p)) < 0)
		return r;
	if (p.tok.kind == TOKEN_NONE)
		return 0;
	if (tok_is(&p, TOKEN_DELIM, ")"))
		return fail(&p, p.at, "there is no '(' to this ')'");
	return fail(&p, p.at, "'&&' or '||' is missing");
}
