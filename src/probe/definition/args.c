// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * args.c - parses the arguments of a probe, with their names and types.
 *
 *	(file->f_flags:x32, name=$arg2:ustring, buf:u8[4]@user) if …
 *	 file->f_flags:x32  name=$arg2:ustring  buf:u8[4]@user  if …
 *
 * Both forms accept the same arguments. Without parentheses a blank ends an argument, unless it is
 * inside parentheses of the argument itself.
 */
#include "base/array.h"
#include "base/scope.h"
#include "probe/definition/definition_int.h"

#include "base/spelling.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/*
 * --- types -------------------------------------------------------------------------------------
 */

/*
 * The types of the kernel's probes, with perf probe's short ones; type_is_known() handles the rest.
 */
static const char *const types[] = {
	"u8",  "u16", "u32", "u64", "s8",   "s16",    "s32",	 "s64",	   "x8",     "x16", "x32",
	"x64", "u",   "s",   "x",   "char", "string", "ustring", "symbol", "symstr", "%pd", "%pD",
};

static bool is_digits(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (s[i] < '0' || s[i] > '9')
			return false;
	return len > 0 && len < 4;
}

/* Recognizes bWIDTH@OFFSET/CONTAINER. */
static bool is_bitfield(const char *s, size_t len)
{
	const char *at = memchr(s, '@', len), *slash = memchr(s, '/', len), *end = s + len;

	return s[0] == 'b' && at && slash && at < slash && is_digits(s + 1, at - s - 1) &&
	       is_digits(at + 1, slash - at - 1) && is_digits(slash + 1, end - slash - 1);
}

static bool type_is_known(const char *s, size_t len)
{
	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		if (strlen(types[i]) == len && !memcmp(types[i], s, len))
			return true;
	return is_bitfield(s, len);
}

static int refuse_type(struct definer *p, struct span span)
{
	struct spelling sp;

	spelling_init(&sp, p->text + span.at, span.len);
	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		spelling_add(&sp, types[i]);
	if (p->text[span.at] == 'b' && memchr(p->text + span.at, '@', span.len))
		return definer_refuse(p, span,
				      "this is no bit field; write bWIDTH@OFFSET/BITS, as in "
				      "b3@5/32: 3 bits from bit 5 on, of 32");
	if (sp.nearest)
		return definer_refuse(p, span, "there is no type '%.*s'; the nearest is %s",
				      (int)span.len, p->text + span.at, sp.nearest);
	return definer_refuse(p, span,
			      "there is no type '%.*s'; types are u8 to u64, s8 to s64, x8 to "
			      "x64, char, string, ustring, symbol and bWIDTH@OFFSET/BITS; "
			      "write a type of C as a cast before the name: (int)x",
			      (int)span.len, p->text + span.at);
}

/* Parses [N] after a type. */
static int parse_count(struct definer *p)
{
	size_t start = p->pos++;
	uint64_t n;

	if (!definer_number(p, &n) || p->text[p->pos] != ']' || n < 1 || n > 64)
		return definer_refuse(p, span_from(start, p->pos + (p->text[p->pos] == ']')),
				      "write an array as TYPE[N] with N from 1 to 64, as in "
				      "u8[16]");
	p->pos++;
	return 0;
}

static int parse_type(struct definer *p, struct definition_arg *arg)
{
	size_t start = ++p->pos, end = start;
	const char *t = p->text;

	if (t[end] == '%')
		end++;
	while (definer_is_name_char(t[end]))
		end++;
	/* the @ and / of a bit field; a @ before a letter is @user */
	if (t[start] == 'b' && t[end] == '@' && t[end + 1] >= '0' && t[end + 1] <= '9')
		while (definer_is_name_char(t[end]) || t[end] == '@' || t[end] == '/')
			end++;
	p->pos = end;
	if (start == end)
		return definer_refuse(p, definer_here(p),
				      "the type is missing after ':'; write one, as in :x64 or "
				      ":string, or omit the ':'");
	if (!type_is_known(t + start, end - start))
		return refuse_type(p, span_from(start, end));
	if (t[end] == '[')
		TRY(parse_count(p));
	arg->type = arena_strndup(p->memory, t + start, p->pos - start);
	arg->type_span = span_from(start, p->pos);
	return arg->type ? 0 : -ENOMEM;
}

static int parse_at(struct definer *p, struct definition_arg *arg)
{
	size_t start = p->pos++, end = p->pos;

	while (definer_is_name_char(p->text[end]))
		end++;
	if (end - p->pos != 4 || strncmp(p->text + p->pos, "user", 4))
		return definer_refuse(p, span_from(start, end),
				      "only '@user' can follow an argument: it reads the "
				      "program's memory");
	p->pos = end;
	arg->is_user = true;
	return 0;
}

/*
 * --- one argument ------------------------------------------------------------------------------
 */

/* Returns true for names of fields that every event has. */
static bool is_reserved(const char *name)
{
	static const char *const list[] = {"common_type",    "common_flags", "common_preempt_count",
					   "common_pid",     "common_tgid",  "__probe_ip",
					   "__probe_ret_ip", "__probe_func"};

	return ARRAY_ANY(ARRAY_LEN(list), i, !strcmp(name, list[i]));
}

static int check_arg_name(struct definer *p, const struct definition_arg *arg, struct span span)
{
	const struct definition *d = p->d;

	if (span.len > 31)
		return definer_refuse(p, span, "the name of a field can have at most 31 bytes");
	if (is_reserved(arg->name))
		return definer_refuse(p, span,
				      "every event has a field %s already; choose another name",
				      arg->name);
	for (size_t i = 0; i < d->n_args; i++)
		if (d->args[i].name && !strcmp(d->args[i].name, arg->name))
			return definer_refuse(p, span,
					      "two arguments have the name %s; choose another "
					      "name",
					      arg->name);
	return 0;
}

/* Parses NAME=. */
static int parse_arg_name(struct definer *p, struct definition_arg *arg)
{
	size_t end = p->pos;

	while (definer_is_name_char(p->text[end]))
		end++;
	if (end == p->pos || p->text[end] != '=' || p->text[end + 1] == '=')
		return 0;
	if (!definer_is_name_start(p->text[p->pos]))
		return definer_refuse(p, span_from(p->pos, end),
				      "the name of a field must begin with a letter or _");
	arg->name = arena_strndup(p->memory, p->text + p->pos, end - p->pos);
	if (!arg->name)
		return -ENOMEM;
	p->pos = end + 1;
	return check_arg_name(p, arg, span_from(end - strlen(arg->name), end));
}

/* Checks that values that exist only at the return are used there. */
static int check_return(struct definer *p, const struct expression *e)
{
	const struct definition *d = p->d;

	for (; e; e = e->left) {
		if (e->kind != EXPRESSION_RESULT && e->kind != EXPRESSION_DURATION)
			continue;
		if (d->is_return)
			return 0;
		if (d->form == DEFINITION_MARK || !d->function || d->has_line || d->offset ||
		    d->pattern)
			return definer_refuse(p, e->span,
					      "%.*s is known only where a function returns; write "
					      "FUNCTION%%return as the place",
					      (int)e->span.len, p->text + e->span.at);
		return definer_refuse(
			p, e->span, "%.*s is known only when %s returns; write %s%%return",
			(int)e->span.len, p->text + e->span.at, d->function, d->function);
	}
	return 0;
}

static int check_alone(struct definer *p, const struct definition_arg *arg)
{
	const struct expression *e = arg->value;

	if (e->kind != EXPRESSION_VARS && e->kind != EXPRESSION_PARAMS)
		return 0;
	if (arg->name || arg->type || arg->is_user)
		return definer_refuse(
			p, arg->span,
			"%.*s stands for many variables, so it takes neither a name nor a "
			"type; omit them",
			(int)e->span.len, p->text + e->span.at);
	return 0;
}

static int parse_arg(struct definer *p)
{
	struct definition *d = p->d;
	struct definition_arg arg = {0};
	size_t start = p->pos;
	int r;

	if (d->n_args == DEFINITION_MAX_ARGS)
		return definer_refuse(p, definer_here(p),
				      "a probe can have at most %d arguments; make two probes",
				      DEFINITION_MAX_ARGS);
	r = parse_arg_name(p, &arg);
	if (r >= 0)
		r = expression_parse(p, &arg.value);
	while (r >= 0 && (p->text[p->pos] == ':' || p->text[p->pos] == '@')) {
		if (p->text[p->pos] == ':' && arg.type)
			return definer_refuse(p, definer_here(p),
					      "the type is given twice; omit one");
		r = p->text[p->pos] == ':' ? parse_type(p, &arg) : parse_at(p, &arg);
	}
	if (r < 0)
		return r == -ENOMEM ? errmsg_set(p->err, r,
						 "not enough memory for the definition of a "
						 "probe")
				    : r;
	arg.span = span_from(start, p->pos);
	r = check_return(p, arg.value);
	if (r >= 0)
		r = check_alone(p, &arg);
	d->args[d->n_args++] = arg;
	return r;
}

/*
 * --- all of them -------------------------------------------------------------------------------
 */

/* Explains the text at a place where an argument should have ended. */
static int refuse_junk(struct definer *p)
{
	char c = p->text[p->pos];
	struct span here = definer_here(p);

	if (!c)
		return definer_refuse(p, here, "the parenthesis is not closed; add a ')'");
	if (c == ',')
		return definer_refuse(
			p, here,
			"without parentheses, blanks separate arguments; omit the comma, or "
			"write FUNCTION(a, b)");
	if (c == ')')
		return definer_refuse(p, here,
				      "this parenthesis was not opened; omit it, or write "
				      "FUNCTION(a, b) without a blank before '('");
	if (strchr("=<>!~", c))
		return definer_refuse(
			p, here,
			"write a condition after the definition: FUNCTION(a, b) if a %s VALUE",
			c == '='   ? "=="
			: c == '<' ? "<"
			: c == '>' ? ">"
				   : "!=");
	if (c == '-')
		return definer_refuse(
			p, here,
			"a probe cannot calculate; write '->' for a member of the struct that "
			"a pointer points to");
	if (strchr("+*/%&|^?", c))
		return definer_refuse(
			p, here, "a probe cannot calculate: record both as separate arguments");
	if (p->is_short)
		return definer_refuse(p, here, "a comma is missing between two arguments");
	return definer_refuse(p, here, "'%c' cannot follow an argument; a blank ends it", c);
}

static int parse_short(struct definer *p)
{
	p->is_short = true;
	p->pos++;
	definer_skip_blanks(p);
	if (p->text[p->pos] == ')') {
		p->pos++;
		return 0;
	}
	for (;;) {
		definer_skip_blanks(p);
		TRY(parse_arg(p));
		definer_skip_blanks(p);
		if (p->text[p->pos] == ')') {
			p->pos++;
			return 0;
		}
		if (p->text[p->pos] != ',')
			return refuse_junk(p);
		p->pos++;
	}
}

int definition_parse_args(struct definer *p)
{
	if (p->text[p->pos] == '(')
		return parse_short(p);
	for (;;) {
		if (p->text[p->pos] && !definer_is_blank(p->text[p->pos]))
			return refuse_junk(p);
		definer_skip_blanks(p);
		if (!p->text[p->pos] || definer_at_word(p, "if"))
			return 0;
		TRY(parse_arg(p));
	}
}
