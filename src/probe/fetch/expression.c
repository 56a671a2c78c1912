// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * expression.c - parses the expression of a probe's argument, in C's syntax and the kernel's.
 *
 *	unary     * unary   & unary   (TYPE) unary   postfix
 *	postfix   primary { -> NAME | . NAME | [NUMBER] }
 *	primary   NAME   %REG   $retval …   @SYMBOL[+N]   @0xADDRESS   @+OFFSET   \NUMBER   \"TEXT"
 *	          +N(unary)   -N(unary)   +uN(unary)   (unary)
 *	          container_of(unary, TYPE, MEMBER)   (TYPE,MEMBER)primary
 *
 * An expression is a chain: every node has at most one below it (left), so
 *
 *	container_of(work, struct kvm_kernel_irqfd, inject)->kvm
 *
 * is ARROW "kvm" ─▶ CONTAINER ─▶ NAME "work". The chain is at most EXPRESSION_MAX_DEPTH long. Only
 * the shape decides whether "(a)b" is a cast: probes cannot calculate, so one word in parentheses
 * directly before a value can only be a cast.
 *
 * expression_sign.c parses values that begin with one of $ % @ \ and have no inner expression.
 */
#include "base/array.h"
#include "base/scope.h"
#include "probe/definition/definition_int.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int parse_unary(struct definer *p, unsigned depth, struct expression **ret);

/*
 * --- nodes -------------------------------------------------------------------------------------
 */

int expression_add_node(struct definer *p, enum expression_kind kind, size_t start,
			struct expression *left, struct expression **ret)
{
	struct expression *e;
	unsigned depth = 1;

	for (const struct expression *below = left; below; below = below->left)
		depth++;
	if (depth > EXPRESSION_MAX_DEPTH)
		return definer_refuse(p, span_from(start, p->pos),
				      "the argument has more than %d steps; record less",
				      EXPRESSION_MAX_DEPTH);
	e = arena_alloc(p->memory, sizeof(*e));
	if (!e)
		return -ENOMEM;
	e->kind = kind;
	e->left = left;
	e->span = e->word = span_from(start, p->pos);
	*ret = e;
	return 0;
}

int expression_add_named(struct definer *p, enum expression_kind kind, size_t start,
			 struct span word, struct expression *left, struct expression **ret)
{
	TRY(expression_add_node(p, kind, start, left, ret));
	(*ret)->word = word;
	(*ret)->text = arena_strndup(p->memory, p->text + word.at, word.len);
	return (*ret)->text ? 0 : -ENOMEM;
}

/* Skips blanks inside parentheses. */
static void skip_inner_blanks(struct definer *p)
{
	if (p->is_short || p->nesting)
		definer_skip_blanks(p);
}

/* Takes NAME, or A::B of C++. */
static struct span take_name(struct definer *p)
{
	size_t start = p->pos;

	if (!definer_is_name_start(p->text[p->pos]))
		return span_from(start, start);
	for (;;) {
		while (definer_is_name_char(p->text[p->pos]))
			p->pos++;
		if (p->text[p->pos] != ':' || p->text[p->pos + 1] != ':' ||
		    !definer_is_name_start(p->text[p->pos + 2]))
			return span_from(start, p->pos);
		p->pos += 2;
	}
}

static int expect(struct definer *p, char c, const char *what)
{
	definer_skip_blanks(p);
	if (p->text[p->pos] != c)
		return definer_refuse(p, definer_here(p), "a '%c' is missing here: %s", c, what);
	p->pos++;
	return 0;
}

/*
 * --- types in casts ----------------------------------------------------------------------------
 */

static bool is_type_word(const char *s, size_t len)
{
	static const char *const words[] = {"struct",	"union",  "enum",   "const", "volatile",
					    "unsigned", "signed", "char",   "short", "int",
					    "long",	"float",  "double", "void",  "_Bool",
					    "bool",	"class"};

	return ARRAY_ANY(ARRAY_LEN(words), i, strlen(words[i]) == len && !memcmp(words[i], s, len));
}

/*
 * Checks whether the text at `at` looks like a type. Finds how many words and stars it has, and
 * where it ends.
 */
static size_t scan_type(const char *text, size_t at, unsigned *ret_words, unsigned *ret_stars)
{
	*ret_words = *ret_stars = 0;
	for (;;) {
		while (definer_is_blank(text[at]))
			at++;
		if (definer_is_name_start(text[at])) {
			while (definer_is_name_char(text[at]) ||
			       (text[at] == ':' && text[at + 1] == ':' &&
				definer_is_name_start(text[at + 2])) ||
			       (text[at] == ':' && text[at - 1] == ':'))
				at++;
			++*ret_words;
		} else if (text[at] == '*') {
			at++;
			++*ret_stars;
		} else {
			return at;
		}
	}
}

enum paren { PAREN_CAST, PAREN_CONTAINER, PAREN_PLAIN };

static bool starts_value(char c)
{
	return definer_is_name_char(c) || (c && strchr("(*&$%@\\", c));
}

/* Decides what the '(' at pos begins. */
static enum paren look_at_paren(const struct definer *p)
{
	const char *t = p->text;
	size_t start = p->pos + 1, end, len = 0, next;
	unsigned n_words, n_stars;

	while (definer_is_blank(t[start]))
		start++;
	while (definer_is_name_char(t[start + len]))
		len++;
	end = scan_type(t, start, &n_words, &n_stars);
	if (!n_words || !definer_is_name_start(t[start]))
		return PAREN_PLAIN;
	if (t[end] == ',')
		return PAREN_CONTAINER;
	if (is_type_word(t + start, len))
		return PAREN_CAST;
	if (t[end] != ')')
		return PAREN_PLAIN;
	if (n_stars || n_words > 1)
		return PAREN_CAST;
	next = end + 1;
	while ((p->is_short || p->nesting) && definer_is_blank(t[next]))
		next++;
	return starts_value(t[next]) ? PAREN_CAST : PAREN_PLAIN;
}

/* Takes TYPE up to the character `stop`. */
static int take_type(struct definer *p, char stop, struct span *ret_span)
{
	size_t start, end;
	unsigned n_words, n_stars;

	definer_skip_blanks(p);
	start = p->pos;
	end = scan_type(p->text, start, &n_words, &n_stars);
	p->pos = end;
	if (p->text[end] != stop)
		return definer_refuse(
			p, definer_here(p), "a '%c' is missing here, after the type: %s", stop,
			stop == ')' ? "(TYPE)VALUE" : "container_of(POINTER, TYPE, MEMBER)");
	while (end > start && definer_is_blank(p->text[end - 1]))
		end--;
	if (!n_words)
		return definer_refuse(p, span_from(start, end),
				      "a type is missing here, as in struct kvm");
	*ret_span = span_from(start, end);
	p->pos++;
	return 0;
}

/*
 * --- primaries ---------------------------------------------------------------------------------
 */

/* Parses unary ')'. */
static int parse_inside(struct definer *p, unsigned depth, struct expression **ret)
{
	size_t open = p->pos++;

	p->nesting++;
	definer_skip_blanks(p);
	TRY(parse_unary(p, depth + 1, ret));
	definer_skip_blanks(p);
	p->nesting--;
	if (!p->text[p->pos])
		return definer_refuse(p, span_from(open, open + 1),
				      "the parenthesis that opens here is not closed; add a ')'");
	return expect(p, ')', "it closes the parenthesis");
}

/* +N(…), -N(…), +uN(…) */
static int parse_load(struct definer *p, unsigned depth, struct expression **ret)
{
	size_t start = p->pos;
	bool is_negative = p->text[p->pos++] == '-', is_user = p->text[p->pos] == 'u';
	struct expression *left;
	uint64_t n = 0;

	p->pos += is_user;
	TRY(expression_number(p, start, &n));
	if (p->text[p->pos] != '(')
		return definer_refuse(
			p, span_from(start, p->pos),
			"'%.*s' alone reads nothing: write %.*s(ADDRESS), or \\%.*s for the "
			"number itself",
			(int)(p->pos - start), p->text + start, (int)(p->pos - start),
			p->text + start, (int)(p->pos - start - !is_negative),
			p->text + start + !is_negative);
	TRY(parse_inside(p, depth, &left));
	TRY(expression_add_node(p, EXPRESSION_LOAD, start, left, ret));
	(*ret)->number = is_negative ? -(int64_t)n : (int64_t)n;
	(*ret)->is_user = is_user;
	return 0;
}

static int take_member(struct definer *p, struct span *ret_span)
{
	definer_skip_blanks(p);
	*ret_span = take_name(p);
	/* inject.work: a member of a member */
	while (ret_span->len && p->text[p->pos] == '.' &&
	       definer_is_name_start(p->text[p->pos + 1])) {
		p->pos++;
		take_name(p);
	}
	*ret_span = span_from(ret_span->at, p->pos);
	if (!ret_span->len)
		return definer_refuse(p, definer_here(p),
				      "the member's name is missing: container_of(POINTER, TYPE, "
				      "MEMBER)");
	return 0;
}

static int add_container(struct definer *p, size_t start, struct expression *left, struct span type,
			 struct span member, struct expression **ret)
{
	TRY(expression_add_named(p, EXPRESSION_CONTAINER, start, type, left, ret));
	(*ret)->member = arena_strndup(p->memory, p->text + member.at, member.len);
	(*ret)->member_span = member;
	return (*ret)->member ? 0 : -ENOMEM;
}

static int take_container(struct definer *p, unsigned depth, struct expression **left,
			  struct span *type, struct span *member)
{
	static const char how[] = "container_of(POINTER, TYPE, MEMBER)";

	TRY(parse_unary(p, depth + 1, left));
	TRY(expect(p, ',', how));
	TRY(take_type(p, ',', type));
	TRY(take_member(p, member));
	return expect(p, ')', how);
}

/* Parses container_of(POINTER, TYPE, MEMBER). pos is at the parenthesis. */
static int parse_container(struct definer *p, size_t start, unsigned depth, struct expression **ret)
{
	struct expression *left;
	struct span type, member;
	int r;

	p->pos++;
	p->nesting++;
	definer_skip_blanks(p);
	r = take_container(p, depth, &left, &type, &member);
	p->nesting--;
	return r < 0 ? r : add_container(p, start, left, type, member, ret);
}

static int parse_name(struct definer *p, unsigned depth, struct expression **ret)
{
	size_t start = p->pos;
	struct span word = take_name(p);

	if (p->text[p->pos] != '(')
		return expression_add_named(p, EXPRESSION_NAME, start, word, NULL, ret);
	if (word.len == 12 && !strncmp(p->text + word.at, "container_of", 12))
		return parse_container(p, start, depth, ret);
	return definer_refuse(
		p, word,
		"a probe cannot call functions; only container_of(POINTER, TYPE, MEMBER) is "
		"known");
}

static int refuse_start(struct definer *p)
{
	struct span here = definer_here(p);
	size_t end = p->pos;
	uint64_t n;

	while (definer_is_name_char(p->text[end]))
		end++;
	if (end > p->pos && definer_number(p, &n))
		return definer_refuse(p, span_from(here.at, end),
				      "a number alone is not recorded; to record it, write \\%.*s",
				      (int)(end - here.at), p->text + here.at);
	if (!here.len || strchr(",)", p->text[here.at]))
		return definer_refuse(p, here,
				      "an argument is missing here: name a variable, or remove "
				      "the sign before it");
	return definer_refuse(
		p, span_from(here.at, end > here.at ? end : here.at + 1),
		"an argument cannot begin with '%.*s'; write a variable, %%REG, $retval, "
		"@SYMBOL or a cast",
		(int)(end > here.at ? end - here.at : 1), p->text + here.at);
}

/* Parses (TYPE,MEMBER)primary, the kernel's form of container_of. */
static int parse_paren_container(struct definer *p, unsigned depth, struct expression **ret)
{
	size_t start = p->pos++;
	struct span type, member;
	struct expression *left;

	TRY(take_type(p, ',', &type));
	TRY(take_member(p, &member));
	TRY(expect(p, ')', "(TYPE,MEMBER)POINTER"));
	skip_inner_blanks(p);
	if (!definer_is_name_start(p->text[p->pos]) && !strchr("$%@", p->text[p->pos]))
		return refuse_start(p);
	if (definer_is_name_start(p->text[p->pos]))
		TRY(parse_name(p, depth, &left));
	else
		TRY(expression_parse_sign(p, &left));
	return add_container(p, start, left, type, member, ret);
}

static int parse_primary(struct definer *p, unsigned depth, struct expression **ret)
{
	char c = p->text[p->pos];
	int r;

	switch (c) {
	case '$':
	case '%':
	case '@':
	case '\\':
		return expression_parse_sign(p, ret);
	case '+':
	case '-':
		return parse_load(p, depth, ret);
	case '(':
		if (look_at_paren(p) == PAREN_CONTAINER)
			return parse_paren_container(p, depth, ret);
		r = parse_inside(p, depth, ret);
		return r;
	}
	if (definer_is_name_start(c))
		return parse_name(p, depth, ret);
	return refuse_start(p);
}

/*
 * --- postfix -----------------------------------------------------------------------------------
 */

static int parse_index(struct definer *p, size_t start, struct expression **io)
{
	size_t open = p->pos++;
	struct span word;
	uint64_t n = 0;

	definer_skip_blanks(p);
	word.at = p->pos;
	if (!definer_number(p, &n) || n > INT32_MAX) {
		size_t end = open + strcspn(p->text + open, "]");

		return definer_refuse(
			p, span_from(open + 1, end > open + 1 ? end : open + 2),
			"an index must be a number, as in [3], not a variable or a calculation");
	}
	word.len = p->pos - word.at;
	definer_skip_blanks(p);
	if (p->text[p->pos] != ']')
		return definer_refuse(p, span_from(open, open + 1),
				      "the bracket that opens here is not closed; add a ']'");
	p->pos++;
	TRY(expression_add_node(p, EXPRESSION_INDEX, start, *io, io));
	(*io)->number = n;
	(*io)->word = word;
	return 0;
}

static int parse_step(struct definer *p, size_t start, enum expression_kind kind, size_t n_sign,
		      struct expression **io)
{
	size_t sign = p->pos;
	struct span word;

	p->pos += n_sign;
	skip_inner_blanks(p);
	word = take_name(p);
	if (!word.len)
		return definer_refuse(p, span_from(sign, sign + n_sign),
				      "a member's name is missing after '%.*s'", (int)n_sign,
				      p->text + sign);
	return expression_add_named(p, kind, start, word, *io, io);
}

static int parse_postfix(struct definer *p, unsigned depth, struct expression **ret)
{
	size_t start = p->pos;
	int r = parse_primary(p, depth, ret);

	while (r >= 0) {
		const char *s;
		size_t end = p->pos;

		skip_inner_blanks(p);
		s = p->text + p->pos;
		if (s[0] == '-' && s[1] == '>') {
			r = parse_step(p, start, EXPRESSION_ARROW, 2, ret);
		} else if (s[0] == '.') {
			r = parse_step(p, start, EXPRESSION_MEMBER, 1, ret);
		} else if (s[0] == '[') {
			r = parse_index(p, start, ret);
		} else {
			p->pos = end;
			break;
		}
	}
	return r;
}

static int parse_cast(struct definer *p, unsigned depth, struct expression **ret)
{
	size_t start = p->pos++;
	struct expression *left;
	struct span type;

	TRY(take_type(p, ')', &type));
	skip_inner_blanks(p);
	TRY(parse_unary(p, depth + 1, &left));
	return expression_add_named(p, EXPRESSION_CAST, start, type, left, ret);
}

static int parse_unary(struct definer *p, unsigned depth, struct expression **ret)
{
	size_t start = p->pos;
	char c = p->text[p->pos];
	struct expression *left;

	if (depth > EXPRESSION_MAX_DEPTH)
		return definer_refuse(p, definer_here(p),
				      "the argument is nested more than %d deep; record less",
				      EXPRESSION_MAX_DEPTH);
	if (c == '(' && look_at_paren(p) == PAREN_CAST)
		return parse_cast(p, depth, ret);
	if (c != '*' && c != '&')
		return parse_postfix(p, depth, ret);
	p->pos++;
	skip_inner_blanks(p);
	TRY(parse_unary(p, depth + 1, &left));
	return expression_add_node(p, c == '*' ? EXPRESSION_DEREF : EXPRESSION_ADDRESS_OF, start,
				   left, ret);
}

int expression_parse(struct definer *p, struct expression **ret_expression)
{
	return parse_unary(p, 1, ret_expression);
}
