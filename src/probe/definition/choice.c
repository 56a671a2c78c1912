// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * choice.c - parentheses after a function's name: arguments, or the parameters that select one of
 * several C++ functions with the same name.
 *
 *	put(n)              arguments: nothing follows
 *	put(int)            parameters: not an expression
 *	put(Mode)(n)        parameters: more follows, as in put(Mode)%return, put(Mode):3
 *	put(int) n          parameters: arguments of perf's grammar follow
 *	put(Mode)           undecided; code that knows the functions decides (definition.chosen)
 *	put()               no arguments; put(void) selects
 */
#include "base/array.h"
#include "probe/definition/definition_int.h"

#include <string.h>

/* Returns the position after the matching closing parenthesis, or 0 if there is none. */
static size_t skip_group(const char *text, size_t open)
{
	int depth = 0;

	for (size_t i = open; text[i]; i++) {
		depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
		if (!depth)
			return i + 1;
	}
	return 0;
}

/*
 * Returns true for a keyword of a C++ type, which cannot be a variable, or a word followed by * or
 * &.
 */
static bool is_type(const char *s, size_t len)
{
	static const char *const words[] = {
		"void",	    "bool",   "char",	"short", "int",	     "long",	"signed",
		"unsigned", "float",  "double", "const", "wchar_t",  "char8_t", "char16_t",
		"char32_t", "struct", "class",	"enum",	 "volatile", "__int128"};
	size_t n = 0;

	while (len && definer_is_blank(*s))
		s++, len--;
	while (len && definer_is_blank(s[len - 1]))
		len--;
	while (n < len && definer_is_name_char(s[n]))
		n++;
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (strlen(words[i]) == n && !strncmp(words[i], s, n))
			return true;
	return n && strchr("*&>", s[len - 1]) && (len < 2 || s[len - 2] != '-');
}

/* Returns 1 for an opening bracket, -1 for a closing one. "->" is not a bracket. */
static int bracket(const char *s, size_t i)
{
	if (s[i] == '>' && i && s[i - 1] == '-')
		return 0;
	return strchr("<(", s[i]) ? 1 : strchr(">)", s[i]) ? -1 : 0;
}

/* Returns true if any part of the group is a type. The text begins after the parenthesis. */
static bool has_type(const char *s, size_t len)
{
	size_t begin = 0;
	int depth = 0;

	for (size_t i = 0; i <= len; i++) {
		if (i < len && (depth || s[i] != ',')) {
			depth += bracket(s, i);
			continue;
		}
		if (is_type(s + begin, i - begin))
			return true;
		begin = i + 1;
	}
	return false;
}

enum group { GROUP_ARGUMENTS, GROUP_PARAMETERS, GROUP_UNCLEAR };

/* Decides the meaning of the parentheses from open to end. */
static enum group tell_group(const char *text, size_t start, size_t open, size_t end)
{
	bool is_types = has_type(text + open + 1, end - open - 2), is_empty = end == open + 2;
	size_t next = end;

	if (text[end] && strchr("(%:+@;", text[end]))
		return GROUP_PARAMETERS;
	while (definer_is_blank(text[next]))
		next++;
	if (!text[next] || (!strncmp(text + next, "if", 2) && definer_is_blank(text[next + 2])))
		return is_empty ? GROUP_ARGUMENTS : is_types ? GROUP_PARAMETERS : GROUP_UNCLEAR;
	/* perf's grammar, as in put(int) n */
	return next > end && (is_types || memmem(text + start, open - start, "::", 2))
		       ? GROUP_PARAMETERS
		       : GROUP_ARGUMENTS;
}

int definition_parse_choice(struct definer *p, size_t start)
{
	struct definition *d = p->d;
	size_t open = p->pos, end = p->text[open] == '(' ? skip_group(p->text, open) : 0;
	enum group group = end ? tell_group(p->text, start, open, end) : GROUP_ARGUMENTS;
	const char *name;

	if (group == GROUP_ARGUMENTS)
		return 0;
	name = definer_unescape(p, start, end - start);
	if (!name)
		return definer_no_memory(p);
	if (group == GROUP_UNCLEAR) {
		d->chosen = name;
		d->chosen_span = span_from(start, end);
		return 0;
	}
	d->function = name;
	d->function_span = span_from(start, end);
	p->pos = end;
	return 0;
}
