// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * expression_sign.c - parses values that begin with a sign. They are the ends of an expression's
 * chain.
 *
 *	$retval $comm $duration $vars $params $stack[N] $argN $arg*     rows of a table
 *	%REG                                                            a register
 *	@SYMBOL[+N] @0xADDRESS @+OFFSET                                 memory at a fixed place
 *	\NUMBER \"TEXT"                                                 constants
 *
 * The existence of registers and symbols is checked later, when the probe is resolved.
 */
#include "base/array.h"
#include "base/scope.h"
#include "probe/definition/definition_int.h"

#include "base/spelling.h"

#include <string.h>

struct special {
	const char *word;
	enum expression_kind kind;
	char after; /* '#': a number follows; '*': a star follows */
};

static const struct special specials[] = {
	{"retval", EXPRESSION_RESULT, 0},     {"comm", EXPRESSION_COMM, 0},
	{"duration", EXPRESSION_DURATION, 0}, {"vars", EXPRESSION_VARS, 0},
	{"params", EXPRESSION_PARAMS, 0},     {"stack", EXPRESSION_STACK, '#'},
	{"arg", EXPRESSION_ARGUMENT, '#'},    {"arg", EXPRESSION_PARAMS, '*'},
};

static bool matches_special(const char *s, size_t len, const struct special *row)
{
	size_t n = strlen(row->word);

	if (len < n || memcmp(s, row->word, n))
		return false;
	if (row->after == '#')
		return strspn(s + n, "0123456789") == len - n && len - n < 6;
	if (row->after == '*')
		return len == n && s[n] == '*';
	return len == n;
}

static int refuse_special(struct definer *p, struct span span)
{
	static const char *const names[] = {"$retval", "$comm",	 "$duration", "$vars",
					    "$params", "$stack", "$arg1",     "$arg2"};
	struct spelling sp;

	spelling_init(&sp, p->text + span.at, span.len);
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		spelling_add(&sp, names[i]);
	if (sp.nearest)
		return definer_refuse(p, span, "there is no '%.*s'; did you mean %s?",
				      (int)span.len, p->text + span.at, sp.nearest);
	return definer_refuse(
		p, span,
		"there is no '%.*s'; write a variable without $; with $ there are $retval, "
		"$argN, $stackN, $comm, $duration, $vars and $params",
		(int)span.len, p->text + span.at);
}

/* $… */
static int parse_special(struct definer *p, struct expression **ret)
{
	size_t start = p->pos++, len = 0;
	const char *s = p->text + p->pos;
	size_t i = 0;

	while (definer_is_name_char(s[len]))
		len++;
	while (i < ARRAY_LEN(specials) && !matches_special(s, len, &specials[i]))
		i++;
	if (i < ARRAY_LEN(specials) && specials[i].kind == EXPRESSION_ARGUMENT && len == 3 &&
	    s[3] == '*')
		i++; /* this is $arg*, not $arg without its number */
	p->pos += len + (i < ARRAY_LEN(specials) && specials[i].after == '*');
	if (i == ARRAY_LEN(specials))
		return refuse_special(p, span_from(start, p->pos));
	TRY(expression_add_node(p, specials[i].kind, start, NULL, ret));
	if (specials[i].after == '#') {
		size_t n = strlen(specials[i].word);

		(*ret)->number = len == n ? -1 : 0;
		for (; n < len; n++)
			(*ret)->number = 10 * (*ret)->number + s[n] - '0';
	}
	if (specials[i].kind == EXPRESSION_ARGUMENT && (*ret)->number < 1)
		return definer_refuse(p, (*ret)->span,
				      "arguments count from 1: $arg1 is the first");
	return 0;
}

/* Parses %REG. */
static int parse_register(struct definer *p, struct expression **ret)
{
	size_t start = p->pos++;
	size_t end = p->pos;

	while (definer_is_name_char(p->text[end]))
		end++;
	if (end == p->pos)
		return definer_refuse(p, span_from(start, start + 1),
				      "the name of a register is missing after '%%', as in %%di");
	p->pos = end;
	return expression_add_named(p, EXPRESSION_REGISTER, start, span_from(start + 1, end), NULL,
				    ret);
}

int expression_number(struct definer *p, size_t start, uint64_t *ret)
{
	size_t at = p->pos;

	if (definer_number(p, ret))
		return 0;
	while (definer_is_name_char(p->text[at]))
		at++;
	return definer_refuse(p, span_from(start, at > start ? at : start + 1),
			      "this is not a number; write digits, or 0x and hexadecimal digits");
}

/* Parses @SYMBOL[+N], @0xADDRESS, @+OFFSET. */
static int parse_fixed(struct definer *p, struct expression **ret)
{
	size_t start = p->pos++, end;
	enum expression_kind kind = EXPRESSION_ADDRESS;
	uint64_t n = 0;

	if (definer_is_name_start(p->text[p->pos])) {
		struct span word;

		for (end = p->pos;
		     definer_is_name_char(p->text[end]) ||
		     (p->text[end] == '.' && p->text[end + 1] >= '0' && p->text[end + 1] <= '9');)
			end++;
		word = span_from(p->pos, end);
		p->pos = end;
		if (p->text[end] == '+' || (p->text[end] == '-' && p->text[end + 1] != '>')) {
			p->pos++;
			TRY(expression_number(p, p->pos, &n));
		}
		TRY(expression_add_named(p, EXPRESSION_SYMBOL, start, word, NULL, ret));
		(*ret)->number = p->text[end] == '-' ? -(int64_t)n : (int64_t)n;
		return 0;
	}
	if (p->text[p->pos] == '+') {
		p->pos++;
		kind = EXPRESSION_FILE_AT;
	}
	TRY(expression_number(p, start, &n));
	TRY(expression_add_node(p, kind, start, NULL, ret));
	(*ret)->number = n;
	return 0;
}

/* Parses \NUMBER, \"TEXT". */
static int parse_constant(struct definer *p, struct expression **ret)
{
	size_t start = p->pos++, end;
	bool is_negative;
	uint64_t n = 0;

	if (p->text[p->pos] == '"') {
		const char *close = strchr(p->text + p->pos + 1, '"');

		if (!close)
			return definer_refuse(p, span_from(p->pos, p->pos + 1),
					      "the quote that opens here is not closed; add a \"");
		end = close - p->text;
		p->pos = end + 1;
		return expression_add_named(p, EXPRESSION_TEXT, start, span_from(start + 2, end),
					    NULL, ret);
	}
	is_negative = p->text[p->pos] == '-';
	p->pos += is_negative;
	TRY(expression_number(p, start, &n));
	TRY(expression_add_node(p, EXPRESSION_NUMBER, start, NULL, ret));
	(*ret)->number = is_negative ? -(int64_t)n : (int64_t)n;
	return 0;
}

int expression_parse_sign(struct definer *p, struct expression **ret)
{
	switch (p->text[p->pos]) {
	case '$':
		return parse_special(p, ret);
	case '%':
		return parse_register(p, ret);
	case '@':
		return parse_fixed(p, ret);
	default:
		return parse_constant(p, ret);
	}
}
